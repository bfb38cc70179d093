"""Notes as they are shown: those of the same kind are one line, with a count and the first names."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from equipoise.core.diagnostics import Diagnostic, Severity
from equipoise.core.errors import some_of
from equipoise.core.wording import PYTHON, Spelling

MANY = 3
"""More notes of one code than this are one line even where their words differ."""
NUMBER = re.compile(r"\d[\d.,e+-]*")


@dataclass(frozen=True, slots=True)
class Note:
    """One line to show, and how many notes it stands for."""

    severity: Severity
    code: str
    text: str
    count: int = 1


def notes_of(diagnostics: Iterable[Diagnostic], spelling: Spelling = PYTHON) -> list[Note]:
    """Give the lines, in the order in which each kind first appears.

    >>> from equipoise.core.diagnostics import warning
    >>> [note.text for note in notes_of([warning("odd", f"{name} is odd.", [name]) for name in "abcdef"])]
    ['a is odd. 5 more like this: b, c, d and 2 more.']
    """
    each = list(dict.fromkeys(diagnostics))
    often: dict[str, int] = {}
    for note in each:
        often[note.code] = often.get(note.code, 0) + 1
    kinds: dict[tuple[str, str], list[Diagnostic]] = {}
    for note in each:
        shape = "" if often[note.code] > MANY else _shape(note, spelling)
        kinds.setdefault((note.code, shape), []).append(note)
    return [_one_line(alike, spelling) for alike in kinds.values()]


def _shape(note: Diagnostic, spelling: Spelling) -> str:
    """The message without its names and numbers."""
    text = note.spelled(spelling)
    for name in sorted(note.subjects, key=len, reverse=True):
        text = text.replace(name, "")
    return NUMBER.sub("", text)


def _one_line(alike: list[Diagnostic], spelling: Spelling) -> Note:
    first, *others = alike
    text = first.spelled(spelling)
    if others:
        names = some_of(dict.fromkeys(name for note in others for name in note.subjects))
        text = f"{text} {len(others):,} more like this{f': {names}' if names else ''}."
    severity: Severity = "warning" if any(note.severity == "warning" for note in alike) else "info"
    return Note(severity, first.code, text, len(alike))
