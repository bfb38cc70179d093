"""The verdict on published games."""

import numpy as np
import polars as pl
import pytest

import equipoise as eq


@pytest.fixture(scope="module")
def go_bots(equipoise_data):
    return eq.read_pairs(equipoise_data / "go_bots" / "cross_results_long.csv.gz")


def test_go_bots_are_mostly_transitive_and_surely_not_quite(go_bots):
    # 319 programs, 124,724 games: METHODS figures X2 about 9160 on 6378 df, share about .16.
    found = eq.transitivity(go_bots, n=99)
    assert found.df == 6378
    assert found.pearson == pytest.approx(9160, abs=10)
    assert found.cyclic_share == pytest.approx(0.16, abs=0.01)
    assert found.p_value == 0.01
    assert found.low < found.cyclic_share < found.high < 0.25
    assert "16%" in found.text
    assert found.text.startswith("A single rating omits part of the picture")


def test_go_bots_with_the_advantage_of_black_say_the_same(go_bots):
    found = eq.transitivity(go_bots, side=True, n=99)
    assert found.cyclic_share == pytest.approx(0.16, abs=0.02)
    assert found.text.startswith("A single rating omits part of the picture")


def test_go_bots_decompose_with_few_holes(go_bots):
    parts = eq.hodge(go_bots)
    assert parts.holes == 5
    assert parts.harmonic_share < 0.002
    assert parts.fit.residual < 1e-12


def test_pokemon_types_are_a_nearly_pure_cyclic_game(equipoise_data):
    chart = pl.read_csv(equipoise_data / "pokemon" / "type_effectiveness_attack_x_defend.csv")
    names = chart["attack"].to_list()
    game = eq.MetaGame.symmetric(chart.drop("attack").to_numpy(), names)
    found = eq.hodge(game)
    assert found.cyclic_share > 0.95
    assert found.curl("fire", "grass", "water") > 0
    discs = eq.schur(game, part="cyclic")
    np.testing.assert_allclose(discs.approximation(len(discs.values)), found.cyclic, atol=1e-10)


def test_the_bundled_alphago_table_is_the_published_one(equipoise_data):
    table = eq.read_pairs(equipoise_data / "alphago" / "alphago7_plus_zen_winprob_8x8.csv")
    np.testing.assert_allclose(eq.melo(table).log_loss, eq.melo(eq.load("alphago")).log_loss, atol=1e-9)


def test_citations_are_explained_by_one_number(equipoise_data):
    found = eq.transitivity(eq.read_pairs(equipoise_data / "bradley_terry" / "citations.csv"))
    assert found.text.startswith(("A single rating describes", "No sign", "There may be some"))
    assert found.high < 0.05


def test_baseball_without_home_advantage_is_no_cycle(equipoise_data):
    found = eq.transitivity(eq.read_pairs(equipoise_data / "bradley_terry" / "baseball.csv"), side=True)
    assert found.p_value > 0.05


def test_llmfao_votes_are_mostly_transitive(equipoise_data):
    found = eq.transitivity(eq.read_pairs(equipoise_data / "llmfao" / "llmfao.csv"), n=99)
    assert found.p_value <= 0.01
    assert found.cyclic_share < 0.3
    assert eq.melo(eq.read_pairs(equipoise_data / "llmfao" / "llmfao.csv"), k="auto", folds=3).k <= 1
