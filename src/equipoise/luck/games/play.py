"""Play hands in which all chance comes from the seed; and a handful of poker bots, each a name and a policy.

The cards depend on the seed alone. What the agents roll depends on the seed, the repeat and the seat. So any
deal can be replayed, given to the same agents in other seats, or given to a control agent.

A policy maps what the acting seat knows (:class:`~equipoise.luck.games.poker.PokerSituation`) to the
probabilities of its moves. Bots keep no memory between hands, so that a hand can be played again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, number, whole
from equipoise.luck.games.poker import CALL, CHANCE, FOLD, RAISE, TERMINAL, Poker, PokerSituation

Policy = Callable[[PokerSituation], tuple[float, ...]]


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

    def policy(situation: PokerSituation) -> tuple[float, ...]:
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

    def policy(situation: PokerSituation) -> tuple[float, ...]:
        total = sum(weights[move] for move in situation.moves)
        return tuple(weights[move] / total for move in situation.moves)

    return Bot(name, policy)


def table_bot(name: str, table: Mapping[tuple[str, str], Mapping[str, float]]) -> Bot:
    """A bot that looks up (card, betting) in a table of move probabilities."""

    def policy(situation: PokerSituation) -> tuple[float, ...]:
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


def _mix(situation: PokerSituation, weights: Mapping[str, float]) -> tuple[float, ...]:
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


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A played hand: the deal, everything that happened, and what each seat won."""

    deal: str
    history: str
    utilities: tuple[float, ...]


def shuffle(game: Poker, seed: int) -> str:
    """The deal of a seed: the private cards in seat order, then the public cards."""
    check(whole(0), "seed", seed)
    order = np.random.default_rng((seed, 0)).permutation(len(game.deck))
    size = game.seats + len(game.bets) - 1
    return "".join(game.deck[card] for card in order[:size])


def mirror(game: Poker, deal: str) -> str:
    """The antithetic deal: every card replaced by its opposite in the deck (jack for king, ...).

    It is as likely as the deal itself, and where one is lucky the other is not.
    """
    return "".join(game.deck[-1 - game.deck.index(card)] for card in deal)


def check_seats(game: Poker, agents: Sequence[Bot]) -> None:
    """Refuse a table with the wrong number of agents."""
    if len(agents) != game.seats:
        raise ParameterError(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")


def play(game: Poker, agents: Sequence[Bot], seed: int, *, repeat: int = 0, deal: str | None = None) -> PlayedHand:
    """Play one hand.

    Parameters
    ----------
    game
        The rules.
    agents
        The agents in seats 0, 1, ...
    seed
        Decides the cards, and with ``repeat`` what the agents roll.
    repeat
        Another value plays the same cards with other rolls of stochastic agents.
    deal
        These cards instead of the seed's (for an antithetic deal, see :func:`mirror`).

    Examples
    --------
    >>> from equipoise.luck.games import HONEST, MANIAC, kuhn
    >>> one, two = play(kuhn(), [HONEST, MANIAC], 7), play(kuhn(), [MANIAC, HONEST], 7)
    >>> one.deal == two.deal
    True
    """
    check_seats(game, agents)
    check(whole(0), "seed", seed)
    check(whole(0), "repeat", repeat)
    cards = iter(shuffle(game, seed) if deal is None else deal)
    rolls = [np.random.default_rng((seed, 1, repeat, seat)) for seat in range(game.seats)]
    state = game.start()
    while (actor := game.actor(state)) != TERMINAL:
        if actor == CHANCE:
            state = game.after(state, next(cards))
            continue
        at = game.situation(state)
        state = game.after(state, at.moves[draw(agents[actor].policy(at), rolls[actor].random())])
    dealt = shuffle(game, seed) if deal is None else deal
    return PlayedHand(dealt, state.history, game.utilities(state))


def draw(chances: Sequence[float], rolled: float) -> int:
    """The move that a roll in [0, 1) falls on.

    >>> draw((0.25, 0.75), 0.3)
    1
    """
    total = 0.0
    for index, chance in enumerate(chances):
        total += chance
        if rolled < total:
            return index
    # Rounding may leave the total just under one: the last possible move is meant.
    return max(index for index, chance in enumerate(chances) if chance > 0.0)
