"""Deviation ratings: what no strategy of a game of several players can gain, judged as harshly as can be."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.choice.lexicographic import lexicographic_minimum
from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import whole
from equipoise.core.results import Fit, FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.normalisation import Units, in_units, informative
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores
from equipoise.inference.bootstrap import bootstrap
from equipoise.inference.resampling import Unit
from equipoise.nash.resampling import SELDOM, settled, with_shares

MOST_CELLS = 20_000_000
"""Strategies of all players times profiles, up to which the linear programs are written out."""
LEVEL = 1e-7
"""Ratings this close, relative to the largest payoff, are equal: linear programs are solved to no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationBand:
    """What comes out of bootstrap samples of the games.

    Attributes
    ----------
    samples
        How many could be rated.
    in_top
        An array for each player: share of them in which each strategy has the highest rating, alone or tied.
    low, high
        An array for each player: where most ratings lie, which is no confidence interval.
    interval
        How they were made.
    """

    samples: int
    in_top: tuple[FloatArray, ...]
    low: tuple[FloatArray, ...]
    high: tuple[FloatArray, ...]
    interval: Interval


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class DeviationRatings(Result):
    """Deviation ratings of the strategies of every player.

    Attributes
    ----------
    strategies
        Names, a tuple for each player.
    players
        What each player is called.
    rating
        An array for each player: at most 0, and 0 or nearest to it for the best.
    distribution
        A joint distribution over profiles at which nobody can gain more; one of many, unlike the ratings. None where
        players were rated apart, which zero-sum games of two allow.
    excess
        Certificate: by how much a gain under it exceeds the rating.
    band
        What bootstrap samples say; None without any.
    """

    rows_name: ClassVar[str] = "strategies"
    units: ClassVar[Mapping[str, str]] = {**dict.fromkeys(("rating", "low", "high"), "payoff"), "in_top": "share"}

    strategies: tuple[tuple[str, ...], ...]
    players: tuple[str, ...]
    rating: tuple[FloatArray, ...]
    distribution: FloatArray | None
    excess: float
    scale: float
    band: DeviationBand | None = None

    def frame(self) -> "pl.DataFrame":
        """Give the strategies of each player, best first; those that tie share their ranks."""
        rows = []
        for k, (player, names, rating) in enumerate(zip(self.players, self.strategies, self.rating, strict=True)):
            near = LEVEL * self.scale
            band = {name: getattr(self.band, name)[k] for name in ("in_top", "low", "high") if self.band is not None}
            rows += [
                {
                    "player": player, "strategy": names[i], "rating": float(rating[i]),
                    "rank_low": 1 + int((rating > rating[i] + near).sum()),
                    "rank_high": int((rating >= rating[i] - near).sum()),
                    **{name: float(values[i]) for name, values in band.items()},
                }
                for i in np.argsort(-rating, kind="stable")
            ]  # fmt: skip
        return pl.DataFrame(rows)

    def summary(self) -> dict[str, object]:
        """Give the certificate, and how many bootstrap samples there were."""
        band = {} if self.band is None else {"samples": self.band.samples, "interval": self.band.interval}
        return {"excess": self.excess, "scale": self.scale, **band}

    def best(self, player: int = 0) -> tuple[str, ...]:
        """Name the strategies of a player with the highest rating."""
        return tuple(name for name, best in zip(self.strategies[player], self.top(player), strict=True) if best)

    def top(self, player: int = 0) -> npt.NDArray[np.bool_]:
        """Mark the strategies of a player with the highest rating."""
        return np.asarray(self.rating[player] >= self.rating[player].max() - LEVEL * self.scale)

    @property
    def answer(self) -> tuple[str, ...]:
        """Whom nobody regrets not playing."""
        said = []
        for k, player in enumerate(self.players):
            best = self.best(k)
            of = "" if len(self.players) == 1 else f" of {player}"
            if len(best) == 1:
                said.append(f"{best[0]} has the highest deviation rating{of} ({self.rating[k].max():+.3g}).")
            else:
                said.append(
                    f"{len(best)} strategies{of} are tied for the highest deviation rating: {some_of(best, 6)}."
                )
            if self.band is not None and not settled(self.top(k), self.band.in_top[k]):
                often = some_of(with_shares(self.strategies[k], self.band.in_top[k], SELDOM), 6)
                said.append(f"The best{of} are not settled; among them in bootstrap samples of the games: {often}.")
        return tuple(said)


