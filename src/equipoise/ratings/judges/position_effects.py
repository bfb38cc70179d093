r"""A first-position advantage for each judge, or for each agent, partially pooled.

.. math:: P(a \text{ preferred}) = \sigma(r_a - r_b + g + u_k), \qquad u_k \sim N(0, \tau^2)

with k the judge of the vote, or the agent that comes first. The spread tau maximises the marginal likelihood (Laplace)
with a factor tau that keeps it off zero, ratings held; then ratings, g and all u are fitted together. Votes that are
ties, or that stand and fall together, are not as spread as coin tosses: the likelihood is divided by that dispersion.

Whether a judge favours a side is asked apart from that, without drawing anything together: how far the votes are from
what strengths lead to expect, by a score test whose variance is the larger of the observed and the expected one, less
half a vote (which makes it exact enough for five votes, and cautious).

References
----------
Chung et al. (2013), A nondegenerate penalized likelihood estimator for variance parameters in multilevel models.
McCullagh and Nelder (1989), Generalized Linear Models, chapter 9 (dispersion). Holm (1979).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray, IntArray, frozen
from equipoise.core.units import in_points
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.inference.confidence import holm
from equipoise.inference.ranks import two_sided_quantile
from equipoise.inference.threads import one_thread
from equipoise.ratings.damped_newton import NewtonPoint, damped_newton

NARROWEST, WIDEST = 1e-3, 3.0
"""Spreads that are looked at, in log-odds; the widest is all but no drawing together."""
FEWEST_POOLED = 5
"""Fewer terms tell too little about their spread: they are not pooled."""
LEAST_DISPERSION = 0.05
STEPS, NEAR = 60, 1e-10
MOST_PROJECTED = 5e7
"""Terms times agents up to which what ratings learn from each term's votes is taken out of its test; with more terms
each has next to no part in them."""


@dataclass(frozen=True, slots=True, eq=False)
class SideTerms:
    """A first-position advantage for each of several judges or agents, in log-odds for the side that comes first.

    Attributes
    ----------
    names, votes, first_share
        Whose, from how many votes, and the share of points that the first side took in them.
    advantage, stderr, low, high
        Drawn towards each other as far as ``spread`` says; intervals one by one.
    p_value
        Of no advantage (judges), or of the one that all have (agents), one by one.
    flagged
        Whom that singles out, all of them together at the level (Holm).
    common, spread
        Their mean and their standard deviation, estimated.
    """

    names: tuple[str, ...]
    votes: FloatArray
    first_share: FloatArray
    advantage: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    flagged: np.ndarray
    common: float
    spread: float

    def rows(self, name: str) -> list[dict[str, object]]:
        """Give a row for each, most votes first, advantages in Elo points."""
        shown = {key: in_points(getattr(self, key)) for key in ("advantage", "stderr", "low", "high")}
        numbers = {"votes": self.votes, "first_share": self.first_share, **shown, "p_value": self.p_value}
        rows = [
            {
                name: label,
                **{key: float(values[k]) for key, values in numbers.items()},
                "flagged": bool(self.flagged[k]),
            }
            for k, label in enumerate(self.names)
        ]
        return sorted(rows, key=lambda row: -float(str(row["votes"])))


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Votes counted by first, second and term: their weight, and the points of the first side."""

    agents: int
    terms: int
    a: IntArray
    b: IntArray
    k: IntArray
    weight: FloatArray
    points: FloatArray
    precision: float

    def by_term(self, values: FloatArray) -> FloatArray:
        return np.bincount(self.k, values, self.terms).astype(float, copy=False)

    def crossed(self, values: FloatArray) -> "scipy.sparse.csr_array":
        """Sum values by term and unknown (ratings, then the common advantage)."""
        unknown = np.concatenate([self.a, self.b, np.full(len(self.a), self.agents)])
        entries = (np.concatenate([values, -values, values]), (np.tile(self.k, 3), unknown))
        return scipy.sparse.coo_array(entries, shape=(self.terms, self.agents + 1)).tocsr()

    def information(self, values: FloatArray) -> FloatArray:
        """Give the weighted products of the unknowns, with the zero of ratings pinned."""
        n = self.agents
        met = np.bincount(self.a * n + self.b, values, n * n).reshape(n, n)
        out = np.zeros((n + 1, n + 1))
        out[:n, :n] = -(met + met.T)
        out[np.arange(n), np.arange(n)] += met.sum(axis=0) + met.sum(axis=1) + self.precision
        out[n, :n] = out[:n, n] = np.bincount(self.a, values, n) - np.bincount(self.b, values, n)
        out[n, n] = values.sum()
        if not self.precision:
            out[:n, :n] += max(float(values.sum()), 1e-300) / n**2
        return out


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """An optimum with the ratings (and the common advantage after them), the terms, and what errors are made of."""

    theta: FloatArray
    u: FloatArray
    d: FloatArray
    inverse: FloatArray
    cross: "scipy.sparse.csr_array"
    own: FloatArray


