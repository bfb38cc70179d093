"""Arenas behind a server: the same contract as an arena here, over HTTP."""
