"""The scale on which ratings are shown; columns are brought to it by the units that they declare."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from equipoise.core.errors import ParameterError
from equipoise.core.results import Estimate
from equipoise.core.units import DIFFERENCES, ELO_POINT, RATINGS
from equipoise.core.wording import Option
from equipoise.report.views import cells
from equipoise.report.views.view import Cell, Row


@dataclass(frozen=True, slots=True)
class Scale:
    """How ratings in log-odds are shown: as Elo points or as they are, with an offset."""

    name: Literal["elo", "logit"] = "elo"
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not math.isfinite(self.offset):
            raise ParameterError(Option("offset"), f" is a finite number, not {self.offset}")

    @property
    def unit(self) -> float:
        """One unit of the scale in log-odds."""
        return ELO_POINT if self.name == "elo" else 1.0

    @property
    def digits(self) -> int:
        """Digits worth showing."""
        return 0 if self.name == "elo" else 2

    @property
    def words(self) -> str:
        """The unit in words."""
        return "Elo points" if self.name == "elo" else "log-odds"

    def shown(self, rating: float | None) -> float | None:
        """Bring a rating from log-odds to the scale."""
        return None if rating is None else rating / self.unit + self.offset

    def cell(self, name: str) -> Cell:
        """Show a rating: with its sign where it is relative to the average, without where an offset is added."""
        return cells.decimal(name, self.digits) if self.offset else cells.signed(name, self.digits)

    def ends(self, name: str = "") -> Cell:
        """Show the interval of a rating in the same way."""
        return cells.ends(cells.decimal if self.offset else cells.signed, name, self.digits)

    def difference(self, estimate: Estimate) -> Estimate:
        """Bring a difference of ratings, with its uncertainty, to the scale."""
        value, stderr, low, high = (x / self.unit for x in (estimate, estimate.stderr, estimate.low, estimate.high))
        return Estimate(value, stderr, low, high)

    def brought(self, rows: Iterable[Row], units: Mapping[str, str]) -> list[dict[str, Any]]:
        """Bring ratings and their differences to the scale, from the units that the columns declare."""
        steps = {name: (RATINGS[unit] / self.unit, self.offset) for name, unit in units.items() if unit in RATINGS}
        steps |= {name: (DIFFERENCES[unit] / self.unit, 0.0) for name, unit in units.items() if unit in DIFFERENCES}
        return [
            {
                **row,
                **{
                    name: row[name] * factor + offset
                    for name, (factor, offset) in steps.items()
                    if row.get(name) is not None
                },
            }
            for row in rows
        ]

    def units(self, units: Mapping[str, str]) -> dict[str, str]:
        """Give the units of columns once they are brought to the scale."""
        return {name: self.words if unit in RATINGS or unit in DIFFERENCES else unit for name, unit in units.items()}
