"""Response graphs learned from games of known payoffs: how many games it takes, and what comes out wrong."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from equipoise.alpharank.alpha_rank import alpha_rank
from equipoise.core.results import FloatArray
from equipoise.data.readers.read import read_metagame
from equipoise.data.types.metagame import MetaGame
from equipoise.inference.kendall import kendall_distance
from equipoise.schedule.payoff_evidence import Sampling, UcbConfidence
from equipoise.schedule.response_graph_ucb import ResponseGraphUCB

SOCCER = "metagames/soccer_winprob_10x10.csv"
FORMS: dict[str, tuple[UcbConfidence, float]] = {
    "UCB": ("hoeffding", 0.0),
    "UCB relaxed": ("hoeffding", 0.1),
    "CP-UCB": ("clopper-pearson", 0.0),
    "CP-UCB relaxed": ("clopper-pearson", 0.1),
}
"""Appendix F's confidence intervals, with the overlap at which an edge counts as resolved."""
PORTION = 0.05
"""A proposal is played once, and later so many times the games behind its edge: gaps of a hundredth take millions."""


@dataclass(frozen=True, slots=True)
class LearnedGame:
    """A game whose outcomes are wins (1) and losses (0) with these chances for each player and profile."""

    payoffs: tuple[FloatArray, ...]
    symmetric: bool = False

    @property
    def constant_sum(self) -> float | None:
        """Give the sum of a game of two in which one wins what the other loses."""
        return 1.0 if len(self.payoffs) == 2 and np.allclose(sum(self.payoffs), 1.0) else None


class Learned(NamedTuple):
    """What a run ends with: games played, edges resolved the wrong way and not at all, and the mean payoffs seen."""

    games: int
    wrong: int
    unresolved: int
    seen: tuple[FloatArray, ...]


def bernoulli(seed: int) -> LearnedGame:
    """Three strategies against three, with random chances at least 0.05 apart where they are compared."""
    rng = np.random.default_rng(seed)
    while True:
        win = rng.random((3, 3))
        if min(abs(a - b) for line in (*win, *win.T) for a, b in combinations(line, 2)) > 0.05:
            return LearnedGame((win, 1 - win))


def soccer(folder: Path) -> LearnedGame:
    """Ten agents against the same ten."""
    win = read_metagame(folder / SOCCER).payoffs[0]
    return LearnedGame((win, 1 - win), symmetric=True)


def kuhn_file(players: int) -> str:
    """Name the table of Kuhn poker among the public data."""
    return f"metagames/kuhn_poker_{players}p_metagame.json"


def kuhn(folder: Path, players: int) -> LearnedGame:
    """Three strategies a player; only mean payoffs are known, so they become chances, well inside 0 and 1."""
    payoffs = read_metagame(folder / kuhn_file(players)).payoffs
    low, high = min(p.min() for p in payoffs), max(p.max() for p in payoffs)
    edge = 0.1 * (high - low)
    return LearnedGame(tuple((p - low + edge) / (high - low + 2 * edge) for p in payoffs))


def learn(
    game: LearnedGame,
    form: str,
    *,
    seed: int,
    delta: float = 0.1,
    sampling: Sampling = "uniform-exhaustive",
    budget: int = 10**8,
) -> Learned:
    """Play until the graph is known or the budget is used up."""
    confidence, relaxation = FORMS[form]
    shape = game.payoffs[0].shape
    ucb = ResponseGraphUCB(
        shape, delta=delta, sampling=sampling, confidence=confidence, relaxation=relaxation, budget=budget, rng=seed,
        symmetric=game.symmetric, constant_sum=game.constant_sum,
    )  # fmt: skip
    rng = np.random.default_rng(10_000 + seed)
    total, count = [np.zeros(shape) for _ in shape], np.zeros(shape)
    while not ucb.done:
        proposal = ucb.ask()
        behind = proposal.edge.games if proposal.edge else 0
        games = min(max(1, int(PORTION * behind)), budget - ucb.games)
        result = _play(game, proposal.profile, games, rng)
        ucb.tell(proposal, result, games=games)
        for turn in (1, -1)[: 1 + game.symmetric]:
            profile = proposal.profile[::turn]
            count[profile] += games
            for sums, mean in zip(total, result[::turn], strict=True):
                sums[profile] += games * mean
    seen = tuple(np.where(count > 0, sums / np.maximum(count, 1), 0.5) for sums in total)
    return Learned(ucb.games, _wrong(ucb, game), ucb.unresolved, seen)


def _play(game: LearnedGame, profile: tuple[int, ...], games: int, rng: np.random.Generator) -> list[float]:
    """Give each player's mean over so many games."""
    won = [float(rng.binomial(games, p[profile]) / games) for p in game.payoffs]
    return won if game.constant_sum is None else [won[0], 1.0 - won[0]]


def _wrong(ucb: ResponseGraphUCB, game: LearnedGame) -> int:
    """Count the edges resolved against the payoffs; a tie has no direction to be right about."""
    wrong = 0
    for edge in ucb.graph().resolved:
        source, target = (tuple(int(name) for name in profile) for profile in (edge.source, edge.target))
        gain = float(game.payoffs[edge.player][target] - game.payoffs[edge.player][source])
        wrong += (gain if edge.better == "target" else -gain) <= 1e-12
    return wrong


def ranking_error(game: LearnedGame, seen: tuple[FloatArray, ...]) -> float:
    """Kendall distance of the profiles' order at infinite alpha, by the payoffs seen and by the true ones."""
    true, learned = (alpha_rank(MetaGame.from_payoffs(payoffs)).ranks() for payoffs in (game.payoffs, seen))
    return kendall_distance(true, learned)
