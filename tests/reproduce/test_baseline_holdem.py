"""Tables of hold'em hands of our own: the shape of the paper's, and errors that get smaller."""

import numpy as np
import pytest

from equipoise.reproduce import baseline

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: the extra games")


@pytest.fixture(scope="module")
def three():
    return baseline.three_players(8, 1)


@pytest.fixture(scope="module")
def two():
    return baseline.heads_up(120, 1)


def test_the_first_table_has_nine_agents_and_four_methods(three):
    assert three.labels == baseline.NINE
    assert list(three.reduction) == ["baseline", "duplicate", "MIVAT", "AIVAT"]
    assert {len(values) for values in three.reduction.values()} == {9}


def test_the_second_table_has_a_row_for_each_match(two):
    assert len(two.labels) == 21
    assert {len(values) for values in two.reduction.values()} == {21}
    assert "caller vs tight" in two.labels


def test_what_all_win_adds_up_to_zero(three):
    # Every agent sat at equally many tables, so the means weigh the same.
    assert three.mean.sum() == pytest.approx(0.0, abs=1e-9)
    assert (three.half > 0).all()


def test_luck_of_the_cards_makes_most_errors_smaller_and_rolls_help_on(three):
    assert (three.reduction["MIVAT"] > 10).all()
    assert np.mean(three.reduction["AIVAT"]) > np.mean(three.reduction["MIVAT"])


def test_words_give_the_range_and_how_many_became_smaller(three):
    words = three.words()
    first = three.reduction["baseline"]
    assert words.startswith(f"baseline {first.min():.0f}% to {first.max():.0f}% ({(first > 0).sum()} of 9 smaller)")
    assert words.count("of 9 smaller") == 4


def test_baselines_are_compared_with_duplicate(monkeypatch, three, two, tmp_path):
    monkeypatch.setattr(baseline, "three_players", lambda *_: three)
    monkeypatch.setattr(baseline, "heads_up", lambda *_: two)
    better = sum(a > b for a, b in zip(three.reduction["baseline"], three.reduction["duplicate"], strict=True))
    assert baseline.better_in_three(tmp_path) == f"{better} of 9"
    own = [two.reduction[name] for name in two.reduction if name.startswith("control ") or name == "three controls"]
    assert len(own) == 4
    most = sum(two.reduction["duplicate"][row] > max(values[row] for values in own) for row in range(21))
    assert baseline.better_heads_up(tmp_path) == f"{most} of 21"
    assert "of 63 smaller" in baseline.heads_up_result(tmp_path)
