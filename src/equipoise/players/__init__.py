"""Who sits down: UCI engines, bots of OpenSpiel, Python objects, programs that speak JSON lines."""
