"""Play one of the arenas in this folder, and say what was decided.

Run: ``python examples/arena/run.py NAME``, of ``stockfish_ladder connect_four_ladder hanging_engine models``, with
``--short`` for a few games only, ``--to FILE`` to keep the arena: running it again then goes on where it was stopped.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import equipoise as eq

FOLDER = Path(__file__).resolve().parent
SHORT = {"stockfish_ladder": 6, "connect_four_ladder": 100, "hanging_engine": 8, "models": 60}
"""Games of the short form."""


def main(arguments: Sequence[str] | None = None) -> eq.results.Played:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted(SHORT))
    parser.add_argument("--short", action="store_true", help="a few games only")
    parser.add_argument("--workers", type=int, default=None, help="how many play at the same time")
    parser.add_argument("--to", type=Path, default=None, help="a file to keep the arena in")
    given = parser.parse_args(arguments)
    to = None if given.to is None else given.to.resolve()
    os.chdir(FOLDER)  # where the bots are found
    spec = eq.ArenaSpec.from_toml(f"{given.name}.toml")
    if given.short:
        spec = replace(spec, budget=SHORT[given.name])
    played = eq.play(spec, given.workers, to=to)
    print(played.sentence)
    print(played.standings.frame())
    print(
        f"{played.trials:,} games in {played.seconds:.0f} s; {played.forfeits} forfeits, {played.failures} tried again"
    )
    return played


if __name__ == "__main__":
    main()
