r"""Rankings as choices: who comes first among all, then who among the rest, and so on.

Each stage is a choice of a group C among the sets S of those who are left, of the sizes that ties have in these data:

.. math:: P(C) = \frac{f(C)}{\sum_S f(S)}, \qquad \log f(S) = \frac{1}{|S|} \sum_{i \in S} \lambda_i + \log \delta_{|S|}

A stage at which one is left says nothing. Every set is a row of features, so that all stages together are one
conditional logit, concave in (lambda, log delta).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.orders import Orders, Rankings

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_SETS = 30_000_000
"""Sets of those who are left, over all stages, that are gone through."""


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """All choices of all rankings.

    Attributes
    ----------
    features
        A row for each set that could have been chosen: agents, then sizes of ties.
    stage
        The stage of each row; rows of a stage stand together.
    chosen
        The row of each stage that was chosen.
    game
        The game of each stage.
    weight
        How often each stage counts.
    sizes
        Sizes of ties that occur, from 2 on.
    agents
        How many there are.
    cluster
        The set of games that each stage belongs to, where games are not independent; else its game.
    """

    features: "csr_array"
    stage: IntArray
    chosen: IntArray
    game: IntArray
    weight: FloatArray
    sizes: tuple[int, ...]
    agents: int
    cluster: IntArray | None = None

    @property
    def independent(self) -> float:
        """Games behind the stages, or independent sets of them."""
        if self.cluster is not None:
            return float(len(np.unique(self.cluster)))
        _, first = np.unique(self.game, return_index=True)
        return float(self.weight[first].sum())

    @property
    def width(self) -> int:
        """Parameters: agents, then sizes of ties."""
        return self.agents + len(self.sizes)

    def value(self, theta: FloatArray) -> float:
        """Give the log-likelihood."""
        return self._likelihood(theta)[0]

    def slope_and_curvature(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give observed less expected counts, and the negative Hessian."""
        p = self._likelihood(theta)[1]
        mean = self._expected(p)
        gradient = self.features[self.chosen].T @ self.weight - mean.T @ self.weight
        rows = self.features.multiply((p * self.weight[self.stage])[:, None]).tocsr()
        means = mean.multiply(self.weight[:, None]).tocsr()
        return np.asarray(gradient), np.asarray((self.features.T @ rows - mean.T @ means).toarray())

    def meat(self, theta: FloatArray) -> FloatArray:
        """Give the sum over games, or sets of games, of the outer products of their scores."""
        p = self._likelihood(theta)[1]
        scores = self.features[self.chosen] - self._expected(p)
        times = np.sqrt(self.weight) if self.cluster is None else self.weight
        games, code = np.unique(self.game if self.cluster is None else self.cluster, return_inverse=True)
        member = scipy.sparse.csr_array((times, (code.ravel(), np.arange(len(code)))), shape=(len(games), len(code)))
        by_game = member @ scores
        return np.asarray((by_game.T @ by_game).toarray())

    def _likelihood(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Give the log-likelihood, and the probability of each row."""
        utility = self.features @ theta
        start = np.flatnonzero(np.diff(self.stage, prepend=-1))
        top = np.maximum.reduceat(utility, start)
        share = np.exp(utility - top[self.stage])
        total = np.add.reduceat(share, start)
        value = float(self.weight @ (utility[self.chosen] - top - np.log(total)))
        return value, share / total[self.stage]

    def _expected(self, p: FloatArray) -> "csr_array":
        """Give the mean features of each stage, a row each."""
        shape = (len(self.weight), len(p))
        return scipy.sparse.csr_array((p, (self.stage, np.arange(len(p)))), shape=shape) @ self.features

    def without_maximum(self) -> bool:
        """Tell whether some direction never lowers the likelihood and sometimes raises it, by a linear program."""
        rows = (self.features[self.chosen[self.stage]] - self.features).toarray()
        rows = np.unique(rows[np.abs(rows).sum(axis=1) > 0], axis=0)
        # Maximise the sum of t <= rows d, 0 <= t <= 1: above 0 exactly where such a direction exists.
        count, width = rows.shape
        solved = scipy.optimize.linprog(
            np.concatenate([np.zeros(width), -np.ones(count)]),
            A_ub=scipy.sparse.hstack([scipy.sparse.csr_array(-rows), scipy.sparse.eye_array(count)]).tocsr(),
            b_ub=np.zeros(count), bounds=[(None, None)] * width + [(0, 1)] * count, method="highs",
        )  # fmt: skip
        return bool(-solved.fun > 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class StrictOrders:
    """The same choices where nobody ties: every set is one agent, and sums over suffixes of an order do.

    Attributes
    ----------
    blocks
        Orders of one length: agents (best first), and how often each order counts.
    agents
        How many there are.
    cluster
        For each of ``blocks``, the set of games that each order belongs to, where games are not independent.
    """

    blocks: tuple[tuple[npt.NDArray[np.int64], FloatArray], ...]
    agents: int
    sizes: tuple[int, ...] = ()
    cluster: tuple[IntArray, ...] | None = None

    @property
    def independent(self) -> float:
        """Games behind the stages, or independent sets of them."""
        if self.cluster is not None:
            return float(len(np.unique(np.concatenate(self.cluster))))
        return float(sum(weight.sum() for _, weight in self.blocks))

    @property
    def width(self) -> int:
        """Parameters: one an agent."""
        return self.agents

    def value(self, theta: FloatArray) -> float:
        """Give the log-likelihood."""
        total = 0.0
        for who, weight in self.blocks:
            utility, top, _, suffix = _suffixes(theta, who)
            total += float(weight @ (utility[:, :-1] - top - np.log(suffix[:, :-1])).sum(axis=1))
        return total

    def slope_and_curvature(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give observed less expected counts, and the negative Hessian."""
        gradient, cells = np.zeros(self.agents), np.zeros(self.agents**2)
        for who, weight in self.blocks:
            _, _, share, suffix = _suffixes(theta, who)
            gradient += np.bincount(who.ravel(), (weight[:, None] * _scores(share, suffix)).ravel(), self.agents)
            inverse = 1.0 / suffix[:, :-1]
            expected = share * _held(np.cumsum(inverse, axis=1))
            squares = _held(np.cumsum(inverse**2, axis=1))
            cells += np.bincount((who * (self.agents + 1)).ravel(), (weight[:, None] * expected).ravel(), len(cells))
            self._add_products(cells, who, lambda a, b, s=share, q=squares, w=weight: -w * s[:, a] * s[:, b] * q[:, a])  # type: ignore[misc]
        return gradient, cells.reshape(self.agents, self.agents)

    def meat(self, theta: FloatArray) -> FloatArray:
        """Give the sum over games, or sets of games, of the outer products of their scores."""
        if self.cluster is not None:
            by_cluster = self._by_cluster(theta, self.cluster)
            return by_cluster.T @ by_cluster
        cells = np.zeros(self.agents**2)
        for who, weight in self.blocks:
            _, _, share, suffix = _suffixes(theta, who)
            score = _scores(share, suffix)
            self._add_products(cells, who, lambda a, b, s=score, w=weight: w * s[:, a] * s[:, b])  # type: ignore[misc]
        return cells.reshape(self.agents, self.agents)

    def _by_cluster(self, theta: FloatArray, cluster: tuple[IntArray, ...]) -> FloatArray:
        """Give the score of each set of games."""
        total = np.zeros((1 + max(int(codes.max()) for codes in cluster), self.agents))
        for (who, weight), codes in zip(self.blocks, cluster, strict=True):
            _, _, share, suffix = _suffixes(theta, who)
            np.add.at(total, (codes[:, None], who), weight[:, None] * _scores(share, suffix))
        return total

    def _add_products(
        self, cells: FloatArray, who: npt.NDArray[np.int64], product: Callable[[int, int], FloatArray]
    ) -> None:
        """Add what each two places of an order give to the cells of their agents; the first place is the better one."""
        for a in range(who.shape[1]):
            for b in range(a, who.shape[1]):
                values = product(a, b)
                cells += np.bincount(who[:, a] * self.agents + who[:, b], values, len(cells))
                if a != b:
                    cells += np.bincount(who[:, b] * self.agents + who[:, a], values, len(cells))

    def without_maximum(self) -> bool:
        """Tell whether chains of wins do not lead from everybody to everybody."""
        edges = scipy.sparse.csr_array((self.agents, self.agents))
        for who, _ in self.blocks:
            at = (who[:, :-1].ravel(), who[:, 1:].ravel())  # who is behind one is behind all before it
            edges = edges + scipy.sparse.coo_array((np.ones(len(at[0])), at), shape=edges.shape).tocsr()
        return bool(scipy.sparse.csgraph.connected_components(edges, connection="strong")[0] > 1)


def _suffixes(
    theta: FloatArray, who: npt.NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Give utilities, the largest of each order, worths beside it, and their sums from each place on."""
    utility = theta[who]
    top = utility.max(axis=1, keepdims=True)
    share = np.exp(utility - top)
    return utility, top, share, np.cumsum(share[:, ::-1], axis=1)[:, ::-1]


def _held(sums: FloatArray) -> FloatArray:
    """Give the last place, at which nothing is chosen any more, the sum of the place before."""
    return np.concatenate([sums, sums[:, -1:]], axis=1)


def _scores(share: FloatArray, suffix: FloatArray) -> FloatArray:
    """Give each place's score: chosen once, but the last, less how often it was expected to be."""
    score = -share * _held(np.cumsum(1.0 / suffix[:, :-1], axis=1))
    score[:, :-1] += 1.0
    return score


def stages_of(orders: Orders) -> Stages | StrictOrders:
    """List the choices of all rankings.

    Fails when
        no ranking has two agents, or ties are so large among so many that their sets cannot be gone through.
    """
    sizes = _tie_sizes(orders)
    used = np.flatnonzero((orders.sizes > 1) & (orders.weight > 0))
    group = orders.group.codes.astype(np.int64) if isinstance(orders, Rankings) and orders.group else None
    if not len(used):
        raise DataError("no game has two players: nothing to compare")
    if not sizes:
        lengths = orders.sizes[used]
        blocks, clusters = [], []
        for length in np.unique(lengths):
            rows = used[lengths == length]
            who = orders.who[orders.start[rows][:, None] + np.arange(length)].astype(np.int64)
            blocks.append((who, orders.weight[rows]))
            clusters.append(rows if group is None else group[rows])
        return StrictOrders(tuple(blocks), len(orders.agents), cluster=None if group is None else tuple(clusters))
    rows, columns, values = _StageRows(orders, sizes).listed(used)
    stage, chosen, game, weight = rows
    shape = (len(stage), len(orders.agents) + len(sizes))
    features = scipy.sparse.csr_array((values[0], columns, values[1]), shape=shape)
    cluster = None if group is None else group[game]
    return Stages(features, stage, chosen, game, weight, sizes, len(orders.agents), cluster)


def _tie_sizes(orders: Orders) -> tuple[int, ...]:
    """Give the sizes of tied groups that occur where more than one was left."""
    group = np.cumsum(np.concatenate([[True], (np.diff(orders.place) != 0) | (np.diff(orders.rows) != 0)])) - 1
    counts = np.bincount(group)
    return tuple(int(size) for size in np.unique(counts) if size > 1)


class _StageRows:
    """Rows of features, made stage by stage for orders of one length and one pattern of ties at once."""

    def __init__(self, orders: Orders, sizes: tuple[int, ...]) -> None:
        self.orders, self.sizes = orders, sizes
        self.names: list[npt.NDArray[np.int64]] = []  # columns of features, a row a set
        self.lengths: list[IntArray] = []
        self.shares: list[FloatArray] = []
        self.stage: list[IntArray] = []
        self.chosen: list[IntArray] = []
        self.game: list[IntArray] = []
        self.stages = self.rows = 0

    def listed(
        self, used: IntArray
    ) -> tuple[tuple[IntArray, IntArray, IntArray, FloatArray], IntArray, tuple[FloatArray, IntArray]]:
        """Go through all patterns."""
        orders = self.orders
        patterns: dict[bytes, list[int]] = {}
        for row in used:
            place = orders.place[orders.start[row] : orders.start[row + 1]]
            patterns.setdefault(place.tobytes(), []).append(int(row))
        for rows in patterns.values():
            self._add(np.array(rows))
        game = np.concatenate(self.game)
        row_start = np.concatenate([[0], np.cumsum(np.concatenate(self.lengths))])
        whole = (np.concatenate(self.stage), np.concatenate(self.chosen), game, orders.weight[game])
        return whole, np.concatenate(self.names), (np.concatenate(self.shares), row_start)

    def _add(self, games: IntArray) -> None:
        """Add the stages of games with one pattern of places."""
        first = self.orders.start[games]
        place = self.orders.place[self.orders.start[games[0]] : self.orders.start[games[0] + 1]]
        who = self.orders.who[first[:, None] + np.arange(len(place))].astype(np.int64)
        breaks = np.flatnonzero(np.diff(place, prepend=-1))
        for begin, end in zip(breaks, [*breaks[1:], len(place)], strict=True):
            left = len(place) - begin
            if left > 1:
                self._add_stage(games, who[:, begin:], int(end - begin))

    def _add_stage(self, games: IntArray, left: npt.NDArray[np.int64], group: int) -> None:
        """Add one stage of each game: every set of those who are left; the first ``group`` of them were chosen."""
        width = left.shape[1]
        sizes = [size for size in (1, *self.sizes) if size <= width]
        count = sum(comb(width, size) for size in sizes)
        if self.rows + count * len(games) > MOST_SETS:
            raise DataError(
                f"ties of up to {max(sizes)} among {width} players give too many possible results to go through"
            )
        sets = [list(combinations(range(width), size)) for size in sizes]
        before = 0
        blocks, lengths, shares = [], [], []
        for size, members in zip(sizes, sets, strict=True):
            names = left[:, np.array(members)]  # games, sets, members
            tie = size > 1
            if tie:
                column = len(self.orders.agents) + self.sizes.index(size)
                names = np.concatenate([names, np.full((*names.shape[:2], 1), column)], axis=2)
            if size == group:
                chosen_at = before  # the first combination is the first members
            blocks.append(names.reshape(len(games), -1))
            lengths.append(np.full(len(members), size + tie))
            shares.append(np.tile([1.0 / size] * size + [1.0] * tie, len(members)))
            before += len(members)
        stage = self.stages + np.arange(len(games))
        self.names.append(np.concatenate(blocks, axis=1).ravel())
        self.lengths.append(np.tile(np.concatenate(lengths), len(games)))
        self.shares.append(np.tile(np.concatenate(shares), len(games)))
        self.stage.append(np.repeat(stage, count))
        self.chosen.append(self.rows + np.arange(len(games)) * count + chosen_at)
        self.game.append(games)
        self.stages += len(games)
        self.rows += count * len(games)
