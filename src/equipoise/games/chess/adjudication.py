"""When a game of chess ends: by its rules, or by those that the options state before play.

The fifty-move rule and the third repetition end a game without being claimed. The rest is off unless asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import chess

__all__ = ["Adjudicator", "Ending"]

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
        return Ending(0.5, "adjudication: both sides agree that nobody is ahead") if level else None

    def _too_long(self, board: chess.Board) -> Ending | None:
        over = board.fullmove_number > self.longest
        return Ending(0.5, f"adjudication: {self.longest} moves") if over else None


def score_of(notes: Mapping[str, Any]) -> int | None:
    """Read what a player thinks of its position, in hundredths of a pawn, out of the notes to its move."""
    mate, points = notes.get("mate"), notes.get("cp")
    if isinstance(mate, int):
        return MATE if mate > 0 else -MATE
    return points if isinstance(points, int) else None


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
