"""Existence of the estimate against a linear program that looks for a direction of recession."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from equipoise.ratings.existence import connections, side_is_confounded, side_separates
from equipoise.ratings.tie_models import Cells

games = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["w", "l", "t"])).filter(lambda g: g[0] != g[1]),
    min_size=1,
    max_size=14,
)


def arrays(rows):
    first, second = (np.array([row[k] for row in rows], dtype=np.int32) for k in (0, 1))
    return first, second, Cells(*(np.array([float(row[2] == kind) for row in rows]) for kind in "wlt"))


def escapes(rows, agents, side):
    """Tell whether the likelihood grows for ever in some direction: all d weakly right, one of them strictly.

    Written as: maximise the sum of |d| over games, subject to the signs that the results ask for.
    """
    up = [row for row in rows if row[2] == "w"] + [(j, i, "w", -1) for i, j, r in rows if r == "l"]
    columns = agents + (1 if side else 0)

    def line(row):
        vector = np.zeros(columns)
        vector[row[0]] += 1
        vector[row[1]] -= 1
        if side:
            vector[agents] = -1 if len(row) == 4 else 1
        return vector

    signed = [line(row) for row in up]
    equal = [line(row[:2]) for row in rows if row[2] == "t"]
    if not signed:
        return False
    result = linprog(
        -np.sum(signed, axis=0), A_ub=-np.array(signed), b_ub=np.zeros(len(signed)),
        A_eq=np.array(equal) if equal else None, b_eq=np.zeros(len(equal)) if equal else None,
        bounds=[(-1, 1)] * columns,
    )  # fmt: skip
    return -result.fun > 1e-6


@settings(deadline=None, max_examples=150)
@given(games)
def test_strong_connectivity_is_what_a_finite_estimate_needs(rows):
    first, second, cells = arrays(rows)
    assert connections(4, first, second, cells).finite == (not escapes(rows, 4, side=False))


@settings(deadline=None, max_examples=200)
@given(games)
def test_a_side_advantage_must_not_separate(rows):
    first, second, cells = arrays(rows)
    if not connections(4, first, second, cells).finite or side_is_confounded(4, first, second):
        return
    assert side_separates(4, first, second, cells) == escapes(rows, 4, side=True)


def test_sides_that_never_swap_are_confounded_with_strength():
    assert side_is_confounded(3, np.array([0, 0], np.int32), np.array([1, 2], np.int32))
    assert not side_is_confounded(3, np.array([0, 1, 0], np.int32), np.array([1, 2, 2], np.int32))


def test_the_odd_ones_are_named_and_the_bulk_is_not():
    rows = [(0, 1, "w"), (1, 2, "w"), (2, 1, "w"), (1, 3, "w")]
    met = connections(4, *arrays(rows))
    assert (met.unbeaten.tolist(), met.winless.tolist()) == ([0], [3])
