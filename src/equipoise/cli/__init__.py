"""The command line: one file per command; every command has one library call as its twin."""
