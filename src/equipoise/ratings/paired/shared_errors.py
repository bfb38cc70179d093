"""How sure is the difference of two fits that share games? What both were fitted to moves both.

To first order a game with score s moves the unknowns of a fit by H^-1 s, H minus the second derivatives. A game behind
both fits moves both, so that their covariance is

    H_old^-1 (sum of s_old s_new' over shared games) H_new^-1

or the same with sums over groups where games are clustered: groups are shared where their labels
agree, and what each fit has of them is summed apart. Two separate voters of one label only add noise with mean 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.clustered_errors import MatchClusters, group_scores
from equipoise.ratings.paired.errors import inverse_information
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DENSE
from equipoise.ratings.paired.result import RANDOM_EFFECTS, BradleyTerry
from equipoise.ratings.paired.ties import PairCounts, TieModel, outcome_scores, summed_products

ROUNDING = 1e-10
"""Share of the two variances below which that of a change is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class RatedGames:
    """A Bradley-Terry fit and the games behind it, by group where its errors are clustered."""

    fit: BradleyTerry
    games: PairTable

    @property
    def known(self) -> bool:
        """Whether the covariance with another fit can be worked out."""
        fit = self.fit
        drawn = fit.interval is not None and fit.interval.kind == RANDOM_EFFECTS
        plain = fit.coefficients is None and not fit.component.any()
        return fit.covariance is not None and plain and not drawn and len(fit.agents) <= DENSE

    @property
    def _ties(self) -> TieModel:
        ties = self.fit.params["ties"]
        return "davidson" if ties == "davidson" else "rao-kupper" if ties == "rao-kupper" else "half"

    def _model(self, games: PairTable) -> PairedModel:
        prior = self.fit.params["prior"]
        precision = 1 / prior**2 if isinstance(prior, float) else 0.0
        side = self.fit.side is not None
        return PairedModel(
            len(self.fit.agents), games.first, games.second, self._ties, side, np.asarray(self.fit.component), precision
        )

    @property
    def _x(self) -> FloatArray:
        more = [float(part) for part in (self.fit.side, self.fit.tie) if part is not None]
        return np.concatenate([self.fit.rating, more])

    def _inverse(self) -> FloatArray:
        pooled = self.games.pooled() if self.games.group is not None else self.games
        return inverse_information(self._model(pooled), _cells(pooled), self._x)

    def _by_group(self) -> tuple["scipy.sparse.csr_array", Factor]:
        group = self.games.group
        if group is None:
            raise AssertionError("games without groups")  # callers look first
        return group_scores(MatchClusters(self._model(self.games), _cells(self.games), group), self._x), group

    def _by_outcome(self, games: PairTable) -> tuple["scipy.sparse.csr_array", tuple[tuple[FloatArray, ...], ...]]:
        """Give who met whom in some of the games, and what one win, loss and tie of each cell adds to the gradient."""
        model = self._model(games)
        scores = outcome_scores(model.differences(self._x), model.tie(self._x), model.ties)
        return model.incidence(), tuple(zip(*scores, strict=True))


def covariance_of_change(
    old: RatedGames, new: RatedGames, agents: Sequence[str], shared: PairTable | None
) -> FloatArray:
    """Give the covariance of new less old ratings of some agents, relative to the mean of their changes.

    Parameters
    ----------
    agents
        Agents that both fits rate.
    shared
        Games behind both, where games have no groups; None where there are none.
    """
    rows_old, rows_new = _places(old.fit.agents, agents), _places(new.fit.agents, agents)
    by_group = old.games.group is not None and new.games.group is not None
    one, other, both = _of_groups(old, new) if by_group else _of_games(old, new, shared)
    one, other = one[np.ix_(rows_old, rows_old)], other[np.ix_(rows_new, rows_new)]
    part = both[np.ix_(rows_old, rows_new)]
    total = one + other - part - part.T
    centred = total - total.mean(axis=0)
    centred = centred - centred.mean(axis=1, keepdims=True)
    if np.abs(np.diag(centred)).max() <= ROUNDING * np.diag(one + other).max():
        return np.zeros_like(centred)
    return np.asarray(centred)


