"""Existence of the estimate against a linear program that looks for a direction of recession."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import equipoise as eq
from equipoise.data.types.graph import connected_components
from equipoise.ratings.paired import existence
from equipoise.ratings.paired.existence import (
    connections,
    negative_cycle,
    side_explains_alone,
    side_is_confounded,
    side_separates,
    ties_separate,
)
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts

games = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["w", "l", "t"])).filter(lambda g: g[0] != g[1]),
    min_size=1,
    max_size=14,
)


def arrays(rows):
    first, second = (np.array([row[k] for row in rows], dtype=np.int32) for k in (0, 1))
    return first, second, PairCounts(*(np.array([float(row[2] == kind) for row in rows]) for kind in "wlt"))


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


def tied_escapes(rows, agents, side, model):
    """The same with a tie parameter t: each line is a rate at which the log-likelihood of a game may fall.

    A direction in which none falls and one rises is looked for; strengths as one likes, and prior or no prior.
    """
    half = 2 if model == "davidson" else 1  # Davidson's odds of a win to a tie are exp(d/2 - t)
    lines = []
    for i, j, result in rows:
        d = np.zeros(agents + 2)
        d[i] += 1
        d[j] -= 1
        d[agents] = side
        t = np.zeros(agents + 2)
        t[-1] = half
        lines += {"w": [d, d - t], "l": [-d, -d - t], "t": [t - d, t + d]}[result]
    result = linprog(
        -np.sum(lines, axis=0), A_ub=-np.array(lines), b_ub=np.zeros(len(lines)), bounds=[(-1, 1)] * (agents + 2)
    )
    return -result.fun > 1e-6


def exists(rows, side):
    first, second, cells = arrays(rows)
    return (
        connections(4, first, second, cells).finite
        and not (side and side_separates(4, first, second, cells))
        and not ties_separate(4, first, second, cells, side=side)
    )


def with_tie_model(rows):
    results = [row[2] for row in rows]
    return "t" in results and len(set(results)) > 1


mostly_tied = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("wlttt")).filter(lambda g: g[0] != g[1]),
    min_size=2,
    max_size=14,
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(games, mostly_tied), st.booleans(), st.sampled_from(["davidson", "rao-kupper"]))
def test_a_tie_parameter_must_not_separate(rows, side, model):
    first, second, _ = arrays(rows)
    if not with_tie_model(rows) or (side and side_is_confounded(4, first, second)):
        return
    assert exists(rows, side) == (not tied_escapes(rows, 4, side, model))


@pytest.mark.parametrize("model", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("side", [False, True])
def test_estimates_grow_for_ever_as_a_prior_fades_iff_none_exists(model, side):
    rng = np.random.default_rng(3)
    seen = []
    for _ in range(60):
        rows = [(*rng.permutation(4)[:2].tolist(), rng.choice(list("wlttt"))) for _ in range(rng.integers(5, 14))]
        first, second, cells = arrays(rows)
        if not with_tie_model(rows) or not connections(4, first, second, cells).connected:
            continue
        if side and (side_is_confounded(4, first, second) or side_explains_alone(cells, model)):
            continue
        sizes = []
        for sd in (10.0, 200.0):
            fitted = PairedModel(4, first, second, model, side, np.zeros(4, dtype=np.int64), 1 / sd**2)
            sizes.append(np.abs(bradley_terry_newton(fitted, cells).x).max())
        assert (sizes[1] - sizes[0] < 1) == exists(rows, side), (rows, sizes)
        seen.append(exists(rows, side))
    assert min(seen.count(True), seen.count(False)) >= 5


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(-3, 4)).filter(lambda e: e[0] != e[1]), min_size=1
    )
)
def test_potentials_exist_iff_no_cycle_is_negative(edges):
    tail, head, length = (np.array(column) for column in zip(*edges, strict=True))
    cycle = negative_cycle(6, tail, head, length)
    lines = np.eye(6)[head] - np.eye(6)[tail]
    feasible = linprog(np.zeros(6), A_ub=lines, b_ub=length, bounds=[(None, None)] * 6).status == 0
    assert (cycle is None) == feasible
    if cycle is not None:
        assert length[cycle].sum() < 0
        assert sorted(tail[cycle]) == sorted(head[cycle])


def test_a_search_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(existence, "MOST_WORK", 10)
    chain = np.arange(999)
    assert negative_cycle(1000, chain, chain + 1, np.full(999, -1)) is None


FIVE_WINS = eq.Matches.from_columns(["a"] * 8, ["b"] * 8, [1] * 5 + [0.5] * 3)
FIFTY_WINS = eq.Matches.from_columns(["a"] * 350, ["b"] * 350, [1] * 50 + [0.5] * 300)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("m", [FIVE_WINS, FIFTY_WINS])
def test_wins_and_ties_of_one_agent_alone_get_the_stated_prior(m, ties):
    result = eq.bradley_terry(m, ties=ties)
    (note,) = result.diagnostics
    assert note.code == "no-finite-mle"
    assert note.subjects == ("a", "b")
    assert "a never lost; b never won" in note.message
    assert result.fit.converged
    assert (result.stderr > 0.5).all()
    assert (result.stderr < 5).all()
    assert np.isfinite([result.tie, result.tie.stderr]).all()
    np.testing.assert_allclose(result.rating, eq.bradley_terry(m, ties=ties, prior=3.0).rating)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_resamples_without_a_finite_estimate_get_the_prior_too(ties):
    """The only loss is missing in a third of the resamples, all wins in a few."""
    m = eq.Matches.from_columns(["a"] * 12, ["b"] * 12, [1] * 3 + [0] + [0.5] * 8)
    result = eq.bootstrap(partial(eq.bradley_terry, ties=ties), m, n=200)
    assert len(result.replicates) == 200
    assert np.abs(result.replicates).max() < 6


def test_a_prior_holds_a_side_advantage_that_strength_explains():
    m = eq.Matches.from_columns("aaaaabbbbbcccb", "bbbbbcccccaaaa", [1] * 10 + [0] * 4)
    result = eq.bradley_terry(m, side=True, prior=1.0)
    assert result.diagnostics == ()
    assert (np.diff(result.rating) < 0).all()
    assert [note.code for note in eq.bradley_terry(m, side=True).diagnostics] == ["no-finite-mle"]


@pytest.mark.parametrize("prior", [None, 1.0])
@pytest.mark.parametrize(
    ("ties", "outcomes"), [("half", [1, 1, 1]), ("davidson", [1, 0.5, 1]), ("rao-kupper", [0, 0, 0.5])]
)
def test_sides_that_alone_explain_the_results_are_refused_with_or_without_a_prior(prior, ties, outcomes):
    m = eq.Matches.from_columns("aba", "bab", outcomes)
    with pytest.raises(eq.DataError, match="sides alone explain"):
        eq.bradley_terry(m, side=True, ties=ties, prior=prior)


def test_the_question_is_answered_for_very_many_agents():
    n = 300_000
    ring = np.arange(n, dtype=np.int32)
    one, none = np.ones(n), np.zeros(n)
    some = (ring % 3 == 0).astype(float)
    around = np.roll(ring, -1).astype(np.int32)
    assert not ties_separate(n, ring, around, PairCounts(one, none, one), side=False)
    hub = np.zeros(n - 1, dtype=np.int32)
    assert ties_separate(n, hub, ring[1:], PairCounts(some[1:], none[1:], one[1:]), side=False)
    assert not ties_separate(n, hub, ring[1:], PairCounts(one[1:], one[1:], one[1:]), side=True)


@given(rows=games)
def test_components_are_those_of_all_who_met(rows):
    first, second, cells = arrays(rows)
    met = connections(4, first, second, cells)
    np.testing.assert_array_equal(met.components, connected_components(4, first, second))
