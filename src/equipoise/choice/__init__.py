"""Social choice and general games: voting rules on tasks, ballots and games, and ratings of players of any game."""
