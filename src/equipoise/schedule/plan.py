"""What to play next with a budget, given what was played: for the best, an order, or the response graph."""

import itertools
import math
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import number, positive, shown, whole
from equipoise.core.results import FloatArray, IntArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.cluster_scores import ClusterScores
from equipoise.inference.sample_size import (
    SampleSize,
    alpha_rank_samples,
    elo_samples,
    response_graph_samples,
    ucb_samples,
)
from equipoise.schedule.pair_planner import PairPlanner
from equipoise.schedule.stopping import MARGIN, StoppingRule, Verdict

FORMER_GOALS = {"ranking": "order", "response-graph": "profile"}
"""Goals that had other names, which are taken for one more version."""
PROMISES = {
    "C.1": "every agent's expected score, summed over opponents, within {epsilon:g}",
    "3.2": "every edge right if all pairs differ by {gap:g} in win rate",
    "3.1": "every mass of alpha-Rank at alpha {alpha:g} within {epsilon:g}",
    "4.2": "ResponseGraphUCB done if all pairs differ by {gap:g} in win rate",
}
"""What the sample size of each theorem guarantees."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Plan(Result):
    """Games to play for each pair, and why.

    Attributes
    ----------
    first, second
        The pairs, as indices into ``agents``.
    games
        What each pair has played.
    score
        The first's mean score so far (NaN before a game).
    play
        Games of the budget to give it.
    needed
        Estimate of the further games that decide the pair, if its score stays what it is (infinite at one half).
    verdict
        What may be said of the pair already, all looks and all pairs together.
    sizes
        Sample sizes that guarantee an accuracy in advance.
    clustered
        Whether decisions take the games of a cluster (of a voter, say) as one.
    """

    rows_name: ClassVar[str] = "pairs"
    main: ClassVar[str] = "play"

    agents: tuple[str, ...]
    goal: str
    budget: int
    first: IntArray
    second: IntArray
    games: FloatArray
    score: FloatArray
    play: IntArray
    needed: FloatArray
    verdict: tuple[Verdict, ...]
    sizes: tuple[SampleSize, ...]
    clustered: bool = False

    def frame(self) -> "pl.DataFrame":
        """Give the pairs, those to play most first."""
        return pl.DataFrame(
            {
                "first": [self.agents[i] for i in self.first],
                "second": [self.agents[j] for j in self.second],
                "play": self.play,
                "games": self.games,
                "score": self.score,
                "needed": self.needed,
                "verdict": list(self.verdict),
            }
        ).sort("play", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the goal, the budget and the guaranteed sample sizes."""
        sizes = [{"theorem": s.theorem, "games_per_pair": s.games, "log10_games": s.log10_games} for s in self.sizes]
        decided = sum(verdict != "undecided" for verdict in self.verdict)
        return {"goal": self.goal, "budget": self.budget, "decided": decided, "sample_sizes": sizes}

    @property
    def answer(self) -> tuple[str, ...]:
        """What to play for the goal, how far it is, and whether the budget can reach it."""
        decided, planned = len(self._decided()), int(self.play.sum())
        level = f"{100 * (1 - self._number('delta')):g}%"
        far = f"{decided:,} of {len(self.verdict):,} pairs are decided at {level}"
        if not planned:
            return (f"{far}; 0 games are planned.", *self.decided_answer)
        pairs = int((self.play > 0).sum())
        goal = _goal_words(self.goal)
        games = f"{planned:,} game{'s' * (planned > 1)} on {pairs:,} pair{'s' * (pairs > 1)}"
        asked = f"To {goal}, play these {games}{self._between(pairs)}."
        return (asked, f"{far}{self._reach()}.")

    def _between(self, pairs: int) -> str:
        """Name the pair, or the agent whom all pairs have in common."""
        played = [(int(i), int(j)) for i, j, n in zip(self.first, self.second, self.play, strict=True) if n > 0]
        if pairs == 1:
            return f": {self.agents[played[0][0]]} against {self.agents[played[0][1]]}"
        common = set(played[0]).intersection(*played)
        return f" of {self.agents[common.pop()]}" if len(common) == 1 else ""

    def _reach(self) -> str:
        """Say where the games that open pairs are expected to need are more than the budget."""
        open_ = self.needed[np.array([verdict == "undecided" for verdict in self.verdict])]
        if self.goal not in ("order", "profile") or not len(open_) or float(open_.sum()) <= self.budget:
            return ""
        return f"; this goal is out of reach with {self.budget:,} game{'s' * (self.budget > 1)}"

    @property
    def decided_answer(self) -> tuple[str, ...]:
        """Which pairs are decided, in words."""
        decided = self._decided()
        return (f"Decided: {some_of(decided, 4)}.",) if decided else ()

    def guarantee_frame(self) -> "pl.DataFrame":
        """Give what numbers of games a pair guarantee in advance, by theorem."""
        options = {name: self._number(name) for name in ("epsilon", "gap", "alpha")}
        rows = [
            {"theorem": size.theorem, "games": float(size.games), "log10_games": float(size.log10_games),
             "guarantees": PROMISES[size.theorem].format(**options)}
            for size in self.sizes
        ]  # fmt: skip
        return pl.DataFrame(rows)

    def _decided(self) -> list[str]:
        """The decided pairs in words."""
        words = []
        for i, j, verdict in zip(self.first, self.second, self.verdict, strict=True):
            first, second = self.agents[i], self.agents[j]
            if verdict == "equal":
                words.append(f"{first} and {second} are equal within {self._number('margin'):g}")
            elif verdict != "undecided":
                better, worse = (first, second) if verdict == "first" else (second, first)
                words.append(f"{better} is better than {worse}")
        return words

    def _number(self, name: str) -> float:
        value = self.params[name]
        assert isinstance(value, int | float)
        return float(value)


