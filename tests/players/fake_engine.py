"""A chess engine that plays the first legal move, or misbehaves in the way that its first argument names."""

import sys
import time


def main() -> None:
    import chess

    fault = sys.argv[1] if len(sys.argv) > 1 else "none"
    board = chess.Board()
    for line in sys.stdin:
        words = line.split()
        match words[:1]:
            case ["uci"]:
                if fault == "mute":
                    continue
                say("id name Fake 1.0")
                say("option name Skill Level type spin default 20 min 0 max 20")
                say("option name Style type combo default Solid var Solid var Very Risky")
                say("option name Ponder type check default false")
                say("option name Clear Hash type button")
                say("uciok")
            case ["setoption"]:
                sys.stderr.write(line)
            case ["isready"]:
                say("readyok")
            case ["position"]:
                moves = words.index("moves") if "moves" in words else len(words)
                board = chess.Board(" ".join(words[2:moves]))
                for move in words[moves + 1 :]:
                    board.push_uci(move)
            case ["go"]:
                go(board, words, fault)
            case ["quit"]:
                return


def go(board: object, words: list[str], fault: str) -> None:
    match fault:
        case "hang":
            time.sleep(3600)
        case "hang-on-nodes" if "nodes" in words:
            time.sleep(3600)
        case "babble":
            while True:
                say("info string still thinking")
        case "crash":
            sys.stderr.write("assertion failed: king is gone\n")
            sys.exit(134)
        case "illegal":
            say("bestmove e2e5")
        case "none-at-all":
            say("bestmove (none)")
        case "slow":
            time.sleep(0.4)
            answer(board)
        case _:
            answer(board)


def answer(board: object) -> None:
    say("info depth 1 score cp 13 nodes 20 pv e2e4")
    say("info depth 2 seldepth 3 score cp -7 nodes 35 pv e2e4")
    say(f"bestmove {min(move.uci() for move in board.legal_moves)}")


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
