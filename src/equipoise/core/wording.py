"""Messages that name options as data, so that each surface spells them its own way.

>>> advice = Advice("fill them in with ", Option("missing", "complete"))
>>> advice.spelled(PYTHON)
'fill them in with missing="complete"'

The command line spells the same advice ``fill them in with --missing complete``, and leaves it out where a command
has no such option.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["PYTHON", "Advice", "Option", "Spelling", "Words", "counted", "digits_for", "spelled"]


@dataclass(frozen=True, slots=True)
class Option:
    """A parameter, and the value to give it; without a value the parameter as such.

    >>> str(Option("missing", "complete")), str(Option("level"))
    ('missing="complete"', 'level')
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        return PYTHON.option(self) or self.name


Words = str | Option
"""A part of a message."""


class Spelling(Protocol):
    """How one surface (Python, the command line) writes an option."""

    def option(self, option: Option) -> str | None:
        """Write the option, or give None where the surface at hand does not have it."""


class _Python:
    """Options as keyword arguments."""

    def option(self, option: Option) -> str:
        value = option.value
        if value is None:
            return option.name
        plain = isinstance(value, str) and '"' not in value
        return f'{option.name}="{value}"' if plain else f"{option.name}={value!r}"


PYTHON: Spelling = _Python()
"""How a user of the library writes options."""


@dataclass(frozen=True, slots=True, init=False)
class Advice:
    """What a reader can do: a clause that names the option to set."""

    words: tuple[Words, ...]

    def __init__(self, *words: Words) -> None:
        object.__setattr__(self, "words", words)

    def spelled(self, spelling: Spelling) -> str:
        """Give the clause; an empty text where the surface lacks one of its options."""
        known = all(spelling.option(part) is not None for part in self.words if isinstance(part, Option))
        return spelled(self.words, spelling) if known else ""


def spelled(words: Iterable[Words], spelling: Spelling) -> str:
    """Join texts and options into one message; an option that the surface lacks keeps its name in Python.

    Two parameters that a surface gives in one option (``a and b`` are ``--agents A,B``) are named once.
    """
    said: list[str] = []
    for part in words:
        text = part if isinstance(part, str) else spelling.option(part) or str(part)
        if isinstance(part, Option) and said[-2:] == [text, " and "]:
            del said[-1]
        else:
            said.append(text)
    return "".join(said)


def counted(number: int, noun: str) -> str:
    """Count things in words: 1 row, 2 rows.

    >>> counted(1, "row"), counted(1200, "deal")
    ('1 row', '1,200 deals')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def digits_for(errors: Iterable[float]) -> int:
    """Digits enough to see the smallest standard error."""
    smallest = min((float(error) for error in errors if error > 0), default=1.0)
    return next((digits for digits in range(6) if smallest * 10**digits >= 2.0), 6)
