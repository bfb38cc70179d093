"""Referees: what a trial is, for each kind of game."""
