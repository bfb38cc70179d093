"""Logs that other tools write, recognised by what they hold and read into the data types of this package."""
