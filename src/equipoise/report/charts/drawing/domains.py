"""Axes that a few numbers far out do not ruin: they are drawn at the edge, marked, and said."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FEWEST = 8
"""Numbers that show what is far out."""
REACH = 4.0
"""How many interquartile ranges beyond the quartiles a number may lie."""
FEW = 0.1
"""Share of numbers that may be put at the edge: more are no exceptions."""
WORTH = 2.0
"""How much wider the axis must become by the numbers far out before they are put at its edge."""


@dataclass(frozen=True, slots=True)
class Domain:
    """From where to where an axis goes, and how many numbers lie beyond it."""

    low: float
    high: float
    beyond: int = 0

    @property
    def ends(self) -> list[float]:
        """Both ends, as a scale wants them."""
        return [self.low, self.high]

    def inside(self, value: float) -> float:
        """Bring a number to the nearest place on the axis."""
        return min(max(value, self.low), self.high)

    def side(self, value: float) -> int:
        """Say on which side a number lies beyond the axis: -1, 1, or 0 for on it."""
        return -1 if value < self.low else 1 if value > self.high else 0


def domain_of(values: Iterable[float], *, margin: float = 0.04, keep: Sequence[float] = ()) -> Domain:
    """Find where an axis should go: over all numbers, unless a few far out would squeeze the others.

    ``margin`` is left free at both ends, as a share of the range; ``keep`` must be on the axis.

    >>> domain_of([float(k) for k in range(11)] + [-230.0], margin=0)
    Domain(low=0.0, high=10.0, beyond=1)
    """
    given = sorted(values)
    if not given:
        return Domain(0.0, 1.0)
    low, high = min([given[0], *keep]), max([given[-1], *keep])
    if len(given) >= FEWEST:
        first, third = given[len(given) // 4], given[(3 * len(given)) // 4]
        spread = REACH * (third - first)
        near = [value for value in given if first - spread <= value <= third + spread]
        small, large = min([near[0], *keep]), max([near[-1], *keep])
        few = 0 < len(given) - len(near) <= FEW * len(given)
        if few and large > small and high - low > WORTH * (large - small):
            low, high = small, large
    beyond = sum(not low <= value <= high for value in given)
    room = margin * (high - low) or abs(high) * 0.1 or 1.0
    return Domain(low - room, high + room, beyond) if margin or high == low else Domain(low, high, beyond)


def round_numbers(low: float, high: float, count: int = 4) -> list[float]:
    """Give about so many round numbers on an axis.

    >>> round_numbers(-0.3, 1.1)
    [0.0, 0.5, 1.0]
    """
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    first = math.ceil(low / step)
    return [round(k * step, 10) + 0.0 for k in range(first, math.floor(high / step) + 1)]
