"""How to read a file whose kind is not known beforehand: options of the readers by name, sorted by kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.wording import Option

__all__ = ["KINDS", "ROLES", "Reading"]

SHARED = ("duplicates", "on_error")
KINDS: Mapping[str, tuple[str, ...]] = {
    "games": ("a", "b", "outcome", "wins", "losses", "games", "ties", "weight", "group", "outcome_means", *SHARED),
    "scores": ("agent", "task", "score", "trial", "tasks", "not_tasks", "transpose", *SHARED),
    "logs": ("metric", "scorer", "filter", "split", "per", "denominator", "keep", "last", "on_error"),
    "dealt hands": ("agent", "deal", "utility", "seat", "hand", "controls", *SHARED),
}
"""Options of the readers of each kind of data."""
ROLES = frozenset(name for names in KINDS.values() for name in names)
SEVERAL = ("deal", "controls")
"""Options that take several columns; as one text they are separated by commas."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Options of readers that a user gave, by name.

    >>> Reading({"outcome": "res"}).kind
    'games'
    """

    given: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.given:
            if name not in ROLES:
                known = ", ".join(sorted(ROLES))
                hint = did_you_mean(str(name), sorted(ROLES))
                raise ParameterError(Option("reading"), f' has no "{name}"{hint}; it takes: {known}')

    @property
    def kind(self) -> str | None:
        """The kind of data that has all these options; None where several or none have."""
        if not set(self.given) - set(SHARED):
            return None
        able = [kind for kind, names in KINDS.items() if set(self.given) <= set(names)]
        return able[0] if len(able) == 1 else None

    def of(self, kind: str) -> dict[str, Any]:
        """Give the options for the reader of a kind; refuse those that it does not have."""
        for name in self.given:
            if name not in KINDS.get(kind, ()):
                raise ParameterError(Option(name), f" has no effect: the file was taken for {kind}")
        return {name: _plain(name, value) for name, value in self.given.items()}


def _plain(name: str, value: object) -> object:
    if name in SEVERAL and isinstance(value, str):
        return tuple(part.strip() for part in value.split(","))
    if name == "transpose" and isinstance(value, str):
        return value.lower() in ("true", "yes", "1")
    return value
