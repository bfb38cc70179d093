"""Abilities with items given: scoring, calibration, adaptive tests, equating, prediction."""
