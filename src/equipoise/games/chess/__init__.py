"""Chess: openings, the game, adjudication and its PGN."""
