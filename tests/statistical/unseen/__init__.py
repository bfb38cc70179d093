"""Worlds that were written before the remedies that they judge, and the tests that use them."""
