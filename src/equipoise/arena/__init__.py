"""The live half: a durable ask and tell interface. What is played, by whom, what came out, and what is decided."""
