"""A bot in Python that needs no package: it speaks JSON lines and plays a random legal move.

Try it: equipoise arena check-player "python3 examples/arena/random_bot.py"
"""

import json
import random
import sys


def main() -> None:
    dice = random.Random(0)
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say({"ready": True})
            case "begin":
                dice = random.Random(message["seed"])
            case "act":
                say({"move": dice.choice(message["legal"])})
            case "quit":
                return


def say(message: dict[str, object]) -> None:
    # Without the flush the answer would wait in a buffer, and the arena for the answer.
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
