"""The Bradley-Terry family: model, fit, errors, existence, refits, result."""
