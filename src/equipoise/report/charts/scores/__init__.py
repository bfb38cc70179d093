"""Charts of runs and score tables."""
