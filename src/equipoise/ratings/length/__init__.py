"""Length-controlled win rates against a baseline."""
