"""Games as readers of logs find them, one after the other, into Matches."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equipoise.core.errors import DataError
from equipoise.core.wording import Advice
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.logs.format import Notes


@dataclass(slots=True)
class Names:
    """Names and the code of each, in order of first appearance."""

    known: dict[str, int] = field(default_factory=dict)
    codes: "array[int]" = field(default_factory=lambda: array("i"))

    def add(self, name: str) -> None:
        """Add one appearance of a name."""
        self.codes.append(self.known.setdefault(name, len(self.known)))

    def factor(self) -> Factor:
        """Give the codes with their names."""
        return Factor(tuple(self.known), np.frombuffer(self.codes, np.intc).astype(np.int32))


@dataclass(slots=True)
class Games:
    """Columns of games; a column that no game has a value for is left away."""

    agents: dict[str, int] = field(default_factory=dict)
    first: "array[int]" = field(default_factory=lambda: array("i"))
    second: "array[int]" = field(default_factory=lambda: array("i"))
    outcome: "array[float]" = field(default_factory=lambda: array("d"))
    task: Names = field(default_factory=Names)
    group: Names = field(default_factory=Names)
    time: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, a: str, b: str, outcome: float, task: str = "", group: str = "", time: float | None = None) -> None:
        """Take a game: its sides, the first one's score, what was played, who judged, and when."""
        agents = self.agents
        self.first.append(agents.setdefault(a, len(agents)))
        self.second.append(agents.setdefault(b, len(agents)))
        self.outcome.append(outcome)
        self.task.add(task)
        self.group.add(group)
        self.time.append(float("nan") if time is None else time)

    def matches(self, *, ordered: bool = True) -> Matches:
        """Give the games in their order; times only where every game has one."""
        time = np.frombuffer(self.time, np.float64)
        timed = len(time) > 0 and not np.isnan(time).any()
        return Matches.from_codes(
            tuple(self.agents),
            np.frombuffer(self.first, np.intc).astype(np.int32),
            np.frombuffer(self.second, np.intc).astype(np.int32),
            np.frombuffer(self.outcome, np.float64).copy(),
            task=self.task.factor() if len(self.task.known) > 1 else None,
            group=self.group.factor() if len(self.group.known) > 1 else None,
            time=time.copy() if timed else None,
            ordered=ordered,
        )


def refuse_without_games(count: int, title: str, notes: Notes, advice: Sequence[Advice] = ()) -> None:
    """Refuse logs in which no game is left, and say what became of their rows."""
    if not count:
        lost = [f"{number:,} {reason}" for reason, number in notes.dropped.items()]
        why = f": {notes.rows:,} rows, {', '.join(lost)}" if lost else ""
        raise DataError(f"the {title} contain no game that counts{why}", advice=advice)
