"""Maximum marginal and joint likelihood of item parameters."""
