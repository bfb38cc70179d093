"""Loops that are compiled where it pays: from a size on, by numba, whose work is kept on disk.

Loading the compiler takes as long as a whole small analysis, and its first use on a machine several seconds. Below
the size that a loop declares it runs as the Python that it is, and nothing is loaded.

>>> @compiled(least=1000)
... def total(numbers):
...     result = 0
...     for number in numbers:
...         result += number
...     return result
>>> total([1, 2, 3])
6
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

__all__ = ["compiled"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(
    *, least: int, by: int = 0, helpers: tuple[Callable[..., Any], ...] = (), **options: Any
) -> Callable[[_Function], _Function]:
    """Compile a loop where argument number ``by`` has at least so many entries; ``helpers`` are functions it calls."""

    def decorate(function: _Function) -> _Function:
        quick: Callable[..., Any] | None = None

        @wraps(function)
        def run(*args: Any) -> Any:
            nonlocal quick
            if len(args[by]) < least:
                return function(*args)
            if quick is None:
                quick = _compile(function, helpers, options)
            return quick(*args)

        return run  # type: ignore[return-value]  # same signature

    return decorate


def _compile(
    function: Callable[..., Any], helpers: tuple[Callable[..., Any], ...], options: dict[str, Any]
) -> Callable[..., Any]:
    import numba
    from numba.extending import register_jitable

    for helper in helpers:
        register_jitable(helper)
    made: Callable[..., Any] = numba.njit(cache=True, **options)(function)
    return made
