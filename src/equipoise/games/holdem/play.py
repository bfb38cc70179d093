"""Play hands in which all chance comes from the seed.

The cards depend on the seed alone; what the bots roll depends on the seed, the repeat and the seat. So any deal can be
replayed, given to the same bots in other seats, or given to a control agent that plays against itself.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, whole
from equipoise.core.results import FloatArray
from equipoise.games.holdem.bots import HoldemBot
from equipoise.games.holdem.cards import deal_of
from equipoise.games.holdem.rules import CALL, FOLD, OVER, Holdem, HoldemHand, HoldemSituation, Reveal
from equipoise.games.house import draw, roll


class Swing(NamedTuple):
    """One move that a known policy might have made: where it leads, and by how much it was made above its chance.

    ``weight`` is 1 less the move's chance for the move made, and minus its chance for the others: over the rolls of the
    policy its mean is zero.
    """

    street: int
    still_in: int
    most: int
    paid: tuple[int, ...]
    weight: float


class PlayedHoldemHand(NamedTuple):
    """A hand that was played.

    Attributes
    ----------
    deal
        The cards.
    utilities
        What each seat won, in big blinds.
    reveals
        Cards turned over, with the pots at stake.
    swings
        What the policies rolled, where they are known.
    betting
        All moves, streets separated by a slash.
    """

    deal: tuple[int, ...]
    utilities: tuple[float, ...]
    reveals: tuple[Reveal, ...]
    swings: tuple[Swing, ...]
    betting: str


def play(rules: Holdem, bots: Sequence[HoldemBot], seed: int, *, repeat: int = 0) -> PlayedHoldemHand:
    """Play one hand.

    Parameters
    ----------
    rules
        The game.
    bots
        Who sits in seats 0, 1, ...
    seed
        Decides the cards, and with ``repeat`` what the bots roll.
    repeat
        Another value plays the same cards with other rolls.

    Fails when
        there are not as many bots as seats.
    """
    if len(bots) != rules.players:
        raise ParameterError(f"{rules.players} seats, but {len(bots)} bots were given")
    check(whole(0), "repeat", repeat)
    return play_deal(rules, [bot.policy for bot in bots], deal_of(seed, rules.players), seed, repeat)


def play_deal(
    rules: Holdem,
    policies: Sequence[Callable[[HoldemSituation], tuple[float, ...]]],
    deal: tuple[int, ...],
    seed: int,
    repeat: int,
) -> PlayedHoldemHand:
    """Play these cards; what the policies roll comes from seed and repeat."""
    hand = HoldemHand(rules, deal)
    swings: list[Swing] = []
    turn = 0
    while (seat := hand.actor) != OVER:
        at = hand.situation()
        chances = policies[seat](at)
        index = draw(chances, roll(seed, repeat, seat, turn)) if max(chances) < 1.0 else chances.index(1.0)
        if chances[index] < 1.0:
            swings += swings_of(hand, at, chances, index)
        hand.act(at.moves[index])
        turn += 1
    return PlayedHoldemHand(deal, hand.utilities(), tuple(hand.reveals), tuple(swings), hand.betting)


def self_play(rules: Holdem, control: HoldemBot, seed: int, *, repeats: int = 1) -> FloatArray:
    """What a control agent wins in each seat against itself on the cards of a seed, averaged over repeats.

    Its rolls are not those of the hands that :func:`play` plays with ``repeat=0``.
    """
    check(whole(1), "repeats", repeats)
    policies, deal = [control.policy] * rules.players, deal_of(seed, rules.players)
    won = [play_deal(rules, policies, deal, seed, repeat).utilities for repeat in range(1, repeats + 1)]
    return np.asarray(np.mean(won, axis=0))


def swings_of(hand: HoldemHand, at: HoldemSituation, chances: Sequence[float], made: int) -> list[Swing]:
    """What might have been rolled in a situation."""
    swings, most = [], max(at.paid)
    for index, (move, chance) in enumerate(zip(at.moves, chances, strict=True)):
        weight = (index == made) - chance
        if weight:
            still_in = hand.still_in & ~(1 << at.seat) if move == FOLD else hand.still_in
            reached = most if move <= CALL else hand.paid_after(move)
            swings.append(Swing(at.street, still_in, reached, at.paid, weight))
    return swings
