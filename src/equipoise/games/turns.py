"""Players around a table: who is asked, whether the answer is legal, what it cost, and whose fault an end is."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from equipoise.arena.spec.moves import MOST_COSTS, cost_name, wrong_with
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import GameTable, Move, Player, Progress, TurnPlayer, TurnView
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import ParameterError, some_of
from equipoise.core.options import shown


class Turns:
    """One game around a table, for games in which players are asked for moves.

    Use it as a context: players hear of the beginning when it is entered, and of the end when it is left. The
    transcript, and the costs by player, go with the outcome or with the fault.

    Parameters
    ----------
    game
        Name of the game.
    players
        By seat.
    task, seed, progress
        As ``Game.play`` gets them.

    Attributes
    ----------
    moves
        How many were made.
    transcript
        What was played; the game may set another text than the moves by name.
    """

    def __init__(
        self,
        game: str,
        players: Sequence[Player],
        *,
        task: str | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> None:
        for player in players:
            admit_turn_player(game, player)
        self.players: tuple[TurnPlayer, ...] = tuple(players)  # type: ignore[arg-type]  # admitted above
        names = tuple(player.name for player in players)
        self.tables = [GameTable(game, seat, names, own_seed(seed, seat), task) for seat in range(len(names))]
        self.moves = 0
        self.transcript = ""
        self._costs: dict[str, float] = {}
        self._names_of_costs: list[set[str]] = [set() for _ in players]
        self._progress = progress
        self._scores: tuple[float, ...] | None = None

    def __enter__(self) -> "Turns":
        for player, table in zip(self.players, self.tables, strict=True):
            try:
                player.begin(table)
            except PlayerFault as fault:
                self.__exit__()
                raise self._with_transcript(fault) from fault
        return self

    def __exit__(self, *error: object) -> None:
        for player in self.players:
            with suppress(PlayerFault, WorkerFault):  # the game is over, whatever they do now
                player.end(self._scores)

    def ask(self, view: TurnView) -> Move:
        """Ask whose turn it is; give a legal move, or blame the player."""
        try:
            move = self.players[view.seat].act(view)
        except PlayerFault as fault:
            raise self._with_transcript(fault) from fault
        self._refuse(view.seat, wrong_with(move))
        self._count(view.seat, move)
        action = _legal(move, view)
        if action is None:
            shown_some = some_of(view.names or view.legal, 6)
            raise self.fault(view.seat, f"illegal move {shown(move.action)}; legal were {shown_some}")
        self.moves += 1
        if self._progress is not None:
            self._progress(self.moves)
        return move if action == move.action else Move(action, move.costs, move.notes)

    def fault(self, seat: int, message: str) -> PlayerFault:
        """Make a player's fault, with what was played until then."""
        return PlayerFault(seat, message, transcript=self.transcript or None, costs=self._costs)

    def outcome(
        self,
        scores: Sequence[float],
        controls: Mapping[str, Sequence[float]] | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> Outcome:
        """End the game with scores; costs of the referee go with those of the players."""
        spent, played = {**self._costs, **(costs or {})}, self.transcript or None
        made = Outcome.checked(scores, len(self.players), controls=controls, transcript=played, costs=spent)
        self._scores = made.scores
        return made

    def _count(self, seat: int, move: Move) -> None:
        mine = self._names_of_costs[seat]
        mine.update(move.costs)
        self._refuse(seat, f"{len(mine):,} costs; at most {MOST_COSTS} fit" if len(mine) > MOST_COSTS else None)
        for name, value in move.costs.items():
            key = cost_name(name, self.players[seat].name)
            self._costs[key] = self._costs.get(key, 0.0) + float(value)

    def _refuse(self, seat: int, wrong: str | None) -> None:
        """Blame a player for an answer with which something is wrong."""
        if wrong is not None:
            raise self.fault(seat, f"{self.players[seat].name}: {wrong}")

    def _with_transcript(self, fault: PlayerFault) -> PlayerFault:
        played = fault.transcript or self.transcript or None
        return PlayerFault(fault.seat, fault.message, transcript=played, costs={**self._costs, **fault.costs})


class TurnGame:
    """What games share in which players are asked for moves: whom they admit; there is nothing to let go of."""

    name: str
    hides = True

    def admit(self, player: Player) -> None:
        """Refuse players who cannot be asked for moves."""
        admit_turn_player(self.name, player)

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


def admit_turn_player(game: str, player: Player) -> None:
    """Refuse a player that cannot be asked for moves."""
    if not isinstance(player, TurnPlayer):
        raise ParameterError(
            f'player "{player.name}" cannot be asked for moves in {game}: it needs a bot that plays turns, such as '
            "python:module:object or program:COMMAND"
        )


def own_seed(seed: int, seat: int) -> int:
    """Derive the seed of one seat: players who share a trial's seed must not throw the same dice.

    It has 31 bits, for some libraries take no more.

    >>> own_seed(7, 0) != own_seed(7, 1)
    True
    """
    return int.from_bytes(hashlib.sha256(f"{seed}/{seat}".encode()).digest()[:4]) >> 1


def _legal(move: Move, view: TurnView) -> Any:
    """Give the legal action that a move names, or None."""
    action = move.action
    if isinstance(action, bool):
        return None
    if not view.legal or action in view.legal:
        return action
    return view.legal[view.names.index(action)] if isinstance(action, str) and action in view.names else None
