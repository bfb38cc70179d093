"""View models of results, and their forms: text, JSON, CSV."""
