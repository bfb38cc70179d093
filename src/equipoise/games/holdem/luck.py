"""The luck in hands: what the cards brought, and what policies rolled.

The value of a position is what a seat would win if nobody folded or raised any more: its share of the pot at the
showdown, averaged over the cards to come, less what it pays. That average is a martingale: its mean after the next
cards is its value before them, so no average over cards has to be taken again. Before the flop it is estimated from
random boards that have nothing to do with the board dealt; the terms then still have mean zero, with a little more
noise.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray
from equipoise.games.holdem.play import PlayedHoldemHand
from equipoise.games.holdem.rules import BIG_BLIND

CARDS: Final = (
    "deal",
    "flop x pot",
    "turn x pot",
    "river x pot",
    "flop",
    "turn",
    "river",
)
"""Luck of the cards: what each street changed of the chances to win, times the pot (in big blinds) or as it is."""
ROLLS: Final = ("rolls before the flop", "rolls on the flop", "rolls on the turn", "rolls on the river")
"""Luck of the policies' own rolls on each street, in big blinds."""
SAMPLES: Final = 1000
"""Random boards for the chances before the flop."""


def showdown_table(
    deals: Sequence[tuple[int, ...]], seats: int, *, samples: int = SAMPLES, seed: int = 0
) -> FloatArray:
    """Chances at the showdown: shares of the pot (deals x streets x masks of seats still in x seats)."""
    from equipoise.games.holdem._kernels import showdown_shares

    # Zero is the one state that the generator never leaves.
    seeds = np.random.default_rng((seed, len(deals))).integers(1, 1 << 63, size=len(deals)).astype(np.uint64)
    return np.asarray(showdown_shares(np.array(deals, dtype=np.int64), seats, samples, seeds))


def luck_features(hands: Sequence[PlayedHoldemHand], shares: FloatArray, deal: npt.ArrayLike) -> FloatArray:
    """The luck of each seat in each hand (hands x seats x features: ``CARDS``, then ``ROLLS``), with mean zero.

    Parameters
    ----------
    hands
        As they were played.
    shares
        Chances at the showdown, from :func:`showdown_table`.
    deal
        For each hand its place in that table.
    """
    seats, whose = shares.shape[-1], np.asarray(deal, dtype=np.intp)
    features = np.zeros((len(hands), seats, len(CARDS) + len(ROLLS)))
    features[:, :, 0] = shares[whose, 0, -1] - 1.0 / seats
    turned = [(at, *reveal) for at, hand in enumerate(hands) for reveal in hand.reveals]
    if turned:
        at, street, still_in, pot = np.array(turned).T
        change = shares[whose[at], street, still_in] - shares[whose[at], street - 1, still_in]
        features[at, :, street] = change * (pot / BIG_BLIND)[:, None]
        features[at, :, street + 3] = change
    _add_rolls(features, hands, shares, whose)
    return features


def _add_rolls(features: FloatArray, hands: Sequence[PlayedHoldemHand], shares: FloatArray, whose: np.ndarray) -> None:
    swings = [(at, *swing) for at, hand in enumerate(hands) for swing in hand.swings]
    if not swings:
        return
    at, street, still_in, most, paid, weight = (np.array(column) for column in zip(*swings, strict=True))
    values = position_values(shares[whose[at], street, still_in], still_in, most, paid)
    np.add.at(features.transpose(0, 2, 1), (at, len(CARDS) + street), weight[:, None] * values)


def position_values(share: FloatArray, still_in: np.ndarray, most: np.ndarray, paid: np.ndarray) -> FloatArray:
    """What seats win in big blinds if all who are still in pay ``most`` and nobody folds any more (rows x seats)."""
    staying = (still_in[:, None] >> np.arange(share.shape[1]) & 1).astype(bool)
    cost = np.where(staying, most[:, None], paid)
    return np.asarray((share * cost.sum(axis=1, keepdims=True) - cost) / BIG_BLIND)
