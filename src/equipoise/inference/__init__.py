"""Uncertainty: resampling, rank intervals, sample sizes."""
