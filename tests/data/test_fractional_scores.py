"""Fractional scores keep the sum of their squares, however pair counts are made."""

import numpy as np
import pytest

import equipoise as eq

A, B = list("xyxyz"), list("yxyxx")
SCORE = [0.7, 0.4, 0.7, 0.5, 1.0]


def test_the_variation_of_single_games_is_kept():
    table = eq.Matches.from_columns(A, B, SCORE).pairs()
    for i, j, found in zip(table.first, table.second, table.variation(), strict=True):
        names = (table.agents[i], table.agents[j])
        scores = [s for a, b, s in zip(A, B, SCORE, strict=True) if (a, b) == names]
        assert found == pytest.approx(np.sum((np.array(scores) - np.mean(scores)) ** 2))


def test_sides_do_not_matter_to_it_and_counts_without_fractions_have_none():
    table = eq.Matches.from_columns(A, B, SCORE).pairs().unordered()
    scores = np.array([0.7, 0.6, 0.7, 0.5])
    at = table.first + table.second == 1
    assert table.variation()[at][0] == pytest.approx(np.sum((scores - scores.mean()) ** 2))
    assert eq.Matches.from_columns(A, B, [1, 0, 1, 0.5, 1]).pairs().shared is None


def test_a_weight_is_as_many_rows():
    heavy = eq.PairTable.from_columns(A, B, SCORE, [3] * 5)
    rows = eq.PairTable.from_columns(A * 3, B * 3, SCORE * 3)
    np.testing.assert_allclose(heavy.shared, rows.shared)


@pytest.mark.parametrize("read", [eq.read_pairs, lambda path: eq.read_matches(path).pairs()])
def test_files_keep_it(tmp_path, read):
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n" + "".join(f"{a},{b},{s}\n" for a, b, s in zip(A, B, SCORE, strict=True)))
    np.testing.assert_allclose(read(path).shared, eq.Matches.from_columns(A, B, SCORE).pairs().shared)


@pytest.mark.parametrize("unit", ["matches", "clusters"])
def test_a_bootstrap_of_fractional_scores_spreads_as_single_games_do(unit):
    rng = np.random.default_rng(1)
    score = 0.5 + 0.05 * rng.standard_normal(80)
    group = None if unit == "matches" else range(80)
    m = eq.Matches.from_columns(["a"] * 80, ["b"] * 80, score, group=group)
    expected = 2 * score.std() / np.sqrt(80)
    assert eq.bootstrap(eq.bradley_terry, m, n=600, over=unit).stderr[0] == pytest.approx(expected, rel=0.12)
