"""Raters: what is true where they disagree, and ratings that listen more to those who look."""
