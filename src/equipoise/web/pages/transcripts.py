"""Transcripts as people read them: chess as diagrams, hands of cards, dialogues; anything else stays text.

A diagram is drawn from the squares that each move of the transcript names, without the rules of chess: all that is
known here is that a castling king takes its rook along, and that a pawn that moves aside to an empty square takes in
passing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

FILES, START = "abcdefgh", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MOST_TURNS, MOST_PLIES = 400, 1_000
NAMES: Mapping[str, str] = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
SUITS: Mapping[str, tuple[str, str]] = {
    "s": ("♠", "of spades"), "h": ("♥", "of hearts"), "d": ("♦", "of diamonds"), "c": ("♣", "of clubs"),
}  # fmt: skip
SHAPES: Mapping[str, str] = {
    "p": "M22.5 9a5.5 5.5 0 0 1 3.6 9.6c3.5 2 4.6 6 5.4 12.4h-18c.8-6.4 1.9-10.4 5.4-12.4A5.5 5.5 0 0 1 22.5 9z"
    "M12 33h21v5H12z",
    "r": "M11 9h5v3h4V9h5v3h4V9h5v8l-4 3v10h-15V20l-4-3zM10 33h25v5H10z",
    "n": "M13 31c-1-8 7-11 7-16l-6 5-4-3c1-6 6-9 10-11l1-3 4 4c7 3 9 12 8 24zM10 33h25v5H10z",
    "b": "M22.5 5a3 3 0 0 1 2 5.2c6 4.8 7 11.8 3.5 17.8h-11c-3.5-6-2.5-13 3.5-17.8a3 3 0 0 1 2-5.2z"
    "M15 29h15v3H15zM10 33h25v5H10z",
    "q": "M8 13a2.5 2.5 0 1 1 3 2.4L15 22l1.5-11a2.5 2.5 0 1 1 2.5 0l3.5 10 3.5-10a2.5 2.5 0 1 1 2.5 0L30 22"
    "l4-6.600a2.5 2.5 0 1 1 2.4.6L32 31H13L8.6 16A2.5 2.5 0 0 1 8 13zM10 33h25v5H10z",
    "k": "M21 3h3v4h4v3h-4v4c9-2 15 5 9 13l-3 4H15l-3-4c-6-8 0-15 9-13v-4h-4V7h4zM10 33h25v5H10z",
}
"""Outlines of the pieces on a square of 45 by 45."""


def read_transcript(text: str, players: Sequence[str]) -> dict[str, Any]:
    """Say what a transcript is, and give its parts: ``kind`` is chess, hand, dialogue or text."""
    for reader in (_chess, _hand, _dialogue):
        found = reader(text, players)
        if found is not None:
            return {**found, "text": text}
    return {"kind": "text", "text": text}


def _chess(text: str, _players: Sequence[str]) -> dict[str, Any] | None:
    said = re.search(r"\[%moves ([a-h1-8qrbn ]+)\]", text)
    if said is None or not text.startswith("[Event "):
        return None
    headers = dict(re.findall(r'^\[(\w+) "(.*)"\]$', text, re.MULTILINE))
    moves = said.group(1).split()[:MOST_PLIES]
    fen = headers.get("FEN", START)
    boards = _boards(fen, moves)
    if boards is None:
        return None
    body = re.sub(r"\{[^}]*\}|\([^)]*\)|\$\d+", " ", text.partition("\n\n")[2])
    words = [word for word in body.split() if not re.fullmatch(r"\d+\.+|1-0|0-1|1/2-1/2|\*", word)]
    parts = fen.split()
    first = int(parts[5]) if len(parts) > 5 and parts[5].isdecimal() else 1
    black_first = len(parts) > 1 and parts[1] == "b"
    names = words if len(words) == len(moves) else moves
    return {
        "kind": "chess", "boards": boards, "moves": moves, "names": names, "plies": len(moves),
        "black_first": black_first, "first": first,
        "ending": headers.get("Termination", ""), "result": headers.get("Result", "*"),
    }  # fmt: skip


def _boards(fen: str, moves: Sequence[str]) -> list[dict[str, str]] | None:
    """Give the pieces by square before the first move and after each; None if a move starts from an empty square."""
    rows = fen.split(" ", maxsplit=1)[0].split("/")
    board: dict[str, str] = {}
    if len(rows) != 8:
        return None
    for number, row in zip("87654321", rows, strict=True):
        at = 0
        for sign in row:
            if sign.isdecimal():
                at += int(sign)
            elif sign.lower() in NAMES and at < 8:
                board[FILES[at] + number] = sign
                at += 1
            else:
                return None
    boards = [board]
    for move in moves:
        start, end, becomes = move[:2], move[2:4], move[4:5]
        if not re.fullmatch(r"[a-h][1-8][a-h][1-8][qrbn]?", move) or start not in board:
            return None
        board = dict(board)
        piece = board.pop(start)
        if piece in "Pp" and start[0] != end[0] and end not in board:
            board.pop(end[0] + start[1], None)
        if piece in "Kk" and abs(FILES.index(start[0]) - FILES.index(end[0])) == 2:
            corner, beside = ("h", "f") if end[0] == "g" else ("a", "d")
            if corner + start[1] in board:
                board[beside + start[1]] = board.pop(corner + start[1])
        board[end] = (becomes.upper() if piece.isupper() else becomes) or piece
        boards.append(board)
    return boards


def draw_board(game: Mapping[str, Any], ply: int) -> dict[str, Any]:
    """Lay out the diagram after so many moves, the moves beside it, and where its links lead."""
    ply = min(max(ply, 0), game["plies"])
    board = game["boards"][ply]
    moved = () if ply == 0 else (game["moves"][ply - 1][:2], game["moves"][ply - 1][2:4])
    squares = [
        {
            "x": 45 * x, "y": 45 * (8 - row), "dark": (x + row) % 2 == 1, "moved": FILES[x] + str(row) in moved,
            "piece": piece and SHAPES[piece.lower()], "white": piece.isupper(),
        }
        for row in range(8, 0, -1) for x in range(8) for piece in [board.get(FILES[x] + str(row), "")]
    ]  # fmt: skip
    sides = [
        f"{side}: {', '.join(f'{NAMES[one.lower()]} {at}' for at, one in sorted(board.items()) if one.isupper() == up)}"
        for side, up in (("White", True), ("Black", False))
    ]  # fmt: skip
    said = "the first position" if ply == 0 else f"after {_numbered(game, ply - 1)}"
    rows: list[dict[str, Any]] = []
    for at, name in enumerate(game["names"]):
        turn = at + game["black_first"]
        if turn % 2 == 0 or not rows:
            rows.append({"number": game["first"] + turn // 2, "white": None, "black": None})
        rows[-1]["black" if turn % 2 else "white"] = {"name": name, "ply": at + 1, "here": at + 1 == ply}
    steps = [("first", "«", 0), ("back", "‹", ply - 1), ("on", "›", ply + 1), ("last", "»", game["plies"])]
    links = [
        {"word": word, "sign": sign, "ply": to, "there": 0 <= to <= game["plies"] and to != ply}
        for word, sign, to in steps
    ]  # fmt: skip
    return {
        "squares": squares, "words": f"Position {said}. {'. '.join(sides)}.", "said": said, "rows": rows,
        "links": links, "ply": ply, "plies": game["plies"],
    }  # fmt: skip


def _numbered(game: Mapping[str, Any], at: int) -> str:
    turn = at + game["black_first"]
    return f"{game['first'] + turn // 2}{'…' if turn % 2 else '.'} {game['names'][at]}"


def _hand(text: str, players: Sequence[str]) -> dict[str, Any] | None:
    """Read a hand as the dealer of the poker competition writes it: betting, cards and what was won."""
    card = "(?:[2-9TJQKA][shdc])"
    found = re.fullmatch(rf"([frc\d/]*):({card}{{2}}(?:\|{card}{{2}})*)((?:/{card}+){{0,3}}):([-\d.|]+)", text.strip())
    if found is None:
        return None
    betting, holes, board, won = found.groups()
    hands, sums = holes.split("|"), won.split("|")
    if len(hands) != len(players) or len(sums) != len(players):
        return None
    shown = ["", *board.split("/")[1:]]
    names = ("Before the flop", "Flop", "Turn", "River")
    streets = [
        {"name": names[at], "cards": _cards(shown[at]) if at < len(shown) else [], "moves": _betting(moves)}
        for at, moves in enumerate(betting.split("/")) if at < len(names)
    ]  # fmt: skip
    seats = [
        {"name": name, "cards": _cards(hand), "won": float(chips)}
        for name, hand, chips in zip(players, hands, sums, strict=True)
    ]
    return {"kind": "hand", "seats": seats, "streets": streets}


def _cards(text: str) -> list[dict[str, str]]:
    return [
        {
            "rank": rank.replace("T", "10"), "suit": SUITS[suit][0], "words": SUITS[suit][1],
            "red": "red" if suit in "hd" else "",
        }
        for rank, suit in zip(text[::2], text[1::2], strict=True)
    ]  # fmt: skip


def _betting(moves: str) -> list[str]:
    words = {"f": "folds", "c": "checks or calls"}
    return [words.get(one, f"raises to {one[1:]}") for one in re.findall(r"f|c|r\d*", moves)]


def _dialogue(text: str, players: Sequence[str]) -> dict[str, Any] | None:
    """Read a list of messages, or lines that begin with a player's name."""
    turns = _messages(text) if text.lstrip().startswith("[") else _lines(text, players)
    return (
        None
        if turns is None
        else {"kind": "dialogue", "turns": turns[:MOST_TURNS], "more": max(len(turns) - MOST_TURNS, 0)}
    )


def _messages(text: str) -> list[tuple[str, str]] | None:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    turns: list[tuple[str, str]] = []
    for one in said if isinstance(said, list) and said else [None]:
        who = one.get("role", one.get("speaker")) if isinstance(one, dict) else None
        what = one.get("content", one.get("text")) if isinstance(one, dict) else None
        if not isinstance(who, str) or not isinstance(what, str):
            return None
        turns.append((who, what))
    return turns


def _lines(text: str, players: Sequence[str]) -> list[tuple[str, str]] | None:
    turns: list[tuple[str, str]] = []
    for line in text.splitlines():
        who = next((name for name in players if line.startswith(f"{name}: ")), None)
        if who is not None:
            turns.append((who, line[len(who) + 2 :]))
        elif turns:
            turns[-1] = turns[-1][0], f"{turns[-1][1]}\n{line}"
        else:
            return None
    return turns if len(turns) > 1 else None
