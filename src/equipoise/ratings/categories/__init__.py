"""Ratings by category, partially pooled."""
