"""Logs of votes and judgments, one module a tool."""
