"""A chess engine that moves at random and, now and then, hangs in the middle of a game: what is an arena to do?

It speaks UCI; its one option is the chance, in percent, that it never answers. Needs `pip install "equipoise[chess]"`.
"""

import random
import sys
import time

import chess


def main() -> None:
    dice, board, hang = random.Random(), chess.Board(), 0
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                say("id name Fragile")
                say("option name Hang type spin default 0 min 0 max 100")
                say("uciok")
            case ["setoption"]:
                hang = int(words[-1])
            case ["isready"]:
                say("readyok")
            case ["position"]:
                moves = words.index("moves") if "moves" in words else len(words)
                board = chess.Board(" ".join(words[2:moves]))
                for move in words[moves + 1 :]:
                    board.push_uci(move)
            case ["go"]:
                if dice.uniform(0, 100) < hang:
                    time.sleep(1_000_000)
                say(f"bestmove {dice.choice(list(board.legal_moves)).uci()}")
            case ["quit"]:
                return


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
