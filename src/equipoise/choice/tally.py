"""How often each agent is above each other one: the counts that voting rules on pairs go by.

``above[i, j]`` is the weight of ballots with i strictly above j, ``tied[i, j]`` of those that tie them. A task is a
ballot (the higher score is above), a match is a ballot of two, and so is every game of a table of pairs.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray
from equipoise.data.types.matches import Matches
from equipoise.data.types.orders import Ballots, Orders, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

Margins = Literal["count", "share", "sign"]
"""What a margin is: votes for less votes against; the same over the votes of that pair; or only its sign."""
ChoiceData = Matches | PairTable | Scores | Ballots | Rankings
"""What holds preferences."""
ROUNDING = 1e-12
"""Shares and weights below this part of the largest margin are rounding."""
LARGEST = 3000
"""Agents up to which margins are kept as a full table."""


@dataclass(frozen=True, slots=True, eq=False)
class DuelTally:
    """Votes of each pair, and the ballots behind them where there are whole ones.

    Attributes
    ----------
    agents
        Names.
    above, tied
        Weights of ballots, agents x agents.
    ballots
        The ballots; None where votes are of pairs alone.
    """

    agents: tuple[str, ...]
    above: FloatArray
    tied: FloatArray
    ballots: Ballots | None = None

    @property
    def compared(self) -> FloatArray:
        """Weight of the ballots that compare each pair."""
        votes = self.above + self.above.T + self.tied
        np.fill_diagonal(votes, 0.0)
        return votes

    @property
    def unmet(self) -> npt.NDArray[np.bool_]:
        """Which pairs no ballot compares."""
        unmet = self.compared == 0.0
        np.fill_diagonal(unmet, val=False)
        return np.asarray(unmet)

    @property
    def even(self) -> bool:
        """Whether all pairs were compared equally often."""
        votes = self.compared[np.triu_indices(len(self.agents), 1)]
        return bool(np.ptp(votes) <= ROUNDING * votes.max())

    def margins(self, kind: Margins | None = None) -> FloatArray:
        """Give the margins, exactly 0 where two agents are level; by default counts where pairs have equally many."""
        difference = self.above - self.above.T
        used = kind or ("count" if self.even else "share")
        if used == "share":
            difference = difference / np.where(self.compared > 0.0, self.compared, 1.0)
        elif used == "sign":
            difference = np.sign(level(difference))
        return level(difference)


def level(margins: FloatArray) -> FloatArray:
    """Set what is rounding to 0; whole numbers are exact as they are."""
    if (margins == np.rint(margins)).all():
        return margins + 0.0
    return np.where(np.abs(margins) <= ROUNDING * np.abs(margins).max(), 0.0, margins)


def ballots_of(scores: Scores) -> Ballots:
    """Take each task for a ballot: the agent with the higher mean score is above, equal scores tie."""
    return Ballots.from_levels(
        scores.agents, -scores.values.T[~scores.missing.all(axis=0)], diagnostics=scores.diagnostics,
        account=scores.account,
    )  # fmt: skip


def tally_of(data: ChoiceData) -> DuelTally:
    """Count the votes of each pair.

    Fails when
        there are more agents than a table of margins can hold, or no two agents are compared.
    """
    if len(data.agents) > LARGEST:
        raise DataError(f"voting rules compare all pairs; {len(data.agents):,} agents are more than {LARGEST:,}")
    if isinstance(data, Matches | PairTable):
        return _of_pairs(data.pairs() if isinstance(data, Matches) else data)
    ballots = ballots_of(data) if isinstance(data, Scores) else data
    if isinstance(ballots, Rankings):
        ballots = Ballots(ballots.agents, ballots.start, ballots.who, ballots.place, ballots.weight)
    return of_ballots(ballots)


def of_ballots(ballots: Ballots) -> DuelTally:
    """Count the votes of ballots; who is not named is left out, or below all that are."""
    above, tied = pair_counts(ballots, ballots.weight)
    if ballots.unnamed == "last":
        names = np.bincount(ballots.who, ballots.weight[ballots.rows], len(ballots.agents))
        both = above + above.T + tied
        above = above + names[:, None] - both
        tied = tied + ballots.weight.sum() - names[:, None] - names[None, :] + both
        for table in (above, tied):
            np.fill_diagonal(table, 0.0)
            table[np.abs(table) < ROUNDING * ballots.weight.sum()] = 0.0
    return _checked(DuelTally(ballots.agents, above, tied, ballots))


def pair_counts(orders: Orders, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give the weight of orders with i above j, and of those that tie them; those of one length at once."""
    n = len(orders.agents)
    above, tied = np.zeros((n, n)), np.zeros((n, n))
    sizes = orders.sizes
    for size in np.unique(sizes[sizes > 1]):
        rows = np.flatnonzero((sizes == size) & (weight > 0))
        entries = orders.start[rows][:, None] + np.arange(size)
        who, place, votes = orders.who[entries].astype(np.int64), orders.place[entries], weight[rows]
        if len(rows) < size:  # few long ballots: one at a time, all of their pairs at once
            for names, at, vote in zip(who, place, votes, strict=True):
                square = np.ix_(names, names)
                above[square] += vote * (at[:, None] < at[None, :])
                tied[square] += vote * (at[:, None] == at[None, :])
            continue
        for i in range(size - 1):
            for j in range(i + 1, size):
                same = place[:, i] == place[:, j]
                cells = who[:, i] * n + who[:, j]
                above += np.bincount(cells, votes * ~same, n * n).reshape(n, n)
                level_pairs = np.bincount(cells, votes * same, n * n).reshape(n, n)
                tied += level_pairs + level_pairs.T
    np.fill_diagonal(tied, 0.0)
    return above, tied


def _of_pairs(table: PairTable) -> DuelTally:
    pooled, n = table.unordered(), len(table.agents)
    above, tied = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(above, (pooled.first, pooled.second), pooled.wins)
    np.add.at(above, (pooled.second, pooled.first), pooled.losses)
    np.add.at(tied, (pooled.first, pooled.second), pooled.ties)
    return _checked(DuelTally(table.agents, above, tied + tied.T))


def _checked(tally: DuelTally) -> DuelTally:
    if len(tally.agents) < 2:
        raise DataError("there is one agent only: nothing to choose")
    if not tally.compared.any():
        raise DataError("no two agents are compared on any ballot, task or game")
    return tally


def reweighted(tally: DuelTally, weight: FloatArray) -> DuelTally:
    """Count the same ballots with other weights: a bootstrap sample."""
    assert tally.ballots is not None
    return of_ballots(replace(tally.ballots, weight=weight))
