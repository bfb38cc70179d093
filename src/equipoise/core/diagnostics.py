"""Warnings as values: what a result's reader should know, in plain words.

A diagnostic never changes a number by itself; it says what was done or gives a warning, and names whom
it concerns. Results have a tuple of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from equipoise.core.advice import TO_DO
from equipoise.core.wording import PYTHON, Advice, Option, Spelling, Words, spelled

__all__ = ["Diagnostic", "Severity", "has_code", "info", "warning"]

Severity = Literal["info", "warning"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing worth knowing about a result or its data.

    Attributes
    ----------
    code
        Short and stable, for programs: ``no-finite-mle``.
    severity
        ``info`` (what was done) or ``warning`` (what to mind when reading the result).
    words
        One plain sentence or two, for people: texts, and options as data.
    subjects
        The agents, tasks or columns concerned, all of them.
    advice
        What the reader can do; a surface leaves out advice about options that it does not have.
    """

    code: str
    severity: Severity
    words: tuple[Words, ...]
    subjects: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()

    @property
    def message(self) -> str:
        """The whole message, as a user of the library reads it."""
        return self.spelled(PYTHON)

    def spelled(self, spelling: Spelling) -> str:
        """Give the whole message as a surface spells it."""
        clauses = [clause for advice in self.advice if (clause := advice.spelled(spelling))]
        sentences = [spelled(self.words, spelling), *(f"{clause[:1].upper()}{clause[1:]}." for clause in clauses)]
        return " ".join(sentences)

    def to_dict(self, spelling: Spelling = PYTHON) -> dict[str, object]:
        """Give the JSON form."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.spelled(spelling),
            "subjects": list(self.subjects),
        }


def info(
    code: str, message: Words | Sequence[Words], subjects: Iterable[str] = (), *, advice: Sequence[Advice] = ()
) -> Diagnostic:
    """State what was done."""
    return Diagnostic(code, "info", _words(message), tuple(subjects), tuple(advice))


def warning(
    code: str, message: Words | Sequence[Words], subjects: Iterable[str] = (), *, advice: Sequence[Advice] = ()
) -> Diagnostic:
    """Give a warning; one whose maker advises nothing ends in what its kind can be met with."""
    given = tuple(advice) or ((Advice(TO_DO[code]),) if code in TO_DO else ())
    return Diagnostic(code, "warning", _words(message), tuple(subjects), given)


def _words(message: Words | Sequence[Words]) -> tuple[Words, ...]:
    return (message,) if isinstance(message, str | Option) else tuple(message)


def has_code(diagnostics: Iterable[Diagnostic], code: str) -> bool:
    """Tell whether one of the diagnostics has this code."""
    return any(diagnostic.code == code for diagnostic in diagnostics)
