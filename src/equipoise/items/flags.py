"""What a benchmark designer should look at: flags on items, in words.

=========================  ==================================================================
constant                   everybody has the same answer; left out of the fit
negative-discrimination    weaker agents do better; with a test against a flat curve
quasi-separated            the answers split the agents cleanly: the slope has no finite estimate
at-bound                   a parameter rests on its bound
unclear-difficulty         the slope may be zero and the difficulty lies beyond all agents: it says nothing
poor-fit                   answers depart from the fitted curve (S-X2, adjusted for the number of items)
=========================  ==================================================================
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.items.item_fit import adjusted
from equipoise.items.marginal.complete_table import Curves, score
from equipoise.items.marginal.em import EMState, Problem, run_em
from equipoise.items.marginal.item_step import Bounds, derivatives, project
from equipoise.items.marginal.quadrature import Grid, expect, reached_grid
from equipoise.items.models.models import FLAT, Items, Model

#: Adjusted p-value below which an item is said to fit poorly.
POOR_FIT = 0.01
#: A slope of fewer standard errors than this may be zero, and have the other sign.
SURE = 1.96
#: Cells times items tested by refitting; beyond it, Wald's test from the standard error.
_REFIT_CELLS = 2_000_000
#: A gain of the objective below which such a refit by EM is over.
_GAIN = 1e-4
#: Newton's steps know what they gain the better, the more items share it: to a fifteenth with 100. They are over at a
#: gain larger by that of EM for every so many items, up to so many times.
_SHARING, _MOST_SHARED = 10, 50
#: Newton's steps after which a refit is left to EM.
_NEWTON_STEPS, _HALVINGS = 6, 8


class SlopeTest(NamedTuple):
    """p-values of the negative slopes against zero (NaN elsewhere), and which test gave them.

    With ``posterior`` they are the probabilities of a negative slope, for all items.
    """

    p_value: FloatArray
    test: str


def negative_slopes(
    problem: Problem, state: EMState, slope_se: FloatArray, covariance: FloatArray | None = None
) -> SlopeTest:
    """Test each negative slope against a flat curve by refitting everything with that slope at zero.

    ``covariance`` is the inverse information of all parameters, None where it is not known.
    """
    items = state.items
    out = np.full(len(items.slope), np.nan)
    negative = np.flatnonzero(items.slope < 0)
    rows, columns = problem.responses.shape
    if problem.model not in ("2pl", "3pl") or not len(negative):
        return SlopeTest(out, "likelihood ratio")
    if rows * columns * len(negative) > _REFIT_CELLS:
        out[negative] = scipy.special.chdtrc(1.0, (items.slope[negative] / slope_se[negative]) ** 2)
        return SlopeTest(out, "Wald")
    near = _NearFit.of(problem, state, covariance)
    for i in negative:
        free = np.ones(columns, dtype=bool)
        free[i] = False
        start, null = items._replace(slope=np.where(free, items.slope, 0.0)), None
        if near is not None:
            start, null = near.without_slope(int(i))
        if null is None:
            null = run_em(
                problem._replace(free_slope=free),
                start,
                half_width=state.half_width,
                points=state.points,
                tolerance=1e-4,
                max_iterations=200,
                gain=_GAIN,
            ).objective
        out[i] = scipy.special.chdtrc(1.0, max(0.0, 2.0 * (state.objective - null)))
    return SlopeTest(out, "likelihood ratio")


@dataclass(frozen=True, slots=True, eq=False)
class _NearFit:
    """Fits with one slope held at zero, near the fit of all slopes.

    One item of many hardly moves the others: Newton's steps with the information of the fit itself get there at once.
    Without slope i the inverse information is ``C - C_i C_i' / C_ii``, and C where slope i rests on its bound.
    ``curves`` are those of the fit, for complete tables of the two-parameter model: the first step needs no others.
    """

    problem: Problem
    items: Items
    grid: Grid
    covariance: FloatArray
    curves: Curves | None

    @classmethod
    def of(cls, problem: Problem, state: EMState, covariance: FloatArray | None) -> "_NearFit | None":
        """Make ready; None where the test is left to EM."""
        if covariance is None or not problem.prior.flat:
            return None
        asymptotes = problem.model == "3pl"
        grid = reached_grid(problem.responses, state.items, state.half_width, state.points)
        curves = None if asymptotes or problem.responses.trials is not None else Curves.of(state.items, grid.nodes)
        size = (3 if asymptotes else 2) * len(state.items.slope)
        return cls(problem, state.items, grid, np.ascontiguousarray(covariance[:size, :size]), curves)

    def without_slope(self, i: int) -> tuple[Items, float | None]:
        """Return items with the slope of item i at zero and their highest objective; None where they are only near."""
        row = self.covariance[i]
        won, tried = (total[i] for total in self.problem.responses.item_totals())
        slope, intercept, guessing = (part.copy() for part in self.items)
        slope[i], intercept[i], guessing[i] = 0.0, np.log(won / (tried - won)), 0.0
        items = Items(slope, intercept, guessing)
        flat = self.curves and self.curves.with_flat(i, won / tried, self.items, self.grid.nodes)
        value, gradient = self._score(items, flat)
        enough = _GAIN * min(max(1.0, len(slope) / _SHARING), _MOST_SHARED)
        for _ in range(_NEWTON_STEPS):
            move = self.covariance @ gradient
            if row[i] > 0.0:
                move -= row * float(row @ gradient) / row[i]
            gain = 0.5 * float(gradient @ move)
            if gain < enough:
                return items, value + max(gain, 0.0)
            better = self._step(items, move.reshape(-1, len(slope)), value)
            if better is None:
                break
            items, value, gradient = better
        return items, None

    def _step(self, items: Items, move: FloatArray, value: float) -> tuple[Items, float, FloatArray] | None:
        """Halve the step until the objective rises."""
        for halving in range(_HALVINGS):
            moved = [part + 0.5**halving * change for part, change in zip(items, move, strict=False)]
            trial = project(Items(*moved, *items[len(moved) :]), self.problem.model, self.problem.bounds)
            there, gradient = self._score(trial, self.curves and Curves.of(trial, self.grid.nodes))
            if there > value:
                return trial, there, gradient
        return None

    def _score(self, items: Items, curves: Curves | None) -> tuple[float, FloatArray]:
        """Return the log-likelihood and its gradient, which is what is expected of that with abilities known."""
        responses, grid = self.problem.responses, self.grid
        if curves is not None:
            return score(responses, items, grid, curves)
        stats = expect(responses, items, grid, guessing=self.problem.model == "3pl")
        gradient = derivatives(stats, items, grid.nodes).gradient
        return stats.log_likelihood, gradient.reshape(-1)[: len(self.covariance)]


def item_flags(
    items: Items, model: Model, bounds: Bounds, fit_p: FloatArray, slope_se: FloatArray, ability: FloatArray
) -> dict[str, NDArray[np.bool_]]:
    """Return which items carry each flag (those of the fit; constant items are not in it)."""
    nothing = np.zeros(len(items.slope), dtype=bool)
    free = model in ("2pl", "3pl")
    steep = np.abs(items.slope) >= bounds.slope if free else nothing
    pinned = (items.guessing <= 0.0) | (items.guessing >= bounds.guessing) if model == "3pl" else nothing
    return {
        "negative-discrimination": items.slope < -FLAT if free else nothing,
        "quasi-separated": steep,
        "at-bound": steep | pinned,
        "unclear-difficulty": _unclear(items, slope_se, ability) if free else nothing,
        "poor-fit": np.nan_to_num(adjusted(fit_p), nan=1.0) < POOR_FIT,
    }


def _unclear(items: Items, slope_se: FloatArray, ability: FloatArray) -> NDArray[np.bool_]:
    """Find curves that may be flat, and reach one half where no agent is, if anywhere: on which side is a guess."""
    place = items.difficulty
    with np.errstate(invalid="ignore"):
        unsure = np.abs(items.slope) < SURE * slope_se
        beyond = (place < ability.min(initial=np.inf)) | (place > ability.max(initial=-np.inf))
    out: NDArray[np.bool_] = unsure & beyond
    return out


def flag_notes(
    names: list[str], flagged: dict[str, NDArray[np.bool_]], items: Items, test: SlopeTest, bounds: Bounds
) -> list[Diagnostic]:
    """Say the flags in words."""
    negative = np.flatnonzero(items.slope < -FLAT)
    say = _probably_negative if test.test == "posterior" else partial(_negative, test=test.test)
    notes = say([names[i] for i in negative], test.p_value[negative])
    steep = [names[i] for i in np.flatnonzero(flagged["quasi-separated"])]
    if steep:
        text = f"{some_of(steep)}: the answers split the agents cleanly, so the slope has no finite estimate"
        tied = Advice("pull it back with ", Option("prior", "weak"))
        bound = f"{text}; it stands at its bound of {bounds.slope:g}."
        notes.append(warning("quasi-separated", bound, steep, advice=[tied]))
    pinned = [names[i] for i in np.flatnonzero(flagged["at-bound"] & ~flagged["quasi-separated"])]
    if pinned:
        text = f"{some_of(pinned)}: the guessing parameter rests on its bound (0 or {bounds.guessing:g})."
        notes.append(info("at-bound", text, pinned))
    flat = [names[i] for i in np.flatnonzero(np.abs(items.slope) < FLAT)]
    if flat:
        text = f"{some_of(flat)}: the fitted curve is flat, so there is no difficulty to give."
        notes.append(warning("flat-curve", text, flat))
    unclear = [names[i] for i in np.flatnonzero(flagged["unclear-difficulty"])]
    if unclear:
        text = (
            f"{some_of(unclear)}: the slope may be zero and the difficulty lies beyond all agents, so it says nothing."
        )
        notes.append(warning("unclear-difficulty", text, unclear))
    poor = [names[i] for i in np.flatnonzero(flagged["poor-fit"])]
    if poor:
        text = f"{some_of(poor)}: answers depart from the fitted curve (S-X2, adjusted p below {POOR_FIT:g})."
        notes.append(warning("poor-fit", text, poor))
    return notes


def _negative(names: list[str], p_value: FloatArray, *, test: str) -> list[Diagnostic]:
    """Name the items in one note, the surest first, with how many are beyond chance."""
    if not names:
        return []
    order = np.argsort(p_value, kind="stable")
    listed = [names[i] for i in order]
    tested = p_value[order][~np.isnan(p_value[order])]
    clear = int((tested < 0.05).sum())
    if len(names) == 1:
        found = f"p = {tested[0]:.2g}, {'clear' if clear else 'could be chance'}" if len(tested) else ""
        text = f"{names[0]}: weaker agents do better on it; look at the item before trusting it"
    else:
        found = f"p from {tested[0]:.2g} to {tested[-1]:.2g}, clear for {clear:,} of them" if len(tested) else ""
        text = f"Weaker agents do better on {len(names):,} items ({some_of(listed)}); look at them before trusting them"
    text += f" ({test} test against a flat curve: {found})." if found else "."
    return [warning("negative-discrimination", text, listed)]


def _probably_negative(names: list[str], probability: FloatArray) -> list[Diagnostic]:
    """Name all items that are more likely negative than not, the likeliest first, with how likely."""
    order = np.argsort(-probability, kind="stable")
    shown = some_of(f"{names[i]} ({probability[i]:.2f})" for i in order)
    if not names:
        return []
    text = f"Weaker agents probably do better on {shown}: look at an item before trusting it (probability in brackets)."
    return [warning("negative-discrimination", text, [names[i] for i in order])]
