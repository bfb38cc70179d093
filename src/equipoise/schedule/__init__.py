"""What to play next, and when to stop: pure state machines that propose games and take their results."""
