"""The live half: a durable ask and tell. What is played, by whom, what came out, and what is decided."""
