"""Who takes trials to players: threads, processes on this machine, a cluster."""
