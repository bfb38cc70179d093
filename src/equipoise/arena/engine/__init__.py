"""Requests to transactions: leases, results, decisions, and the state they make."""
