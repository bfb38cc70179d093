"""Who is better? Leaderboards, changes between them, categories, newcomers."""
