"""What each result shows, free of how it is shown."""
