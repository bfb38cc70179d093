"""Davidson, Archibald and Bowling (2013), Baseline: luck taken out of results; and hands of others on record."""

from functools import cache, partial
from pathlib import Path

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.data.datasets import load
from equipoise.data.readers.read import read_episodes
from equipoise.data.types.episodes import Episodes
from equipoise.luck.baseline import baseline
from equipoise.luck.duplicate import duplicate
from equipoise.luck.games import equilibrium, kuhn, leduc
from equipoise.luck.luck_table import LuckTable
from equipoise.reproduce import baseline_holdem
from equipoise.reproduce.figure import Figure

__all__ = ["FIGURES"]

HANDS = "poker/lbr_vs_hyperborean14_duplicate_hands.csv.gz"
LBR = {"fc4": (721.0, 56.0), "fcpa": (3852.0, 141.0), "56bets": (4675.0, 152.0), "2r56bets": (983.0, 95.0)}
"""Mean and half width of the 95% interval in mbb/g."""
PRIVATE = "it needs the control agents' self-play on the same cards, which is not among the public data we have"
OURS = "the same comparison on hands of our own follows"
OTHER = "another game with other agents: whether errors get smaller is what compares"
BOTS = (
    "the game is the same, but its agents are simple bots instead of the programs of 2011: whether errors get smaller "
    "is what compares"
)
COST = (
    "our control is one simple bot, which plays unlike most of the nine; the more a control plays like those it is "
    "compared with, the more luck it takes out"
)
HUMANS = (((39.55, 962.60), (-1597.75, 1340.45)), ((78.78, 912.61), (-146.63, 866.92)))
"""Mean and half width of both humans in both matches."""


@cache
def _lbr(folder: Path) -> LuckTable:
    import polars as pl

    table = pl.read_csv(folder / HANDS).with_columns(mbb=pl.col("br_chips_varred") * 10)
    deal = ["lbr_setting", "seed", "hand"]
    return duplicate(read_episodes(table, agent="lbr_setting", deal=deal, utility="mbb", seat="br_position"))


def _setting(folder: Path, name: str) -> tuple[float, ...]:
    table = _lbr(folder)
    row = table.agents.index(name)
    return (float(table.estimate[row]), float(table.high[row] - table.low[row]) / 2)


def _narrower(folder: Path) -> str:
    return f"pairing narrows {int((_lbr(folder).reduction > 0).sum())} of {len(LBR)} intervals"


def _hands(name: str) -> Episodes:
    hands = load(name)
    assert isinstance(hands, Episodes)
    return hands


def _helps(_: Path, name: str) -> str:
    # As in the paper every hand is a sample of its own for baseline, and every deal for duplicate.
    hands = _hands(name)
    tables = {"baseline": baseline(hands, control="honest", cluster=False), "duplicate": duplicate(hands)}
    return ", ".join(f"{method} {_range(table.reduction)}" for method, table in tables.items())


def _range(reduction: FloatArray) -> str:
    return f"{reduction.min():.0f}% to {reduction.max():.0f}% ({(reduction > 0).sum()} of {reduction.size} smaller)"


def _team(_: Path) -> tuple[float, ...]:
    """Mean and half width of a team from those of its two humans, who played a thousand hands each."""
    n, figures = 1000, []
    for (first, half_first), (second, half_second) in HUMANS:
        within = (half_first**2 + half_second**2) / 2 * (n - 1)
        between = (1.96 * (first - second) / 2) ** 2
        figures += [(first + second) / 2, float(np.sqrt((within + between) / (2 * n - 1)))]
    return tuple(figures)


lost = partial(Figure, compute=None)
holdem = partial(Figure, extra="pyspiel, games")
lbr = partial(Figure, where="DeepStack authors' release", digits=0, needs=HANDS)

FIGURES = (
    lost(
        "three-player limit hold'em: smaller standard errors of nine agents",
        "baseline 22% to 50% (9 of 9 smaller), duplicate -40% to 40% (4 of 9 smaller)",
        where="Table 1",
        because=f"{PRIVATE}; {OURS}",
    ),
    holdem(
        "three-player limit hold'em, hands of our own",
        "baseline 22% to 50% (9 of 9 smaller), duplicate -40% to 40% (4 of 9 smaller)",
        baseline_holdem.three_players_figure,
        where="as Table 1",
        because=BOTS,
    ),
    holdem(
        "three-player limit hold'em, hands of our own: agents for whom baseline is better than duplicate",
        "9 of 9",
        baseline_holdem.better_in_three,
        where="as Table 1",
        because=COST,
    ),
    Figure(
        "three-player Kuhn, hands of our own",
        "baseline 22% to 50% (9 of 9 smaller), duplicate -40% to 40% (4 of 9 smaller)",
        partial(_helps, name="hands-kuhn3"),
        where="as Table 1",
        because=OTHER,
    ),
    lost(
        "heads-up no-limit hold'em: smaller standard errors in 21 matches",
        "baseline 1% to 19% (63 of 63 smaller), duplicate 2% to 33% (21 of 21 smaller), three controls 1% to 20%",
        where="Table 2",
        because=f"{PRIVATE}; {OURS}",
    ),
    holdem(
        "heads-up no-limit hold'em, hands of our own",
        "baseline 1% to 19% (63 of 63 smaller), duplicate 2% to 33% (21 of 21 smaller), three controls 1% to 20%",
        baseline_holdem.heads_up_figure,
        where="as Table 2",
        because=BOTS,
    ),
    holdem(
        "heads-up no-limit hold'em, hands of our own: matches in which duplicate is better than every baseline",
        "20 of 21",
        baseline_holdem.better_heads_up,
        where="as Table 2",
        because=BOTS,
    ),
    Figure(
        "Leduc, hands of our own",
        "baseline 1% to 19% (63 of 63 smaller), duplicate 2% to 33% (21 of 21 smaller)",
        partial(_helps, name="hands"),
        where="as Table 2",
        because=OTHER,
    ),
    Figure(
        "two humans against a machine: mean and half width of the team, from the humans' rows",
        (-779.10, 825.71, -33.93, 629.23),
        _team,
        where="Tables 3 and 4",
    ),
    lost(
        "the same: smaller standard errors of humans and teams",
        "baseline 18% to 35%, duplicate 24% to 25% (teams only)",
        where="Tables 3 and 4",
        because=PRIVATE,
    ),
    lost(
        "ad auction with eight players",
        "baseline 0% to 53%",
        where="Table 5",
        because="the logs of this mock tournament are not among the public data we have",
    ),
    *(
        lbr(f"LBR ({name}) against Hyperborean: mbb/g and half width", published, partial(_setting, name=name))
        for name, published in LBR.items()
    ),
    lbr("the same four intervals without pairing", "pairing narrows 4 of 4 intervals", _narrower),
    Figure(
        "value of Kuhn poker for the first player",
        (-1 / 18,),
        lambda _: (equilibrium(kuhn())[0],),
        where="Kuhn (1950)",
        digits=6,
    ),
    Figure(
        "value of Leduc poker for the first player",
        (-0.085606424078,),
        lambda _: (equilibrium(leduc())[0],),
        where="reference value",
        digits=12,
    ),
)
