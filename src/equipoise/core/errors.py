"""Everything Equipoise raises on purpose.

::

    EquipoiseError
    ├── DataError (ValueError)             the data cannot be used as they are
    │   ├── ReadError                      a file cannot be read: missing, empty, not text, ragged
    │   ├── ColumnError                    a column is missing, ambiguous or of the wrong kind
    │   ├── LeaseError                     a lease is of another arena, lost, or of a void trial
    │   └── DisconnectedError              groups of agents that never met cannot be compared
    ├── ParameterError (ValueError)        an option has a value that makes no sense
    ├── ConvergenceError (RuntimeError)    an iteration stopped before it reached its answer
    ├── StoreError (RuntimeError)          the database of an arena cannot be read or written now
    ├── WorkerError (RuntimeError)         a worker died, or was called off, before its work was done
    └── MissingDependencyError (ImportError)  an optional package is needed for this

A message is one line: what is wrong, where (a few places and a count), and what to do. The command line
prints it and exits with 2; any other exception is a bug of ours. Options are named as data
(:class:`equipoise.core.wording.Option`), so that each surface spells them its own way.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

from equipoise.core.wording import PYTHON, Advice, Spelling, Words, spelled

__all__ = [
    "ColumnError",
    "ConvergenceError",
    "DataError",
    "DisconnectedError",
    "EquipoiseError",
    "LeaseError",
    "MissingDependencyError",
    "ParameterError",
    "ReadError",
    "StoreError",
    "WorkerError",
    "did_you_mean",
    "some_of",
]


LONGEST_WORD, MOST_WORDS = 60, 2000
"""Beyond these nobody mistyped a word, and looking for the nearest one takes its time."""


class EquipoiseError(Exception):
    """Root of all errors that Equipoise raises on purpose.

    Parameters
    ----------
    words
        What is wrong: texts, and options as :class:`equipoise.core.wording.Option`.
    advice
        What the reader can do; a surface leaves out advice about options that it does not have.
    """

    def __init__(self, *words: Words, advice: Sequence[Advice] = ()) -> None:
        super().__init__(*words)
        self.words = words
        self.advice = tuple(advice)

    def message(self, spelling: Spelling = PYTHON) -> str:
        """Give the whole message as a surface spells it: one line, whatever a user's file calls its columns."""
        parts = [spelled(self.words, spelling), *(advice.spelled(spelling) for advice in self.advice)]
        return visible("; ".join(part for part in parts if part))

    def __str__(self) -> str:
        return self.message()

    def __reduce__(self) -> tuple[Any, ...]:
        # The standard way keeps only the positional part: advice would be lost between processes.
        return partial(type(self), advice=self.advice), self.words


class DataError(EquipoiseError, ValueError):
    """The data cannot be used as they are."""


class ReadError(DataError):
    """A file cannot be read as the table it should be."""


class ColumnError(DataError):
    """A column is missing, ambiguous or of the wrong kind."""


class DisconnectedError(DataError):
    """Groups of agents that never met; no rating compares them."""


class LeaseError(DataError):
    """A lease that gives no right: of another arena, taken back, or of a trial that is void."""


class ParameterError(EquipoiseError, ValueError):
    """An option has a value that makes no sense."""


class ConvergenceError(EquipoiseError, RuntimeError):
    """An iteration stopped before it reached its answer."""


class StoreError(EquipoiseError, RuntimeError):
    """The database behind an arena is in use, full, away or damaged; nothing was recorded."""


class WorkerError(EquipoiseError, RuntimeError):
    """A worker died, or was called off, before its work was done."""


class MissingDependencyError(EquipoiseError, ImportError):
    """An optional package is needed and not installed."""


def some_of(names: Iterable[object], most: int = 3) -> str:
    """Name a few of many: ``a, b, c and 4 more``.

    >>> some_of(["x", "y"]), some_of("abcde")
    ('x, y', 'a, b, c and 2 more')
    """
    listed = [_short(str(name)) for name in names]
    head = ", ".join(listed[:most])
    rest = len(listed) - most
    return f"{head} and {rest:,} more" if rest > 0 else head


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Give a hint with the nearest known word, or an empty text.

    >>> did_you_mean("winer", ["winner", "loser"])
    ' (did you mean "winner"?)'
    """
    if len(word) > LONGEST_WORD:
        return ""
    known = [name for name in known[:MOST_WORDS] if len(name) <= LONGEST_WORD]
    near = get_close_matches(word.lower(), [name.lower() for name in known], n=1, cutoff=0.6)
    original = {name.lower(): name for name in known}
    return f' (did you mean "{_short(original[near[0]])}"?)' if near else ""


def _short(name: str, longest: int = 60) -> str:
    """Keep a message on one line whatever a user's file calls its agents."""
    shown = visible(name)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def visible(text: str) -> str:
    """Show a sign for line ends and other characters that nobody sees."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