@method(
    takes=("matches", "pairs"),
    answers="Given what was played, how many games are still needed, and which next?",
    reference="Rowland et al. (2019); Waudby-Smith and Ramdas (2024)",
    checks={
        "budget": whole(1),
        "delta": number(0.0, 1.0, strictly=True),
        "epsilon": positive(),
        "gap": positive(),
        "alpha": positive(),
        "margin": MARGIN,
    },
    resampled="a plan is no estimate",
)
def plan(
    data: Matches | PairTable,
    *,
    budget: int = 100,
    goal: str = "best",
    delta: float = 0.05,
    epsilon: float = 0.1,
    gap: float = 0.1,
    alpha: float = 1.0,
    margin: float | None = None,
    rng: int | np.random.Generator = 0,
) -> Plan:
    r"""How many games are still needed, and which should be played next?

    Goals are those of arenas. For ``order`` each game of the budget goes to the pair that says most about the order of
    all agents under Bradley-Terry, given the games planned before it; for ``best`` and ``top:K`` to the one that says
    most about who is among them, of those who may be or not be. For ``profile``, the response graph, undecided pairs
    are served cheapest first, by the games they are expected to need, so that as many edges as possible get a
    direction.

    Parameters
    ----------
    data
        Matches or a pair table with counts. With groups a decision takes their games as one: the mean of each cluster
        is a bet.
    budget
        Games to assign.
    goal
        ``best``, ``top:K``, ``order``, or ``profile`` (also called ``graph``).
    delta
        Probability of any wrong decision, over all looks and all pairs (for ``best`` and ``top:K``, over the pairs
        across the border of the set asked for, as in arenas); also that of the guaranteed sample sizes.
    epsilon
        Accuracy of each agent's expected score, summed over all opponents, in theorem C.1.
    gap
        Smallest difference between a pair's two win rates that theorems 3.2 and 4.2 should resolve.
    alpha
        Selection strength of the finite-alpha ranking that theorem 3.1 should give within ``epsilon`` (population 50).
    margin
        Count scores within 1/2 +- margin as equal, so that equal players end too.
    rng
        Seed or generator, for ties between equally good pairs.

    Fails when
        the table has no counts, or an option makes no sense.

    References
    ----------
    Rowland et al. (2019), Multiagent Evaluation under Incomplete Information; Waudby-Smith and Ramdas (2024),
    Estimating means of bounded random variables by betting.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("aaabbbccc", "bbbcccaaa", [1, 1, 0, 1, 0, 1, 0, 0, 1])
    >>> int(eq.plan(m, budget=12).play.sum())
    12
    """
    told = data.pairs(by_group=data.group is not None) if isinstance(data, Matches) else data
    table = told.unordered()
    if not table.counted:
        raise DataError(
            "a table of probabilities without games says nothing about how sure it is",
            advice=[Advice("give their number with ", Option("games"))],
        )
    n = len(table.agents)
    goal, top = _goal(goal, n)
    rule = StoppingRule(delta, n * (n - 1) // 2 if top is None else top * (n - top), margin)
    planner = PairPlanner(table.agents, policy="ranking", stopping=rule, top=top, rng=rng)
    planner.tell_table(told)
    i, j = np.triu_indices(n, 1)
    games, wins = table.games_matrix()[i, j], table.win_matrix()[i, j]
    score = np.where(games > 0, wins / np.where(games > 0, games, 1.0), np.nan)
    verdict = tuple(planner.verdicts().values())
    bets = ClusterScores.of(told)
    growth = (_growth_of_a_game(table) if bets is None else bets.growth_of_a_game(n))[i, j]
    needed = _still_needed(growth, games, verdict, rule)
    play, notes = _hand_out(planner, goal, budget, needed, games)
    return Plan(
        agents=table.agents, goal=goal, budget=budget, first=frozen(i, np.int64), second=frozen(j, np.int64),
        games=frozen(games), score=frozen(score), play=frozen(play, np.int64), needed=frozen(needed), verdict=verdict,
        sizes=_sizes(n, goal, delta, epsilon, gap, alpha), clustered=bets is not None,
        params=frozen_params(budget=budget, goal=goal, delta=delta, epsilon=epsilon, gap=gap, alpha=alpha,
        margin=margin), diagnostics=table.diagnostics + notes,
    )  # fmt: skip


def _goal_words(goal: str) -> str:
    """Say what is to be found.

    >>> _goal_words("best"), _goal_words("top:3"), _goal_words("order")
    ('find the best agent', 'find the best 3 agents', 'order all agents')
    """
    if goal.startswith("top:"):
        return f"find the best {goal.partition(':')[2]} agents"
    return {"best": "find the best agent", "order": "order all agents"}.get(goal, "find the response graph")


def _goal(goal: str, n: int) -> tuple[str, int | None]:
    """Read a goal: its name, and of how many agents the best are asked for."""
    if goal in FORMER_GOALS:
        text = f"plan(goal={goal!r}) is now goal={FORMER_GOALS[goal]!r}; the old form ends in version 0.4"
        warnings.warn(text, DeprecationWarning, stacklevel=4)
    named = {**FORMER_GOALS, "graph": "profile"}.get(goal, goal)
    head, _, k = str(named).partition(":")
    if named == "best" or (head == "top" and k.isdecimal() and 1 <= int(k) < n):
        return named, int(k or 1)
    if named in ("order", "profile"):
        return named, None
    raise ParameterError(
        Option("goal"), f" is best, top:K (K from 1 to {n - 1}), order or profile, not {shown(goal)}",
        did_you_mean(str(goal), ["best", "order", "profile"]),
    )  # fmt: skip


def _growth_of_a_game(table: PairTable) -> FloatArray:
    """Log growth of the best stake a game of each pair, agents by agents.

    It is the divergence of the share of wins among decided games from one half, times the share of decided games.
    """
    n = len(table.agents)
    played, decided, wins = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for counts, of in ((played, table.games), (decided, table.wins + table.losses), (wins, table.wins)):
        np.add.at(counts, (table.first, table.second), of)
    share = np.where(decided > 0, wins / np.maximum(decided, 1e-300), 0.5)
    divergence = scipy.special.xlogy(share, 2.0 * share) + scipy.special.xlogy(1.0 - share, 2.0 * (1.0 - share))
    return np.asarray(divergence * decided / np.maximum(played, 1e-300))


def _still_needed(
    growth: FloatArray, games: FloatArray, verdict: tuple[Verdict, ...], rule: StoppingRule
) -> FloatArray:
    """Further games if the pair goes on as it has: the threshold over the growth of the log capital a game.

    Not knowing the best stake costs about one unit of log capital.
    """
    target = rule.threshold + 1.0
    total = np.where(growth > 1e-12, target / np.maximum(growth, 1e-12), math.inf)
    if rule.margin is not None:
        total = np.minimum(total, target / (2.0 * rule.margin**2))
    settled = np.array([v != "undecided" for v in verdict])
    return np.where(settled, 0.0, np.maximum(np.ceil(total - games), 1.0))


def _hand_out(
    planner: PairPlanner, goal: str, budget: int, needed: FloatArray, games: FloatArray
) -> tuple[IntArray, tuple[Diagnostic, ...]]:
    n = len(planner.agents)
    place = {pair: k for k, pair in enumerate(itertools.combinations(range(n), 2))}
    play = np.zeros(len(place), dtype=np.int64)
    if planner.cyclic:
        text = "This goal cannot be reached: decided pairs form a cycle, so that nobody stands above all others."
        return play, (warning("cyclic", text),)
    if planner.done:
        return play, (info("all-decided", "All that was asked for is decided already: nothing needs to be played."),)
    if goal != "profile":
        index = {agent: k for k, agent in enumerate(planner.agents)}
        chosen = Counter((index[p.first], index[p.second]) for p in planner.ask(budget))
        for pair, often in chosen.items():
            play[place[pair]] = often
        return play, ()
    left = budget
    for k in (int(k) for k in np.lexsort((games, needed)) if 0.0 < needed[k] < math.inf):
        play[k] = min(left, int(needed[k]))
        left -= int(play[k])
    # The rest of the budget is shared out evenly: among pairs of which nothing suggests an end, else among all open.
    rest = [k for k in np.argsort(games, kind="stable") if math.isinf(needed[k])] or np.flatnonzero(
        needed > 0.0
    ).tolist()
    for turn in range(left):
        play[rest[turn % len(rest)]] += 1
    return play, ()


def _sizes(n: int, goal: str, delta: float, epsilon: float, gap: float, alpha: float) -> tuple[SampleSize, ...]:
    if goal != "profile":
        return (elo_samples(n, epsilon=epsilon, delta=delta),)
    accuracy = {"gap": gap, "delta": delta, "payoff_bound": 0.5}
    finite = alpha_rank_samples((n,), alpha=alpha, epsilon=epsilon, delta=delta, payoff_bound=0.5)
    return response_graph_samples((n,), **accuracy), ucb_samples((n,), **accuracy), finite
