"""How far long work is, under the name by which programs listen: see :mod:`equipoise.core.progress`."""

from equipoise.core.progress import STEPS, Listener, counted, listening, tell

__all__ = ["STEPS", "Listener", "counted", "listening", "tell"]