@dataclass(frozen=True, eq=False)
class _EffectPoint(NewtonPoint):
    """Ratings (and the common advantage after them), then the terms, on their way to the optimum.

    ``penalty`` is the precision of each term about the common advantage.
    """

    cells: _Cells
    penalty: float
    x: FloatArray

    @property
    def theta(self) -> FloatArray:
        """Ratings, and the common advantage."""
        return self.x[: self.cells.agents + 1]

    @property
    def u(self) -> FloatArray:
        """The terms."""
        return self.x[self.cells.agents + 1 :]

    @cached_property
    def d(self) -> FloatArray:
        """Differences of strength."""
        cells, theta = self.cells, self.theta
        return np.asarray(theta[cells.a] - theta[cells.b] + theta[-1] + self.u[cells.k])

    @cached_property
    def value(self) -> float:
        cells, ratings = self.cells, self.theta[:-1]
        likely = cells.points @ self.d - cells.weight @ np.logaddexp(0, self.d)
        return float(likely - (cells.precision * (ratings @ ratings) + self.penalty * (self.u @ self.u)) / 2)

    @cached_property
    def information(self) -> tuple[FloatArray, "scipy.sparse.csr_array", FloatArray]:
        """What errors are made of: the inverse for the ratings, what they share with terms, the terms' own."""
        cells, p = self.cells, scipy.special.expit(self.d)
        weight = cells.weight * p * (1 - p)
        cross, own = cells.crossed(weight), cells.by_term(weight) + self.penalty
        shared = scipy.sparse.csr_array(cross.multiply(1 / own[:, None])).T @ cross
        try:
            return np.linalg.inv(cells.information(weight) - shared.toarray()), cross, own
        except np.linalg.LinAlgError as error:
            raise DataError("strengths and first-position advantages cannot be told apart in these votes") from error

    def newton_step(self) -> tuple[FloatArray, float]:
        """Give Newton's step, the terms eliminated."""
        cells, n = self.cells, self.cells.agents
        rest = cells.points - cells.weight * scipy.special.expit(self.d)
        gradient = np.append(np.bincount(cells.a, rest, n) - np.bincount(cells.b, rest, n), rest.sum())
        gradient[:n] -= cells.precision * self.theta[:n]
        pull = cells.by_term(rest) - self.penalty * self.u
        inverse, cross, own = self.information
        step = inverse @ (gradient - cross.T @ (pull / own))
        step_u = (pull - cross @ step) / own
        return np.concatenate([step, step_u]), float(gradient @ step + pull @ step_u)


