"""Hold'em in an arena: one hand a trial, the cards from the seed, the luck of each seat beside its score.

Scores are big blinds. Outcomes have three control variates with mean zero, one number for each seat in big blinds:

``baseline``
    What the control agent wins in self-play on these cards in this seat, averaged over repeats. Its mean is zero where
    every seat is equally likely.
``cards``
    What the cards brought: at the deal and at each street the value of the position (the share of the pot at a
    showdown) less its mean over the cards that might have come.
``aivat``
    The same, and what the policies rolled where they are known (those of the house).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import Player, Progress, TurnPlayer, TurnView
from equipoise.core.options import Check, choice, whole
from equipoise.core.results import FloatArray
from equipoise.games.holdem.bots import BOTS, Style, find_bot
from equipoise.games.holdem.cards import card_names, deal_of
from equipoise.games.holdem.play import (
    CARDS,
    PlayedHoldemHand,
    Swing,
    luck_features,
    self_play,
    showdown_table,
    swings_of,
)
from equipoise.games.holdem.rules import CALL, FOLD, OVER, Betting, Holdem, HoldemHand
from equipoise.games.house import HouseBot, seated
from equipoise.games.turns import TurnGame, Turns, admit_turn_player

STYLE = tuple(one.name for one in fields(Style))


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of hold'em.

    Attributes
    ----------
    players, betting, stack
        As in :class:`~equipoise.games.holdem.rules.Holdem`.
    control
        The bot of the house whose self-play is the baseline.
    repeats
        How often it plays each deal.
    """

    players: int = 2
    betting: Betting = "limit"
    stack: int = 100
    control: str = "equity"
    repeats: int = 4


CHECKS = {
    "players": whole(2, 3),
    "betting": choice("limit", "no-limit"),
    "stack": whole(2, 1000),
    "control": Check(others=(str,)),
    "repeats": whole(1),
}


def open_game(name: str, _: str, options: Mapping[str, Any]) -> "HoldemGame":
    """Open hold'em."""
    return HoldemGame(name, options_from(Options, options, CHECKS, "holdem"))


class HoldemGame(TurnGame):
    """Hold'em as a trial is played."""

    def __init__(self, name: str, options: Options) -> None:
        self.name, self.options = name, options
        self.rules = Holdem(options.players, options.betting, options.stack)
        self.control = find_bot(options.control)
        self.seats = (options.players, options.players)
        self.score_range = self.rules.score_range

    def admit(self, player: Player) -> None:
        """Refuse who is neither a bot of the house nor can be asked for moves."""
        admit_turn_player(self.name, self._seated(player))

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Play one hand."""
        table = [self._seated(player) for player in players]
        hand = self.rules.hand(deal_of(seed, self.rules.players))
        swings: list[Swing] = []
        with Turns(self.name, table, task=task, seed=seed, progress=progress) as turns:
            while hand.actor != OVER:
                at, who = hand.situation(), table[hand.actor]
                move = turns.ask(_view(hand))
                if isinstance(who, HouseBot):
                    swings += swings_of(hand, at, who.chances, at.moves.index(int(move.action)))
                hand.act(int(move.action))
                turns.transcript = hand.betting
            turns.transcript = hand.transcript()
            played = PlayedHoldemHand(hand.deal, hand.utilities(), tuple(hand.reveals), tuple(swings), hand.betting)
            return turns.outcome(played.utilities, self._controls(played, seed))

    def _seated(self, player: Player) -> TurnPlayer:
        """A bot of the house may be a style of one's own: its options are then those of the style."""
        own = [name for name in player.options if name in STYLE]
        if isinstance(player, TurnPlayer) or not own:
            return seated(player, {name: bot.policy for name, bot in BOTS.items()}, self.name)
        return HouseBot(player, options_from(Style, player.options, {}, f'player "{player.name}"').policy)

    def _controls(self, played: PlayedHoldemHand, seed: int) -> dict[str, tuple[float, ...]]:
        seats = self.rules.players
        own, shares = _known(self.rules, self.options.control, self.options.repeats, seed)
        [features] = luck_features([played], shares, [0])
        # At the deal everybody has a big blind at stake, as if all called.
        cards = seats * features[:, 0] + features[:, 1:4].sum(axis=1)
        rolls = features[:, len(CARDS) :].sum(axis=1)
        return {
            "baseline": tuple(own.tolist()),
            "cards": tuple(cards.tolist()),
            "aivat": tuple((cards + rolls).tolist()),
        }


@lru_cache(maxsize=64)
def _known(rules: Holdem, control: str, repeats: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """What is the same for all trials of a block: the control's self-play, and the chances at the showdown."""
    own = self_play(rules, find_bot(control), seed, repeats=repeats)
    return own, showdown_table([deal_of(seed, rules.players)], rules.players, seed=seed)


def _view(hand: HoldemHand) -> TurnView:
    at = hand.situation()
    legal = tuple(hand.legal)
    names = tuple(
        "fold" if move == FOLD else ("call" if at.price else "check") if move == CALL else _raise(at.raise_to, move)
        for move in legal
    )
    seen = {
        "game": "holdem",
        "betting": hand.rules.betting,
        "seat": at.seat,
        "hole": card_names(at.hole),
        "board": card_names(at.board),
        "street": at.street,
        "pot": at.pot,
        "price": at.price,
        "paid": list(at.paid),
        "moves": at.betting,
    }
    return TurnView(at.seat, legal, seen, names, at)


def _raise(most: int, move: int) -> str:
    return f"raise {move}" if most else "raise"
