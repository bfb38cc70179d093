"""Did it get better? One agent before and after, on the same tasks, with a decision that has stated error rates."""
