"""What a table of scores says of agents and of tasks."""