def side_terms(
    matches: Matches, of: Factor, start: FloatArray, *, against_common: bool, level: float, precision: float = 0.0
) -> SideTerms:
    """Estimate a first-position advantage for each name of a factor, from ratings near ``start``.

    With ``against_common`` those are singled out whose advantage is unlike that of all, else those who have any.
    """
    cells, within = _counted(matches, of, precision), _within(matches, of)
    with one_thread(cells.agents):
        rough = _fit(cells, np.append(start, 0.0), 1.0)
        games = float(cells.weight.sum())
        spent = games / max(games - cells.agents, 1)
        dispersion = max(_dispersion(matches, of, rough, within) * min(spent, 2.0), LEAST_DISPERSION)
        spread = _spread(cells, rough, dispersion) if cells.terms >= FEWEST_POOLED else WIDEST
        fit = _fit(cells, rough.theta, dispersion / spread**2)
        stderr = np.sqrt(dispersion * _variances(fit))
        common = float(fit.theta[-1])
        p = _p_values(matches, of, fit, within, dispersion, common if against_common else 0.0, against_common)
    value = common + fit.u
    reach = two_sided_quantile(level) * stderr
    votes = cells.by_term(cells.weight)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = cells.by_term(cells.points) / votes
    parts = (votes, share, value, stderr, value - reach, value + reach, p, holm(p) <= 1 - level)
    held = dict(zip(SideTerms.__slots__[1:9], map(frozen, parts), strict=True))
    return SideTerms(of.labels, **held, common=common, spread=float(spread))


