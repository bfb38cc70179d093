"""Bots of the house: policies that sit down at a game of ours, and say with which chances they moved."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from equipoise.arena.spec.protocols import Action, GameTable, Move, Player, TurnPlayer, TurnView
from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.options import shown
from equipoise.luck.games.play import draw

# Dice of bots: numbers that depend on whole numbers alone, so that any hand can be played again.

WORD = (1 << 64) - 1


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


class BotSituation(Protocol):
    """What a policy looks at; it says which moves there are."""

    @property
    def moves(self) -> Sequence[Action]:
        """What may be done."""


_Situation = TypeVar("_Situation", bound=BotSituation)


class HouseBot(Generic[_Situation]):
    """A policy at the table. What it rolls comes from the seed of its seat.

    Attributes
    ----------
    policy
        Gives the probabilities of the moves in a situation.
    chances
        Those of the last move.
    """

    def __init__(self, player: Player, policy: Callable[[_Situation], Sequence[float]]) -> None:
        self.name, self.options, self.version = player.name, player.options, player.version
        self.policy = policy
        self.chances: Sequence[float] = ()
        self._seed = self._turn = 0

    def begin(self, table: GameTable) -> None:
        """Take the seed of the seat."""
        self._seed, self._turn = table.seed, 0

    def act(self, view: TurnView) -> Move:
        """Roll a move."""
        at: _Situation = view.state
        self.chances = self.policy(at)
        self._turn += 1
        return Move(at.moves[draw(self.chances, roll(self._seed, self._turn))])

    def end(self, scores: Sequence[float] | None) -> None:
        """Nothing to learn."""

    def reset(self) -> None:
        """Nothing to forget."""

    def close(self) -> None:
        """Nothing to let go of."""


def seated(player: Player, policies: Mapping[str, Callable[[Any], Sequence[float]]], game: str) -> TurnPlayer:
    """The player itself where it can be asked for moves; else the bot of the house that it names.

    A player without ``bot`` plays the policy of its name, or of its option ``policy``.
    """
    if isinstance(player, TurnPlayer):
        return player
    return HouseBot(player, policies[chosen_policy(player, policies, game)])


def chosen_policy(player: Player, policies: Mapping[str, object], game: str) -> str:
    """Which bot of the house a player without ``bot`` names."""
    unknown = [name for name in player.options if name != "policy"]
    if unknown:
        near = did_you_mean(unknown[0], ["policy"])
        raise DataError(f'player "{player.name}" of {game} has no option "{unknown[0]}"{near}; it takes policy')
    name = player.options.get("policy", player.name)
    if name not in policies:
        near = did_you_mean(str(name), list(policies))
        raise ParameterError(
            f'player "{player.name}": {game} has no bot {shown(name)}{near}; give it a bot such as program:COMMAND, or '
            f"the option policy: one of {', '.join(policies)}"
        )
    return str(name)
