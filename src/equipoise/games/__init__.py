"""Referees: what a trial is for chess, games of OpenSpiel, poker, a Python function, a program."""
