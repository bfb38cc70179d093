"""Refits on squares, simulated ranks and pooled groups are those of the slow and obvious way."""

import pickle

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.inference import ranks
from equipoise.inference.resampling import resamples
from equipoise.ratings.paired import refits
from equipoise.ratings.paired.errors import _positive_inverse, _sandwich


def games(seed, agents=8, rows=600, groups=None):
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=agents)
    a = rng.integers(agents, size=rows)
    b = (a + rng.integers(1, agents, size=rows)) % agents
    won = rng.random(rows) < 1 / (1 + np.exp(strength[b] - strength[a] - 0.3))
    outcome = np.where(rng.random(rows) < 0.1, 0.5, won)
    group = None if groups is None else Factor.of(rng.integers(groups, size=rows))
    names = tuple(f"p{k}" for k in range(agents))
    return eq.Matches.from_codes(names, a.astype(np.int32), b.astype(np.int32), outcome, group=group)


@pytest.mark.parametrize("options", [{}, {"side": True}, {"prior": 1.0}, {"side": True, "prior": 0.5}])
@pytest.mark.parametrize("seed", range(4))
def test_a_refit_is_the_fit_of_the_resample(options, seed, monkeypatch):
    data = games(seed)
    first = eq.bradley_terry(data, **options)
    tables = [games(seed).take(np.random.default_rng(k).integers(600, size=600)).pairs() for k in range(3)]
    # Tables of the same pairs: counts of the resample on the rows of the data.
    rows = data.pairs()
    key = {pair: at for at, pair in enumerate(zip(rows.first, rows.second, strict=True))}
    same = []
    for table in tables:
        at = [key[pair] for pair in zip(table.first, table.second, strict=True)]
        counts = np.zeros((3, len(rows.first)))
        counts[:, at] = [table.wins, table.losses, table.ties]
        same.append(rows.with_counts(*counts))
    monkeypatch.setattr(refits, "_refit", lambda *_: pytest.fail("every one of these is found by quick steps"))
    for found, table in zip(first.refit(same), tables, strict=True):
        np.testing.assert_allclose(found, eq.bradley_terry(table, **options).rating, atol=2e-9)


def test_components_and_the_unbeaten_are_left_to_the_careful_way():
    rows = games(1, agents=4, rows=200).pairs()
    first = eq.bradley_terry(rows)
    apart = np.isin(rows.first, [0, 1]) == np.isin(rows.second, [0, 1])
    unbeaten = np.where(rows.first == 0, 1.0, np.where(rows.second == 0, 0.0, 0.5))
    torn = rows.with_counts(rows.wins * apart, rows.losses * apart, rows.ties * apart)
    best = rows.with_counts(rows.games * unbeaten, rows.games * (1 - unbeaten), 0 * rows.ties)
    error, rating = first.refit([torn, best])
    assert isinstance(error, eq.DisconnectedError)
    np.testing.assert_allclose(rating, eq.bradley_terry(best).rating, atol=1e-8)


@pytest.mark.parametrize("uneven", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("agents", [2, 3, 30])
def test_largest_ratios_are_those_of_all_pairs(agents, uneven):
    rng = np.random.default_rng(agents)
    root = np.exp(uneven * rng.normal(size=(agents, 1))) * rng.normal(size=(agents, agents + 2)) / 3
    root += np.eye(agents, agents + 2)
    draws = (root @ rng.normal(size=(agents + 2, 700))).astype(np.float32)
    spread = ranks._standard_errors(root @ root.T)
    spread[0, 1] = spread[1, 0] = 0.0 if agents > 2 else spread[0, 1]
    with np.errstate(divide="ignore"):
        scale = np.where(spread > 0, 1 / spread, 0.0)
    found = ranks._largest_ratios(draws, scale)
    every = np.abs(draws[:, None] - draws[None]) * scale[:, :, None]
    np.testing.assert_allclose(found, every.max(axis=(0, 1)), rtol=1e-6)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("groups", [3, 40, 500])
def test_groups_change_errors_and_not_ratings(ties, groups):
    data = games(5, groups=groups)
    clustered, plain = (
        eq.bradley_terry(data, ties=ties, side=True),
        eq.bradley_terry(data.pairs(), ties=ties, side=True),
    )
    np.testing.assert_allclose(clustered.rating, plain.rating, atol=1e-9)
    assert clustered.log_likelihood == pytest.approx(plain.log_likelihood)
    assert not np.allclose(clustered.stderr, plain.stderr)


@pytest.mark.parametrize("size", [1, 5, 700])
def test_symmetric_products(size):
    rng = np.random.default_rng(size)
    root = rng.normal(size=(size, size + 3))
    matrix, meat = root @ root.T, root[:, ::-1] @ root[:, ::-1].T
    inverse = _positive_inverse(matrix)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrix), rtol=1e-6, atol=1e-6 * np.abs(inverse).max())
    np.testing.assert_allclose(_sandwich(matrix, meat), matrix @ meat @ matrix, rtol=1e-8, atol=1e-6)


