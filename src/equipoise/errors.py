"""The errors of the package, under their public name: see :mod:`equipoise.core.errors`."""

from equipoise.core.errors import *  # noqa: F403  # the same names, all of them
