"""The arena on the web: a server in front of an arena, for workers, organisers and those who watch."""
