"""Worlds that were written before the remedies they try, and that no constant was chosen on."""
