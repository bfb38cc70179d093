"""The data types: matches, pair counts, scores, episodes and meta-games."""
