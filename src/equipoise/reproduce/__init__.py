"""Papers recomputed: our figures beside theirs, with a verdict on each."""
