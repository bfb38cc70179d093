"""What is played, by whom, and for which question; trials, outcomes, and what games and players are."""