def _counted(matches: Matches, of: Factor, precision: float) -> _Cells:
    n, terms = len(matches.agents), len(of.labels)
    key = (of.codes.astype(np.int64) * n + matches.a) * n + matches.b
    keys, at = np.unique(key, return_inverse=True)
    weight = np.bincount(at, matches.weights, len(keys)).astype(float, copy=False)
    points = np.bincount(at, matches.weights * matches.outcome, len(keys)).astype(float, copy=False)
    return _Cells(n, terms, keys // n % n, keys % n, keys // (n * n), weight, points, precision)


def _within(matches: Matches, of: Factor) -> IntArray | None:
    """Number the groups of votes that stand and fall together within a term; None where every vote stands alone.

    Groups that are the judges themselves say no more than the judge's own term does.
    """
    if matches.group is None:
        return None
    key = of.codes.astype(np.int64) * len(matches.group.labels) + matches.group.codes
    keys, at = np.unique(key, return_inverse=True)
    alone = len(np.unique(keys // len(matches.group.labels))) == len(keys)
    return None if alone else at


def _fit(cells: _Cells, start: FloatArray, penalty: float) -> _Fit:
    """Fit ratings and terms; ``penalty`` is the precision of each term about the common advantage."""
    begin = np.concatenate([start[:-1] - start[:-1].mean(), start[-1:], np.zeros(cells.terms)])
    reached = damped_newton(_EffectPoint(cells, penalty, begin), range(STEPS), NEAR)
    theta = reached.point.theta.copy()
    theta[:-1] -= theta[:-1].mean()
    return _Fit(theta, reached.point.u, reached.point.d, *reached.solved.information)


def _rows(matches: Matches, of: Factor, fit: _Fit) -> FloatArray:
    return np.asarray(fit.theta[matches.a] - fit.theta[matches.b] + fit.theta[-1] + fit.u[of.codes])


def _dispersion(matches: Matches, of: Factor, fit: _Fit, within: IntArray | None) -> float:
    """How spread votes are, beside coin tosses with the same chances: less for ties, more where votes go together."""
    p = scipy.special.expit(_rows(matches, of, fit))
    rest, weight = matches.outcome - p, matches.weights
    tossed = float(weight @ (p * (1 - p)))
    squares = weight @ rest**2 if within is None else (np.bincount(within, weight * rest) ** 2).sum()
    return float(squares / tossed) if tossed > 0 else 1.0


def _spread(cells: _Cells, fit: _Fit, dispersion: float) -> float:
    """Give the spread of the terms under which the votes are most likely, ratings held."""
    offset = fit.theta[cells.a] - fit.theta[cells.b]
    warm: list[Any] = [float(fit.theta[-1]), fit.u]

    def unlikely(log_spread: float) -> float:
        tau = float(np.exp(log_spread))
        g, u = warm
        for _ in range(STEPS):
            p = scipy.special.expit(offset + g + u[cells.k])
            rest = cells.by_term(cells.points - cells.weight * p) / dispersion
            curvature = cells.by_term(cells.weight * p * (1 - p)) / dispersion
            own, pull = curvature + 1 / tau**2, rest - u / tau**2
            about = max(float((curvature - curvature**2 / own).sum()), 1e-300)
            step = float((rest - curvature * pull / own).sum()) / about
            step_u = (pull - curvature * step) / own
            size = max(abs(step), float(np.abs(step_u).max()))
            shorter = min(1.0, 2.0 / max(size, 1e-300))
            g, u = g + shorter * step, u + shorter * step_u
            if size < 1e-6:
                break
        warm[:] = [g, u]
        d = offset + g + u[cells.k]
        likely = (cells.points @ d - cells.weight @ np.logaddexp(0, d)) / dispersion
        prior = -(u @ u) / (2 * tau**2) - (cells.terms - 1) * log_spread  # one less: the factor tau
        return float(-(likely + prior - 0.5 * np.log(own).sum() - 0.5 * np.log(about)))

    best = scipy.optimize.minimize_scalar(
        unlikely, bounds=(np.log(NARROWEST), np.log(WIDEST)), method="bounded", options={"xatol": 1e-4}
    )
    return float(np.exp(best.x))


def _variances(fit: _Fit) -> FloatArray:
    """Variances of common advantage plus term, before dispersion."""
    learned = _learned(fit)
    if learned is None:  # so many terms that each is all but alone
        return np.asarray(fit.inverse[-1, -1] * (1 - fit.cross[:, [-1]].toarray().ravel() / fit.own) ** 2 + 1 / fit.own)
    quadratic = np.asarray(fit.cross.multiply(learned).sum(axis=1)).ravel()
    return np.asarray(fit.inverse[-1, -1] - 2 * learned[:, -1] / fit.own + 1 / fit.own + quadratic / fit.own**2)


def _learned(fit: _Fit) -> FloatArray | None:
    return fit.cross @ fit.inverse if float(np.prod(fit.cross.shape)) <= MOST_PROJECTED else None


def _p_values(
    matches: Matches,
    of: Factor,
    fit: _Fit,
    within: IntArray | None,
    dispersion: float,
    null: float,
    against_common: bool,
) -> FloatArray:
    """Test each term, the others as they are fitted, with what the ratings would learn from its votes taken out."""
    k, terms, weight = of.codes, len(of.labels), matches.weights
    d = _rows(matches, of, fit)
    fitted, expected = scipy.special.expit(d), scipy.special.expit(d - (fit.theta[-1] + fit.u)[k] + null)
    rest, moved = matches.outcome - expected, fitted - expected
    curvature = weight * expected * (1 - expected)
    known, total = np.bincount(k, curvature, terms), np.bincount(k, weight * rest, terms)
    left = known.copy()
    # The common advantage has no part in a judge without one.
    learned = _learned(fit if against_common else replace(fit, inverse=_ratings_only(fit.inverse)))
    if learned is not None:
        quadratic = np.asarray(fit.cross.multiply(learned).sum(axis=1)).ravel()
        share = learned / (1 + quadratic / fit.own)[:, None]
        x = share[k, matches.a] - share[k, matches.b] + share[k, -1]
        total -= np.bincount(k, weight * moved * x, terms)
        left -= np.bincount(k, curvature * x, terms)
    keep = np.clip(left / np.where(known > 0, known, 1.0), 0.0, 1.0)
    if within is None:
        seen = np.bincount(k, weight * rest**2, terms)
    else:
        first = np.zeros(int(within.max()) + 1, dtype=np.int64)
        first[within] = k
        seen = np.bincount(first, np.bincount(within, weight * rest) ** 2, terms)
    variance = keep * np.maximum(seen, dispersion * known)
    size = np.clip(np.abs(total) - 0.5, 0, None) / np.sqrt(np.where(variance > 0, variance, np.inf))
    return np.asarray(2 * scipy.special.ndtr(-size))


def _ratings_only(inverse: FloatArray) -> FloatArray:
    """Give the inverse of the ratings' part of the information, the common advantage held."""
    out = inverse - np.outer(inverse[:, -1], inverse[-1]) / inverse[-1, -1]
    out[-1], out[:, -1] = 0.0, 0.0
    return np.asarray(out)
