"""Charts of games: cycles, equilibria, response graphs."""
