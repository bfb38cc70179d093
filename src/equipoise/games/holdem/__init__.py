"""Texas hold'em for two or three players, limit and no-limit, by the rules of OpenSpiel: bots, deals, luck."""

from equipoise.games.holdem.bots import BOTS, HoldemBot, Style
from equipoise.games.holdem.cards import deal_of
from equipoise.games.holdem.play import CARDS, ROLLS, HoldemHands, PlayedHoldemHand, play, play_tournament, self_play
from equipoise.games.holdem.rules import Holdem, HoldemSituation

__all__ = [
    "BOTS",
    "CARDS",
    "ROLLS",
    "Holdem",
    "HoldemBot",
    "HoldemHands",
    "HoldemSituation",
    "PlayedHoldemHand",
    "Style",
    "deal_of",
    "play",
    "play_tournament",
    "self_play",
]
