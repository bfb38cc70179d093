"""Chess between anybody who can be asked for moves: engines, programs, functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import chess
import chess.pgn

from equipoise.arena.spec.kinds import options_from
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import Player, Progress, TurnView
from equipoise.arena.spec.trial import PlayerFault
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.options import Check, whole
from equipoise.games.chess.openings import Openings, open_openings, read_position
from equipoise.games.turns import TurnGame, Turns

# When a game of chess ends: by its rules, or by those that the options state before play.
#
# The fifty-move rule and the third repetition end a game without being claimed. The rest is off unless asked for.

MATE = 100_000
"""What a mate counts, in hundredths of a pawn."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended: White's score, and why."""

    white: float
    why: str

    @property
    def result(self) -> str:
        """As PGN writes it."""
        return {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}[self.white]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudicator:
    """Rules by which a game ends before its end.

    Attributes
    ----------
    longest
        Full moves after which a game is drawn.
    resign_score, resign_moves
        A side that says for so many moves in a row that it is this much behind, while the other says that it is ahead
        by as much, has lost (hundredths of a pawn; None: never).
    draw_score, draw_moves, draw_after
        A game in which both sides say for so many moves in a row that nobody is ahead by more, after so many moves of
        the game, is drawn (None: never).
    """

    longest: int = 200
    resign_score: int | None = None
    resign_moves: int = 3
    draw_score: int | None = None
    draw_moves: int = 8
    draw_after: int = 40

    def ending(self, board: chess.Board, said: list[int | None]) -> Ending | None:
        """Say how the game ended, or None; ``said`` is what each mover thought, from its own side, ply by ply."""
        return _by_rule(board) or self._resigned(board, said) or self._drawn(board, said) or self._too_long(board)

    def _resigned(self, board: chess.Board, said: list[int | None]) -> Ending | None:
        last = _last(said, 2 * self.resign_moves)
        if self.resign_score is None or last is None:
            return None
        mine, others = last[1::2], last[0::2]  # whoever moved last stands at the end
        for ahead, behind, winner in ((mine, others, not board.turn), (others, mine, board.turn)):
            if min(ahead) >= self.resign_score and max(behind) <= -self.resign_score:
                return Ending(float(winner == chess.WHITE), "adjudication: both sides agree who is winning")
        return None

    def _drawn(self, board: chess.Board, said: list[int | None]) -> Ending | None:
        last = _last(said, 2 * self.draw_moves)
        if self.draw_score is None or last is None or board.fullmove_number <= self.draw_after:
            return None
        level = max(map(abs, last)) <= self.draw_score
        return Ending(0.5, "adjudication: both sides agree that neither has an advantage") if level else None

    def _too_long(self, board: chess.Board) -> Ending | None:
        over = board.fullmove_number > self.longest
        return Ending(0.5, f"adjudication: {self.longest} moves") if over else None


def score_of(notes: Mapping[str, Any]) -> int | None:
    """Read what a player thinks of its position, in hundredths of a pawn, out of the notes to its move."""
    mate, points = notes.get("mate"), notes.get("cp")
    if isinstance(mate, int):
        return MATE if mate > 0 else -MATE
    return max(-MATE, min(MATE, points)) if isinstance(points, int) else None


def _by_rule(board: chess.Board) -> Ending | None:
    if board.is_checkmate():
        return Ending(float(board.turn == chess.BLACK), "checkmate")
    if board.is_stalemate():
        return Ending(0.5, "stalemate")
    if board.is_insufficient_material():
        return Ending(0.5, "insufficient material")
    if board.is_fifty_moves():
        return Ending(0.5, "fifty-move rule")
    return Ending(0.5, "third repetition") if board.is_repetition(3) else None


def _last(said: list[int | None], plies: int) -> list[int] | None:
    """Give the last things said, where all of them were said."""
    last = [score for score in said[-plies:] if score is not None]
    return last if len(last) == plies else None


# A game of chess as PGN, with all headers.


