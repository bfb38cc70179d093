"""Charts of items and abilities."""
