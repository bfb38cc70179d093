"""Dice of bots: numbers that depend on whole numbers alone, so that any hand can be played again."""

from collections.abc import Sequence

__all__ = ["draw", "roll"]

WORD = (1 << 64) - 1


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


def roll(*numbers: int) -> float:
    """A number in [0, 1) for one decision, from whole numbers such as seed, seat and turn (splitmix64).

    >>> roll(7, 0, 1) == roll(7, 0, 1) != roll(7, 0, 2)
    True
    """
    word = 0
    for part in numbers:
        word = (word * 0x9E3779B97F4A7C15 + part + 0x632BE59BD9B4E019) & WORD
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        word ^= word >> 31
    return (word >> 11) * 2.0**-53
