"""Options of the commands, declared once."""
