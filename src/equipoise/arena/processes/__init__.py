"""Programs that are spoken to in lines: confined where the system can, and killed with all their children."""
