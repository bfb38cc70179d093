"""How a match log is read: its columns, where a user names them, and what happens to bad rows."""

from dataclasses import dataclass

from equipoise.data.matches import Matches
from equipoise.data.pairs import PairTable
from equipoise.data.read import OnError, Source, read_matches, read_pairs

__all__ = ["GameColumns"]


@dataclass(frozen=True, slots=True)
class GameColumns:
    """Columns of a match log, where a user names them, and what to do with bad rows."""

    a: str | None = None
    b: str | None = None
    outcome: str | None = None
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    on_error: OnError = "raise"

    def pairs(self, source: Source) -> PairTable:
        """Read pair counts, which fit in memory whatever the file's size."""
        return read_pairs(
            source, a=self.a, b=self.b, outcome=self.outcome, weight=self.weight, group=self.group,
            on_error=self.on_error,
        )  # fmt: skip

    def matches(self, source: Source) -> Matches:
        """Read single matches, for methods that look at each."""
        return read_matches(
            source, a=self.a, b=self.b, outcome=self.outcome, weight=self.weight, group=self.group, time=self.time,
            on_error=self.on_error,
        )  # fmt: skip

    def named(self) -> dict[str, object]:
        """Give the columns that were named."""
        names = ("a", "b", "outcome", "weight", "group", "time")
        return {name: value for name in names if (value := getattr(self, name))}