def test_no_inverse_of_what_has_none():
    assert _positive_inverse(np.diag([1.0, 0.0])) is None
    assert _positive_inverse(np.diag([1.0, 1e-20])) is None


def test_ranks_that_wait_are_those_drawn_at_once():
    data = games(3)
    later, now = eq.bradley_terry(data, rng=5), eq.bradley_terry(data, rng=np.random.default_rng(5))
    sent = pickle.loads(pickle.dumps(eq.bradley_terry(data, rng=5)))
    for name in ("rank_low", "rank_high"):
        np.testing.assert_array_equal(getattr(later, name), getattr(now, name))
        np.testing.assert_array_equal(getattr(sent, name), getattr(now, name))
        assert not getattr(later, name).flags.writeable
    assert later.rank_low is later.rank_low


def test_a_generator_is_drawn_from_before_the_fit_returns():
    rng, same = np.random.default_rng(5), np.random.default_rng(5)
    eq.bradley_terry(games(3), rng=rng)
    assert rng.random() != same.random()


@pytest.mark.parametrize("rows", [60, 6000])
def test_draws_of_unordered_pairs_are_the_same_draws(rows):
    table = games(4, rows=rows).pairs()
    kinds = (resamples(table, "match", counts=True, unordered=unordered) for unordered in (False, True))
    both, one = (draw(1, np.random.default_rng(7))[0] for draw in kinds)
    assert (one.first < one.second).all()
    np.testing.assert_array_equal(one.games_matrix(), both.games_matrix())
    np.testing.assert_array_equal(one.win_matrix(), both.win_matrix())


@pytest.mark.parametrize("options", [{}, {"prior": 1.0}])
@pytest.mark.parametrize("rows", [60, 600, 6000])
@pytest.mark.parametrize("spread", [1.0, 6.0])
def test_a_refit_of_a_square_is_the_fit_of_its_table(options, rows, spread):
    data = spread_out(rows, spread).pairs()
    first = eq.bradley_terry(data, **options)
    drawn = resamples(data, "match", counts=True)(8, np.random.default_rng(0))
    for found, table in zip(first.refit(drawn), drawn, strict=True):
        if isinstance(found, eq.EquipoiseError):
            with pytest.raises(type(found)):
                eq.bradley_terry(table, **options)
        else:
            # A refit keeps the prior of the first fit.
            held = {"prior": first.params["prior"]}
            np.testing.assert_allclose(found, eq.bradley_terry(table, **held).rating, atol=2e-8)


def spread_out(rows, spread):
    """Games of agents far apart: estimates are large, and some resamples have none that is finite."""
    rng = np.random.default_rng(rows)
    strength = spread * rng.normal(size=8)
    a = rng.integers(8, size=rows)
    b = (a + rng.integers(1, 8, size=rows)) % 8
    won = rng.random(rows) < 1 / (1 + np.exp(strength[b] - strength[a]))
    names = tuple(f"p{k}" for k in range(8))
    return eq.Matches.from_codes(names, a.astype(np.int32), b.astype(np.int32), won.astype(float))
