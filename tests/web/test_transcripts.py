"""Transcripts as people read them: chess position by position, hands, dialogues, and everything else as text."""

import json
import random

import chess
import pytest

from equipoise.games.chess.game import Ending, written
from equipoise.web.pages.transcripts import draw_board, read_transcript

PLAYERS = ["ada", "bea"]


def random_game(seed: int, start: str | None = None, plies: int = 160) -> chess.Board:
    draws, board = random.Random(seed), chess.Board() if start is None else chess.Board(start)
    while not board.is_game_over() and len(board.move_stack) < plies:
        moves = list(board.legal_moves)
        odd = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
        board.push(draws.choice(odd or moves))
    return board


def squares_of(board: chess.Board) -> dict[str, str]:
    return {chess.square_name(at): piece.symbol() for at, piece in board.piece_map().items()}


@pytest.mark.parametrize("start", [None, "r3k2r/pPppp1p1/8/4P2p/6pP/8/1P1P1Pp1/R3K2R b KQkq - 0 7"])
def test_every_position_is_that_of_the_rules(start):
    seen = {"castled": 0, "in passing": 0, "promoted": 0}
    for seed in range(25):
        board = random_game(seed, start)
        text = written(board, PLAYERS, Ending(0.5, "by chance"), [None] * len(board.move_stack), {"Seed": "1"})
        found = read_transcript(text, PLAYERS)
        assert found["kind"] == "chess"
        replayed = board.root()
        assert found["boards"][0] == squares_of(replayed)
        for at, move in enumerate(board.move_stack):
            seen["castled"] += replayed.is_castling(move)
            seen["in passing"] += replayed.is_en_passant(move)
            seen["promoted"] += move.promotion is not None
            assert found["names"][at] == replayed.san(move)
            replayed.push(move)
            assert found["boards"][at + 1] == squares_of(replayed)
    assert min(seen.values()) > 0


def test_a_game_that_black_begins_is_numbered_as_the_position_says():
    board = chess.Board("4k3/8/8/8/8/8/8/4K3 b - - 0 12")
    for move in ("e8d8", "e1d1", "d8c8"):
        board.push_uci(move)
    found = read_transcript(written(board, PLAYERS, None, [None] * 3, {}), PLAYERS)
    drawn = draw_board(found, 3)
    assert [(row["number"], row["white"] and row["white"]["name"]) for row in drawn["rows"]] == [
        (12, None),
        (13, "Kd1"),
    ]
    assert drawn["said"] == "after 13… Kc8"
    assert draw_board(found, 99)["ply"] == 3
    assert "Black: king c8" in drawn["words"]


@pytest.mark.parametrize(
    "text",
    [
        '[Event "x"]\n\n{ [%moves e5e6] } 1. e6 *',
        '[Event "x"]\n\n{ [%moves e2e4 zz] } *',
        '[Event "x"]\n[FEN "9/8"]\n\n{ [%moves e2e4] } 1. e4 *',
        "plain words",
        "",
        "[1, 2",
        "[]",
        '[{"role": 5}]',
        "rc:AhAd:1",
        "[" * 5_000,
    ],
)
def test_what_is_none_of_these_stays_text(text):
    assert read_transcript(text, PLAYERS) == {"kind": "text", "text": text}


def test_a_hand_is_laid_out_by_street():
    found = read_transcript("cr300c/cr600f:Ah2d|TcTs/2c3d4h:-300|300", PLAYERS)
    assert [(seat["name"], seat["won"]) for seat in found["seats"]] == [("ada", -300.0), ("bea", 300.0)]
    assert [street["name"] for street in found["streets"]] == ["Before the flop", "Flop"]
    assert found["streets"][1]["moves"] == ["checks or calls", "raises to 600", "folds"]
    assert [card["rank"] + card["suit"] for card in found["seats"][1]["cards"]] == ["10♣", "10♠"]


def test_dialogues_are_read_from_messages_and_from_lines():
    messages = json.dumps([{"role": "user", "content": "Hi\nthere"}, {"role": "assistant", "content": "<b>no</b>"}])
    assert read_transcript(messages, PLAYERS)["turns"] == [("user", "Hi\nthere"), ("assistant", "<b>no</b>")]
    lines = "ada: I offer 3.\nand a book\nbea: Deal."
    assert read_transcript(lines, PLAYERS)["turns"] == [("ada", "I offer 3.\nand a book"), ("bea", "Deal.")]
