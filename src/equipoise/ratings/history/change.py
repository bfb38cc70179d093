"""Did an agent improve? The difference of its strength in two periods."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from equipoise.core.lazy import pl
from equipoise.core.results import Interval, Result
from equipoise.core.units import ELO_POINT, POINTS_DIFFERENCE, in_declared_units


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class StrengthChange(Result):
    """How much an agent's strength changed from one period to another, in log-odds; ``frame`` has Elo points.

    Attributes
    ----------
    agents
        The one agent.
    since, until
        The two periods.
    change, stderr, low, high
        Later less earlier strength, with its interval.
    probability
        Probability that it improved.
    """

    main: ClassVar[str] = "change"
    units: ClassVar[Mapping[str, str]] = dict.fromkeys(("change", "stderr", "low", "high"), POINTS_DIFFERENCE)

    agents: tuple[str, ...]
    since: str
    until: str
    change: float
    stderr: float
    low: float
    high: float
    probability: float
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the one row."""
        names = ("since", "until", "change", "stderr", "low", "high", "probability")
        table = pl.DataFrame({"agent": list(self.agents)} | {name: [getattr(self, name)] for name in names})
        return in_declared_units(table, self.units)

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether it improved."""
        change, low, high = (value / ELO_POINT for value in (self.change, self.low, self.high))
        ends = f"{change:+.0f} Elo from {self.since} to {self.until} ({self.interval} {low:+.0f} to {high:+.0f})"
        if low > 0:
            return (f"{self.agents[0]} improved: {ends}.",)
        if high < 0:
            return (f"{self.agents[0]} became weaker: {ends}.",)
        share = f"; it improved with probability {self.probability:.0%}"
        return (f"Whether {self.agents[0]} changed stays open: {ends}{share}.",)
