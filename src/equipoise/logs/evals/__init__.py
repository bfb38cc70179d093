"""Logs of evaluation harnesses, one module a tool."""
