"""What a block says: checked scores, and the evidence of each pair in it."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real

from equipoise.core.errors import DataError, did_you_mean, some_of

__all__ = ["checked_scores", "pair_score", "player_numbers"]


def checked_scores(block: int, names: Sequence[str], scores: Mapping[str, float]) -> dict[str, float]:
    """Give the scores of a block's players; refuse other players, missing ones, and what is no score.

    Fails when
        a player of the block has no score, somebody else has one, or a score is outside [0, 1].
    """
    if not isinstance(scores, Mapping):
        raise DataError(f"block {block}: scores are a score for each player, not {scores!r}")
    missing = [name for name in names if name not in scores]
    if missing:
        raise DataError(f"block {block}: no score for {some_of(missing)}")
    others = [str(name) for name in scores if name not in names]
    if others:
        raise DataError(f"block {block}: scores of {some_of(others)}, who {_be(others)} not in it")
    for name in names:
        value = scores[name]
        if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 <= value <= 1.0:
            raise DataError(f"block {block}: the score of {name} is a number from 0 to 1, not {value!r}")
    return {name: float(scores[name]) for name in names}


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def pair_score(first: float, second: float) -> float:
    """Give the evidence of a block for a pair: 1/2 where both scored the same, 1 and 0 at the ends."""
    x = (1.0 + first - second) / 2.0
    assert math.isfinite(x)
    return x


def player_numbers(block: int, players: Sequence[str], places: Mapping[str, int]) -> tuple[int, ...]:
    """Find players by name.

    Fails when
        a name is unknown or there twice.
    """
    unknown = [name for name in players if name not in places]
    if unknown:
        raise DataError(f'block {block}: no player "{unknown[0]}"{did_you_mean(str(unknown[0]), list(places))}')
    if len(set(players)) < len(players):
        raise DataError(f"block {block} names a player twice")
    return tuple(places[name] for name in players)
