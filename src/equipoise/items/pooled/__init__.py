"""Few agents: the hierarchical item model, items drawn from a population."""
