"""How a match log is read: its columns, where a user names them, and what happens to bad and repeated rows."""

from dataclasses import dataclass, field
from typing import Any

from equipoise.data.readers.read import Duplicates, OnError, OutcomeMeans, Source, read_matches, read_pairs
from equipoise.data.select.selection import Choice
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable

__all__ = ["GameColumns"]


@dataclass(frozen=True, slots=True)
class GameColumns:
    """Columns of a match log, where a user names them, what to do with bad rows, and which rows are wanted."""

    a: str | None = None
    b: str | None = None
    outcome: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    on_error: OnError = "raise"
    choice: Choice = field(default_factory=Choice)
    wins: str | None = None
    losses: str | None = None
    games: str | None = None
    outcome_means: OutcomeMeans | None = None
    duplicates: Duplicates | None = None
    covariates: tuple[str, ...] = ()

    def pairs(self, source: Source) -> PairTable:
        """Read pair counts, which fit in memory whatever the file's size."""
        return read_pairs(
            source, a=self.a, b=self.b, outcome=self.outcome, weight=self.weight, group=self.group,
            wins=self.wins, losses=self.losses, games=self.games, outcome_means=self.outcome_means,
            duplicates=self.duplicates, on_error=self.on_error, **self._wanted(),
        )  # fmt: skip

    def matches(self, source: Source, labels: tuple[str, ...] = ()) -> Matches:
        """Read single matches, for methods that look at each; ``labels`` are further columns to keep."""
        return read_matches(
            source, a=self.a, b=self.b, outcome=self.outcome, weight=self.weight, group=self.group,
            wins=self.wins, losses=self.losses, games=self.games, outcome_means=self.outcome_means,
            duplicates=self.duplicates, on_error=self.on_error,
            covariates=self.covariates or None, labels=labels or None,
            **{**self._wanted(), "time": self.time},
        )  # fmt: skip

    def _wanted(self) -> dict[str, Any]:
        """Give what is wanted of the rows; the column of times goes with the limits."""
        return {**self.choice.named(), **({} if self.time is None else {"time": self.time})}

    def named(self) -> dict[str, object]:
        """Give the columns that were named."""
        names = (
            "a",
            "b",
            "outcome",
            "weight",
            "group",
            "time",
            "wins",
            "losses",
            "games",
            "outcome_means",
            "duplicates",
        )
        return {name: value for name in names if (value := getattr(self, name))} | self.choice.named()
