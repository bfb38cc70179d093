"""Response curves, and score tables as responses."""
