"""Equipoise evaluates agents, and the benchmarks that they are evaluated with.

What there is to import stands in ``__init__.pyi``; each name loads its module when it is first used. What is asked for
seldom stands in :mod:`equipoise.methods`, classes of results stand in :mod:`equipoise.results`.
"""

from typing import Any

from equipoise.core.lazy import within

__version__ = "0.3.0"

_load, __dir__, __all__ = within(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name in ("errors", "methods", "results"):
        from importlib import import_module

        return import_module(f"equipoise.{name}")
    if not name.startswith("_") and name not in __all__:
        from equipoise.core.former import FORMER_NAMES, former_name

        if name in FORMER_NAMES:
            return former_name(name)
    return _load(name)
