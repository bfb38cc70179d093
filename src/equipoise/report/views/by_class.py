"""What was written for the class of a result, loaded when the first such result is shown.

Classes and functions go by their full names: a page of one table then loads neither the methods nor the drawings of
all the others.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["written_for"]


def written_for(kind: type, table: Mapping[str, str]) -> Callable[..., Any] | None:
    """Find the function for a class, or for the nearest class that it is made of; None where there is none.

    >>> written_for(bool, {"builtins.int": "math.sqrt"}).__name__
    'sqrt'
    """
    for each in kind.__mro__:
        place = table.get(f"{each.__module__}.{each.__qualname__}")
        if place is not None:
            module, _, name = place.rpartition(".")
            function: Callable[..., Any] = getattr(import_module(module), name)
            return function
    return None
