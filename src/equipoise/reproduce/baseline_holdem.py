"""Tables 1 and 2 of the baseline paper, on hold'em hands of our own: other bots, the same comparison.

Nine bots play three-player limit hold'em, every three of them on deals of their own, in all six orders of seats. Seven
bots play heads-up no-limit hold'em with 200 big blinds, every two on the same deals, in both orders. Control agents
play every deal against themselves. As in the paper a hand is a sample of its own for baseline, a deal for duplicate.

MIVAT learns a linear value function from the luck of the cards, AIVAT one from the luck of the cards and of what the
policies rolled. Both learn from the hands of all tables on half of the deals and are used on the other half, so that no
hand has a part in its own adjustment; each row then fits one coefficient, as it does for baseline.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.luck.advantage_sum import advantage_sum
from equipoise.luck.baseline import baseline
from equipoise.luck.duplicate import duplicate
from equipoise.luck.learn_value import learn_value
from equipoise.luck.seating import Units, units

if TYPE_CHECKING:
    from equipoise.games.holdem.tournament import HoldemHands

__all__ = [
    "SIZES",
    "Comparison",
    "Sizes",
    "better_heads_up",
    "better_in_three",
    "heads_up",
    "heads_up_figure",
    "three_players",
    "three_players_figure",
]

NINE: Final = ("caller", "random", "tight", "rock", "loose", "aggressive", "bluffer", "equity", "sharp")
SEVEN: Final = ("caller", "tight", "rock", "loose", "aggressive", "bluffer", "sharp")
CONTROL: Final = "equity"
CONTROLS: Final = ("equity", "sharp", "loose")


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many deals are played.

    Attributes
    ----------
    three_players
        For each of the 84 tables of three.
    heads_up
        For all 21 pairs together.
    repeats
        How often a control agent plays a deal.
    """

    three_players: int = 80
    heads_up: int = 2000
    repeats: int = 5


SIZES = Sizes()


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """How much smaller standard errors are.

    Attributes
    ----------
    labels
        Agents, or pairs of them.
    mean, half
        What they won in milli big blinds a hand, and half the width of its plain 95% interval.
    reduction
        By method, by how many percent the standard error is smaller than the plain one.
    """

    labels: tuple[str, ...]
    mean: FloatArray
    half: FloatArray
    reduction: Mapping[str, FloatArray]

    def words(self) -> str:
        """The range of each method, and how many errors became smaller."""
        return ", ".join(f"{method} {_range(values)}" for method, values in self.reduction.items())


def three_players_figure(_: Path) -> str:
    """Table 1 in words."""
    return three_players(SIZES.three_players, SIZES.repeats).words()


def heads_up_figure(_: Path) -> str:
    """Table 2 in words; the three controls count together."""
    table = heads_up(SIZES.heads_up, SIZES.repeats)
    every = np.concatenate([table.reduction[f"control {name}"] for name in CONTROLS])
    rest = {method: values for method, values in table.reduction.items() if not method.startswith("control ")}
    return Comparison(table.labels, table.mean, table.half, {"baseline": every, **rest}).words()


def better_in_three(_: Path) -> str:
    """For how many agents baseline does better than duplicate."""
    table = three_players(SIZES.three_players, SIZES.repeats).reduction
    better = int((table["baseline"] > table["duplicate"]).sum())
    return f"{better} of {len(NINE)}"


def better_heads_up(_: Path) -> str:
    """In how many matches duplicate does better than every baseline, the combined one included."""
    table = heads_up(SIZES.heads_up, SIZES.repeats).reduction
    others = [table[f"control {name}"] for name in CONTROLS] + [table["three controls"]]
    better = int((table["duplicate"] > np.max(others, axis=0)).sum())
    return f"{better} of {len(table['duplicate'])}"


@cache
def three_players(deals: int, repeats: int) -> Comparison:
    """Table 1: nine agents in three-player limit hold'em."""
    from equipoise.games.holdem.bots import BOTS
    from equipoise.games.holdem.rules import Holdem
    from equipoise.games.holdem.tournament import play_tournament

    hands = play_tournament(
        Holdem(3, "limit"),
        [BOTS[name] for name in NINE],
        deals=deals,
        controls=[BOTS[CONTROL]],
        repeats=repeats,
        shared=False,
        seed=1,
    )
    own = baseline(hands.episodes, control=CONTROL, cluster=False)
    pairs = duplicate(hands.episodes)
    return _compared(hands, "agent", {"baseline": own.reduction, "duplicate": pairs.reduction})


@cache
def heads_up(deals: int, repeats: int) -> Comparison:
    """Table 2: seven agents in 21 matches of heads-up no-limit hold'em."""
    from equipoise.games.holdem.bots import BOTS
    from equipoise.games.holdem.rules import Holdem
    from equipoise.games.holdem.tournament import play_tournament

    hands = play_tournament(
        Holdem(2, "no-limit", 200),
        [BOTS[name] for name in SEVEN],
        deals=deals,
        controls=[BOTS[name] for name in CONTROLS],
        repeats=repeats,
        seed=2,
    )
    single = {
        f"control {name}": baseline(hands.episodes, control=name, by="pair", cluster=False).reduction
        for name in CONTROLS
    }
    together = baseline(hands.episodes, control=CONTROLS, by="pair", cluster=False).reduction
    pairs = duplicate(hands.episodes, by="pair").reduction
    return _compared(hands, "pair", {**single, "duplicate": pairs, "three controls": together})


def _compared(hands: "HoldemHands", by: Literal["agent", "pair"], reduction: Mapping[str, FloatArray]) -> Comparison:
    """Add MIVAT and AIVAT to the methods, and the plain means."""
    data = hands.episodes
    rows = units(data, by, None, np.ones(len(data), dtype=bool))
    learnt = {"MIVAT": _reduced(hands, hands.cards, rows), "AIVAT": _reduced(hands, hands.luck, rows)}
    won = [1000.0 * data.utility[rows.of(unit)] for unit in range(len(rows))]
    return Comparison(
        rows.labels,
        np.array([values.mean() for values in won]),
        np.array([1.96 * values.std() / np.sqrt(len(values) - 1) for values in won]),
        {**reduction, **learnt},
    )


def _reduced(hands: "HoldemHands", features: FloatArray, rows: Units) -> FloatArray:
    data = hands.episodes
    odd = data.deal.codes % 2 == 1
    luck = np.empty(len(data))
    for part in (odd, ~odd):
        luck[part] = learn_value(features[~part], data.utility[~part]).luck(features[part])
    of_units = [rows.of(unit) for unit in range(len(rows))]
    return np.array([advantage_sum(data.utility[of], luck[of], coefficient="fitted").reduction for of in of_units])


def _range(reduction: FloatArray) -> str:
    return f"{reduction.min():.0f}% to {reduction.max():.0f}% ({(reduction > 0).sum()} of {reduction.size} smaller)"
