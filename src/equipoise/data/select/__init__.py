"""Which rows and agents are taken: conditions, dates, cleaning steps."""
