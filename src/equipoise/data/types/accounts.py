"""What data say of themselves: the account of their reading, and the line that Python prints.

Every row of a file was used, or dropped for a reason that is said. What is printed are counts, the first names, and
what is there; never the rows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from equipoise.core.errors import ReadError, some_of
from equipoise.core.results import FrozenMap
from equipoise.core.wording import counted


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the rows and columns of a file.

    Attributes
    ----------
    rows
        Rows in the file; the header is not one.
    used
        Rows behind the data.
    dropped
        Rows that are not, by reason; with ``used`` they add up to ``rows``.
    columns, unused
        Columns that were read, and those that were not.
    days
        The first and the last day of a log whose rows have dates; None where they have none.

    >>> Account.of(5, {"blank": 2}, ["a", "b"], ["a", "b", "note"]).words
    ('5 rows: 3 used, 2 dropped (2 blank).', 'Columns used: a, b. Not used: note.')
    """

    rows: int
    used: int
    dropped: Mapping[str, int]
    columns: tuple[str, ...]
    unused: tuple[str, ...]
    days: tuple[date, date] | None = None

    @classmethod
    def of(cls, rows: int, dropped: Mapping[str, int], used: Iterable[str | None], there: Iterable[str]) -> "Account":
        """Make the account from the rows that were there, those dropped, and the columns used of those there."""
        counts = {reason: int(count) for reason, count in dropped.items() if count}
        listed = tuple(there)
        names = frozenset(used)
        columns = tuple(name for name in listed if name in names)
        unused = tuple(name for name in listed if name not in names)
        rest = rows - sum(counts.values())
        if rest < 0:
            raise ReadError(f"rows do not add up: {rows:,} are there, {rows - rest:,} were dropped")
        return cls(rows, rest, FrozenMap(counts), columns, unused)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "Account":
        """Take the JSON form."""
        columns = (tuple(saved["columns_used"]), tuple(saved["columns_not_used"]))
        days = [date.fromisoformat(day) for day in saved.get("days", ())]
        return cls(
            saved["rows"], saved["used"], FrozenMap(saved["dropped"]), *columns, (days[0], days[1]) if days else None
        )

    @property
    def words(self) -> tuple[str, str]:
        """The account in two sentences."""
        listed = ", ".join(f"{count:,} {reason}" for reason, count in self.dropped.items())
        rows = f"{counted(self.rows, 'row')}: {self.used:,} used"
        rows += f", {self.rows - self.used:,} dropped ({listed})." if listed else ", none dropped."
        columns = f"Columns used: {some_of(self.columns, 20)}."
        return rows, columns + (f" Not used: {some_of(self.unused, 20)}." if self.unused else " There are no others.")

    def to_dict(self) -> dict[str, object]:
        """Give the JSON form."""
        return {
            "rows": self.rows,
            "used": self.used,
            "dropped": dict(self.dropped),
            "columns_used": list(self.columns),
            "columns_not_used": list(self.unused),
            **({} if self.days is None else {"days": [day.isoformat() for day in self.days]}),
        }


def shown(kind: str, facts: Iterable[str], names: Iterable[str], there: Mapping[str, object] | None = None) -> str:
    """Give one line; of ``there`` the names of what is not None.

    >>> shown("Matches", ["5 games", "4 agents"], "abcd", {"tasks": None, "groups": "voters"})
    '<Matches: 5 games, 4 agents (a, b, c and 1 more); with groups>'
    """
    more = [name for name, value in (there or {}).items() if value is not None]
    extra = f"; with {', '.join(more)}" if more else ""
    return f"<{kind}: {', '.join(facts)} ({some_of(names)}){extra}>"
