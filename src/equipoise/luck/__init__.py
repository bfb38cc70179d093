"""How much was luck: variance reduction that keeps the expectation where it is."""
