"""A small ad auction of our own, for the last experiment of Davidson, Archibald and Bowling (2013).

It has the parts of the Trading Agent Competition's game that matter for luck. Three makers times three kinds of goods
are nine products, and users search for them by sixteen queries: nothing, a maker, a kind, or both. Eight advertisers
bid for every query on each of ten days. Slots go to the highest bids, and a click costs the next bid. Every advertiser
is a specialist: it earns more for goods of its maker, and sells more of its kind. Sales beyond its capacity convert
less. Who is a specialist in what, and how many users look for which product on which day, is the luck of a match; it is
the same when a control agent plays all eight seats.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.episodes import Episodes

SEATS: Final = 8
DAYS: Final = 10
SLOTS: Final = 5
CAPACITY: Final = 60.0
"""Sales in five days before users convert less."""
PROFIT, MAKER_BONUS, KIND_BONUS = 10.0, 0.4, 0.6
CONVERSION: Final = (0.11, 0.23, 0.23, 0.36)
"""Of a user who names nothing, a maker, a kind, or both."""
QUERIES: Final = tuple((maker, kind) for maker in (None, 0, 1, 2) for kind in (None, 0, 1, 2))


@dataclass(frozen=True, slots=True)
class Market:
    """What the eight see on one day.

    Attributes
    ----------
    value
        What a click on each query is worth to each seat, sales within capacity.
    prices
        The highest bid of the day before.
    sold
        Sales of the last days over capacity.
    """

    value: FloatArray
    prices: FloatArray
    sold: FloatArray


Bidder = Callable[[Market, np.random.Generator], FloatArray]
"""Bids of every seat for every query, if this advertiser sat there."""


def _shaded(share: float) -> Bidder:
    return lambda market, _: share * market.value


def _focused(market: Market, _: np.random.Generator) -> FloatArray:
    """Bid nearly all a click is worth, on the best quarter of queries only."""
    best = market.value >= np.quantile(market.value, 0.75, axis=1, keepdims=True)
    return np.where(best, 0.8 * market.value, 0.0)


def _following(market: Market, _: np.random.Generator) -> FloatArray:
    """Outbid yesterday's price by a little where that pays."""
    wanted = 1.02 * market.prices + 0.05
    return np.where(wanted < 0.9 * market.value, wanted, 0.3 * market.value)


def _careful(market: Market, _: np.random.Generator) -> FloatArray:
    """Bid less the fuller the capacity is."""
    return 0.7 * market.value * np.clip(1.2 - market.sold, 0.0, 1.0)[:, None]


def _random(market: Market, rng: np.random.Generator) -> FloatArray:
    return rng.uniform(0.0, 2.0, market.value.shape)


BIDDERS: Mapping[str, Bidder] = {
    "half": _shaded(0.5),
    "greedy": _shaded(0.95),
    "thrifty": _shaded(0.25),
    "focused": _focused,
    "follower": _following,
    "careful": _careful,
    "random 1": _random,
    "random 2": _random,
}
CONTROLS: Final = ("half", "follower", "careful")


@dataclass(frozen=True, slots=True)
class _Luck:
    """What chance decides before a match: specialities of the seats, and users by day and query."""

    maker: IntArray
    kind: IntArray
    users: IntArray


def _dealt(rng: np.random.Generator) -> _Luck:
    demand = rng.gamma(0.5, size=(3, 3))  # some products are searched for far more than others
    swing = rng.lognormal(0.0, 0.4, size=(DAYS, 3, 3))
    level = 400.0 * swing * demand / demand.sum()
    asks = np.array([[_share(level[day], *query) for query in QUERIES] for day in range(DAYS)])
    return _Luck(rng.integers(3, size=SEATS), rng.integers(3, size=SEATS), rng.poisson(asks))


def _share(level: FloatArray, maker: int | None, kind: int | None) -> float:
    """Users of a query: those of its products, of whom seven in ten name both, and one in ten each less."""
    part = level[slice(None) if maker is None else maker, slice(None) if kind is None else kind]
    return float(np.sum(part)) * (0.7 if maker is not None and kind is not None else 0.1)


def _values(luck: _Luck) -> tuple[FloatArray, FloatArray]:
    """Give chance and profit of a sale after a click: seats x queries."""
    chance, profit = np.empty((SEATS, len(QUERIES))), np.empty((SEATS, len(QUERIES)))
    for place, (maker, kind) in enumerate(QUERIES):
        odds = CONVERSION[2 * (maker is not None) + (kind is not None)]
        mine = luck.kind == kind if kind is not None else np.full(SEATS, 1 / 3)
        chance[:, place] = odds * (1 + KIND_BONUS * mine) / (1 + odds * KIND_BONUS * mine)
        own = luck.maker == maker if maker is not None else np.full(SEATS, 1 / 3)
        profit[:, place] = PROFIT * (1 + MAKER_BONUS * own)
    return chance, profit


def play_match(players: list[str], luck: _Luck, rng: np.random.Generator) -> FloatArray:
    """Play ten days, and give each seat's profit less the mean of all."""
    chance, profit = _values(luck)
    bidders = [BIDDERS[name] for name in players]
    earned, sales, prices = np.zeros(SEATS), np.zeros((DAYS, SEATS)), np.zeros(len(QUERIES))
    for day in range(DAYS):
        sold = sales[max(day - 5, 0) : day].sum(axis=0) / CAPACITY
        market = Market(chance * profit, prices, sold)
        bids = np.stack([bidder(market, rng)[seat] for seat, bidder in enumerate(bidders)])
        order = np.argsort(-bids + 1e-9 * rng.random(bids.shape), axis=0)
        ranked = np.take_along_axis(bids, order, axis=0)
        for slot in range(SLOTS):
            seat, bid = order[slot], ranked[slot]
            clicks = np.where(bid > 0, rng.binomial(luck.users[day], 0.5 * 0.6**slot), 0)
            full = np.clip(1.0 - 0.5 * np.maximum(sold[seat] - 1.0, 0.0), 0.1, 1.0)
            bought = rng.binomial(clicks, chance[seat, np.arange(len(QUERIES))] * full)
            np.add.at(earned, seat, bought * profit[seat, np.arange(len(QUERIES))] - clicks * ranked[slot + 1])
            np.add.at(sales[day], seat, bought)
        prices = ranked[0]
    return np.asarray((earned - earned.mean()) / 1000.0)


@cache
def play_tournament(matches: int = 100, seed: int = 0) -> Episodes:
    """Play matches of the eight, one seat further each time, and every control in all seats of each match.

    Utility is in thousands, as in the paper.
    """
    agents, won = list[str](), []
    known: dict[str, list[FloatArray]] = {control: [] for control in CONTROLS}
    for match in range(matches):
        luck = _dealt(np.random.default_rng([seed, match]))
        names = list(np.roll(list(BIDDERS), match))
        agents += names
        won.append(play_match(names, luck, np.random.default_rng([seed, match, 1])))
        for place, control in enumerate(CONTROLS):
            again = np.random.default_rng([seed, match, 2 + place])
            known[control].append(play_match([control] * SEATS, luck, again))
    return Episodes.from_columns(
        agents,
        np.repeat(np.arange(matches), SEATS),
        np.concatenate(won),
        seat=[*range(SEATS)] * matches,
        controls={control: np.concatenate(values) for control, values in known.items()},
    )
