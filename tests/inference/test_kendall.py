"""Kendall's distance against its definition, pair by pair, and as a metric."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq

RANKS = st.lists(st.integers(0, 4), min_size=6, max_size=6)


def slow_distance(r1: list[int], r2: list[int], p: float) -> float:
    total = 0.0
    for i, j in itertools.combinations(range(len(r1)), 2):
        a, b = np.sign(r1[i] - r1[j]), np.sign(r2[i] - r2[j])
        total += 1.0 if a * b < 0 else p if (a == 0) != (b == 0) else 0.0
    return total


@given(RANKS, RANKS, st.floats(0, 1))
def test_it_equals_the_definition(r1: list[int], r2: list[int], p: float) -> None:
    assert eq.kendall_distance(r1, r2, p=p) == pytest.approx(slow_distance(r1, r2, p))


@given(RANKS, RANKS, RANKS, st.floats(0.5, 1))
def test_it_is_a_metric_from_one_half(a: list[int], b: list[int], c: list[int], p: float) -> None:
    d = eq.kendall_distance
    assert d(a, a, p=p) == 0.0
    assert d(a, b, p=p) == d(b, a, p=p)
    assert d(a, c, p=p) <= d(a, b, p=p) + d(b, c, p=p) + 1e-9


def test_below_one_half_the_triangle_inequality_breaks() -> None:
    d = eq.kendall_distance
    assert d([1, 2], [2, 1], p=0.3) > d([1, 2], [1, 1], p=0.3) + d([1, 1], [2, 1], p=0.3)


def test_long_rankings_are_counted_in_slices() -> None:
    n = 1300
    assert eq.kendall_distance(np.arange(n), -np.arange(n)) == n * (n - 1) / 2


@pytest.mark.parametrize(
    ("r1", "r2", "p", "words"),
    [
        ([1, 2], [1, 2, 3], 0.5, "lengths"),
        ([1, np.nan], [1, 2], 0.5, "NaN"),
        ([1, 2], [1, 2], 1.5, "p is a number from 0 to 1"),
        ({"a": 1}, {"b": 1}, 0.5, "different items"),
        ({"a": 1}, [1], 0.5, "mappings"),
        ([1, 2], [1, 2], "a", "p is a number"),
        ("abc", [1, 2], 0.5, "kendall_distance takes arrays of numbers"),
        ([1, 2], [1, None], 0.5, "r2 holds NaN at position 1"),
        (None, [1, 2], 0.5, "kendall_distance takes arrays of numbers"),
        ([[[1]]], [[[1]]], 0.5, "r1 is a list"),
        ([[1], [1, 2]], [1, 2], 0.5, "kendall_distance takes arrays of numbers"),
        ({"a": "x"}, {"a": 1}, 0.5, "kendall_distance takes arrays of numbers"),
    ],
)
def test_bad_rankings_are_refused(r1: object, r2: object, p: float, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words):
        eq.kendall_distance(r1, r2, p=p)  # type: ignore[arg-type]
