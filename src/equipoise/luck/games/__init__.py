"""A small game room for proofs and demos: Kuhn poker (2 and 3 seats), Leduc (2), bots, replayable hands."""

from equipoise.luck.games.bots import (
    BLUFFER,
    BOTS,
    CALLER,
    HONEST,
    MANIAC,
    ROCK,
    UNIFORM,
    Bot,
    Policy,
    constant_bot,
    kuhn_nash,
    table_bot,
    threshold_bot,
)
from equipoise.luck.games.play import Hand, mirror, play, shuffle
from equipoise.luck.games.poker import CHANCE, TERMINAL, Poker, Situation, State, kuhn, leduc
from equipoise.luck.games.solve import equilibrium
from equipoise.luck.games.tree import Line, deals, expected, given_deal, lines, outcomes, steps

__all__ = [
    "BLUFFER",
    "BOTS",
    "CALLER",
    "CHANCE",
    "HONEST",
    "MANIAC",
    "ROCK",
    "TERMINAL",
    "UNIFORM",
    "Bot",
    "Hand",
    "Line",
    "Poker",
    "Policy",
    "Situation",
    "State",
    "constant_bot",
    "deals",
    "equilibrium",
    "expected",
    "given_deal",
    "kuhn",
    "kuhn_nash",
    "leduc",
    "lines",
    "mirror",
    "outcomes",
    "play",
    "shuffle",
    "steps",
    "table_bot",
    "threshold_bot",
]