@method(
    takes=("metagame", "pairs", "scores", "matches"),
    answers="Which strategies of a game of any number of players does nobody regret, clones or not?",
    reference="Marris, Liu, Gemp, Piliouras and Lanctot (2025)",
    checks={"n": whole(0)},
    resampled="ratings jump with small changes of payoffs; its own n gives bootstrap ranges",
    by_match=("by_task",),
)
def deviation_ratings(
    data: MetaGame | PairTable | Scores | Matches, *, units: Units = "min-max", by_task: bool = False, n: int = 0,
    level: float = 0.95, rng: int | np.random.Generator = 0,
) -> DeviationRatings:  # fmt: skip
    r"""Which strategies of a game of any number of players does nobody regret not playing?

    For a joint distribution :math:`\sigma` over profiles the gain of a deviation is

    .. math:: d_p(a') = \sum_a \sigma(a) \left[ G_p(a', a_{-p}) - G_p(a) \right]

    and ratings are the gains at the lexicographic minimum: the largest gain of all players and strategies is made as
    small as can be, then the next largest, and so on. Ratings are unique, though the distribution is not; the best
    have the largest.

    Parameters
    ----------
    data
        Payoffs of any number of players in common units; pair counts, where a payoff is the share of wins less that of
        losses; scores of agents on tasks without gaps, as a game of two agents and a task that is paid for separating
        them; or games or votes, as pair counts or ``by_task``.
    units
        Of scores, as in :func:`nash_average`.
    by_task
        Take games or votes with tasks (prompts, categories) as the game that scores are: what a pair is paid on a task
        is its share of wins less that of losses there.
    n
        Bootstrap samples of the games (of their clusters where they have any), each the same game with other payoffs:
        how often each strategy is among the best, and a bootstrap range of its rating, which is no confidence interval.
    level
        Of bootstrap ranges.
    rng
        Seed or generator.

    Returns
    -------
    DeviationRatings
        A rating for each strategy of each player, with a certificate.

    Fails when
        some pair never met or a score is missing; there are too many profiles to write the linear programs out;
        bootstrap samples are asked of payoffs or scores, or pairs never meet in most of them. Ratings depend on the
        units of each player, so all payoffs must be in common units; and they jump with small changes of payoffs.

    References
    ----------
    Marris, Liu, Gemp, Piliouras and Lanctot (2025), Deviation ratings: a general, clone-invariant rating method.

    Examples
    --------
    >>> import equipoise as eq
    >>> dilemma = eq.MetaGame.symmetric([[-1, -3], [0, -2]], ["silent", "confess"])
    >>> eq.deviation_ratings(dilemma).rating[0].round(6).tolist()
    [-1.0, 0.0]
    """
    if by_task and not isinstance(data, Matches):
        raise ParameterError(Option("by_task"), " goes with games or votes that have tasks")
    payoffs, names, players, single = _game(data, units, by_task)
    classes = [_copies(payoffs, axis) for axis in range(len(names))]
    firsts = [np.unique(own, return_index=True)[1] for own in classes]
    core = [payoff[np.ix_(*firsts)] for payoff in payoffs]
    scale = max(float(max(np.abs(payoff).max() for payoff in core)), 1e-300)
    notes = (*data.diagnostics, *_copy_notes(players[: 1 if single else None], names, classes))
    total = core[0] + core[1] if len(core) == 2 else None
    distribution = None
    if total is not None and np.ptp(total) <= 1e-12 * scale:
        own = lexicographic_minimum(core[0])
        found = [own, own if np.array_equal(core[0], core[1].T) else lexicographic_minimum(core[1].T)]
        values = [each.value - each.value.max() for each in found]
    else:
        rows = _gains(core)
        joint = lexicographic_minimum(rows)
        found, distribution = [joint], joint.point.reshape(core[0].shape)
        values = list(np.split(joint.value, np.cumsum(core[0].shape)[:-1]))
    rating = [frozen(np.minimum(each, 0.0)[own]) for each, own in zip(values, classes, strict=True)]
    shown = 1 if single else len(names)
    given: dict[str, object] = {"units": units} if isinstance(data, Scores) else {"by_task": True} if by_task else {}
    excess = max(each.excess for each in found)
    rated = DeviationRatings(
        strategies=tuple(names[:shown]), players=tuple(players[:shown]), rating=tuple(rating[:shown]),
        distribution=None if distribution is None else frozen(distribution), excess=excess, scale=scale,
        params=frozen_params(**given),
        fit=Fit(converged=excess <= 1e-7 * scale, iterations=sum(each.stages for each in found), residual=excess),
        diagnostics=notes,
    )  # fmt: skip
    return rated if not n else _with_band(rated, data, by_task, n, level, rng)


