"""Adaptive pairing: a log with rounds or times is compared with the same schedule and other results.

Strengths are drawn from the posterior of a population (which does not mind how pairs were chosen), every game of the
log is played again between the same two agents, and two numbers are looked at:

gap     how far apart the average scores of two opponents were before they met: Swiss rounds and ladders make it small
stay    how much more often the winner of a game than its loser plays in the next round: knock-outs and "the winner
        stays" make it large

Pairs that do not depend on results give numbers like those of the games played again, whatever the strengths and even
if equals were matched on purpose by strengths known before.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Advice, Option, Words
from equipoise.data.types.matches import Matches
from equipoise.ratings.paired.existence import connections
from equipoise.ratings.paired.ill_posed import MOST_AGENTS
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.population.population import rate_population

REPLAYS = 399
"""Times that all games are played again."""
MOST_GAMES = 5000
"""Games looked at, the first ones: a rule that pairs by results shows in them."""
ALARM = 0.01
"""Pairing is said to be adaptive where chance alone would make it so no more often than this."""


@dataclass(frozen=True, slots=True)
class PairingCheck:
    """What opponents looked like when they met, and by chance.

    Attributes
    ----------
    gap, usual_gap, gap_p
        Mean difference of opponents' average scores before they met; the same in games played again; the share of
        those in which it is as small.
    stay, usual_stay, stay_p
        Winners that play in the next round where the loser does not, less the opposite, as a share of all games;
        likewise, as large.
    """

    gap: float
    usual_gap: float
    gap_p: float
    stay: float
    usual_stay: float
    stay_p: float

    @property
    def p_value(self) -> float:
        """Of both together (Bonferroni)."""
        return min(1.0, 2 * min(self.gap_p, self.stay_p))

    @property
    def follows(self) -> bool:
        """Whether pairing was adaptive."""
        return self.p_value <= ALARM

    @property
    def words(self) -> str:
        """Say what gives it away."""
        if self.gap_p <= self.stay_p:
            gaps = f"{self.gap:.2f} before they met, not by {self.usual_gap:.2f}"
            seen = f"average scores of opponents differed by {gaps}"
        else:
            shares = f"{self.stay:+.0%} of the games, not {self.usual_stay:+.0%}"
            seen = f"the winner rather than the loser played on in {shares}"
        return f"Pairing was adaptive: {seen} as in such games paired regardless of results (p = {self.p_value:.2g})"


def check_pairing(data: Matches, rng: np.random.Generator) -> PairingCheck | None:
    """Compare a log with games between the same pairs; None where it cannot be said.

    That needs times or rounds, single games with wins, ties and losses, agents that are all connected, and no more
    than 1,000 of them.
    """
    plain = data.weight is None and bool(np.isin(data.outcome, (0.0, 0.5, 1.0)).all())
    if data.time is None or not plain or len(data.agents) > MOST_AGENTS:
        return None
    table = data.pairs().unordered()
    cells = PairCounts(table.wins, table.losses, table.ties)
    met = connections(len(table.agents), table.first, table.second, cells)
    if not met.connected:
        return None
    model = PairedModel(len(table.agents), table.first, table.second, "half", False, met.components)
    strengths = rate_population(model, cells).draws(REPLAYS, rng)
    games = data.order()[:MOST_GAMES]
    a, b = data.a[games].astype(np.int64), data.b[games].astype(np.int64)
    step = np.unique(data.time[games], return_inverse=True)[1].astype(np.int64)
    score = np.vstack([data.outcome[games], _played_again(strengths[:, a] - strengths[:, b], data.outcome, rng)])
    gap, stay = _gaps(a, b, step, score), _stays(a, b, step, score)
    return PairingCheck(
        float(gap[0]), float(gap[1:].mean()), float((1 + (gap[1:] <= gap[0] + 1e-12).sum()) / len(gap)),
        float(stay[0]), float(stay[1:].mean()), float((1 + (stay[1:] >= stay[0] - 1e-12).sum()) / len(stay)),
    )  # fmt: skip


def _played_again(d: FloatArray, outcome: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw results with these expected scores, as many ties as there were."""
    tied = float((outcome == 0.5).mean())
    expected = scipy.special.expit(d)
    wins = np.clip(expected - tied / 2, 0, 1 - tied)
    u = rng.random(d.shape)
    return np.where(u < wins, 1.0, np.where(u < wins + tied, 0.5, 0.0))


def _gaps(a: IntArray, b: IntArray, step: IntArray, score: FloatArray) -> FloatArray:
    """Mean difference between the average scores of opponents before their round, of each row of results."""
    agent, when = np.concatenate([a, b]), np.tile(step, 2)
    order = np.lexsort((when, agent))
    points = np.cumsum(np.hstack([score, 1 - score])[:, order], axis=1)
    points = np.hstack([np.zeros((len(score), 1)), points])
    key = agent[order] * (int(step.max()) + 1) + when[order]
    at_round = np.searchsorted(key, key)  # the first game of an agent in a round
    at_start = np.searchsorted(agent[order], agent[order])
    played = at_round - at_start
    average = (points[:, at_round] - points[:, at_start]) / np.maximum(played, 1)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    average, played = average[:, back], played[back]
    both = (played[: len(a)] > 0) & (played[len(a) :] > 0)
    if not both.any():
        return np.zeros(len(score))
    gaps = np.abs(average[:, : len(a)] - average[:, len(a) :])[:, both]
    return np.asarray(gaps.mean(axis=1))


def _stays(a: IntArray, b: IntArray, step: IntArray, score: FloatArray) -> FloatArray:
    """How much rather the winner than the loser plays in the next round, of each row of results."""
    rounds = int(step.max()) + 2
    present = np.unique(np.concatenate([a, b]) * rounds + np.tile(step, 2))
    next_a, next_b = (np.isin(side * rounds + step + 1, present).astype(float) for side in (a, b))
    return np.asarray(((2 * score - 1) @ (next_a - next_b)) / len(a))


def pairing_note(check: PairingCheck, hindrance: Words | None) -> Diagnostic:
    """Say that pairing was adaptive, and what was done about it or what stood in the way."""
    if hindrance is None:
        words = f"{check.words}. So agents are rated as drawn from a population."
        advice = Advice("keep plain intervals with ", Option("pairing", "fixed"))
        return info("adaptive-pairing", words, advice=[advice])
    words = f"{check.words}. Plain intervals are too narrow then."
    advice = Advice("leave ", hindrance, " out to rate with ", Option("pairing", "adaptive"))
    return warning("adaptive-pairing", words, advice=[advice])
