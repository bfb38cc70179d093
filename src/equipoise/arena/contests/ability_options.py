"""What is asked about abilities, and how many items that takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.arena.contests.contest import Forecast
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option

_MOST = 1e7


def refuse_criterion(criterion: str, players: Sequence[str]) -> None:
    """Refuse a criterion that cannot be read."""
    head, _, rest = str(criterion).partition(":")
    if head == "better":
        if rest not in players or len(players) < 2:
            near = did_you_mean(rest, players)
            raise ParameterError(Option("criterion"), f' compares with "{rest}", who is no other player{near}')
    elif not (head in ("pass", "error") and _is_number(rest) and (head == "pass" or float(rest) > 0.0)):
        raise ParameterError(Option("criterion"), f" is pass:BAR, better:NAME or error:E, not {criterion!r}")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, eq=False)
class ItemsAhead:
    """What a forecast needs to know of an agent.

    Attributes
    ----------
    information
        Of each item at the agent's ability.
    error
        Standard error of the ability.
    distance
        From the bar, or from the other agent; None where the error is what counts.
    threshold, reached
        Log evidence that must be reached, and that was.
    goal
        Error that is asked for.
    """

    information: FloatArray
    error: float
    distance: float | None
    threshold: float
    reached: float
    goal: float | None

    def items(self, each: float, distance: float | None) -> float:
        """Items left if each has so much information: log evidence grows by d^2 I / 2, precision by I."""
        if distance is None:
            return max((self.goal or 1.0) ** -2 - self.error**-2, 0.0) / max(each, 1e-9)
        missing = max(self.threshold - max(self.reached, 0.0), 0.0) + 1.0
        return min(2.0 * missing / max(distance**2 * each, 1e-12), _MOST)


def items_left(agents: Sequence[ItemsAhead]) -> Forecast | None:
    """Items left for all agents if abilities are as estimated, and if they are a standard error off."""
    sums = np.zeros(3)
    for one in agents:
        each = float(np.sort(one.information)[-20:].mean())
        d, error = one.distance, one.error
        three = (d, d + error, max(d - error, error / 4.0)) if d is not None else (None, None, None)
        expected, low, high = (one.items(each, distance) for distance in three)
        sums += (expected, low, high)
    if not sums[0] < _MOST:
        return None
    return Forecast(*(int(max(round(min(x, _MOST)), 1)) for x in sums))


def fixed_items(agents: Sequence[ItemsAhead]) -> int:
    """Items of a test of fixed length, drawn at random, that would have decided in about half of the cases."""
    total = 0.0
    for one in agents:
        each = max(float(one.information.mean()), 1e-9)
        if one.distance is None:
            total += (one.goal or 1.0) ** -2 / each
        else:
            total += 2.0 * one.threshold / (max(one.distance, one.error / 2.0) ** 2 * each)
    return int(min(total, 1e9))
