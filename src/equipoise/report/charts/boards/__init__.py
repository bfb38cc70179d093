"""Charts of leaderboards."""
