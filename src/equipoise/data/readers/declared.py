"""What is declared of an option of reading: its help, what data it concerns, and its place on a command line."""

from dataclasses import dataclass
from typing import Any, Literal

DataWord = Literal["games", "scores", "dealt hands", "logs"]
"""Kinds of data that a table or a log may hold, as messages call them."""
Per = Literal["sample", "evaluation"]
"""What a task of an evaluation's log is: one of its samples, or the whole evaluation."""

TABLES: tuple[DataWord, ...] = ("games", "scores", "dealt hands")
ALL: tuple[DataWord, ...] = (*TABLES, "logs")


@dataclass(frozen=True, slots=True)
class Declared:
    """What is declared of an option of reading.

    Attributes
    ----------
    name
        Of the field.
    help
        One sentence for the command line.
    kinds
        Kinds of data that it concerns.
    option
        The option of the command line; fields of one option are given together, separated by commas.
    panel
        Under which heading the help lists it; an empty one leaves it to ``--read``.
    annotation, default
        Of the field.
    """

    name: str
    help: str
    kinds: tuple[DataWord, ...]
    option: str
    panel: str
    annotation: Any
    default: Any
