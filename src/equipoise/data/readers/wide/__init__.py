"""Wide tables: agents on one side, tasks on the other, and which is which."""