def _of_groups(old: RatedGames, new: RatedGames) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the covariances of the old fit, of the new fit and of both with each other, from sums over groups.

    All three are plain sums: one made another way, such as by leaving groups out, would not cancel against the others.
    """
    (one, group), (other, another) = old._by_group(), new._by_group()
    place = {label: k for k, label in enumerate(another.labels)}
    here = [k for k, label in enumerate(group.labels) if label in place]
    there = [place[group.labels[k]] for k in here]
    few = [np.sqrt(len(labels) / max(len(labels) - 1, 1)) for labels in (group.labels, another.labels)]
    left, right = few[0] * old._inverse(), few[1] * new._inverse()
    meats = (one.T @ one, other.T @ other, one[here].T @ other[there])
    first, second, both = (np.asarray(meat.toarray()) for meat in meats)
    return left @ first @ left, right @ second @ right, left @ both @ right


def _of_games(old: RatedGames, new: RatedGames, shared: PairTable | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give the same from single games, of which those shared are known."""
    one, other = old.fit.covariance, new.fit.covariance
    if one is None or other is None:
        raise AssertionError("fits without a covariance")  # callers look first
    if shared is None or not len(shared.first):
        return one, other, np.zeros((len(one), len(other)))
    both = old._inverse() @ _cross_of_games(old, new, shared) @ new._inverse()
    return one, other, np.asarray(both)


def _cross_of_games(old: RatedGames, new: RatedGames, shared: PairTable) -> FloatArray:
    games = games_between(
        shared.pooled() if shared.group is not None else shared, {*old.fit.agents} & {*new.fit.agents}
    )
    cells = _cells(games)
    (x, by_old), (z, by_new) = old._by_outcome(_named(games, old)), new._by_outcome(_named(games, new))
    both = _crossed(x, summed_products(cells, by_old[0], by_new[0]), z)  # type: ignore[arg-type]
    if old._ties != "half" or new._ties != "half":
        ones = scipy.sparse.csr_array(np.ones((len(games.first), 1)))
        left = [(x, by_old[0])] + ([(ones, by_old[1])] if old._ties != "half" else [])
        right = [(z, by_new[0])] + ([(ones, by_new[1])] if new._ties != "half" else [])
        both = np.block(
            [[_crossed(a, summed_products(cells, s, t), b) for b, t in right] for a, s in left]  # type: ignore[arg-type]
        )
    counts = [float(part.games.games.sum()) for part in (old, new)]
    few = [count / max(count - 1.0, 1.0) for count in counts]
    return np.asarray(both * float(np.sqrt(few[0] * few[1])))


def _crossed(x: "scipy.sparse.csr_array", weight: FloatArray, z: "scipy.sparse.csr_array") -> FloatArray:
    return np.asarray((x.T @ (scipy.sparse.diags_array(weight) @ z)).toarray())


def games_between(games: PairTable, agents: set[str]) -> PairTable:
    """Give the games between some agents, which alone are left."""
    left = tuple(name for name in games.agents if name in agents)
    number = {name: k for k, name in enumerate(left)}
    place = np.array([number.get(name, -1) for name in games.agents])
    rows = (place[games.first] >= 0) & (place[games.second] >= 0)
    return PairTable.from_counts(
        left, place[games.first[rows]], place[games.second[rows]], games.wins[rows], games.losses[rows],
        games.ties[rows], shared=None if games.shared is None else games.shared[rows],
        group=None if games.group is None else Factor(games.group.labels, games.group.codes[rows]),
    )  # fmt: skip


def _named(games: PairTable, rated: RatedGames) -> PairTable:
    """Give the same games with the agents' numbers in a fit."""
    place = np.array([rated.fit.agents.index(name) for name in games.agents], dtype=np.int32)
    return replace(games, first=place[games.first], second=place[games.second])


def _places(agents: Sequence[str], wanted: Sequence[str]) -> IntArray:
    place = {name: k for k, name in enumerate(agents)}
    return np.array([place[name] for name in wanted], dtype=np.int64)


def _cells(games: PairTable) -> PairCounts:
    return PairCounts(games.wins, games.losses, games.ties, games.shared)
