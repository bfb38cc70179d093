"""How a method declares itself, under its public name: see :mod:`equipoise.core.declaration`."""

from equipoise.core.declaration import *  # noqa: F403  # the same names, all of them
