"""How sure changes between two boards are: from the games behind both, or from the boards' own intervals.

How far the largest of several changes goes by chance is drawn from their joint normal distribution. Changes against the
median agent share the error of that median, and ratings that sum to zero go against each other. With three or four
agents both matter: intervals made as if changes were independent (Sidak) are left by 7% to 10%.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from equipoise.analyses.boards.board_sources import Board
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option
from equipoise.data.types.pairs import PairTable
from equipoise.inference.ranks import two_sided_quantiles
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.shared_errors import RatedGames, covariance_of_change, games_between

MOST_DRAWN = 400
"""Agents up to which changes are drawn from their joint distribution; above, intervals are Sidak's."""
Shared = Literal["old", "none"]
"""Whether the new games hold all the old ones, or none."""
Known = Literal["groups", "games", "separate", "unknown"]
"""How the covariance of the boards is known: by groups or games behind both, because they share none, or not at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Footing:
    """By how much the old board is moved to stand beside the new one, and how far intervals of changes reach."""

    shift: float
    reach: FloatArray
    anchored: bool
    known: Known


def footing(
    before: Board, after: Board, then: FloatArray, now: FloatArray, agents: Sequence[str], shared: Shared | None,
    level: float,
) -> Footing:  # fmt: skip
    """Put the boards on one footing; ``then`` and ``now`` hold rating, low and high of the agents on both.

    Fails when
        the new games are said to hold the old ones, and do not, or are not at hand.
    """
    zero = before.zero if before.zero == after.zero and before.zero is not None and before.zero <= {*agents} else None
    share = None if zero is None else np.array([name in zero for name in agents]) / len(zero)
    difference = now[:, 0] - then[:, 0]
    joint = _joint(before, after, agents, shared)
    if joint is None and share is not None:  # Sidak's intervals hold however differences to an anchor go together
        each = two_sided_quantiles(level ** (1.0 / len(agents)), np.full(len(agents), np.inf))
        reach = each * np.sqrt(_variance(then, before.level) + _variance(now, after.level))
        return Footing(0.0, reach, True, "separate" if shared == "none" else "unknown")
    apart: Known = "separate" if shared == "none" else "unknown"
    covariance, known, degrees = joint or (
        _centred(_errors(before, agents) + _errors(after, agents)), apart, np.full(len(agents), np.inf)
    )  # fmt: skip
    if share is None:
        return Footing(*_by_median(difference, covariance, level, degrees), False, known)
    if len(agents) > MOST_DRAWN:
        reach = two_sided_quantiles(level ** (1.0 / len(agents)), degrees) * np.sqrt(_against(covariance, share))
    else:
        reach = joint_reach(covariance, level, float(degrees.min()), share=share)
    return Footing(0.0, reach, True, known)


def _errors(board: Board, agents: Sequence[str]) -> FloatArray:
    """Give the covariance of a board's ratings: of its fit where games are at hand, else as if errors were independent.

    Agents known from few clusters have errors as wide as their own intervals say, in units of normal ones.
    """
    rated = board.rated
    if rated is not None and rated.known and rated.fit.covariance is not None:
        fit = rated.fit
        at = [fit.agents.index(name) for name in agents]
        degrees = np.asarray(fit.degrees) + np.zeros(len(fit.agents))
        wider = two_sided_quantiles(0.95, degrees) / two_sided_quantiles(0.95, np.full(len(degrees), np.inf))
        covariance = np.asarray(fit.covariance)
        own = np.diag(covariance)
        largest = np.max([own, *map(np.diag, fit.floors)], axis=0)
        wider *= np.sqrt(np.where(own > 0.0, largest / np.where(own > 0.0, own, 1.0), 1.0))
        return np.asarray((wider[:, None] * covariance * wider)[np.ix_(at, at)])
    rows = np.array(list(board.ratings.values()))
    variance, order = _variance(rows, board.level), list(board.ratings)
    games = np.array([board.games.get(name, np.nan) for name in order])
    plain = np.full(len(order), 1.0 / len(order))
    by_games = games / games.sum() if np.isfinite(games).all() and games.sum() > 0.0 else plain
    share = by_games if abs(by_games @ rows[:, 0]) < abs(plain @ rows[:, 0]) else plain
    alone = independent_variances(variance, share) if len(order) <= MOST_DRAWN else variance
    return np.diag(alone[[order.index(name) for name in agents]])


def _centred(covariance: FloatArray) -> FloatArray:
    """Give the covariance of differences to the mean of those known; the others keep a row that is not a number."""
    known = np.isfinite(np.diag(covariance))
    found = np.full_like(covariance, np.nan)
    part = covariance[np.ix_(known, known)]
    part = part - part.mean(axis=0) if len(part) else part
    found[np.ix_(known, known)] = part - part.mean(axis=1, keepdims=True) if len(part) else part
    return found


def _joint(
    before: Board, after: Board, agents: Sequence[str], shared: Shared | None
) -> tuple[FloatArray, Known, FloatArray] | None:
    """Give the covariance of the changes where the games behind both boards tell it, and its degrees of freedom."""
    old, new = before.rated, after.rated
    if shared == "old" and (old is None or new is None):
        raise ParameterError(
            Option("shared", "old"), " needs the games behind both boards: give logs, matches or standings, not ratings"
        )
    if old is None or new is None or not (old.known and new.known) or shared == "none":
        return None
    grouped = old.games.group is not None and new.games.group is not None
    if not grouped and shared is None:
        return None
    if shared == "old":
        _refuse_missing(old.games, new.games)
    covariance = covariance_of_change(old, new, agents, None if grouped else old.games)
    degrees = np.minimum(*(_degrees(rated, agents) for rated in (old, new)))
    return covariance, "groups" if grouped else "games", degrees


def _degrees(rated: RatedGames, agents: Sequence[str]) -> FloatArray:
    each = np.asarray(rated.fit.degrees) + np.zeros(len(rated.fit.agents))
    return np.array([each[rated.fit.agents.index(name)] for name in agents])


def _refuse_missing(old: PairTable, new: PairTable) -> None:
    """Refuse old games that are not among the new ones."""
    left = _counts(new)
    for pair, counts in _counts(old).items():
        if (counts > left.get(pair, np.zeros(3)) + 1e-9).any():
            raise DataError(
                Option("shared", "old"),
                f" says that the new games hold all the old ones, but of {some_of(pair)} they do not",
            )


def _counts(table: PairTable) -> dict[tuple[str, str], FloatArray]:
    plain = table.unordered()
    counts = np.column_stack([plain.wins, plain.losses, plain.ties])
    found = {}
    for i, j, row in zip(plain.first, plain.second, counts, strict=True):
        one, other = plain.agents[i], plain.agents[j]
        found[min(one, other), max(one, other)] = row if one < other else row[[1, 0, 2]]
    return found


def _against(covariance: FloatArray, share: FloatArray) -> FloatArray:
    """Variances of changes against a weighted mean of them."""
    with_mean = covariance @ share
    return np.asarray(np.clip(np.diag(covariance) + share @ with_mean - 2 * with_mean, 0.0, None))


def _by_median(
    change: FloatArray, covariance: FloatArray, level: float, degrees: FloatArray
) -> tuple[float, FloatArray]:
    """The median change, weighted by precision, and how far the intervals of all changes against it reach together.

    A median, because one agent that changed a lot must not make all others seem to have moved the other way. That of
    a few agents has no error that a formula tells: changes are drawn from their joint distribution, and what holds in
    so many of the draws is taken. Agents without an interval have no weight. Of many agents it is that of many normal
    ones, pi/2 times the mean's.
    """
    variance = np.diag(covariance)
    seen = np.isfinite(variance)
    weight = np.where(seen & (variance > 0.0), 1.0 / np.where(variance > 0.0, variance, 1.0), 0.0)
    if not weight.sum() > 0.0:
        return float(np.median(change)), np.where(seen, 0.0, np.nan)
    shift = float(medians(change[None, weight > 0.0], weight[weight > 0.0])[0])
    reach = np.where(seen, 0.0, np.nan)
    part, some = covariance[np.ix_(seen, seen)], weight[seen]
    if len(part) > MOST_DRAWN:
        error = _against(part, some / some.sum()) + (np.pi / 2.0 - 1.0) / some.sum()
        reach[seen] = two_sided_quantiles(level ** (1.0 / len(part)), degrees[seen]) * np.sqrt(error)
    else:
        reach[seen] = joint_reach(part, level, float(degrees[seen].min()), weight=some)
    return shift, reach


def _variance(ratings: FloatArray, level: float) -> FloatArray:
    """Squared standard errors from the ends of intervals."""
    return np.asarray(((ratings[:, 2] - ratings[:, 1]) / (2.0 * scipy.special.ndtri(0.5 + level / 2.0))) ** 2)


def moved_by_newcomers(after: Board, agents: Sequence[str]) -> FloatArray | None:
    """Give what the games of agents that are not among ``agents`` add to the ratings of these, against their mean.

    None where games are not at hand, or the others' games alone do not rate them.
    """
    rated = after.rated
    if rated is None or len(agents) == len(rated.fit.agents):
        return None
    options = {name: rated.fit.params[name] for name in ("ties", "side", "pairing")}
    try:
        alone = bradley_terry(games_between(rated.games, {*agents}), **options)  # type: ignore[arg-type]  # those that the board was rated with
    except EquipoiseError:
        return None
    with_all = np.array([rated.fit.rating[rated.fit.agents.index(name)] for name in agents])
    without = np.array([alone.rating[alone.agents.index(name)] for name in agents])
    return np.asarray((with_all - with_all.mean()) - (without - without.mean()))


DRAWS = 4000
"""Draws of all changes: the level of the quantile of the largest is known within 0.35% (a standard error)."""
FEW_AGENTS = 10
"""Up to so many agents, one that truly changed moves the median of the others beyond what chance does."""
HALF = (0.5 - 1e-9, 0.5 + 1e-9)


def independent_variances(variance: FloatArray, share: FloatArray) -> FloatArray:
    r"""Give the variances q of independent errors that leave these ones of ratings less their mean.

    The mean has the shares w, so that :math:`v_i = (1 - 2 w_i) q_i + \sum_j w_j^2 q_j` (quasi-variances, Firth and
    de Menezes 2004). Where no q gives these v, they are not below them. Unknown variances stay unknown.
    """
    known = np.isfinite(variance)
    v, w = variance[known], share[known] / max(float(share[known].sum()), 1e-300)
    found = np.full(len(variance), np.nan)
    if len(v) < 2:
        found[known] = v
        return found
    table = np.diag(1.0 - 2.0 * w) + w**2
    q = scipy.optimize.nnls(table, v)[0]
    found[known] = q + np.maximum(0.0, v - table @ q) / np.maximum(1.0 - w, 0.5) ** 2
    return found


def medians(values: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted median of each row; the middle of two values that halve the weight."""
    order = np.argsort(values, axis=1, kind="stable")
    passed = np.cumsum(weight[order], axis=1) / weight.sum()
    ends = [np.take_along_axis(order, np.argmax(passed >= half, axis=1)[:, None], axis=1) for half in HALF]
    lower, upper = (np.take_along_axis(values, at, axis=1)[:, 0] for at in ends)
    return np.asarray(np.where(lower == upper, lower, (lower + upper) / 2.0))


