"""Ratings on public data, against figures published elsewhere."""

import polars as pl
import pytest

import equipoise as eq


def relative(result, anchor):
    shifted = result.relative_to(anchor)
    return dict(zip(shifted.agents, shifted.rating, strict=True))


def test_baseball_has_the_home_advantage_of_the_textbook(equipoise_data):
    """Agresti's baseball data as in the R package BradleyTerry2."""
    table = eq.read_pairs(equipoise_data / "bradley_terry" / "baseball.csv")
    result = eq.bradley_terry(table, side=True)
    assert result.side == pytest.approx(0.3023, abs=5e-5)
    assert relative(result, "Baltimore")["Detroit"] == pytest.approx(1.4754, abs=5e-5)
    assert relative(eq.bradley_terry(table), "Baltimore")["Detroit"] == pytest.approx(1.4364, abs=5e-5)


def test_citations_have_the_ratings_of_the_textbook(equipoise_data):
    """Stigler's citation counts between four journals, as in the R package BradleyTerry2."""
    result = eq.bradley_terry(eq.read_pairs(equipoise_data / "bradley_terry" / "citations.csv"))
    found = relative(result, "Biometrika")
    assert found["Comm Statist"] == pytest.approx(-2.9491, abs=5e-5)
    assert found["JASA"] == pytest.approx(-0.4796, abs=5e-5)
    assert found["JRSS-B"] == pytest.approx(0.2690, abs=5e-5)


def test_llmfao_has_the_order_of_the_reference_scores(equipoise_data):
    """Reference: evalica's Bradley-Terry scores of 59 language models."""
    golden = pl.read_csv(equipoise_data / "llmfao" / "llmfao-golden.csv").filter(pl.col("algorithm") == "bradley_terry")
    reference = golden.sort("score", descending=True)["item"].to_list()
    result = eq.bradley_terry(eq.read_matches(equipoise_data / "llmfao" / "llmfao.csv"))
    assert result.frame().sort("rating", descending=True)["agent"].to_list() == reference


def test_go_bots_count_mirrored_rows_once_and_have_a_side_advantage_with_an_interval(equipoise_data):
    table = eq.read_pairs(equipoise_data / "go_bots" / "cross_results_long.csv.gz")
    assert table.games.sum() == 124_724
    assert len(table.agents) == 319
    assert "mirrored-rows" in {note.code for note in table.diagnostics}
    side = eq.bradley_terry(table, side=True).side
    assert 0 < side.low < side < side.high
    assert side == pytest.approx(0.111, abs=0.001)


def test_go_bots_agree_with_the_reference_elo(equipoise_data):
    table = eq.read_pairs(equipoise_data / "go_bots" / "cross_results_long.csv.gz")
    reference = dict(pl.read_csv(equipoise_data / "go_bots" / "elo_reference.csv").iter_rows())
    result = eq.bradley_terry(table)
    ours = pl.Series(result.rating / eq.methods.ELO_POINT)
    theirs = pl.Series([reference[name] for name in result.agents])
    assert pl.DataFrame([ours.alias("a"), theirs.alias("b")]).select(pl.corr("a", "b")).item() > 0.999


def test_school_preferences_with_ties_need_their_missing_rows_skipped(equipoise_data):
    """CEMS: ties are frequent; some comparisons were never made."""
    path = equipoise_data / "bradley_terry" / "CEMS_preferences.csv"
    with pytest.raises(eq.DataError, match="missing or not a number in row 3"):
        eq.read_pairs(path)
    table = eq.read_pairs(path, read=eq.ReadOptions(on_error="skip"), group="student")
    result = eq.bradley_terry(table, ties="davidson")
    assert result.frame()["agent"][0] == "London"
    assert result.tie.low < result.tie < result.tie.high


def test_ice_hockey_is_read_with_its_sides(equipoise_data):
    result = eq.bradley_terry(eq.read_pairs(equipoise_data / "bradley_terry" / "icehockey.csv"), side=True)
    assert result.side.high < 0, "the visitor is named first and plays away"


def test_alphago_on_file_equals_the_bundled_table(equipoise_data):
    on_file = eq.read_pairs(equipoise_data / "alphago" / "alphago7_plus_zen_winprob_8x8.csv")
    bundled = eq.load("alphago")
    assert on_file.probabilities() == pytest.approx(bundled.probabilities())
