"""How sure changes between two boards are: from the games behind both, or from the boards' own intervals."""

from collections.abc import Sequence
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

DRAWS, MOST_DRAWN = 4000, 400
"""Draws of changes, and agents up to which they are drawn."""
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
    each = level ** (1.0 / len(agents))
    if joint is None:
        variance = _variance(then, before.level) + _variance(now, after.level)
        shift, error = (0.0, 0.0) if share is not None else _median(difference, variance)
        reach = two_sided_quantiles(each, np.full(len(agents), np.inf)) * np.sqrt(variance + error)
        return Footing(shift, reach, share is not None, "separate" if shared == "none" else "unknown")
    covariance, known, degrees = joint
    if share is None:
        return Footing(*_by_median(difference, covariance, level, degrees), False, known)
    return Footing(0.0, two_sided_quantiles(each, degrees) * np.sqrt(_against(covariance, share)), True, known)


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
    """The weighted median change, and how far the intervals of all changes against it reach together.

    The median of a few agents has no error that a formula tells: changes are drawn from their joint distribution, and
    what holds in so many of the draws is taken. Of many agents it is that of many normal ones, pi/2 times the mean's.
    """
    variance = np.diag(covariance)
    shift, _ = _median(change, variance)
    weight = np.where(variance > 0.0, 1.0 / np.where(variance > 0.0, variance, 1.0), 0.0)
    if not weight.sum() > 0.0:
        return shift, np.zeros(len(change))
    if len(change) > MOST_DRAWN:
        error = _against(covariance, weight / weight.sum()) + (np.pi / 2.0 - 1.0) / weight.sum()
        return shift, two_sided_quantiles(level ** (1.0 / len(change)), degrees) * np.sqrt(error)
    values, vectors = np.linalg.eigh(covariance)
    rng = np.random.default_rng(0)
    drawn = rng.standard_normal((DRAWS, len(change))) @ (vectors * np.sqrt(np.clip(values, 0.0, None))).T
    order = np.argsort(drawn, axis=1)
    passed = np.cumsum(weight[order], axis=1) / weight.sum()
    middle = np.argmax(passed >= 0.5, axis=1)
    drawn -= drawn[np.arange(DRAWS), order[np.arange(DRAWS), middle]][:, None]
    spread = np.sqrt(np.mean(drawn**2, axis=0))
    fewest = float(degrees.min())
    if np.isfinite(fewest):  # an error from few groups is itself uncertain
        drawn *= np.sqrt(fewest / rng.chisquare(fewest, DRAWS))[:, None]
    largest = np.max(np.abs(drawn) / np.where(spread > 0.0, spread, np.inf), axis=1)
    return shift, np.asarray(np.quantile(largest, level) * spread)


def _variance(ratings: FloatArray, level: float) -> FloatArray:
    """Squared standard errors from the ends of intervals."""
    return np.asarray(((ratings[:, 2] - ratings[:, 1]) / (2.0 * scipy.special.ndtri(0.5 + level / 2.0))) ** 2)


def _median(change: FloatArray, variance: FloatArray) -> tuple[float, float]:
    """The median change, weighted by precision, and the variance of it; agents without an interval have no weight.

    A median, because one agent that changed a lot must not make all others seem to have moved the other way.
    """
    weight = np.where(variance > 0.0, 1.0 / np.where(variance > 0.0, variance, 1.0), 0.0)
    if not weight.sum() > 0.0:
        return float(np.median(change)), 0.0
    order = np.argsort(change, kind="stable")
    passed = np.cumsum(weight[order]) / weight.sum()
    lower, upper = (change[order][np.searchsorted(passed, half)] for half in (0.5 - 1e-9, 0.5 + 1e-9))
    return float(lower + upper) / 2.0, float(np.pi / 2.0 / weight.sum())


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
