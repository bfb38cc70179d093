"""Judges and raters: position bias, self-preference, agreement."""
