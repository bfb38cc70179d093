"""What results are made of, under their public name: see :mod:`equipoise.core.results`."""

from equipoise.core.results import *  # noqa: F403  # the same names, all of them
