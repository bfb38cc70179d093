"""How far long work is, under the name by which programs listen: see :mod:`equipoise.progress`."""

from equipoise.progress import STEPS, Listener, counted, listening, tell

__all__ = ["STEPS", "Listener", "counted", "listening", "tell"]