def written(
    board: chess.Board, names: Sequence[str], ending: Ending | None, said: list[int | None], extra: Mapping[str, str]
) -> str:
    """Write a game: seven headers that PGN asks for, the opening, how it ended, and what the players thought.

    Every move stands there a second time, as the squares from and to: a page draws the positions from that alone.

    Parameters
    ----------
    board
        As it stands, with all moves.
    names
        Of White and Black.
    ending
        How it ended; None for a game that was broken off.
    said
        What each mover thought, from its own side, since the opening.
    extra
        Further headers.
    """
    game = chess.pgn.Game.from_board(board)
    moves = len(board.move_stack)
    result = "*" if ending is None else ending.result
    game.headers.update({"Event": "Equipoise arena", "White": names[0], "Black": names[1], "Result": result})
    why = "unterminated" if ending is None else ending.why
    opening = moves - len(said)
    game.headers.update({"PlyCount": str(moves), "OpeningPlies": str(opening), "Termination": why, **extra})
    if board.move_stack:  # squares from and to, so that whoever draws the game need not know the rules
        game.comment = f"[%moves {' '.join(move.uci() for move in board.move_stack)}]"
    for number, node in enumerate(game.mainline()):
        thought = said[number - opening] if number >= opening else None
        if thought is not None and abs(thought) < MATE:
            white = thought if node.turn() == chess.BLACK else -thought
            node.comment = f"[%eval {white / 100:.2f}]"
    return str(game)


CHECKS: Mapping[str, Check] = {
    "openings": Check("random, start, or a file's path", others=(str,)),
    "plies": whole(0),
    "longest": whole(1),
    "resign_score": whole(1, none=True),
    "resign_moves": whole(1),
    "draw_score": whole(0, none=True),
    "draw_moves": whole(1),
    "draw_after": whole(0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChessOptions(Adjudicator):
    """Options of chess.

    Attributes
    ----------
    openings
        ``random`` (balanced by rule), ``start``, or a file: EPD or FEN, one a line, or PGN.
    plies
        Of a random opening, or at most of a PGN's games.
    longest, resign_score, resign_moves, draw_score, draw_moves, draw_after
        As :class:`~equipoise.games.chess.game.Adjudicator` explains them.
    """

    openings: str = "random"
    plies: int = 6


class ChessGame(TurnGame):
    """Chess; seat 0 has White.

    Parameters
    ----------
    name
        As in the spec.
    openings
        Where games begin.
    adjudicator
        When they end.
    """

    seats = (2, 2)
    score_range: tuple[float, float] | None = (0.0, 1.0)
    hides = False

    def __init__(self, name: str, openings: Openings, adjudicator: Adjudicator) -> None:
        self.name, self._openings, self._adjudicator = name, openings, adjudicator

    def play(
        self, players: Sequence[Player], *, task: str | None = None, seed: int = 0, progress: Progress | None = None
    ) -> Outcome:
        """Play one game: from the position that the task is, or else an opening drawn from the seed."""
        board = self._openings.drawn(Random(seed)) if task is None else _position(task)
        start, said = _Start(board), list[int | None]()
        headers = {"Seed": str(seed)} | _versions(players)
        names = [player.name for player in players]
        with Turns(self.name, players, task=task, seed=seed, progress=progress) as turns:
            while (ending := self._adjudicator.ending(board, said)) is None:
                try:
                    move = turns.ask(start.view(board))
                except PlayerFault as fault:
                    fault.transcript = written(board, names, None, said, headers)
                    raise
                said.append(score_of(move.notes))
                board.push_uci(str(move.action))
            turns.transcript = written(board, names, ending, said, headers)
            return turns.outcome((ending.white, 1.0 - ending.white))


class _Start:
    """The position before the first move of all, as engines want it."""

    def __init__(self, board: chess.Board) -> None:
        self._fen = board.root().fen()

    def view(self, board: chess.Board) -> TurnView:
        moves = [move.uci() for move in board.move_stack]
        seen = {"fen": self._fen, "moves": moves, "now": board.fen()}
        legal = tuple(move.uci() for move in board.legal_moves)
        return TurnView(0 if board.turn == chess.WHITE else 1, legal, seen, state=board.copy())


def open_game(name: str, rest: str, options: Mapping[str, Any]) -> ChessGame:  # noqa: ARG001  # nothing comes after
    """Open ``chess``."""
    taken = options_from(ChessOptions, options, CHECKS, "chess")
    return ChessGame(name, open_openings(taken.openings, taken.plies), taken)


def _position(task: str) -> chess.Board:
    try:
        return read_position(task)
    except DataError as error:
        raise ParameterError(f"a task of chess is a position (FEN), but {task!r} is {error}") from None


def _versions(players: Sequence[Player]) -> dict[str, str]:
    return {f"{side}Version": player.version for side, player in zip(("White", "Black"), players, strict=True)}
