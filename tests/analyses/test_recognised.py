"""What a file says besides who won is used without being asked, and said."""

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.analyses.boards.recognised import position_stands


@pytest.fixture(scope="module")
def swiss():
    """Nine Swiss rounds of sixteen players in which white has an advantage."""
    rng = np.random.default_rng(3)
    strength, points, rows = rng.normal(size=16) * 0.5, np.zeros(16), []
    for number in range(1, 10):
        order = np.argsort(rng.random(16) * 0.1 - points)
        for one, other in zip(order[::2], order[1::2], strict=True):
            white, black = (one, other) if rng.random() < 0.5 else (other, one)
            won = rng.random() < 1 / (1 + np.exp(strength[black] - strength[white] - 0.8))
            points[white if won else black] += 1
            rows.append((f"p{white}", f"p{black}", "1-0" if won else "0-1", number))
    return pl.DataFrame(rows, schema=["white", "black", "result", "round"], orient="row")


def codes(board):
    return {note.code for note in board.diagnostics}


def test_rounds_of_a_swiss_are_looked_at(swiss):
    board = eq.rank(swiss)
    assert "adaptive-pairing" in codes(board)
    assert board.params["pairing"] == "adaptive"
    np.testing.assert_allclose(board.frame()["low"], eq.rank(swiss, read=eq.ReadOptions(time="round")).frame()["low"])
    assert "adaptive-pairing" not in codes(eq.rank(swiss, pairing="fixed"))
    assert "adaptive-pairing" not in codes(eq.rank(swiss.drop("round")))


def test_rounds_that_are_no_times_are_left_alone(swiss):
    named = swiss.with_columns(round=pl.Series([f"round {name}" for name in "abcdefgh" * 9]))
    assert "adaptive-pairing" not in codes(eq.rank(named))


def test_an_advantage_of_white_is_in_the_model(swiss):
    board = eq.rank(swiss)
    (note,) = [note for note in board.diagnostics if note.code == "position-modelled"]
    assert "it is in the model" in note.message
    assert float(board.rated.side) > 0
    plain = eq.rank(swiss, side=False)
    assert plain.rated.side is None
    assert "position-modelled" not in codes(plain)


def test_an_advantage_of_white_is_in_the_model_where_the_stronger_mostly_have_white():
    rng = np.random.default_rng(31)
    one, other = rng.integers(6, size=3000), rng.integers(1, 6, size=3000)
    other = (one + other) % 6
    swapped = (one > other) & (rng.random(3000) < 0.85)
    white, black = np.where(swapped, other, one), np.where(swapped, one, other)
    won = rng.random(3000) < 1 / (1 + np.exp(0.4 * (white - black) - 0.5))
    games = pl.DataFrame({
        "white": [f"p{name}" for name in white], "black": [f"p{name}" for name in black],
        "result": np.where(won, "1-0", "0-1"),
    })  # fmt: skip
    board = eq.rank(games)
    assert float(board.rated.side) == pytest.approx(0.5, abs=0.2)
    listed = games.with_columns(white=pl.min_horizontal("white", "black"), black=pl.max_horizontal("white", "black"))
    assert eq.rank(listed).rated.side is None, "one list before the other is no position"


@pytest.mark.parametrize(("side", "stands"), [(0.0, False), (0.4, True)])
def test_a_link_that_is_not_logistic_is_no_advantage_of_the_stronger_who_are_first(side, stands):
    strength, (first, second) = np.array([0.0, 0.3, 0.9, 1.6, 2.8]), np.nonzero(~np.eye(5, dtype=bool))
    games, gap = np.where(first > second, 1800.0, 200.0), strength[first] - strength[second] + side
    wins = games * (0.5 + np.arctan(1.2 * gap) / np.pi)
    table = eq.PairTable.from_counts(tuple("abcde"), first, second, wins, games - wins)
    fit = eq.bradley_terry(table, side=True)
    assert fit.side.low > 0, "the fit by itself says one"
    assert position_stands(table) is stands


def test_an_advantage_of_columns_that_name_no_position_is_said(swiss):
    board = eq.rank(swiss.rename({"white": "model_a", "black": "model_b", "result": "score"}))
    assert board.rated.side is None
    (note,) = [note for note in board.diagnostics if note.code == "position-advantage"]
    assert note.message.startswith("The first position has an advantage of ")


def test_without_an_advantage_nothing_is_said_of_positions(swiss):
    fair = swiss.with_columns(result=pl.Series(["1-0", "0-1"] * 36))
    assert not {"position-modelled", "position-advantage"} & codes(eq.rank(fair))


def test_the_zero_of_a_board_is_the_mean_weighted_by_games():
    games = [("a", "b", k % 2) for k in range(30)] + [("b", "c", k % 3 > 0) for k in range(30)] + [("new", "a", 1)] * 5
    first, second, score = zip(*games, strict=True)
    matches = eq.Matches.from_columns(first, second, [float(one) for one in score])
    board, fit = eq.rank(matches), eq.bradley_terry(matches)
    ratings = board.rated
    assert ratings.rating @ ratings.games == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(np.ptp(ratings.rating - fit.rating), 0.0, atol=1e-12)
    share = fit.games / fit.games.sum()
    for k in range(3):
        contrast = np.eye(4)[k] - share
        assert ratings.stderr[k] ** 2 == pytest.approx(contrast @ fit.covariance @ contrast)
    assert ratings.stderr[:3].max() < 0.8 * fit.stderr[:3].max(), "the newcomer widens nobody's interval"
    assert ratings.provisional.tolist() == [name == "new" for name in ratings.agents]
    assert board.frame()["agent"][-1] == "new"
