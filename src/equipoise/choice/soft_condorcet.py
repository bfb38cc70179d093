r"""Soft Condorcet ratings in a box, beside the order they approach.

.. math:: L(r) = \sum_{i, j} N_{ij}\, \sigma(r_j - r_i)

is the expected number of votes that a ranking drawn by Plackett and Luce with these log-worths contradicts (the Gumbel
trick), so that no ratings are below the cost of Kemeny's order, and none reach it: wherever some pair has a majority,
ratings run away. A box holds them, whose width is then the only thing that says how far apart they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.choice.ballot_rules import borda
from equipoise.choice.kemeny import kemeny
from equipoise.choice.tally import ChoiceData, tally_of
from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.options import positive
from equipoise.core.results import Fit, FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option

AT_BOUND = 1e-7
"""Ratings this close to the box are held by it, as a share of its width."""
LEAST = 1e-12
"""Slope left, relative to all votes, at which a start has arrived."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SoftCondorcet(Result):
    """Ratings in a box.

    Attributes
    ----------
    rating
        Between minus and plus half of the width; a difference of 1 is log-odds of one of the ranking being drawn.
    held
        Whether the box holds a rating: it would run away.
    loss
        Expected weight of the votes that a ranking drawn by the ratings contradicts.
    kemeny_cost
        Weight of the votes that the best order of all contradicts: no loss is smaller.
    excess
        The loss less that: a bound on how much better other ratings might be.
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = {"rating": "log-worth"}
    in_summary: ClassVar[tuple[str, ...]] = ("loss", "kemeny_cost", "excess")

    agents: tuple[str, ...]
    rating: FloatArray
    held: npt.NDArray[np.bool_]
    loss: float
    kemeny_cost: float
    excess: float

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first."""
        table = pl.DataFrame({"agent": list(self.agents), "rating": self.rating, "held": self.held})
        return table.sort("rating", descending=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is first, and how far these ratings may be from the best."""
        top = [name for name, r in zip(self.agents, self.rating, strict=True) if r >= self.rating.max() - 1e-9]
        return (
            f"{some_of(top)} {'has' if len(top) == 1 else 'have'} the highest soft Condorcet rating.",
            f"A ranking drawn by them contradicts {self.loss:.6g} votes on average; Kemeny's order contradicts"
            f" {self.kemeny_cost:.6g}, and nothing contradicts fewer.",
        )


@method(
    takes=("scores", "ballots", "rankings", "matches", "pairs"),
    answers="Which ratings in a box have rankings drawn by them contradict the fewest votes?",
    reference="Lanctot et al. (2024)",
    checks={"width": positive(), "seconds": positive()},
    resampled="ratings are held by their box, and jump where an optimum does",
)
def sco(data: ChoiceData, *, width: float = 10.0, seconds: float = 30.0) -> SoftCondorcet:
    r"""Which ratings in a box have rankings drawn by them contradict the fewest votes?

    .. math:: \min_{r \in [-W/2, W/2]^n} \sum_{i, j} N_{ij}\, \sigma(r_j - r_i)

    Without a box there is no optimum, for any data with a strict majority: prefer ``social_choice(rule="kemeny")``, the
    limit of wide boxes, which is exact. Narrow boxes approach the signs of Borda scores.

    Parameters
    ----------
    data
        Scores, ballots, rankings, matches or pair counts; a tie is half a vote either way.
    width
        Width W of the box, in units of the temperature.
    seconds
        Time for the Kemeny order of a large cycle.

    Returns
    -------
    SoftCondorcet
        Ratings, those that the box holds, and a bound on what is left.

    Fails when
        as :func:`social_choice` does. There are many local minima: the best of a few good starts is given, and
        ``excess`` is a bound on what is missing, no proof.

    References
    ----------
    Lanctot et al. (2024), Soft Condorcet optimization for ranking of general agents.

    Examples
    --------
    >>> import equipoise as eq
    >>> votes = eq.Ballots.from_orders(["ABC", "ACB", "CAB", "BCA"], weights=[1, 1, 2, 1])
    >>> found = eq.methods.sco(votes, width=4)
    >>> found.rating.round(3).tolist(), round(found.excess, 3)
    ([0.735, -2.0, 2.0], 0.421)
    """
    tally = tally_of(data)
    votes = tally.above + tally.tied / 2.0
    n, half = len(tally.agents), width / 2.0
    best = kemeny(votes - votes.T, seconds)
    cost = (float(votes.sum()) - best.bound) / 2.0
    even, points = np.linspace(half, -half, n), np.nan_to_num(borda(tally))
    spread = float(np.ptp(points)) or 1.0
    starts = [
        even[np.argsort(best.order)],
        even[np.argsort(np.argsort(-points, kind="stable"))],
        half * (2.0 * (points - points.min()) / spread - 1.0),
        np.zeros(n),
    ]
    found = min((_descent(votes, start, half) for start in starts), key=lambda each: each[1])
    rating, loss, steps, slope = found
    held = frozen(np.abs(rating) >= half - AT_BOUND * width, np.bool_)
    return SoftCondorcet(
        agents=tally.agents, rating=frozen(rating), held=held, loss=loss, kemeny_cost=cost, excess=loss - cost,
        fit=Fit(converged=slope <= 1e-6 * float(votes.sum()), iterations=steps, residual=slope),
        diagnostics=(*data.diagnostics, *_notes(tally.agents, held, best.proved)),
        params=frozen_params(width=width),
    )  # fmt: skip


def _notes(agents: tuple[str, ...], held: npt.NDArray[np.bool_], proved: bool) -> tuple[Diagnostic, ...]:
    names = [name for name, at in zip(agents, held, strict=True) if at]
    notes = []
    if names:
        text = f"The box holds {some_of(names)}: how far they stand from the others is its width, not the data."
        notes.append(info("at-bound", text, names))
    if not proved:
        text = "Time ran out before Kemeny's order was proved: its bound is used."
        notes.append(warning("kemeny-gap", text, advice=[Advice("give it more time with ", Option("seconds"))]))
    return tuple(notes)


def _loss(votes: FloatArray, r: FloatArray) -> tuple[float, FloatArray]:
    chance = scipy.special.expit(r[None, :] - r[:, None])  # of j before i
    bend = votes * chance * (1.0 - chance)
    return float((votes * chance).sum()), bend.sum(axis=0) - bend.sum(axis=1)


def _descent(votes: FloatArray, start: FloatArray, half: float) -> tuple[FloatArray, float, int, float]:
    """Go down to a local minimum in the box: by L-BFGS, then by Newton's steps of what the box leaves free."""
    found = scipy.optimize.minimize(
        lambda r: _loss(votes, r), start, jac=True, method="L-BFGS-B", bounds=[(-half, half)] * len(start),
        options={"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9 * max(float(votes.sum()), 1e-300)},
    )  # fmt: skip
    r, steps = found.x, int(found.nit)
    for _ in range(20):
        loss, slope = _loss(votes, r)
        free = (np.abs(r) < half) | (slope * r > 0)
        if not free.any() or np.abs(slope[free]).max() <= LEAST * votes.sum():
            break
        step = np.zeros(len(r))
        step[free] = np.linalg.lstsq(_curvature(votes, r)[np.ix_(free, free)], -slope[free], rcond=1e-12)[0]
        moved = np.clip(r + step, -half, half)
        if _loss(votes, moved)[0] > loss:
            break
        r, steps = moved, steps + 1
    loss, slope = _loss(votes, r)
    free = (np.abs(r) < half) | (slope * r > 0)
    return r, loss, steps, float(np.abs(slope[free]).max(initial=0.0))


def _curvature(votes: FloatArray, r: FloatArray) -> FloatArray:
    chance = scipy.special.expit(r[None, :] - r[:, None])
    bend = votes * chance * (1.0 - chance) * (1.0 - 2.0 * chance)
    both = bend + bend.T
    curvature: FloatArray = np.diag(both.sum(axis=1)) - both
    return curvature
