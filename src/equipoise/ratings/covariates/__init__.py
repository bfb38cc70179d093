"""Bradley-Terry with covariates, and ratings at equal style."""
