"""Loads the package before pytest walks it: ``equipoise.irt`` is a room and, for users, the function in it."""

import equipoise  # noqa: F401  # imported for its effect