def _with_band(
    rated: DeviationRatings, data: object, by_task: bool, n: int, level: float, rng: int | np.random.Generator
) -> DeviationRatings:
    """Rate the same game in bootstrap samples of its games."""
    if not isinstance(data, Matches | PairTable):
        raise DataError("payoffs and scores cannot be resampled; bootstrap ranges need games or pair counts")
    unit: Unit = "matches" if data.group is None else "clusters"
    drawn = bootstrap(_by_task if by_task else _by_pair, data, n=n, over=unit, level=level, rng=rng)
    apart = np.cumsum([len(names) for names in rated.strategies])[:-1]
    in_top, low, high = (
        tuple(map(frozen, np.split(values, apart)))
        for values in (drawn.replicates[:, 1].mean(axis=0), drawn.low[0], drawn.high[0])
    )
    text = "Low and high are a bootstrap range (not a confidence interval): ratings jump with small changes of payoffs."
    return replace(
        rated, params=frozen_params(**rated.params, n=n, level=level),
        band=DeviationBand(samples=len(drawn.replicates), in_top=in_top, low=low, high=high, interval=drawn.interval),
        diagnostics=(*rated.diagnostics, *drawn.diagnostics, info("stability-band", text)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Sampled:
    """What is collected of a bootstrap sample: ratings of all players' strategies, and who is among the best."""

    agents: tuple[str, ...]
    rating: FloatArray

    @classmethod
    def of(cls, rated: DeviationRatings) -> "_Sampled":
        top = [rated.top(player) for player in range(len(rated.players))]
        return cls(tuple(chain(*rated.strategies)), np.stack([np.concatenate(rated.rating), np.concatenate(top)]))


def _by_pair(counts: PairTable) -> _Sampled:
    return _Sampled.of(deviation_ratings(counts))


def _by_task(votes: Matches) -> _Sampled:
    return _Sampled.of(deviation_ratings(votes, by_task=True))


def _game(
    data: MetaGame | PairTable | Scores | Matches, units: Units, by_task: bool = False
) -> tuple[list[FloatArray], list[tuple[str, ...]], list[str], bool]:
    """Give payoffs of each player, names of strategies and players, and whether one population plays itself."""
    if isinstance(data, Matches):
        if not by_task:
            return _game(data.pairs(), units)
        if data.task is None:
            raise DataError(
                "these games have no tasks", advice=[Advice("name the column of tasks with ", Option("task"))]
            )
        return _of_votes(data, data.task)
    if isinstance(data, Scores):
        if data.missing.any():
            raise DataError(
                f"{int(data.missing.sum()):,} scores are missing: deviation ratings need the whole table",
                advice=[Advice("fill gaps in, or drop tasks or agents, first")],
            )
        kept, _ = informative(data)
        table = in_units(kept.values, units)
        return _separating(table[:, None, :] - table[None, :, :], data.agents, kept.tasks)
    if isinstance(data, PairTable):
        pooled = data.unordered()
        if not pooled.complete:
            raise DataError("some pairs never met: deviation ratings need the whole table")
        chance = pooled.probabilities()
        chance = np.where(np.eye(len(chance), dtype=bool), 0.5, chance)
        return [chance - chance.T, chance.T - chance], [data.agents, data.agents], ["agent", "opponent"], True
    if data.single:
        matrix = data.payoffs[0]
        return [matrix, matrix.T], [data.strategies[0]] * 2, ["player 1", "player 2"], True
    count = len(data.payoffs)
    return list(data.payoffs), list(data.strategies), [f"player {k + 1}" for k in range(count)], False


_Game = tuple[list[FloatArray], list[tuple[str, ...]], list[str], bool]


def _separating(gap: FloatArray, agents: tuple[str, ...], tasks: tuple[str, ...]) -> _Game:
    """Give the game of two agents and a task that is paid for separating them, from what one has over the other."""
    return [gap, -gap, np.abs(gap)], [agents, agents, tasks], ["agent", "opponent", "task"], False


def _of_votes(votes: Matches, task: Factor) -> _Game:
    """Give that game from votes on tasks, all pairs of agents on all of them."""
    n, tasks = len(votes.agents), len(task.labels)
    if n * n * tasks > MOST_CELLS:
        raise DataError(f"{n:,} agents on {tasks:,} tasks are too many for deviation ratings")
    cell = (votes.a.astype(np.int64) * n + votes.b) * tasks + task.codes
    shape = (n, n, tasks)
    won = np.bincount(cell, votes.weights * (2.0 * votes.outcome - 1.0), n * n * tasks).reshape(shape)
    games = np.bincount(cell, votes.weights, n * n * tasks).reshape(shape)
    games = games + games.transpose(1, 0, 2)
    missing = (games[np.triu_indices(n, 1)] == 0).sum()
    if missing:
        pairs = n * (n - 1) // 2 * tasks
        raise DataError(
            f"{int(missing):,} of {pairs:,} pairs on tasks never met: deviation ratings need the whole table",
            advice=[Advice("take categories in place of prompts, leave tasks out, or read votes without tasks")],
        )
    gap = (won - won.transpose(1, 0, 2)) / np.where(games > 0, games, 1.0)
    return _separating(gap, votes.agents, task.labels)


def _copies(payoffs: list[FloatArray], axis: int) -> IntArray:
    """Number the classes of strategies of a player that are alike for everybody."""
    rows = np.concatenate([np.moveaxis(each, axis, 0).reshape(each.shape[axis], -1) for each in payoffs], axis=1)
    numbers: dict[bytes, int] = {}
    # Rows of many payoffs are found by their bytes: sorting them compares number by number. Plus 0, so that -0 is 0.
    return np.array([numbers.setdefault((row + 0.0).tobytes(), len(numbers)) for row in rows], dtype=np.int64)


def _copy_notes(
    players: list[str], names: list[tuple[str, ...]], classes: list[IntArray]
) -> tuple[Diagnostic, ...]:  # fmt: skip
    """Say which strategies are copies of each other: they share one rating."""
    notes = []
    for player, own, label in zip(players, names, classes, strict=False):
        sizes = np.bincount(label)
        same = [name for name, k in zip(own, label, strict=True) if sizes[k] > 1]
        if same:
            text = f"Copies among the strategies of {player}, which share one rating: {some_of(same)}."
            notes.append(info("strategy-clones", text, same))
    return tuple(notes)


def _gains(payoffs: list[FloatArray]) -> npt.NDArray[np.float64]:
    """Give what each deviation gains at each profile: a row a player and strategy."""
    profiles, strategies = payoffs[0].size, sum(payoffs[0].shape)
    if profiles * strategies > MOST_CELLS:
        raise DataError(
            f"{profiles:,} profiles of {strategies:,} strategies are too many for deviation ratings"
            f" (profiles times strategies up to {MOST_CELLS:,})"
        )
    rows = []
    for player, payoff in enumerate(payoffs):
        for strategy in range(payoff.shape[player]):
            other = np.take(payoff, [strategy], axis=player)
            rows.append((other - payoff).ravel())
    return np.array(rows)
