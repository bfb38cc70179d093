"""Warnings as values: what a result's reader should know, in plain words.

A diagnostic never changes a number by itself; it says what was done or what to beware of, and names whom
it concerns. Results carry a tuple of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

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
        ``info`` (what was done) or ``warning`` (beware).
    message
        One plain sentence or two, for people.
    subjects
        The agents, tasks or columns concerned, all of them.
    """

    code: str
    severity: Severity
    message: str
    subjects: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Give the JSON form."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "subjects": list(self.subjects),
        }


def info(code: str, message: str, subjects: Iterable[str] = ()) -> Diagnostic:
    """State what was done."""
    return Diagnostic(code, "info", message, tuple(subjects))


def warning(code: str, message: str, subjects: Iterable[str] = ()) -> Diagnostic:
    """State what to beware of."""
    return Diagnostic(code, "warning", message, tuple(subjects))


def has_code(diagnostics: Iterable[Diagnostic], code: str) -> bool:
    """Tell whether one of the diagnostics has this code."""
    return any(diagnostic.code == code for diagnostic in diagnostics)
