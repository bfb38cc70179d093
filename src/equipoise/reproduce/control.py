"""Davidson, Archibald and Bowling (2013), Baseline: luck taken out of results; and hands of others on record."""

from functools import cache
from pathlib import Path

import numpy as np

from equipoise.data.bundled import load
from equipoise.data.episodes import Episodes
from equipoise.data.read import read_episodes
from equipoise.luck.baseline import baseline
from equipoise.luck.duplicate import duplicate
from equipoise.luck.games import equilibrium, kuhn, leduc
from equipoise.luck.outcome import LuckTable
from equipoise.reproduce.figure import Figure

__all__ = ["FIGURES"]

HANDS = "poker/lbr_vs_hyperborean14_duplicate_hands.csv.gz"
LBR = {"fc4": (721.0, 56.0), "fcpa": (3852.0, 141.0), "56bets": (4675.0, 152.0), "2r56bets": (983.0, 95.0)}
"""Mean and half width of the 95% interval in mbb/g."""
PRIVATE = "hands and the control agents' self-play on the same cards were never published"
OURS = "the same comparison on hands of our own follows"


@cache
def _lbr(folder: Path) -> LuckTable:
    import polars as pl

    table = pl.read_csv(folder / HANDS).with_columns(mbb=pl.col("br_chips_varred") * 10)
    deal = ["lbr_setting", "seed", "hand"]
    return duplicate(read_episodes(table, agent="lbr_setting", deal=deal, utility="mbb", seat="br_position"))


def _setting(folder: Path, name: str) -> tuple[float, ...]:
    found = _lbr(folder)
    row = found.agents.index(name)
    return (float(found.estimate[row]), float(found.high[row] - found.low[row]) / 2)


def _narrower(folder: Path) -> str:
    return f"pairing narrows {int((_lbr(folder).reduction > 0).sum())} of {len(LBR)} intervals"


def _hands(name: str) -> Episodes:
    hands = load(name)
    assert isinstance(hands, Episodes)
    return hands


def _baseline_helps(name: str) -> str:
    # As in the paper every hand is a sample of its own.
    found = baseline(_hands(name), control="honest", cluster=False)
    low, high = float(np.min(found.reduction)), float(np.max(found.reduction))
    smaller = f"{int((found.reduction > 0).sum())} of {len(found.agents)} agents"
    return f"standard errors are smaller for {smaller}, by {low:.0f}% to {high:.0f}%"


FIGURES = (
    Figure(
        what="three-player limit hold'em: baseline against duplicate for nine agents",
        where="Table 1",
        published="baseline 22% to 50% smaller errors, duplicate -40% to 40%",
        compute=None,
        because=f"the {PRIVATE}; {OURS}",
    ),
    Figure(
        what="baseline on three-player Kuhn hands of our own",
        where="as Table 1",
        published="standard errors are smaller for 9 of 9 agents, by 22% to 50%",
        compute=lambda _: _baseline_helps("hands-kuhn3"),
        because="another game with other agents: the sign is what compares",
    ),
    Figure(
        what="heads-up no-limit hold'em: duplicate, three controls and their combination for 21 matches",
        where="Table 2",
        published="baseline 1% to 19%, combined 1% to 20%, duplicate 2% to 33%",
        compute=None,
        because=f"the {PRIVATE}; {OURS}",
    ),
    Figure(
        what="baseline on Leduc hands of our own",
        where="as Table 2",
        published="standard errors are smaller for 21 of 21 matches, by 0.6% to 19%",
        compute=lambda _: _baseline_helps("hands"),
        because="another game with other agents: the sign is what compares",
    ),
    Figure(
        what="two humans against a machine, twice",
        where="Tables 3 and 4",
        published="baseline 18% to 35%, duplicate 24% to 25% (teams only)",
        compute=None,
        because=f"the {PRIVATE}",
    ),
    Figure(
        what="ad auction with eight players",
        where="Table 5",
        published="baseline 0% to 53%",
        compute=None,
        because="the logs of this mock tournament were never published",
    ),
    *(
        Figure(
            what=f"LBR ({name}) against Hyperborean: mbb/g and half width",
            where="DeepStack authors' release",
            published=published,
            digits=0,
            needs=HANDS,
            compute=lambda folder, name=name: _setting(folder, name),  # type: ignore[misc]  # bound now, called later
        )
        for name, published in LBR.items()
    ),
    Figure(
        what="the same four intervals without pairing",
        where="DeepStack authors' release",
        published="pairing narrows 4 of 4 intervals",
        compute=_narrower,
        needs=HANDS,
    ),
    Figure(
        what="value of Kuhn poker for the first player",
        where="Kuhn (1950)",
        published=(-1 / 18,),
        digits=6,
        compute=lambda _: (equilibrium(kuhn())[0],),
    ),
    Figure(
        what="value of Leduc poker for the first player",
        where="reference value",
        published=(-0.085606424078,),
        digits=9,
        compute=lambda _: (equilibrium(leduc())[0],),
    ),
)
