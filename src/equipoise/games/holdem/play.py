"""Play hands in which all chance comes from the seed.

The cards depend on the seed alone; what the bots roll depends on the seed, the repeat and the seat. So any deal can be
replayed, given to the same bots in other seats, or given to a control agent that plays against itself.

Hands of a whole tournament: every table in every order of seats on the same cards, controls and luck beside them.

The luck in hands: what the cards brought, and what policies rolled.

The value of a position is what a seat would win if nobody folded or raised any more: its share of the pot at the
showdown, averaged over the cards to come, less what it pays. That average is a martingale: its mean after the next
cards is its value before them, so no average over cards has to be taken again. Before the flop it is estimated from
random boards that have nothing to do with the board dealt; the terms then still have mean zero, with a little more
noise.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, whole
from equipoise.core.progress import counted
from equipoise.core.results import FloatArray
from equipoise.data.types.episodes import Episodes
from equipoise.games.holdem.bots import HoldemBot
from equipoise.games.holdem.cards import deal_of
from equipoise.games.holdem.rules import BIG_BLIND, CALL, FOLD, OVER, Holdem, HoldemHand, HoldemSituation, Reveal
from equipoise.games.house import roll
from equipoise.luck.games.play import draw


class Swing(NamedTuple):
    """One move that a known policy might have made: where it leads, and by how much it was made above its chance.

    ``weight`` is 1 less the move's chance for the move made, and minus its chance for the others: over the rolls of the
    policy its mean is zero.
    """

    street: int
    still_in: int
    most: int
    paid: tuple[int, ...]
    weight: float


class PlayedHoldemHand(NamedTuple):
    """A hand that was played.

    Attributes
    ----------
    deal
        The cards.
    utilities
        What each seat won, in big blinds.
    reveals
        Cards turned over, with the pots at stake.
    swings
        What the policies rolled, where they are known.
    betting
        All moves, streets separated by a slash.
    """

    deal: tuple[int, ...]
    utilities: tuple[float, ...]
    reveals: tuple[Reveal, ...]
    swings: tuple[Swing, ...]
    betting: str


def play(rules: Holdem, bots: Sequence[HoldemBot], seed: int, *, repeat: int = 0) -> PlayedHoldemHand:
    """Play one hand.

    Parameters
    ----------
    rules
        The game.
    bots
        Who sits in seats 0, 1, ...
    seed
        Decides the cards, and with ``repeat`` what the bots roll.
    repeat
        Another value plays the same cards with other rolls.

    Fails when
        there are not as many bots as seats.
    """
    if len(bots) != rules.players:
        raise ParameterError(f"{rules.players} seats, but {len(bots)} bots were given")
    check(whole(0), "repeat", repeat)
    return play_deal(rules, [bot.policy for bot in bots], deal_of(seed, rules.players), seed, repeat)


def play_deal(
    rules: Holdem,
    policies: Sequence[Callable[[HoldemSituation], tuple[float, ...]]],
    deal: tuple[int, ...],
    seed: int,
    repeat: int,
) -> PlayedHoldemHand:
    """Play these cards; what the policies roll comes from seed and repeat."""
    hand = HoldemHand(rules, deal)
    swings: list[Swing] = []
    turn = 0
    while (seat := hand.actor) != OVER:
        at = hand.situation()
        chances = policies[seat](at)
        index = draw(chances, roll(seed, repeat, seat, turn)) if max(chances) < 1.0 else chances.index(1.0)
        if chances[index] < 1.0:
            swings += swings_of(hand, at, chances, index)
        hand.act(at.moves[index])
        turn += 1
    return PlayedHoldemHand(deal, hand.utilities(), tuple(hand.reveals), tuple(swings), hand.betting)


def self_play(rules: Holdem, control: HoldemBot, seed: int, *, repeats: int = 1) -> FloatArray:
    """What a control agent wins in each seat against itself on the cards of a seed, averaged over repeats.

    Its rolls are not those of the hands that :func:`play` plays with ``repeat=0``.
    """
    check(whole(1), "repeats", repeats)
    policies, deal = [control.policy] * rules.players, deal_of(seed, rules.players)
    won = [play_deal(rules, policies, deal, seed, repeat).utilities for repeat in range(1, repeats + 1)]
    return np.asarray(np.mean(won, axis=0))


def swings_of(hand: HoldemHand, at: HoldemSituation, chances: Sequence[float], made: int) -> list[Swing]:
    """What might have been rolled in a situation."""
    swings, most = [], max(at.paid)
    for index, (move, chance) in enumerate(zip(at.moves, chances, strict=True)):
        weight = (index == made) - chance
        if weight:
            still_in = hand.still_in & ~(1 << at.seat) if move == FOLD else hand.still_in
            reached = most if move <= CALL else hand.paid_after(move)
            swings.append(Swing(at.street, still_in, reached, at.paid, weight))
    return swings


CARDS: Final = (
    "deal",
    "flop x pot",
    "turn x pot",
    "river x pot",
    "flop",
    "turn",
    "river",
)
"""Luck of the cards: what each street changed of the chances to win, times the pot (in big blinds) or as it is."""
ROLLS: Final = ("rolls before the flop", "rolls on the flop", "rolls on the turn", "rolls on the river")
"""Luck of the policies' own rolls on each street, in big blinds."""
SAMPLES: Final = 1000
"""Random boards for the chances before the flop."""


