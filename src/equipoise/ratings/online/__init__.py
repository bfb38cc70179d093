"""Elo and multidimensional Elo."""
