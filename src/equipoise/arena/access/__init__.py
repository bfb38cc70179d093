"""Ways to an arena: reading it, its standings, its owner's service and the client of another process."""
