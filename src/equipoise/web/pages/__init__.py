"""Pages of an arena: drawn on the server, whole without script."""
