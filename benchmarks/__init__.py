"""Ours beside the peers: the same data, the answers compared, then the clock."""
