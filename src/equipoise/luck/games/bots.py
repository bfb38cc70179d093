"""A handful of poker bots: each is a name and a policy.

A policy maps what the acting seat knows (:class:`~equipoise.luck.games.poker.Situation`) to the
probabilities of its moves. Bots keep no memory between hands, so that a hand can be played again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, number
from equipoise.luck.games.poker import CALL, FOLD, RAISE, Situation

Policy = Callable[[Situation], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Bot:
    """A named policy.

    Examples
    --------
    >>> from equipoise.luck.games import CALLER, kuhn
    >>> game = kuhn()
    >>> CALLER.policy(game.situation(game.replay("JKcr")))
    (0.0, 1.0)
    """

    name: str
    policy: Policy


def threshold_bot(name: str, *, raise_from: float, call_from: float, bluff: float = 0.0, slow_play: float = 0.0) -> Bot:
    """A bot that raises and calls by the strength of its hand.

    It raises at strength ``raise_from`` or more (except with probability ``slow_play``), calls a bet at
    ``call_from`` or more, and otherwise checks or folds; with probability ``bluff`` it raises a hand that it
    would have checked or folded.
    """
    for label, chance in (("bluff", bluff), ("slow_play", slow_play)):
        check(number(0.0, 1.0), label, chance)

    def policy(situation: Situation) -> tuple[float, ...]:
        strength = situation.strength
        passive = CALL if strength >= call_from or not situation.facing else FOLD
        aggression = 1.0 - slow_play if strength >= raise_from else bluff if strength < call_from else 0.0
        if strength >= raise_from:
            passive = CALL
        return _mix(situation, {RAISE: aggression, passive: 1.0 - aggression})

    return Bot(name, policy)


def constant_bot(name: str, *, fold: float, call: float, raise_: float) -> Bot:
    """A bot that ignores its cards: fixed weights for fold, call and raise, among the legal moves."""
    weights = {FOLD: fold, CALL: call, RAISE: raise_}
    if min(weights.values()) < 0.0 or call <= 0.0:
        raise ParameterError("constant_bot: weights must not be negative, and call must be positive")

    def policy(situation: Situation) -> tuple[float, ...]:
        total = sum(weights[move] for move in situation.moves)
        return tuple(weights[move] / total for move in situation.moves)

    return Bot(name, policy)


def table_bot(name: str, table: Mapping[tuple[str, str], Mapping[str, float]]) -> Bot:
    """A bot that looks up (card, betting) in a table of move probabilities."""

    def policy(situation: Situation) -> tuple[float, ...]:
        row = table[situation.card, situation.betting]
        return tuple(row.get(move, 0.0) for move in situation.moves)

    return Bot(name, policy)


def kuhn_nash(alpha: float = 1 / 3, name: str = "nash") -> Bot:
    """An equilibrium of two-player Kuhn poker; ``alpha`` in [0, 1/3] is how often seat 0 bets the jack."""
    check(number(0.0, 1 / 3), "alpha", alpha)
    bets = {("J", ""): alpha, ("Q", ""): 0.0, ("K", ""): 3 * alpha}
    bets |= {("J", "c"): 1 / 3, ("Q", "c"): 0.0, ("K", "c"): 1.0}
    calls = {("J", "cr"): 0.0, ("Q", "cr"): alpha + 1 / 3, ("K", "cr"): 1.0}
    calls |= {("J", "r"): 0.0, ("Q", "r"): 1 / 3, ("K", "r"): 1.0}
    table = {key: {CALL: 1.0 - chance, RAISE: chance} for key, chance in bets.items()}
    table |= {key: {FOLD: 1.0 - chance, CALL: chance} for key, chance in calls.items()}
    return table_bot(name, table)


def _mix(situation: Situation, weights: Mapping[str, float]) -> tuple[float, ...]:
    """Weights on moves; what falls on a raise beyond the cap becomes a call."""
    chances = dict.fromkeys(situation.moves, 0.0)
    for move, weight in weights.items():
        chances[move if move in chances else CALL] += weight
    return tuple(chances.values())


UNIFORM = constant_bot("uniform", fold=1.0, call=1.0, raise_=1.0)
CALLER = constant_bot("caller", fold=0.0, call=1.0, raise_=0.0)
MANIAC = constant_bot("maniac", fold=0.02, call=0.18, raise_=0.8)
ROCK = threshold_bot("rock", raise_from=0.9, call_from=0.7)
HONEST = threshold_bot("honest", raise_from=0.6, call_from=0.4)
BLUFFER = threshold_bot("bluffer", raise_from=0.7, call_from=0.4, bluff=0.35, slow_play=0.2)

BOTS = {bot.name: bot for bot in (UNIFORM, CALLER, MANIAC, ROCK, HONEST, BLUFFER)}
