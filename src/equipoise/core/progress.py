"""How far long work is, reported to whoever listens.

Loops that may take their time say what they do, how much of it is done and how much there is. Nobody hears it unless a
caller listens:

>>> with listening(lambda work, done, total: print(f"{work}: {done} of {total}")):
...     letters = list(counted("ab", "letters", [1, 1]))
letters: 0 of 2
letters: 1 of 2
letters: 2 of 2
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["STEPS", "Listener", "counted", "listening", "tell"]

STEPS = "steps of the fit"
"""What is reported of a fit that nobody knows the end of."""

_Thing = TypeVar("_Thing")

Listener = Callable[[str, int, int | None], None]
"""Called with the name of the work, how much is done, and how much there is: None where nobody knows, done at the end.

Work within work has a name of its own, and is reported between the steps of the work around it.
"""
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Report all work within to ``listener``; other threads and processes stay silent."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(work: str, done: int, total: int | None = None) -> None:
    """Say how far the work is."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(work, done, total)


def counted(things: Iterable[_Thing], work: str, sizes: Sequence[int] | None = None) -> Iterator[_Thing]:
    """Give the things one by one, and tell after each how much is done.

    ``sizes`` says how much each of them counts for; None where nobody knows how many will come. Work that is left
    before its end, because the answer is clear, is done.
    """
    total, done = None if sizes is None else sum(sizes), 0
    tell(work, done, total)
    try:
        for place, thing in enumerate(things):
            yield thing
            done += 1 if sizes is None else sizes[place]
            tell(work, done, total)
    finally:
        if done != total:
            tell(work, done, done)
