"""Deviation ratings: games whose ratings are known, a slow version, and copies."""

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy

import equipoise as eq

DATA = Path(os.environ.get("EQUIPOISE_DATA", ""))
ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
KNOWN = {
    "dilemma": (([[-1, -3], [0, -2]], None), [(-1, 0)]),
    "battle": (([[3, 0], [0, 2]], [[2, 0], [0, 3]]), [(-1, -1.5), (-1.5, -1)]),
    "chicken": (([[0, 7], [2, 6]], None), [(-1, -0.5)]),
    "shapley": (([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]]), [(-1 / 6,) * 3] * 2),
    "losing on ties": ((ROCK - np.eye(3), None), [(-1 / 3,) * 3]),
    "biased": (([[-8, -2, 4], [2, -8, -1], [-4, 1, -8]], None), [(-2.8215767635,) * 3]),
    "zero-sum rows": (([[0, 0], [-1, -3], [-3, -1]], [[0, 0], [1, 3], [3, 1]]), [(0, -2, -2), (0, 0)]),
}


def game(first, second):
    return eq.MetaGame.symmetric(first) if second is None else eq.MetaGame.from_payoffs([first, second])


@pytest.mark.parametrize("name", KNOWN)
def test_games_with_known_ratings(name):
    payoffs, wanted = KNOWN[name]
    found = eq.deviation_ratings(game(*payoffs))
    for own, known in zip(found.rating, wanted, strict=True):
        assert own == pytest.approx(known, abs=1e-8)


def slow_ratings(payoffs):
    """Lower the largest gain; keep a strategy if a program of its own says that it cannot fall below that."""
    shape = payoffs[0].shape
    rows = [
        (np.take(payoff, [a], axis=p) - payoff).ravel() for p, payoff in enumerate(payoffs) for a in range(shape[p])
    ]
    rows, value = np.array(rows), {}
    while len(value) < len(rows):
        free = [k for k in range(len(rows)) if k not in value]
        upper = np.column_stack([rows, [-1.0 if k in free else 0.0 for k in range(len(rows))]])
        limit = np.array([value.get(k, 0.0) + 1e-9 * (k in value) for k in range(len(rows))])
        width = rows.shape[1]
        simplex = {"A_eq": np.append(np.ones(width), 0.0)[None], "b_eq": [1.0]}
        bounds = [(0, None)] * width + [(None, None)]
        e = scipy.optimize.linprog(np.append(np.zeros(width), 1.0), upper, limit, bounds=bounds, **simplex).fun
        fixed = [*bounds[:-1], (None, e + 1e-9)]
        least = {
            k: scipy.optimize.linprog(np.append(rows[k], 0.0), upper, limit, bounds=fixed, **simplex).fun for k in free
        }
        value |= {k: e for k in free if least[k] > e - 1e-6}
    return np.split(np.array([value[k] for k in range(len(rows))]), np.cumsum(shape)[:-1])


@pytest.mark.parametrize("seed", range(12))
def test_one_program_a_strategy_gives_the_same(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 4, size=rng.integers(2, 4)))
    payoffs = [rng.integers(-3, 4, shape).astype(float) for _ in shape]
    found = eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs))
    for own, known in zip(found.rating, slow_ratings(payoffs), strict=True):
        assert own == pytest.approx(np.minimum(known, 0.0), abs=1e-5)
    assert found.excess <= 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_copies_and_offsets_change_nothing(seed):
    rng = np.random.default_rng(seed)
    payoffs = [rng.integers(-3, 4, (3, 2, 3)).astype(float) for _ in range(3)]
    plain = eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs))
    copied = eq.deviation_ratings(eq.MetaGame.from_payoffs([each[[0, 1, 2, 1]] for each in payoffs]))
    assert copied.rating[0][:3] == pytest.approx(plain.rating[0], abs=1e-7)
    assert copied.rating[0][3] == copied.rating[0][1]
    assert copied.rating[1] == pytest.approx(plain.rating[1], abs=1e-7)
    assert "strategy-clones" in {note.code for note in copied.diagnostics}
    moved = [payoffs[0] + rng.normal(size=(1, 2, 3)), *payoffs[1:]]
    offset = eq.deviation_ratings(eq.MetaGame.from_payoffs(moved))
    for one, other in zip(plain.rating, offset.rating, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_the_units_of_one_player_change_the_ratings():
    first, second = np.array([[3.0, 0], [0, 2]]), np.array([[2.0, 0], [0, 3]])
    assert eq.deviation_ratings(game(first, 10 * second)).rating[0] == pytest.approx([-1.2, -1.2])


@pytest.mark.skipif(not (DATA / "metagames").is_dir(), reason="EQUIPOISE_DATA names no folder with meta-games")
def test_poker_and_soccer():
    three = eq.deviation_ratings(eq.read_metagame(DATA / "metagames" / "kuhn_poker_3p_metagame.json"))
    for own, known in zip(three.rating, [(-0.15, -0.34, 0), (-0.43, -0.72, 0), (-0.14, 0, -0.04)], strict=True):
        assert own == pytest.approx(known, abs=1e-6)
    soccer = eq.deviation_ratings(eq.read_pairs(DATA / "metagames" / "soccer_winprob_10x10.csv"))
    wanted = [-0.2501355817, 0, -0.2702207775, -0.0322629964, -0.0031515496, -0.2360503006, -0.3522148294,
              -0.0662678288, 0, 0]  # fmt: skip
    assert soccer.rating[0] == pytest.approx(wanted, abs=1e-8)


def test_alphago_programs():
    found = eq.deviation_ratings(eq.load("alphago"))
    assert found.rating[0] == pytest.approx([0, -0.98, -0.9, -1, -1, -1, -1, -0.98])
    assert found.best() == ("rvp",)


def test_agents_that_are_entered_twice_keep_their_rating():
    values = np.array([[3.0, 1, 2], [2, 3, 1], [1, 2, 0]])
    plain = eq.deviation_ratings(eq.Scores.from_matrix(values, ["a", "b", "c"]))
    twice = eq.deviation_ratings(eq.Scores.from_matrix(values[[0, 1, 2, 0]][:, [0, 1, 2, 2]], ["a", "b", "c", "d"]))
    assert twice.rating[0][:3] == pytest.approx(plain.rating[0], abs=1e-7)
    gap = values.copy()
    gap[0, 0] = np.nan
    with pytest.raises(eq.DataError, match="missing"):
        eq.deviation_ratings(eq.Scores.from_matrix(gap))


def test_the_distribution_is_one_at_which_nobody_gains_more_than_the_rating():
    rng = np.random.default_rng(3)
    payoffs = [rng.normal(size=(3, 3, 2)) for _ in range(3)]
    found = eq.deviation_ratings(eq.MetaGame.from_payoffs(payoffs))
    s = found.distribution
    assert s.sum() == pytest.approx(1.0)
    for p, payoff in enumerate(payoffs):
        for a in range(payoff.shape[p]):
            gain = sum(
                s[at] * (payoff[(*at[:p], a, *at[p + 1 :])] - payoff[at]) for at in product(*map(range, s.shape))
            )
            assert gain <= found.rating[p][a] + 1e-7
