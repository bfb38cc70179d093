"""Where games begin: drawn from a book, or a few random moves after which nobody stands better.

Each is drawn from the seed of its block, with replacement, and played from both sides. A random opening is balanced by
rule: the side to move is not in check, no game is over, material is equal, and it stays so (to within a pawn) when
either side to move takes whatever is worth taking. That needs no engine.
"""

import io
from pathlib import Path
from random import Random
from typing import Protocol

import chess
import chess.pgn

from equipoise.core.errors import DataError, ParameterError, ReadError

VALUE = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
"""What the pieces are worth, in pawns."""
EXCHANGES = 4
"""How many captures in a row are looked at."""
TRIES = 10_000


class Openings(Protocol):
    """Gives the position in which the games of a block begin, with the moves that led there."""

    def drawn(self, dice: Random) -> chess.Board:
        """Draw one."""


class StartPosition:
    """The position in which chess begins."""

    def drawn(self, dice: Random) -> chess.Board:  # noqa: ARG002  # there is only one
        """Give the board as it is set up."""
        return chess.Board()


class RandomOpenings:
    """A few random moves after which nobody stands better.

    Parameters
    ----------
    plies
        How many, of both sides together.
    """

    def __init__(self, plies: int) -> None:
        self.plies = plies

    def drawn(self, dice: Random) -> chess.Board:
        """Draw moves until they lead to a balanced position."""
        for _ in range(TRIES):
            board = chess.Board()
            for _ in range(self.plies):
                moves = list(board.legal_moves)
                if not moves:
                    break
                board.push(dice.choice(moves))
            if is_balanced(board):
                return board
        raise ParameterError(f"no balanced opening of {self.plies} random plies was found; take fewer")


class Book:
    """Positions of a file.

    Parameters
    ----------
    boards
        The positions, with the moves that led there.
    """

    def __init__(self, boards: list[chess.Board]) -> None:
        self.boards = boards

    def drawn(self, dice: Random) -> chess.Board:
        """Draw one of them."""
        return dice.choice(self.boards).copy()


def open_openings(named: str, plies: int) -> Openings:
    """Open ``random``, ``start``, or a file of positions: EPD or FEN, one a line, or PGN."""
    if named == "random":
        return RandomOpenings(plies)
    if named == "start":
        return StartPosition()
    path = Path(named)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ReadError(f"there is no file {named} (openings are random, start, or an EPD or PGN file)") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"{named} cannot be read: {error}") from None
    boards = _read_pgn(path, text, plies) if path.suffix.lower() == ".pgn" else _read_epd(path, text)
    if not boards:
        raise ReadError(f"{named} contains no opening")
    return Book(boards)


def is_balanced(board: chess.Board) -> bool:
    """Say whether neither side has an advantage, by rule."""
    if board.is_check() or board.is_game_over() or _material(board) != 0:
        return False
    other = board.copy(stack=False)
    other.push(chess.Move.null())
    return abs(_quiet(board)) <= 1 and abs(_quiet(other)) <= 1 and not (_mates(board) or _mates(other))


def _material(board: chess.Board) -> int:
    """Count what the side to move has more, in pawns."""
    return sum(
        worth * (len(board.pieces(kind, board.turn)) - len(board.pieces(kind, not board.turn)))
        for kind, worth in VALUE.items()
    )


def _quiet(board: chess.Board, low: int = -99, high: int = 99, left: int = EXCHANGES) -> int:
    """Give the material of the side to move after the captures that are worth taking."""
    best = _material(board)
    if left == 0 or best >= high:
        return best
    low = max(low, best)
    for move in board.generate_legal_captures():
        board.push(move)
        value = -_quiet(board, -high, -low, left - 1)
        board.pop()
        best, low = max(best, value), max(low, value)
        if best >= high:
            break
    return best


def _mates(board: chess.Board) -> bool:
    """Say whether the side to move can mate at once."""
    for move in board.legal_moves:
        if board.gives_check(move):
            board.push(move)
            mate = board.is_checkmate()
            board.pop()
            if mate:
                return True
    return False


def _read_epd(path: Path, text: str) -> list[chess.Board]:
    boards = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                boards.append(read_position(line))
            except DataError as error:
                raise ReadError(f"{path}, line {number}: {error}") from None
    return boards


def read_position(text: str) -> chess.Board:
    """Read a position, FEN or EPD; refuse one in which nothing can be played."""
    board = chess.Board()
    try:
        board.set_fen(text.strip())
    except ValueError:
        try:
            board.set_epd(text.strip())
        except ValueError as error:
            raise DataError(f"no position: {error}") from None
    if not board.is_valid():
        raise DataError("a position that cannot come up in chess")
    if board.is_game_over():
        raise DataError("a position in which the game is over")
    return board


def _read_pgn(path: Path, text: str, plies: int) -> list[chess.Board]:
    """Read the first moves of each game."""
    boards: list[chess.Board] = []
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        if game.errors:
            raise ReadError(f"{path}, game {len(boards) + 1}: {game.errors[0]}")
        board, moves = game.board(), list(game.mainline_moves())
        if not moves and "FEN" not in game.headers:
            raise ReadError(f"{path}, game {len(boards) + 1}: no moves and no position")
        for move in moves[:plies]:
            board.push(move)
        if board.is_game_over():
            raise ReadError(f"{path}, game {len(boards) + 1}: the game is over within {plies} plies")
        boards.append(board)
    return boards
