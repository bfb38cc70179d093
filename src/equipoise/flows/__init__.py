"""Flows: the parts of a pair table or a score table that a rating can and cannot explain."""
