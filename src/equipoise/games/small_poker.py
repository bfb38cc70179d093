"""Kuhn and Leduc poker in an arena: bots of the house, the same cards in every seat, luck known exactly.

The games are those of ``equipoise.luck.games``, small enough that the value of every position is known. Outcomes have
three controls with mean zero, one number for each seat in chips:

``baseline``
    What the control agent wins in self-play on these cards, over all its rolls, less what its seat wins on average.
``cards``
    What the cards brought: at each card the value of the position less its mean over the cards that might have come.
``aivat``
    The same, and what the policies rolled where they are known (those of the house).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import Player, Progress, TurnView
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.options import Check, whole
from equipoise.core.results import FloatArray
from equipoise.games.house import HouseBot, seated
from equipoise.games.turns import TurnGame, Turns, admit_turn_player
from equipoise.luck.advantage_sum import luck_terms
from equipoise.luck.games import (
    BOTS,
    CHANCE,
    TERMINAL,
    Bot,
    Poker,
    PokerSituation,
    PokerState,
    equilibrium,
    kuhn,
    leduc,
)
from equipoise.luck.games.play import shuffle
from equipoise.luck.games.tree import expected, given_deal

# What positions of the small poker games are worth, and the luck that follows from it.


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


WORDS = {"f": "fold", "c": "call", "r": "raise"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeducOptions:
    """Options of Leduc: whose self-play is the control."""

    control: str = "nash"


@dataclass(frozen=True, slots=True, kw_only=True)
class KuhnOptions:
    """Options of Kuhn: seats, and whose self-play is the control (the equilibrium for two, ``honest`` for three)."""

    players: int = 2
    control: str = ""


CONTROL = Check(others=(str,))


def open_leduc(name: str, _: str, options: Mapping[str, Any]) -> "SmallPokerGame":
    """Open Leduc poker."""
    chosen = options_from(LeducOptions, options, {"control": CONTROL}, "leduc")
    return SmallPokerGame(name, leduc(), chosen.control)


def open_kuhn(name: str, _: str, options: Mapping[str, Any]) -> "SmallPokerGame":
    """Open Kuhn poker for two or three."""
    chosen = options_from(KuhnOptions, options, {"players": whole(2, 3), "control": CONTROL}, "kuhn")
    return SmallPokerGame(name, kuhn(chosen.players), chosen.control or ("nash" if chosen.players == 2 else "honest"))


class SmallPokerGame(TurnGame):
    """A small poker game as a trial is played: one hand, the cards from the seed.

    Parameters
    ----------
    name
        As in the spec.
    rules
        The game.
    control
        The bot whose self-play is the control, and values positions.
    """

    def __init__(self, name: str, rules: Poker, control: str) -> None:
        self.name, self.rules = name, rules
        self.bots = house_bots(rules)
        if control not in self.bots:
            near = did_you_mean(control, list(self.bots))
            raise ParameterError(f'{name} has no bot "{control}"{near}; the control is one of {", ".join(self.bots)}')
        self.control = self.bots[control]
        self.seats = (rules.seats, rules.seats)
        paid = 1.0 + rules.cap * sum(rules.bets)
        self.score_range = (-paid, paid * (rules.seats - 1))
        self._policies = {name: bot.policy for name, bot in self.bots.items()}
        self._worth = values_under(rules, self.control)
        self._tree = remembered(rules)

    def admit(self, player: Player) -> None:
        """Refuse who is neither a bot of the house nor can be asked for moves."""
        admit_turn_player(self.name, seated(player, self._policies, self.name))

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Play one hand."""
        table = [seated(player, self._policies, self.name) for player in players]
        deal = shuffle(self.rules, seed)
        with Turns(self.name, table, task=task, seed=seed, progress=progress) as turns:
            state, cards = self._tree.start(), iter(deal)
            while (actor := self.rules.actor(state)) != TERMINAL:
                if actor == CHANCE:
                    state = self._tree.after(state, next(cards))
                else:
                    state = self._tree.after(state, str(turns.ask(self._view(state)).action))
                turns.transcript = state.history
            known = [one.policy if isinstance(one, HouseBot) else None for one in table]
            return turns.outcome(self.rules.utilities(state), self._controls(state, deal, known))

    def adjusted_range(self, names: Sequence[str] = ()) -> tuple[float, float]:
        """Ends of a score less its ``aivat``: the ``range`` of a spec that lets adjusted scores decide.

        Parameters
        ----------
        names
            Bots of the house, if nobody else plays; without them the ends hold whoever plays, and are wider.
        """
        tables = permutations([self.bots[name] for name in names], self.rules.seats) if names else [()]
        ends = [adjusted_ends(self._tree, self._worth, self._tree.start(), table) for table in tables]
        return float(min(low.min() for low, _ in ends)), float(max(high.max() for _, high in ends))

    def _view(self, state: PokerState) -> TurnView:
        at = self.rules.situation(state)
        names = tuple("check" if move == "c" and not at.facing else WORDS[move] for move in at.moves)
        seen = {"game": self.rules.name, "seat": at.seat, "card": at.card, "public": at.public, "betting": at.betting}
        return TurnView(at.seat, at.moves, seen, names, at)

    def _controls(
        self, state: PokerState, deal: str, known: Sequence[Callable[[PokerSituation], Sequence[float]] | None]
    ) -> dict[str, tuple[float, ...]]:
        rules, worth = self.rules, self._worth

        def of_state(policy: Callable[[PokerSituation], Sequence[float]]) -> Callable[[PokerState], Sequence[float]]:
            return lambda state: policy(rules.situation(state))

        policies = [None if policy is None else of_state(policy) for policy in known]
        return {
            "baseline": tuple(self_play_value(rules, self.control, deal).tolist()),
            "cards": tuple(luck_terms(self._tree, state.history, worth).tolist()),
            "aivat": tuple(luck_terms(self._tree, state.history, worth, policies=policies).tolist()),
        }


@cache
def house_bots(rules: Poker) -> Mapping[str, Bot]:
    """The bots of the house, and the equilibrium of a game for two."""
    return BOTS if rules.seats != 2 else {**BOTS, "nash": equilibrium(rules)[1]}
