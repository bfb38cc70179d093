"""How sure changes between two boards are: from the games behind both, or from the boards' own intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from equipoise.analyses.boards.board_sources import Board
from equipoise.analyses.boards.joint_changes import independent_variances, joint_reach, medians
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
