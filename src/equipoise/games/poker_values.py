"""What positions of the small poker games are worth, and the luck that follows from it."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.luck.games import CHANCE, TERMINAL, Bot, Poker, PokerState
from equipoise.luck.games.tree import expected, given_deal

__all__ = ["RememberedPoker", "adjusted_ends", "remembered", "self_play_value", "values_under"]


class RememberedPoker:
    """The rules of a small game, with every position that was reached kept: few positions come again and again."""

    def __init__(self, rules: Poker) -> None:
        self.rules = rules
        self._reached: dict[str, PokerState] = {"": rules.start()}
        self._moves: dict[str, tuple[str, ...]] = {}

    def start(self) -> PokerState:
        """The position before the deal."""
        return self._reached[""]

    def path(self, history: str) -> list[PokerState]:
        """Every position of a history, the start first."""
        states = [self.start()]
        for move in history:
            states.append(self.after(states[-1], move))
        return states

    def actor(self, state: PokerState) -> int:
        """Who moves."""
        return self.rules.actor(state)

    def moves(self, state: PokerState) -> tuple[str, ...]:
        """What may happen next."""
        if state.history not in self._moves:
            self._moves[state.history] = self.rules.moves(state)
        return self._moves[state.history]

    def chances(self, state: PokerState) -> tuple[float, ...]:
        """The probabilities of cards."""
        return self.rules.chances(state)

    def after(self, state: PokerState, move: str) -> PokerState:
        """The position after a move or a card."""
        history = state.history + move
        if history not in self._reached:
            self._reached[history] = self.rules.after(state, move)
        return self._reached[history]


@cache
def remembered(rules: Poker) -> RememberedPoker:
    """One memory for all who play a game in this process."""
    return RememberedPoker(rules)


@cache
def self_play_value(rules: Poker, control: Bot, deal: str) -> FloatArray:
    """What each seat wins on a deal if the control plays all of them, less what it wins over all deals."""
    table = [control] * rules.seats
    chances, utilities = given_deal(rules, table, deal)
    return np.asarray(chances @ utilities - expected(rules, table))


def adjusted_ends(
    game: RememberedPoker, worth: Callable[[PokerState], FloatArray], state: PokerState, table: Sequence[Bot] = ()
) -> tuple[FloatArray, FloatArray]:
    """The ends of utility less luck for each seat, of hands that begin in a state.

    With the bots of a table given, of the hands that these can play. Without, the luck at a decision is the value of
    the move made less a mean over moves with unknown weights; no luck, where the policy is unknown, lies in between.
    """
    rules = game.rules
    actor = rules.actor(state)
    if actor == TERMINAL:
        won = np.array(rules.utilities(state))
        return won, won
    chances = rules.chances(state) if actor == CHANCE else table[actor].policy(rules.situation(state)) if table else ()
    children = [game.after(state, move) for move in game.moves(state)]
    values = np.array([worth(child) for child in children])
    means = (values.min(axis=0), values.max(axis=0))
    if chances:
        mean = np.asarray(chances) @ values
        means, possible = (mean, mean), [chance > 0.0 for chance in chances]
        children, values = [child for child, may in zip(children, possible, strict=True) if may], values[possible]
    ends = [adjusted_ends(game, worth, child, table) for child in children]
    low = np.min([one - value for (one, _), value in zip(ends, values, strict=True)], axis=0) + means[0]
    high = np.max([two - value for (_, two), value in zip(ends, values, strict=True)], axis=0) + means[1]
    return np.asarray(low), np.asarray(high)


@cache
def values_under(rules: Poker, control: Bot) -> Callable[[PokerState], FloatArray]:
    """The value of every position for each seat, if the control plays all seats from there on."""
    known: dict[str, FloatArray] = {}

    def value(state: PokerState) -> FloatArray:
        if state.history not in known:
            known[state.history] = np.asarray(_value(state), dtype=float)
        return known[state.history]

    def _value(state: PokerState) -> Any:
        actor = rules.actor(state)
        if actor == TERMINAL:
            return rules.utilities(state)
        chances = rules.chances(state) if actor == CHANCE else control.policy(rules.situation(state))
        moves = rules.moves(state)
        return sum(p * value(rules.after(state, move)) for p, move in zip(chances, moves, strict=True) if p > 0.0)

    return value