def showdown_table(
    deals: Sequence[tuple[int, ...]], seats: int, *, samples: int = SAMPLES, seed: int = 0
) -> FloatArray:
    """Chances at the showdown: shares of the pot (deals x streets x masks of seats still in x seats)."""
    from equipoise.games.holdem._kernels import showdown_shares

    # Zero is the one state that the generator never leaves.
    seeds = np.random.default_rng((seed, len(deals))).integers(1, 1 << 63, size=len(deals)).astype(np.uint64)
    return np.asarray(showdown_shares(np.array(deals, dtype=np.int64), seats, samples, seeds))


def luck_features(hands: Sequence[PlayedHoldemHand], shares: FloatArray, deal: npt.ArrayLike) -> FloatArray:
    """The luck of each seat in each hand (hands x seats x features: ``CARDS``, then ``ROLLS``), with mean zero.

    Parameters
    ----------
    hands
        As they were played.
    shares
        Chances at the showdown, from :func:`showdown_table`.
    deal
        For each hand its place in that table.
    """
    seats, whose = shares.shape[-1], np.asarray(deal, dtype=np.intp)
    features = np.zeros((len(hands), seats, len(CARDS) + len(ROLLS)))
    features[:, :, 0] = shares[whose, 0, -1] - 1.0 / seats
    turned = [(at, *reveal) for at, hand in enumerate(hands) for reveal in hand.reveals]
    if turned:
        at, street, still_in, pot = np.array(turned).T
        change = shares[whose[at], street, still_in] - shares[whose[at], street - 1, still_in]
        features[at, :, street] = change * (pot / BIG_BLIND)[:, None]
        features[at, :, street + 3] = change
    _add_rolls(features, hands, shares, whose)
    return features


def _add_rolls(features: FloatArray, hands: Sequence[PlayedHoldemHand], shares: FloatArray, whose: np.ndarray) -> None:
    swings = [(at, *swing) for at, hand in enumerate(hands) for swing in hand.swings]
    if not swings:
        return
    at, street, still_in, most, paid, weight = (np.array(column) for column in zip(*swings, strict=True))
    values = position_values(shares[whose[at], street, still_in], still_in, most, paid)
    np.add.at(features.transpose(0, 2, 1), (at, len(CARDS) + street), weight[:, None] * values)


def position_values(share: FloatArray, still_in: np.ndarray, most: np.ndarray, paid: np.ndarray) -> FloatArray:
    """What seats win in big blinds if all who are still in pay ``most`` and nobody folds any more (rows x seats)."""
    staying = (still_in[:, None] >> np.arange(share.shape[1]) & 1).astype(bool)
    cost = np.where(staying, most[:, None], paid)
    return np.asarray((share * cost.sum(axis=1, keepdims=True) - cost) / BIG_BLIND)


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
