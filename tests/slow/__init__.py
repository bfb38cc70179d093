"""Checks that take long and are no simulations: run by `make test-statistical`, beside them."""
