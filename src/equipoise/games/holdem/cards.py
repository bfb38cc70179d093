"""Cards, deals from seeds, and how strong a hand is."""

from functools import lru_cache

import numpy as np

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, whole

RANKS, SUITS = "23456789TJQKA", "cdhs"
SAMPLES = 200
"""Boards and hands that are drawn to find out how strong a hand is."""
CLASS_SAMPLES = 4000

Hole = tuple[int, int]
Board = tuple[int, ...]


def card_name(card: int) -> str:
    """The name of a card, such as ``Ah``.

    >>> card_name(50)
    'Ah'
    """
    return RANKS[card >> 2] + SUITS[card & 3]


def card_names(cards: tuple[int, ...]) -> str:
    """The names of cards, one after the other."""
    return "".join(map(card_name, cards))


def card_of(name: str) -> int:
    """The number of a card.

    >>> card_of("Ah")
    50
    """
    if len(name) != 2 or name[0] not in RANKS or name[1] not in SUITS:
        raise ParameterError(f"{name!r} is no card: a rank of {RANKS} and a suit of {SUITS}, such as Ah")
    return 4 * RANKS.index(name[0]) + SUITS.index(name[1])


@lru_cache(maxsize=1 << 16)
def deal_of(seed: int, seats: int) -> tuple[int, ...]:
    """The deal of a seed: two cards for each seat in turn, then the board.

    >>> card_names(deal_of(7, 2))
    '4hKh8hJcAd5c6c2c8c'
    """
    check(whole(0), "seed", seed)
    order = np.random.default_rng((seed, 0)).permutation(52)
    return tuple(order[: 2 * seats + 5].tolist())


@lru_cache(maxsize=1 << 18)
def strength(hole: Hole, board: Board = ()) -> float:
    """The chance to beat one random hand (a tie counts half), as the bots estimate it.

    On the river it is exact. Before, it is estimated from so many random boards and hands, drawn from a seed that
    depends on the cards alone: a function of what the seat knows. Before the flop suits make no difference, so all
    hands of a kind have the same strength.

    >>> strength((card_of("Ah"), card_of("As"))) > strength((card_of("7h"), card_of("2s")))
    True
    """
    from equipoise.games.holdem._kernels import strength_by_sampling, win_chances

    if not board:
        hole = _alike(hole)
    mine, shown = np.array(sorted(hole), dtype=np.int64), np.array(sorted(board), dtype=np.int64)
    if len(board) == 5:
        return float(win_chances(mine, shown))
    seed = 1
    for card in (*mine.tolist(), *shown.tolist()):
        seed = (seed * 6364136223846793005 + card + 1442695040888963407) % (1 << 64)
    return float(strength_by_sampling(mine, shown, SAMPLES if board else CLASS_SAMPLES, np.uint64(seed | 1)))


def _alike(hole: Hole) -> Hole:
    """One hand for all that differ in suits only: clubs, and diamonds if a second suit is there."""
    low, high = sorted(hole)
    suited = low & 3 == high & 3
    return 4 * (low >> 2), 4 * (high >> 2) + (0 if suited else 1)
