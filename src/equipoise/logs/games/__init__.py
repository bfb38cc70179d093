"""Logs of games, one module a tool."""
