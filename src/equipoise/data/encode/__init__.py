"""Columns as codes and numbers: labels, outcomes, cells, sums by pair."""
