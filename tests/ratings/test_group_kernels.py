"""Sums over many small groups: compiled loops against a plain table of groups by unknowns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.ratings.paired import clustered_errors
from equipoise.ratings.paired.clustered_errors import outer_products, squared_sums


@given(seed=st.integers(0, 10**6), groups=st.integers(1, 8), size=st.integers(1, 6), parts=st.integers(1, 3))
def test_sums_of_groups_are_those_of_a_table(seed, groups, size, parts):
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(groups, size=30)).astype(np.int32)
    column, value = rng.integers(size, size=(30, parts)), rng.normal(size=(30, parts))
    table = np.zeros((groups, size))
    np.add.at(table, (group[:, None], column), value)
    np.testing.assert_allclose(outer_products(group, column, value, size), table.T @ table, atol=1e-12)
    total, squares = squared_sums(group, column, value, size)
    np.testing.assert_allclose(total, table.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(squares, (table**2).sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"side": True}, {"ties": "davidson", "side": True}])
def test_clustered_errors_are_the_same_by_compiled_loops(monkeypatch, options):
    rng = np.random.default_rng(3)
    a = rng.integers(12, size=400)
    names = [[f"agent {code}" for code in codes] for codes in (a, (a + rng.integers(1, 12, size=400)) % 12)]
    games = eq.Matches.from_columns(*names, rng.choice([0, 0.5, 1], size=400), group=rng.integers(150, size=400))
    expected = eq.bradley_terry(games, **options)
    monkeypatch.setattr(clustered_errors, "LONG", 0)
    assert clustered_errors._many_small(games.group, 12, [()] * 2)
    found = eq.bradley_terry(games, **options)
    np.testing.assert_allclose(found.covariance, expected.covariance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.stderr, expected.stderr, rtol=1e-9)
    assert np.asarray(found.degrees).tolist() == np.asarray(expected.degrees).tolist()
