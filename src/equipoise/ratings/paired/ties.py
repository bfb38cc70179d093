"""Three ways to treat ties, as functions of the strength difference d = r_i - r_j (+ first-position advantage).

half         a tie is half a win and half a loss: P(win) = sigma(d)
davidson     P(win) : P(tie) : P(loss) = e^{d/2} : nu : e^{-d/2}, tau = log nu
rao-kupper   P(win) = sigma(d - eta), P(loss) = sigma(-d - eta), eta = log theta > 0

Each gives, for a cell of counts, the log-likelihood and its derivatives; all are concave in (d, tie parameter).

References
----------
Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison experiments.
Rao and Kupper (1967), Ties in paired-comparison experiments: a generalization of the Bradley-Terry model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from equipoise.core.results import FloatArray

TieModel = Literal["half", "davidson", "rao-kupper"]
ByOutcome = tuple[FloatArray, FloatArray, FloatArray]
PIECE = 1 << 15
"""Cells that are worked on together."""


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts of one result each: wins, losses and ties of the first side.

    ``shared`` is the sum of s (1 - s) over games with a fractional score s, which are s of a win and 1 - s of a loss.
    """

    wins: FloatArray
    losses: FloatArray
    ties: FloatArray
    shared: FloatArray | None = None

    def take(self, piece: slice) -> "PairCounts":
        """Give some of the cells."""
        return PairCounts(self.wins[piece], self.losses[piece], self.ties[piece])


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """First derivatives of the log-likelihood and minus the second ones, by d and by the tie parameter t."""

    d: FloatArray
    t: float
    dd: FloatArray
    dt: FloatArray
    tt: float


def tie_start(cells: PairCounts, model: TieModel) -> float:
    """Give a starting value of the tie parameter: that of equal agents with the observed share of ties."""
    tied, rest = float(cells.ties.sum()), float(cells.wins.sum() + cells.losses.sum())
    if model == "davidson":
        return float(np.log(2 * tied / rest))
    return float(np.log1p(2 * tied / rest))


def log_likelihood(d: FloatArray, t: float, cells: PairCounts, model: TieModel) -> float:
    """Give the log-likelihood of the counts."""
    if len(d) > PIECE:
        return sum(log_likelihood(d[piece], t, cells.take(piece), model) for piece in _pieces(len(d)))
    w, l, b = cells.wins, cells.losses, cells.ties
    if model == "half":
        # log(1 + e^-|d|) for every game, and |d| for every game that the weaker side won.
        lost = np.where(d > 0, l + b / 2, w + b / 2)
        return float(-(w + l + b) @ np.log1p(np.exp(-np.abs(d))) - lost @ np.abs(d))
    if model == "davidson":
        norm = np.logaddexp(np.logaddexp(d / 2, -d / 2), t)
        return float((w - l) @ d / 2 + b.sum() * t - (w + l + b) @ norm)
    if t <= 0:
        return -np.inf
    return float(
        -(w + b) @ np.logaddexp(0, t - d)
        - (l + b) @ np.logaddexp(0, t + d)
        + b.sum() * (2 * t + np.log(-np.expm1(-2 * t)))
    )


def curvature(d: FloatArray, t: float, cells: PairCounts, model: TieModel) -> Curvature:
    """Give the derivatives of the log-likelihood."""
    if len(d) > PIECE:
        parts = [curvature(d[piece], t, cells.take(piece), model) for piece in _pieces(len(d))]
        by_d, dd, dt = (np.concatenate([getattr(part, name) for part in parts]) for name in ("d", "dd", "dt"))
        return Curvature(by_d, sum(part.t for part in parts), dd, dt, sum(part.tt for part in parts))
    w, l, b = cells.wins, cells.losses, cells.ties
    n = w + l + b
    if model == "half":
        p = scipy.special.expit(d)
        return Curvature(w + b / 2 - n * p, 0.0, n * p * (1 - p), np.zeros_like(d), 0.0)
    if model == "davidson":
        win, loss, tie = _davidson(d, t)
        gap = win - loss
        return Curvature(
            (w - l - n * gap) / 2, float(b.sum() - n @ tie),
            n * (win + loss - gap**2) / 4, -n * tie * gap / 2, float(n @ (tie * (1 - tie))),
        )  # fmt: skip
    up, down = scipy.special.expit(t - d), scipy.special.expit(t + d)
    curvature_up, curvature_down = (w + b) * up * (1 - up), (l + b) * down * (1 - down)
    odds = 1 / np.expm1(2 * t)
    return Curvature(
        (w + b) * up - (l + b) * down,
        float(-(w + b) @ up - (l + b) @ down + 2 * b.sum() * (1 + odds)),
        curvature_up + curvature_down, curvature_down - curvature_up,
        float(curvature_up.sum() + curvature_down.sum() + 4 * b.sum() * odds * (1 + odds)),
    )  # fmt: skip


def outcome_scores(d: FloatArray, t: float, model: TieModel) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Give (score by d, score by t) of a single win, loss and tie: what one match adds to the gradient."""
    if model == "half":
        p, none = scipy.special.expit(d), np.zeros_like(d)
        return (1 - p, none), (0 - p, none), (0.5 - p, none)
    if model == "davidson":
        win, loss, tie = _davidson(d, t)
        gap = win - loss
        return ((0.5 * (1 - gap), -tie), (0.5 * (-1 - gap), -tie), (-gap / 2, 1 - tie))
    up, down = scipy.special.expit(t - d), scipy.special.expit(t + d)
    from_tie = 2 / -np.expm1(-2 * t)
    return ((up, -up), (-down, -down), (up - down, from_tie - up - down))


def summed_products(cells: PairCounts, one: ByOutcome, other: ByOutcome) -> FloatArray:
    """Sum the products of two scores over the games of each cell, given for a single win, loss and tie.

    The scores of a game of s wins and 1 - s losses are the mixture of those of a win and a loss, so that their product
    is the mixture of products less s (1 - s) times the product of the differences.
    """
    (w1, l1, t1), (w2, l2, t2) = one, other
    total = cells.wins * w1 * w2 + cells.losses * l1 * l2 + cells.ties * t1 * t2
    return total if cells.shared is None else total - cells.shared * (w1 - l1) * (w2 - l2)


def _pieces(count: int) -> Iterator[slice]:
    """Cut a long row of cells so that what is computed on the way stays in the cache."""
    return (slice(start, start + PIECE) for start in range(0, count, PIECE))


def _davidson(d: FloatArray, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    norm = np.logaddexp(np.logaddexp(d / 2, -d / 2), t)
    return np.exp(d / 2 - norm), np.exp(-d / 2 - norm), np.exp(t - norm)
