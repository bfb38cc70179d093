"""Simple public bots: each is a name and a policy, the probabilities of its moves in a situation.

Bots keep no memory between hands, so that a hand can be played again; what they roll comes from the seed of the hand.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.options import check, number, positive
from equipoise.core.results import FrozenMap
from equipoise.games.holdem.rules import CALL, FOLD, HoldemSituation

Policy = Callable[[HoldemSituation], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class HoldemBot:
    """A named policy: the probabilities of ``situation.moves``."""

    name: str
    policy: Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a bot plays by the strength of its hand, the chance to beat everybody who is still in.

    It raises from strength ``raise_from`` on, and ``caution`` more for each raise on the street so far; it calls from
    ``call_from`` on, or if that is None wherever the pot offers more than the hand is worth. ``softness`` makes the
    ends soft: that far above, the chance is 73%. With probability ``bluff`` it raises whatever it has.

    Attributes
    ----------
    raise_from, call_from, bluff, caution, softness
        As above.
    sizes
        Without limits, how often a raise is half the pot, the pot, or all in.
    """

    raise_from: float
    call_from: float | None = None
    bluff: float = 0.0
    caution: float = 0.06
    softness: float = 0.03
    sizes: tuple[float, float, float] = (0.45, 0.5, 0.05)

    def __post_init__(self) -> None:
        check(number(0.0, 1.0), "bluff", self.bluff)
        check(positive(), "softness", self.softness)
        if len(self.sizes) != 3 or min(self.sizes) < 0.0 or sum(self.sizes) <= 0.0:
            raise ParameterError(f"sizes are three weights, for half a pot, a pot and all in, not {self.sizes}")

    def policy(self, at: HoldemSituation) -> tuple[float, ...]:
        """The probabilities of the moves."""
        strength = at.strength**at.opponents
        first = strength - self.raise_from - self.caution * at.raises
        raising = self.bluff + (1.0 - self.bluff) * _soft(first / self.softness)
        facing = at.moves[0] == FOLD
        raises = len(at.moves) - 2 if facing else len(at.moves) - 1
        if not raises:
            # What would have been a raise is a call.
            return (calling := self._calls(at, strength, raising), 1.0 - calling)[::-1] if facing else (1.0,)
        if not facing:
            return (1.0 - raising, *self._spread(raising, raises))
        staying = self._calls(at, strength, 0.0)
        return ((1.0 - raising) * (1.0 - staying), (1.0 - raising) * staying, *self._spread(raising, raises))

    def _calls(self, at: HoldemSituation, strength: float, raising: float) -> float:
        needed = at.price / (at.pot + at.price) if self.call_from is None else self.call_from
        return raising + (1.0 - raising) * _soft((strength - needed) / self.softness)

    def _spread(self, raising: float, raises: int) -> tuple[float, ...]:
        """Share out the chance to raise over the sizes; where sizes coincide the larger ones count together."""
        if raises == 1:
            return (raising,)
        weights = (*self.sizes[: raises - 1], sum(self.sizes[raises - 1 :]))
        return tuple(raising * weight / sum(self.sizes) for weight in weights)


def constant(fold: float, call: float, raises: float) -> Policy:
    """A policy that ignores its cards: weights of a fold, a call and all raises together."""

    def policy(at: HoldemSituation) -> tuple[float, ...]:
        sized = sum(move > CALL for move in at.moves)
        weights = [fold if move == FOLD else call if move == CALL else raises / sized for move in at.moves]
        return tuple(weight / sum(weights) for weight in weights)

    return policy


def _soft(x: float) -> float:
    # Beyond these ends a chance is as good as certain, and made so: most decisions then are no luck at all.
    return 0.0 if x < -6.0 else 1.0 if x > 6.0 else 1.0 / (1.0 + math.exp(-x))


def _bots() -> Mapping[str, HoldemBot]:
    styles = {
        "tight": Style(raise_from=0.75, call_from=0.62),
        "rock": Style(raise_from=0.85, call_from=0.72, softness=0.02),
        "loose": Style(raise_from=0.75, call_from=0.35),
        "aggressive": Style(raise_from=0.55, call_from=0.45, bluff=0.1),
        "bluffer": Style(raise_from=0.7, call_from=0.5, bluff=0.25),
        "equity": Style(raise_from=0.65, caution=0.1),
        "sharp": Style(raise_from=0.6, bluff=0.05, caution=0.12, softness=0.05),
    }
    simple = {"caller": constant(0.0, 1.0, 0.0), "random": constant(1.0, 1.0, 1.0), "maniac": constant(0.02, 0.28, 0.7)}
    policies = {**simple, **{name: style.policy for name, style in styles.items()}}
    return FrozenMap({name: HoldemBot(name, policy) for name, policy in policies.items()})


BOTS = _bots()
"""Bots by name."""


def find_bot(name: str) -> HoldemBot:
    """A bot by its name."""
    if name not in BOTS:
        raise ParameterError(f'no hold\'em bot "{name}"{did_you_mean(name, list(BOTS))}; there are: {", ".join(BOTS)}')
    return BOTS[name]
