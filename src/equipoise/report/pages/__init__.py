"""Pages of several results: files, folders, sections."""
