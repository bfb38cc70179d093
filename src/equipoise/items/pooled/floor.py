r"""One floor for all items: agents that know nothing may still guess.

.. math:: P = c + (1 - c)\, \sigma(a \theta + d), \qquad 0 \le c \le 0.6

Few agents cannot tell each item's own floor (Birnbaum's c), and a floor taken for none makes the weak look abler than
they are, and the intervals too short. The pooled fit's objective is maximised over c, everything else following; with
M(c) the rest at its peak, ``Cov M = Cov(M | c) + Var(c) M' M'^T``. A floor below 0.02 is none.

Twice the rise of the objective over no floor is half a chi-square of one degree of freedom where there is none (Self
and Liang 1987): beyond 2.71 once in twenty.
"""

from dataclasses import replace

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.pooled.item_population import Answers
from equipoise.items.pooled.pooled import (
    ENDED,
    FINISHED,
    Climbed,
    Floor,
    PooledState,
    climbed,
    climbed_from,
    finished,
    rule_points,
)

#: A floor below this is taken for none; none is above that.
LEAST_FLOOR, MOST_FLOOR = 0.02, 0.6
#: The likelihood ratio from which on a floor is worth a sentence.
SPEAKS = 2.71
#: What a step must gain where floors are only compared.
_ROUGH = 3e-3
#: The widest step from one floor to the next, the least that matters, and how many are tried.
_WIDEST, _NEAR, _MOST_STEPS = 0.12, 0.01, 12
_APART = 0.03
#: So many points a direction are added where a search stalls.
MORE_POINTS = 4


def fit_with_floor(answers: Answers) -> PooledState:
    """Find abilities, population and a common floor; the fit without one where none is found.

    Where almost everybody answers items alike, few points leave the objective rough, and a search that knows its slope
    ends before the top; more of them make it smooth.
    """
    count = rule_points(answers)
    none = climbed(answers, count)
    if none.gain >= ENDED:
        count += MORE_POINTS
        none = climbed(answers, count)
    search = _Search(answers, count, none)
    if search.value(LEAST_FLOOR) <= none.value:
        return finished(answers, none)
    c = search.best()
    here = search.at(c, FINISHED)
    floor = search.floor(c, 2.0 * max(here.value - none.value, 0.0))
    if here.gain >= ENDED:
        move = np.zeros(len(floor.move))
        here = climbed_from(replace(answers, floor=c), count + MORE_POINTS, here.peak, move, FINISHED)
    state = finished(replace(answers, floor=c), here)
    covariance = state.covariance + floor.stderr**2 * np.outer(floor.move, floor.move)
    return state._replace(covariance=covariance, floor=floor)


class _Search:
    """The objective as a function of the floor; every search starts where the path of the others leads."""

    def __init__(self, answers: Answers, points: int, none: Climbed) -> None:
        self._answers, self._points = answers, points
        self._known = {0.0: none}

    def value(self, c: float) -> float:
        """Return the objective at a floor."""
        return self.at(c).value

    def at(self, c: float, enough: float = _ROUGH) -> Climbed:
        """Return where abilities and population are with this floor."""
        if c not in self._known or enough < _ROUGH:
            near = self._nearest(c, 2)
            start, move = self._known[near[0]].peak, self._slope(near) * (c - near[0])
            self._known[c] = climbed_from(replace(self._answers, floor=c), self._points, start, move, enough)
        return self._known[c]

    def best(self) -> float:
        """Go from parabola to parabola through the three best floors; no step is wide, so that none goes astray."""
        new = 3.0 * LEAST_FLOOR
        for _ in range(_MOST_STEPS):
            self.at(new)
            top = max(self._known, key=self.value)
            peak, bend = self._parabola(top)
            step = float(np.clip(peak - top, -_WIDEST, _WIDEST)) if bend > 0.0 else _WIDEST
            if top == max(self._known):  # a peak is known from both its sides
                step = max(step, _WIDEST / 2.0)
            new = min(max(top + step, LEAST_FLOOR), MOST_FLOOR)
            if min(abs(new - known) for known in self._known) < _NEAR:
                break
        return max(max(self._known, key=self.value), LEAST_FLOOR)

    def floor(self, c: float, ratio: float) -> Floor:
        """Return a floor's error and what follows it, from the floors around."""
        around = self._around(c)
        bend, widest = self._parabola(c, around)[1], MOST_FLOOR / np.sqrt(12.0)
        error = min(np.sqrt(1.0 / bend), widest) if bend > 0.0 else widest
        return Floor(c, float(error), self._slope([around[0], around[-1]]), ratio)

    def _around(self, c: float) -> list[float]:
        """Return a floor between two that are far enough to tell what it does from what the searches left undone."""
        low = [known for known in self._known if known == 0.0 or known <= c - _APART]
        high = [known for known in self._known if known >= c + _APART]
        return [max(low), c, min(high)] if high else sorted(self._nearest(c, 3))

    def _nearest(self, c: float, count: int) -> list[float]:
        return sorted(self._known, key=lambda known: abs(known - c))[:count]

    def _slope(self, near: list[float]) -> FloatArray:
        """Return how abilities and population move from one floor to another."""
        ends = [np.concatenate([self._known[c].peak.ability, self._known[c].peak.population]) for c in near]
        if len(ends) < 2:
            return np.zeros(len(ends[0]))
        out: FloatArray = (ends[1] - ends[0]) / (near[1] - near[0])
        return out

    def _parabola(self, c: float, through: list[float] | None = None) -> tuple[float, float]:
        """Return the peak of the parabola through the three floors nearest to one, and its curvature (negated)."""
        x = np.array(through or self._nearest(c, 3))
        second, first, _ = np.polyfit(x - c, [self.value(float(one)) for one in x], 2)
        return (c - first / (2.0 * second) if second < 0.0 else c, -2.0 * float(second))
