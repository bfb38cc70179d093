"""Ratings of games of several players, by the places they took: Plackett-Luce with ties."""
