"""What is measured: a job, its sizes, and the sides that do it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["OURS", "Agreement", "Answer", "Job", "Side", "close", "is_ours"]

OURS = "equipoise"
Answer = Mapping[str, Any]
Agreement = tuple[bool, str]


@dataclass(frozen=True)
class Side:
    """One way to do a job.

    Attributes
    ----------
    run
        From prepared data to the answer; imports its library inside, so that a cold run pays for it. An answer with
        ``peak`` (bytes) says itself how much memory the work took: that of another process.
    prepare
        Puts the data in the form that the library takes (lists, a data frame ...); not timed.
    note
        What it leaves out, or what it is.
    once
        Every run is a first one, so that repeats would say nothing new.
    """

    name: str
    run: Callable[[Any], Answer]
    prepare: Callable[[Any], Any] = lambda data: data
    note: str = ""
    once: bool = False


@dataclass(frozen=True)
class Job:
    """The same work at several sizes, by us (the first side) and by others.

    Attributes
    ----------
    make
        Data of a size, the same in every process.
    sizes, quick
        Sizes of a whole and of a quick run, as numbers that cost grows with.
    agree
        Whether two answers (ours first) are the same, and in words how close they are.
    label
        A size in words.
    floor
        Name of the side that is not a peer but the least that anybody has to do.
    grows
        Whether sizes are amounts; otherwise they number different cases, and none says anything about the next.
    """

    name: str
    make: Callable[[int], Any]
    sides: tuple[Side, ...]
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    label: Callable[[int], str]
    agree: Callable[[Answer, Answer], Agreement]
    floor: str = ""
    grows: bool = True


def is_ours(side: str) -> bool:
    """Tell whether a side is ours: the plain one, or a variant of it such as ``equipoise, first run``."""
    return side.split(",", maxsplit=1)[0] == OURS


def close(key: str, most: float, what: str) -> Callable[[Answer, Answer], Agreement]:
    """Agree where no value of a key differs by more than so much."""

    def agree(ours: Answer, theirs: Answer) -> Agreement:
        import numpy as np

        gap = float(np.max(np.abs(np.asarray(ours[key]) - np.asarray(theirs[key]))))
        return gap <= most, f"largest difference of {what}: {gap:.1e}"

    return agree
