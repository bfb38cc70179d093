"""What a game and a player are to the arena: the few words in which a referee and those at its table speak.

A **game** plays one trial: it is given players by seat, a task and a seed, and gives an
:class:`~equipoise.arena.spec.outcome.Outcome`. A **player** is somebody with a name and a version who stays warm
between trials. Who can sit down at any turn-based game is a :class:`TurnPlayer`: it is sent that a game begins, asked
for moves, and sent how it ended. Neither room knows the other; they meet here.

Whose fault it is: a player's methods raise :class:`~equipoise.arena.spec.trial.PlayerFault` with the player's own seat
where the player is certainly to blame, and :class:`~equipoise.arena.spec.trial.WorkerFault` where it may not be. Any
other exception out of ``Game.play`` counts as the worker's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from equipoise.arena.spec.outcome import Outcome
from equipoise.core.results import FrozenMap

Action = int | str
"""A move: a number where the game numbers its moves, else a text such as ``e2e4``."""
Progress = Callable[[int], None]
"""Called with a number that grows (moves so far), so that whoever waits knows that something happens."""


@dataclass(frozen=True, slots=True)
class GameTable:
    """A game that begins, as it is described to one of its players.

    Attributes
    ----------
    game
        Its name, as in the spec.
    seat
        Where this player sits, from 0.
    players
        Names by seat.
    seed
        What this player may draw from: of its own, and the same whenever the trial is played again.
    task
        What is played on, where the arena has tasks.
    """

    game: str
    seat: int
    players: tuple[str, ...]
    seed: int
    task: str | None = None


@dataclass(frozen=True, slots=True)
class TurnView:
    """What a player sees when it is its turn.

    Attributes
    ----------
    seat
        Whose turn it is.
    legal
        The moves that are allowed; empty where any answer is, and the referee judges it.
    names
        The same moves as people write them, in the same order; empty where they are written so already.
    observation
        What this player may know, as JSON: a text, or a mapping such as ``{"fen": ..., "moves": [...]}``.
    state
        The game's own object (a ``pyspiel.State``, a ``chess.Board``), for players in the same process that are made
        for this game. It may hold what the player must not look at; programs never get it.
    """

    seat: int
    legal: tuple[Action, ...]
    observation: Any
    names: tuple[str, ...] = ()
    state: Any = None


@dataclass(frozen=True, slots=True)
class Move:
    """A player's answer.

    Attributes
    ----------
    action
        One of the legal moves, or its name.
    costs
        Numbers that add up over the game and are kept with the trial: seconds, tokens, money.
    notes
        What the player says about the move (``{"cp": 34, "depth": 12}``), for the transcript and for adjudication.
    """

    action: Action
    costs: Mapping[str, float] = field(default_factory=lambda: FrozenMap({}))
    notes: Mapping[str, Any] = field(default_factory=lambda: FrozenMap({}))


@runtime_checkable
class Player(Protocol):
    """Somebody who sits down, again and again."""

    @property
    def name(self) -> str:
        """In the standings."""

    @property
    def version(self) -> str:
        """Changes whenever the player does: a hash of how it is found, its options and its files."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Of its spec."""

    def reset(self) -> None:
        """Forget everything about the games before: called between blocks."""

    def close(self) -> None:
        """Let go of processes and files. It may be called twice."""


@runtime_checkable
class TurnPlayer(Player, Protocol):
    """Somebody who can be asked for moves."""

    def begin(self, table: GameTable) -> None:
        """Hear that a game begins."""

    def act(self, view: TurnView) -> Move:
        """Choose a move; whoever asks checks that it is legal."""

    def end(self, scores: Sequence[float] | None) -> None:
        """Hear how the game ended; None where it was broken off. A fault raised here changes nothing."""


@runtime_checkable
class ArenaGame(Protocol):
    """What a trial is.

    A game may have ``hides = False``: nobody has cards that others may not know, or throws dice, so that it does not
    help a player to have played the same opening before.
    """

    @property
    def name(self) -> str:
        """As in the spec."""

    @property
    def seats(self) -> tuple[int, int]:
        """Fewest and most players."""

    @property
    def score_range(self) -> tuple[float, float] | None:
        """Ends of the scores; None where only the spec can know."""

    def admit(self, player: Player) -> None:
        """Refuse a player that cannot sit down at this game, in one line (``ParameterError``)."""

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Play one trial; raises ``PlayerFault`` or ``WorkerFault`` where it cannot be finished."""

    def close(self) -> None:
        """Let go of processes and files. It may be called twice."""
