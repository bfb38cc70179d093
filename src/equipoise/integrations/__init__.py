"""Where people already work: pytest, Inspect, and language models that ask for tools."""
