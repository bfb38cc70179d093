"""Hands of a whole tournament: every table in every order of seats on the same cards, controls and luck beside them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

import numpy as np

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, whole
from equipoise.core.progress import counted
from equipoise.core.results import FloatArray
from equipoise.data.types.episodes import Episodes
from equipoise.games.holdem.bots import HoldemBot
from equipoise.games.holdem.cards import deal_of
from equipoise.games.holdem.luck import CARDS, ROLLS, luck_features, showdown_table
from equipoise.games.holdem.play import PlayedHoldemHand, play_deal, self_play
from equipoise.games.holdem.rules import Holdem

AWAY = 1_000_000
"""Seeds of tournaments lie so far apart; rolls of hands begin there, far from those of controls."""


@dataclass(frozen=True, slots=True, eq=False)
class HoldemHands:
    """Hands of a tournament.

    Attributes
    ----------
    episodes
        What every bot won in every seat of every deal, in big blinds, with a control for each control agent.
    luck
        The luck of each row (rows x features), with mean zero.
    features
        Names of the features: of the cards, then of what policies rolled.
    """

    episodes: Episodes
    luck: FloatArray
    features: tuple[str, ...] = CARDS + ROLLS

    @property
    def cards(self) -> FloatArray:
        """The luck of the cards alone."""
        return self.luck[:, : len(CARDS)]


@dataclass(slots=True)
class _TournamentRows:
    """The rows of a tournament as they grow."""

    agent: list[str] = field(default_factory=list)
    deal: list[int] = field(default_factory=list)
    hands: list[PlayedHoldemHand] = field(default_factory=list)


def play_tournament(
    rules: Holdem,
    bots: Sequence[HoldemBot],
    *,
    deals: int,
    controls: Sequence[HoldemBot] = (),
    repeats: int = 1,
    shared: bool = True,
    seed: int = 0,
) -> HoldemHands:
    """Have every choice of bots for a table play every deal in every order of seats.

    Parameters
    ----------
    rules
        The game.
    bots
        Who plays.
    deals
        Deals for each table.
    controls
        Bots that play each deal against themselves, for the baseline.
    repeats
        How often they do.
    shared
        Whether all tables get the same deals; if not every table has its own, and no two rows of different tables
        depend on each other.
    seed
        Of the deals.

    Fails when
        there are fewer bots than seats, or two of one name.

    Examples
    --------
    >>> from equipoise.games.holdem.bots import BOTS
    >>> bots = [BOTS["tight"], BOTS["loose"]]
    >>> hands = play_tournament(Holdem(2), bots, deals=3, controls=[BOTS["equity"]])
    >>> len(hands.episodes), hands.luck.shape, list(hands.episodes.controls)
    (12, (12, 11), ['equity'])
    """
    for name, value in (("deals", deals), ("repeats", repeats)):
        check(whole(1), name, value)
    check(whole(0), "seed", seed)
    _refuse_bots(rules, bots)
    tables = list(combinations(bots, rules.players))
    rows = _TournamentRows()
    for number, table in enumerate(counted(tables, "tables of hold'em", [1] * len(tables))):
        first = 0 if shared else number * deals
        for place in range(first, first + deals):
            _play_orders(rules, table, seed * AWAY + place, place, number, rows)
    seeds = [seed * AWAY + place for place in range(deals if shared else deals * len(tables))]
    return _collected(rules, rows, seeds, {bot.name: _own(rules, bot, seeds, repeats) for bot in controls})


def _refuse_bots(rules: Holdem, bots: Sequence[HoldemBot]) -> None:
    names = [bot.name for bot in bots]
    if len(set(names)) < len(names):
        raise ParameterError(f"bots need names that differ, not {', '.join(names)}")
    if len(bots) < rules.players:
        raise ParameterError(f"a table has {rules.players} seats, but {len(bots)} bots were given")


def _play_orders(
    rules: Holdem, table: Sequence[HoldemBot], seed: int, place: int, number: int, rows: _TournamentRows
) -> None:
    deal = deal_of(seed, rules.players)
    for turn, order in enumerate(permutations(table)):
        policies = [bot.policy for bot in order]
        rows.hands.append(play_deal(rules, policies, deal, seed, AWAY + 6 * number + turn))
        rows.agent += [bot.name for bot in order]
        rows.deal.append(place)


def _own(rules: Holdem, control: HoldemBot, seeds: Sequence[int], repeats: int) -> FloatArray:
    """What a control wins against itself (deals x seats)."""
    wanted: Iterator[int] = counted(seeds, f"self-play of {control.name}", [1] * len(seeds))
    return np.array([self_play(rules, control, seed, repeats=repeats) for seed in wanted])


def _collected(
    rules: Holdem, rows: _TournamentRows, seeds: Sequence[int], controls: dict[str, FloatArray]
) -> HoldemHands:
    seats, deal = rules.players, np.array(rows.deal)
    shares = showdown_table([deal_of(seed, seats) for seed in seeds], seats, seed=seeds[0])
    luck = luck_features(rows.hands, shares, deal)
    episodes = Episodes.from_columns(
        rows.agent,
        np.repeat(deal, seats),
        np.array([hand.utilities for hand in rows.hands]).ravel(),
        seat=np.tile(np.arange(seats), len(deal)),
        hand=np.repeat(np.arange(len(deal)), seats),
        controls={name: values[deal].ravel() for name, values in controls.items()},
    )
    return HoldemHands(episodes, luck.reshape(len(episodes), -1))
