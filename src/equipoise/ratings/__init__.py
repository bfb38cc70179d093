"""Ratings: one number an agent, and whether a single rating describes the games."""
