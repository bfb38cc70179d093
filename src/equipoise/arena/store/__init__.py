"""Where an arena is kept: SQLite or PostgreSQL, one schema."""
