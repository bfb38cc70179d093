"""A game of chess as PGN, with all headers."""

from collections.abc import Mapping, Sequence

import chess
import chess.pgn

from equipoise.games.chess.adjudication import MATE, Ending

__all__ = ["written"]


def written(
    board: chess.Board, names: Sequence[str], ending: Ending | None, said: list[int | None], extra: Mapping[str, str]
) -> str:
    """Write a game: seven headers that PGN asks for, the opening, how it ended, and what the players thought.

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
    for number, node in enumerate(game.mainline()):
        thought = said[number - opening] if number >= opening else None
        if thought is not None and abs(thought) < MATE:
            white = thought if node.turn() == chess.BLACK else -thought
            node.comment = f"[%eval {white / 100:.2f}]"
    return str(game)
