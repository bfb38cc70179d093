"""Luck on real hands: LBR against Hyperborean (duplicate deals), and Pluribus (six players)."""

from pathlib import Path

import polars as pl
import pytest

import equipoise as eq

LBR = {"fc4": (721, 56), "fcpa": (3852, 141), "56bets": (4675, 152), "2r56bets": (983, 95)}
"""Mean and 95% half width in mbb/g, as published by the DeepStack authors."""


@pytest.fixture(scope="module")
def lbr(equipoise_data: Path) -> pl.DataFrame:
    return pl.read_csv(equipoise_data / "poker" / "lbr_vs_hyperborean14_duplicate_hands.csv.gz").with_columns(
        mbb=pl.col("br_chips_varred") * 10, plain=pl.col("br_chips") * 10
    )


def episodes(table: pl.DataFrame, utility: str) -> eq.Episodes:
    return eq.read_episodes(
        table, agent="lbr_setting", deal=["lbr_setting", "seed", "hand"], utility=utility, seat="br_position"
    )


def test_duplicate_gives_the_published_figures_to_rounding(lbr: pl.DataFrame) -> None:
    result = eq.duplicate(episodes(lbr, "mbb"))
    found = {
        name: (round(estimate), round((high - low) / 2))
        for name, estimate, low, high in zip(result.agents, result.estimate, result.low, result.high, strict=True)
    }
    assert found == LBR


def test_unpaired_intervals_are_wider(lbr: pl.DataFrame) -> None:
    result = eq.duplicate(episodes(lbr, "mbb"))
    assert (result.reduction > 0).all()
    assert (result.deals == 50_000).all()


def test_the_published_variance_reduction_is_a_luck_adjustment_we_can_check(lbr: pl.DataFrame) -> None:
    # chips minus reduced chips is their luck term: as luck must, it has mean zero, and taking it out helps.
    for name in LBR:
        mine = lbr.filter(pl.col("lbr_setting") == name)
        deal = (mine["seed"].cast(str) + "-" + mine["hand"].cast(str)).to_numpy()
        luck = (mine["plain"] - mine["mbb"]).to_numpy()
        result = eq.advantage_sum(mine["plain"].to_numpy(), luck, deal=deal)
        assert not [d for d in result.diagnostics if d.code == "zero-luck"]
        assert result.estimate == pytest.approx(LBR[name][0], abs=1)
        assert result.stderr < result.mean_stderr


def test_hands_that_were_dealt_once_are_refused(equipoise_data: Path) -> None:
    table = pl.read_csv(equipoise_data / "poker" / "pluribus_hands_net.csv.gz", schema_overrides={"session": pl.String})
    hands = eq.read_episodes(table, agent="player", deal=["session", "hand"], utility="net_chips", seat="seat")
    with pytest.raises(eq.DataError, match="MrBlue: none of 9,121 deals was played in every seat"):
        eq.duplicate(hands)
    assert len(hands) == 60_000
