"""PairPlanner: which pair to play next for a rating, until every pair is decided or the budget is used up."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.options import check, choice, generator, positive, whole
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Option
from equipoise.data.encode.labels import unique_names
from equipoise.data.types.pairs import PairTable
from equipoise.inference.cluster_scores import ClusterScores
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR
from equipoise.schedule.pair_evidence import PairEvidence, decided, log_growth, log_mixture
from equipoise.schedule.policies import (
    POLICIES,
    Belief,
    Policy,
    pair_worth,
    rating_covariance,
    rating_of_points,
    with_one_more_game,
)
from equipoise.schedule.stopping import StoppingRule, Verdict

AT_LEAST_ONE, AT_LEAST_ONE_OR_NONE = whole(1), whole(1, none=True)
ROWS_AT_ONCE = 2**14
"""Bets of clusters whose growth is worked out together: 7 MB."""
_WORDS: tuple[Verdict, ...] = ("undecided", "first", "second", "equal")


@dataclass(frozen=True, slots=True)
class PairProposal:
    """A pair to play, and why.

    Attributes
    ----------
    first, second
        The two agents.
    games, score
        What they have played against each other, and the first's mean score (None before a game).
    worth
        The policy's measure of one more game.
    reason
        The same in words.
    """

    first: str
    second: str
    games: float
    score: float | None
    worth: float
    reason: str


class PairPlanner:
    """Propose pairs; take results; say which pairs are decided, at any moment, validly.

    Parameters
    ----------
    agents
        Their names.
    policy
        ``uniform``: the pair that met least often. ``uncertainty``: pairs drawn by the variance of their rating
        difference. ``ranking``: the pair whose next game says most about the order of all agents.
    stopping
        When a pair is decided (it is then left alone). Its ``comparisons`` should count all pairs; None never decides.
    budget
        Most games.
    top
        Tell the best so many agents from the others instead of ordering all: only agents of whom the decided pairs do
        not say yet on which side they are get games, and ``ranking`` looks at pairs across the border. None orders all.
    prior
        Standard deviation of the weak prior on ratings (log-odds) behind ``uncertainty`` and ``ranking``.
    rng
        Seed or generator.

    Fails when
        there are fewer than two agents, an agent is unknown, or a score is outside [0, 1].

    Examples
    --------
    >>> planner = PairPlanner(["a", "b", "c"], policy="ranking", budget=30)
    >>> while not planner.done:
    ...     game = planner.ask()
    ...     planner.tell(game, 1.0 if game.first < game.second else 0.0)
    >>> planner.games
    30
    """

    def __init__(
        self,
        agents: Sequence[str],
        *,
        policy: Policy = "ranking",
        stopping: StoppingRule | None = None,
        budget: int | None = None,
        top: int | None = None,
        prior: float = WEAK_PRIOR,
        rng: int | np.random.Generator = 0,
    ) -> None:
        self._agents = _agents(agents)
        check(choice(*POLICIES), "policy", policy)
        if not (stopping is None or isinstance(stopping, StoppingRule)):
            raise ParameterError(Option("stopping"), f" is a StoppingRule or None, not {stopping!r}")
        check(AT_LEAST_ONE_OR_NONE, "budget", budget)
        check(AT_LEAST_ONE_OR_NONE, "top", top)
        if top is not None and top >= len(self._agents):
            raise ParameterError(Option("top"), f" is below the number of agents, {len(self._agents)}, not {top}")
        check(positive(), "prior", prior)
        self._top = top
        self._policy, self._stopping, self._budget, self._prior = policy, stopping, budget, float(prior)
        self._rng = generator(rng)
        n = len(self._agents)
        self._wins: FloatArray = np.zeros((n, n))
        self._ties: FloatArray = np.zeros((n, n))
        self._games = 0
        self._verdicts: dict[tuple[int, int], Verdict] = {}
        # Scores between win, tie and loss: points of the row against the column, and their evidence.
        self._part: FloatArray = np.zeros((n, n))
        self._evidence: PairEvidence | None = None
        self._open = ~np.eye(n, dtype=bool)
        self._rating: FloatArray = np.zeros(n)
        self._belief: Belief | None = None  # until the next result

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents."""
        return self._agents

    @property
    def games(self) -> int:
        """Games observed, without those of :meth:`tell_table`."""
        return self._games

    @property
    def done(self) -> bool:
        """Whether the budget is used up, or every pair is decided that has to be."""
        spent = self._budget is not None and self._games >= self._budget
        return spent or not self._asked().any()

    @property
    def cyclic(self) -> bool:
        """Whether decided pairs form a cycle that leaves nobody, or too few, to be the best."""
        return self._top is not None and int((self._above().sum(axis=0) < self._top).sum()) < self._top

    def _above(self) -> npt.NDArray[np.bool_]:
        """Who stands above whom by chains of decided pairs."""
        n = len(self._agents)
        above = np.zeros((n, n), dtype=bool)
        for (i, j), verdict in self._verdicts.items():
            if verdict in ("first", "second"):
                above[(i, j) if verdict == "first" else (j, i)] = True
        for k in range(n):
            above |= np.outer(above[:, k], above[k])
        np.fill_diagonal(above, False)
        return above

    def _asked(self) -> npt.NDArray[np.bool_]:
        """Open pairs; where only the best are asked for, of agents that are neither decided to be in nor to be out."""
        if self._top is None:
            return self._open
        above, n = self._above(), len(self._agents)
        inside, outside = above.sum(axis=1) >= n - self._top, above.sum(axis=0) >= self._top
        settled = inside.sum() >= self._top or outside.sum() >= n - self._top
        left = ~(inside | outside) & (not settled)
        return np.asarray(self._open & np.outer(left, left))

    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        """Say of each pair: ``first`` or ``second`` is better, ``equal`` within the margin, or ``undecided``."""
        n = len(self._agents)
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        return {(self._agents[i], self._agents[j]): self._verdicts.get((i, j), "undecided") for i, j in pairs}

    @overload
    def ask(self, n: None = None) -> PairProposal: ...

    @overload
    def ask(self, n: int) -> tuple[PairProposal, ...]: ...

    def ask(self, n: int | None = None) -> PairProposal | tuple[PairProposal, ...]:
        """Propose one pair, or a tuple of ``n`` for a batch; a batch counts on the games it has proposed already.

        Fails when
            there is nothing left to ask (``done``).
        """
        if self.done:
            raise ParameterError("nothing left to ask: every pair is decided or the budget is used up")
        check(AT_LEAST_ONE_OR_NONE, "n", n)
        size = 1 if n is None else n
        if self._budget is not None:
            size = min(size, self._budget - self._games)
        batch = self._batch(max(size, 1))
        return batch[0] if n is None else tuple(batch)

    def _batch(self, size: int) -> list[PairProposal]:
        now = self._believe()
        open_pairs = np.triu(self._asked(), 1)
        pending = self._played()
        batch = []
        for left in range(size, 0, -1):
            i, j, worth = self._choose(now, open_pairs, pending)
            pending[i, j] += 1.0
            if left > 1 and self._policy != "uniform":
                now = with_one_more_game(now, i, j)
            batch.append(self._proposal(i, j, worth))
        return batch

    def _played(self) -> FloatArray:
        """Games of every pair."""
        return np.asarray(self._wins + self._wins.T + self._ties + self._part + self._part.T)

    def _believe(self) -> Belief:
        """Ratings and their covariance: worked out again after a result, from the ratings before it."""
        if self._belief is None:
            if self._policy == "uniform":
                self._belief = Belief(self._rating, np.eye(len(self._agents)))
            else:
                games = self._played()
                points = self._wins + self._ties / 2 + self._part
                self._rating = rating_of_points(points, games, self._prior, self._rating)
                self._belief = Belief(self._rating, rating_covariance(self._rating, games, self._prior))
        return self._belief

    def _choose(self, now: Belief, open_pairs: Any, pending: FloatArray) -> tuple[int, int, float]:
        worth = np.where(open_pairs, pair_worth(self._policy, now, self._top), 0.0)
        if self._policy == "uncertainty":
            at = int(self._rng.choice(worth.size, p=(worth / worth.sum()).ravel()))
        else:
            ranked = np.where(open_pairs, -pending if self._policy == "uniform" else worth, -np.inf)
            best = np.flatnonzero(ranked.ravel() >= ranked.max() - 1e-12 * abs(ranked.max()))
            at = int(best[self._rng.integers(best.size)])
        i, j = divmod(at, len(self._agents))
        return i, j, float(worth[i, j])

    def _proposal(self, i: int, j: int, worth: float) -> PairProposal:
        games = float(self._wins[i, j] + self._wins[j, i] + self._ties[i, j] + self._part[i, j] + self._part[j, i])
        score = float((self._wins[i, j] + self._ties[i, j] / 2 + self._part[i, j]) / games) if games else None
        played = f"{games:g} games so far" if games else "never met"
        why = {
            "uniform": "met least often",
            "uncertainty": f"variance of the rating difference {worth:.3g}",
            "ranking": f"says most about the order of all agents ({worth:.3g})",
        }[self._policy]
        return PairProposal(self._agents[i], self._agents[j], games, score, worth, f"{why}; {played}")

    def tell(self, pair: PairProposal | Sequence[str], score: float, *, games: int = 1) -> None:
        """Take the first's score (1 win, 1/2 tie, 0 loss, or anything between) in ``games`` games that all ended so.

        Any pair may be given, asked for or not: a proposal, or two names.
        """
        first, second = (pair.first, pair.second) if isinstance(pair, PairProposal) else _two(pair)
        i, j = self._at(first), self._at(second)
        if i == j:
            raise DataError(f"{first} played against itself")
        if not isinstance(score, Real) or not 0.0 <= score <= 1.0:
            raise DataError(f"a score is a number from 0 to 1, not {score!r}")
        check(AT_LEAST_ONE, "games", games)
        if score in (0.0, 0.5, 1.0):
            self._add(i, j, games * (score == 1.0), games * (score == 0.0), games * (score == 0.5))
        else:
            self._add_part(i, j, float(score), games)
        self._games += int(games)

    def tell_table(self, table: PairTable) -> None:
        """Take everything that was played before; it does not count against the budget.

        Games of a cluster (of a voter, say) are one bet on their mean score.
        """
        bets = ClusterScores.of(table)
        if bets is not None:
            self._tell_clusters(bets, np.array([self._at(agent) for agent in table.agents]))
            return
        plain = table.unordered()
        for i, j, won, lost, tied in zip(plain.first, plain.second, plain.wins, plain.losses, plain.ties, strict=True):
            here, there = self._at(plain.agents[i]), self._at(plain.agents[j])
            self._add(here, there, float(won), float(lost), float(tied))

    def _tell_clusters(self, bets: ClusterScores, place: IntArray) -> None:
        """Take one bet for each pair and cluster; ``place`` says where their agents stand here."""
        one, other, n = place[bets.first], place[bets.second], len(self._agents)
        np.add.at(self._part, (one, other), bets.score * bets.games)
        np.add.at(self._part, (other, one), (1 - bets.score) * bets.games)
        pair = np.minimum(one, other) * n + np.maximum(one, other)
        if self._stopping is not None:
            self._evidence = self._evidence or PairEvidence(n * n, self._stopping.margin)
            score = np.where(one < other, bets.score, 1 - bets.score)
            for rows in np.array_split(np.arange(len(pair)), len(pair) // ROWS_AT_ONCE + 1):
                np.add.at(self._evidence.growth, pair[rows], log_growth(score[rows], self._stopping.margin))
            np.add.at(self._evidence.games, pair, 1)
        for at in np.unique(pair).tolist():
            self._look(*divmod(at, n))

    def _add(self, i: int, j: int, won: float, lost: float, tied: float) -> None:
        self._wins[i, j] += won
        self._wins[j, i] += lost
        self._ties[i, j] += tied
        self._ties[j, i] += tied
        self._look(min(i, j), max(i, j))

    def _add_part(self, i: int, j: int, score: float, games: int) -> None:
        """Count games whose score is between a win, a tie and a loss."""
        self._part[i, j] += score * games
        self._part[j, i] += (1.0 - score) * games
        if self._stopping is not None:
            n = len(self._agents)
            self._evidence = self._evidence or PairEvidence(n * n, self._stopping.margin)
            i, j, score = (i, j, score) if i < j else (j, i, 1.0 - score)
            self._evidence.growth[i * n + j] += games * log_growth(np.array(score), self._stopping.margin)
            self._evidence.games[i * n + j] += games
        self._look(min(i, j), max(i, j))

    def _look(self, i: int, j: int) -> None:
        """Decide a pair if its games allow it."""
        self._belief = None
        if self._stopping is None or (i, j) in self._verdicts:
            return
        verdict = self._verdict(self._stopping, i, j)
        if verdict != "undecided":
            self._verdicts[i, j] = verdict
            self._open[i, j] = self._open[j, i] = False

    def _verdict(self, rule: StoppingRule, i: int, j: int) -> Verdict:
        counts = self._wins[i, j], self._ties[i, j], self._wins[j, i]
        at = i * len(self._agents) + j
        if self._evidence is None or not self._evidence.games[at]:
            return rule.verdict(*counts)
        whole_scores = log_growth(np.array([1.0, 0.5, 0.0]), rule.margin) * np.array(counts)[:, None, None]
        growth = self._evidence.growth[at] + whole_scores.sum(axis=0)
        return _WORDS[int(decided(log_mixture(growth), rule.threshold))]

    def _at(self, agent: str) -> int:
        if agent not in self._agents:
            raise DataError(f'no agent "{agent}"{did_you_mean(str(agent), self._agents)}')
        return self._agents.index(agent)

    def state(self) -> dict[str, Any]:
        """Give everything needed to go on later, as strict JSON."""
        return {
            "agents": list(self._agents), "policy": self._policy, "budget": self._budget, "prior": self._prior,
            "top": self._top,
            "stopping": None if self._stopping is None else asdict(self._stopping),
            "wins": self._wins.tolist(), "ties": self._ties.tolist(), "games": self._games,
            "verdicts": [[i, j, verdict] for (i, j), verdict in self._verdicts.items()],
            "rng": self._rng.bit_generator.state,
        } | self._parts()  # fmt: skip

    def _parts(self) -> dict[str, Any]:
        """Give what scores between win, tie and loss left; nothing where there were none."""
        if not self._part.any():
            return {}
        evidence = None if self._evidence is None else self._evidence.state()
        return {"parts": self._part.tolist(), "evidence": evidence}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`; the same proposals follow."""
        saved = json.loads(json.dumps(state))
        rule = None if saved["stopping"] is None else StoppingRule(**saved["stopping"])
        new = cls(saved["agents"], policy=saved["policy"], stopping=rule, budget=saved["budget"],
                  top=saved.get("top"), prior=saved["prior"])  # fmt: skip
        new._wins, new._ties, new._games = np.array(saved["wins"]), np.array(saved["ties"]), saved["games"]
        new._verdicts = {(i, j): verdict for i, j, verdict in saved["verdicts"]}
        for i, j in new._verdicts:
            new._open[i, j] = new._open[j, i] = False
        if "parts" in saved:
            new._part = np.array(saved["parts"])
            new._evidence = None if saved["evidence"] is None else PairEvidence.from_state(saved["evidence"])
        new._rng = np.random.Generator(getattr(np.random, saved["rng"]["bit_generator"])())
        new._rng.bit_generator.state = saved["rng"]
        return new


def _agents(agents: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(agents, Iterable):
        raise ParameterError(Option("agents"), f" are names of agents, not {agents!r}")
    names = unique_names(agents, "agent")
    if len(names) < 2:
        raise ParameterError(f"a plan needs at least two agents, got {len(names)}")
    return names


def _two(pair: Sequence[str]) -> tuple[str, str]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise DataError(f"a pair is two names, not {pair!r}")
    return pair[0], pair[1]
