"""A referee in Python that needs no package: a game of Nim, for players that are programs or anything else.

In a spec: game = "program:python3 examples/arena/nim_referee.py"
"""

import json
import random
import sys


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say({"ready": True, "seats": [2, 2], "score_range": [0, 1]})
            case "play":
                play(random.Random(message["seed"]))
            case "quit":
                return


def play(dice: random.Random) -> None:
    """Take one to three stones in turn; whoever takes the last one wins."""
    stones, seat, taken = dice.randrange(8, 20), 0, []
    start = stones
    while stones:
        say({"type": "ask", "seat": seat, "legal": [1, 2, 3][:stones], "observation": {"stones": stones}})
        move = json.loads(sys.stdin.readline())["move"]
        stones, seat = stones - move, 1 - seat
        taken.append(move)
    scores = [float(seat == 1), float(seat == 0)]
    say({"type": "outcome", "scores": scores, "transcript": f"{start}: {' '.join(map(str, taken))}"})


def say(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
