"""Methods of dataclasses that are compiled when they are first called.

Up to version 3.12 Python writes and compiles six functions for each frozen dataclass, one after the other: a tenth of
what a small command takes, for comparisons and texts of which most are never asked for.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

__all__ = ["compile_late"]

LATE = {"__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"}


def compile_late() -> None:
    """Let dataclasses that are made from now on wait with all their methods but the constructor.

    Versions that make them in another way, all methods together, are left as they are.
    """
    make = getattr(dataclasses, "_create_fn", None)
    if make is not None and not hasattr(make, "at_once"):
        vars(dataclasses)["_create_fn"] = _later(make)


def _later(make: Callable[..., Any]) -> Callable[..., Any]:
    def create(name: str, *args: Any, **options: Any) -> Any:
        if name not in LATE:
            return make(name, *args, **options)
        made = None

        def method(*given: Any) -> Any:
            nonlocal made
            made = made or make(name, *args, **options)
            return made(*given)

        method.__name__ = name
        return method

    create.at_once = make  # type: ignore[attr-defined]
    return create
