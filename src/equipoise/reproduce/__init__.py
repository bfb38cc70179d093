"""Papers recomputed: our results beside theirs, and how far each agrees."""
