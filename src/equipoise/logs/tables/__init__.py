"""Tables made of logs, and logs that are tables."""
