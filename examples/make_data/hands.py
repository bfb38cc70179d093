"""Make the bundled data sets ``hands`` (Leduc), ``hands-kuhn2`` and ``hands-kuhn3``: poker hands of a few simple bots.

The games and the bots uniform, caller, maniac, rock and honest are those of ``equipoise.luck.games``. Each file has two
kinds of deals. Duplicate deals (``d0001``, ...) are played by every pair (in the game for three: by every three of the
first four bots) in every order of the seats. Single deals (``s0001``, ...) are played once, by bots and in seats that
are drawn by lot. One row is one seat of one hand:

``game``     leduc, kuhn2 or kuhn3
``deal``     hands with the same value were dealt the same cards to the same seats
``hand``     one play of a deal; its rows add up to zero
``seat``     0 acts first
``agent``    who sat there
``utility``  chips won
``honest``   a control: what the bot "honest" wins at this deal and seat when it plays against itself

The control "bluffer" is there as rows instead: hands in which every seat is bluffer. It randomises, so that it plays
each deal twice. Everything follows from the numbers of the deals, which are the seeds.

Run: ``python examples/make_data/hands.py`` (about ten seconds).
"""

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
from csv_gz import write

from equipoise.luck.games import BLUFFER, CALLER, HONEST, MANIAC, ROCK, UNIFORM, Bot, Poker, kuhn, leduc, play

PLAYERS = (UNIFORM, CALLER, MANIAC, ROCK, HONEST)
REPEATS = 2
FILES = (
    ("hands", leduc(), PLAYERS, 60, 1800),
    ("hands-kuhn2", kuhn(2), PLAYERS, 40, 800),
    ("hands-kuhn3", kuhn(3), PLAYERS[:4], 30, 600),
)
HEADER = ("game", "deal", "hand", "seat", "agent", "utility", "honest")


def tables(
    game: Poker, players: Sequence[Bot], duplicates: int, singles: int
) -> Iterator[tuple[str, int, tuple[Bot, ...]]]:
    """Who plays which deal: the deal's name, its seed, and the bots in their seats."""
    for seed in range(duplicates):
        for table in permutations(players, game.seats):
            yield f"d{seed:04d}", seed, table
    lot = np.random.default_rng(2026)
    for seed in range(duplicates, duplicates + singles):
        drawn = lot.permutation(len(players))[: game.seats]
        yield f"s{seed:04d}", seed, tuple(players[index] for index in drawn)


def rows(game: Poker, players: Sequence[Bot], duplicates: int, singles: int) -> Iterator[tuple[object, ...]]:
    """Every row of one game."""
    every = list(tables(game, players, duplicates, singles))
    deals = dict.fromkeys((deal, seed) for deal, seed, _ in every)
    every += [(deal, seed, (BLUFFER,) * game.seats) for deal, seed in deals for _ in range(REPEATS)]
    for number, (deal, seed, table) in enumerate(every):
        control = play(game, [HONEST] * game.seats, seed).utilities
        # The number of the hand is also the repeat: no two hands share the rolls of their bots.
        won = play(game, table, seed, repeat=number).utilities
        for seat, bot in enumerate(table):
            yield game.name, deal, f"h{number:05d}", seat, bot.name, f"{won[seat]:g}", f"{control[seat]:g}"


def main() -> None:
    """Write the files."""
    for name, game, players, duplicates, singles in FILES:
        write(name, HEADER, rows(game, players, duplicates, singles))


if __name__ == "__main__":
    main()
