"""Ratings of agents drawn from a population, and a check for adaptive pairing."""
