"""Logs that other tools write, recognised by their contents and read into the data types of this package."""