def joint_reach(
    covariance: FloatArray, level: float, degrees: float, *, weight: FloatArray | None = None,
    share: FloatArray | None = None,
) -> FloatArray:  # fmt: skip
    """Give how far intervals of all changes reach together, against their weighted median or a mean with shares.

    Of few agents one may have changed truly, up or down: what holds for the others in each of these cases is taken.
    """
    values, vectors = np.linalg.eigh(covariance)
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.clip(values, 0.0, None))).T
    scale = np.sqrt(degrees / rng.chisquare(degrees, DRAWS)) if np.isfinite(degrees) else np.ones(DRAWS)
    zero = drawn @ share if share is not None else medians(drawn, weight) if weight is not None else 0.0 * drawn[:, 0]
    spread = np.sqrt(np.mean((drawn - zero[:, None]) ** 2, axis=0))
    spread[spread <= 1e-9 * spread.max()] = 0.0
    sizes = np.where(spread > 0.0, spread, np.inf)
    reached = [_largest(drawn - zero[:, None], sizes)]
    if share is None and weight is not None and 3 <= len(weight) <= FEW_AGENTS:
        reached += [_largest(part, np.delete(sizes, agent)) for agent, part in _beside(drawn, weight)]
    return np.asarray(max(np.quantile(one * scale, level) for one in reached) * spread)


def _largest(drawn: FloatArray, sizes: FloatArray) -> FloatArray:
    return np.asarray(np.max(np.abs(drawn) / sizes, axis=1))


def _beside(drawn: FloatArray, weight: FloatArray) -> Iterator[tuple[int, FloatArray]]:
    """Give the changes of the others against the median where one agent rose or fell a lot."""
    for agent in map(int, np.flatnonzero(weight < weight.sum() / 2.0 * (1.0 - 1e-6))):
        for far in (-np.inf, np.inf):
            moved = drawn.copy()
            moved[:, agent] = far
            yield agent, np.delete(drawn, agent, axis=1) - medians(moved, weight)[:, None]
