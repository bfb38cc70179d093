"""Ratings: one number an agent, and whether one number is honest."""
