"""Whether two payoffs' intervals are apart: the running evidence against intervals computed afresh."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.inference.confidence import clopper_pearson_interval
from equipoise.schedule.payoff_cells import CellEdge, CellView, OpenEdges, payoff_cells
from equipoise.schedule.payoff_evidence import PayoffEvidence, UcbOptions, evidence

SHAPE = (2, 3)
LOW, HIGH = -1.0, 3.0
PLAIN: dict[str, Any] = {
    "delta": 0.2, "confidence": "hoeffding", "union_bound": False, "time_dependent": False, "exploration": 0.0,
    "payoff_range": (LOW, HIGH),
}  # fmt: skip
VARIANTS: list[dict[str, Any]] = [
    {},
    {"union_bound": True},
    {"union_bound": True, "time_dependent": True},
    {"exploration": 0.5},
    {"confidence": "clopper-pearson"},
    {"confidence": "clopper-pearson", "time_dependent": True},
]
VIEWS = (CellView(0), CellView(1), CellView(1, -1.0, 2.0), CellView(-1, 0.0, 1.0))
PAYOFFS = st.lists(st.sampled_from([LOW, HIGH]), max_size=12)


def slow_interval(options: dict[str, Any], observed: list[float], delta: float, t: int) -> tuple[float, float, float]:
    if not observed:
        return -math.inf, math.nan, math.inf
    mean, n = float(np.mean(observed)), len(observed)
    if options["confidence"] == "hoeffding":
        bonus = (1 + options["exploration"] * math.log(1 + t)) / 2
        half = (HIGH - LOW) * math.sqrt(bonus * math.log(2 / delta) / n)
        return mean - half, mean, mean + half
    low, high = clopper_pearson_interval(observed.count(HIGH), n, delta)
    return LOW + (HIGH - LOW) * float(low), mean, LOW + (HIGH - LOW) * float(high)


def slow_overlap(options: dict[str, Any], observed: list[list[float]], edge: CellEdge) -> tuple[float, float]:
    t = sum(len(observed[cell]) for cell in {edge.before.cell, edge.after.cell} - {-1})
    delta = options["delta"] / (6 * 3 if options["union_bound"] else 1)  # six profiles, three deviations from each
    if options["time_dependent"]:
        delta *= 6 / (math.pi**2 * max(t, 1) ** 3)
    intervals = []
    for view in (edge.before, edge.after):
        ends = (0.0, 0.0, 0.0) if view.cell < 0 else slow_interval(options, observed[view.cell], delta, t)
        low, mean, high = (view.offset + view.sign * end for end in ends)
        intervals.append((min(low, high), mean, max(low, high)))
    (low1, mean1, high1), (low2, mean2, high2) = intervals
    return min(high1 - low2, high2 - low1), mean2 - mean1


def gathered(options: dict[str, Any], observed: list[list[float]]) -> PayoffEvidence:
    result = evidence(len(observed), SHAPE, UcbOptions(**options))
    for cell, values in enumerate(observed):
        for value in values:
            result.add(cell, value, 1)
    return result


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@given(observed=st.tuples(PAYOFFS, PAYOFFS))
def test_overlap_and_gap_are_those_of_intervals_computed_afresh(
    variant: dict[str, Any], observed: tuple[list[float], list[float]]
) -> None:
    options = PLAIN | variant
    games = [*observed]
    result = gathered(options, games)
    for before in VIEWS:
        for after in VIEWS[1:]:
            edge = CellEdge((0, 0), (1, 0), 0, before, after)
            np.testing.assert_allclose(result.overlap(edge), slow_overlap(options, games, edge), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_restored_evidence_is_the_same(variant: dict[str, Any]) -> None:
    one = gathered(PLAIN | variant, [[LOW, HIGH, HIGH], []])
    two = evidence(2, SHAPE, UcbOptions(**PLAIN | variant))
    two.restore(one.count[:-1], one.total[:-1])
    for after in VIEWS[1:]:
        edge = CellEdge((0, 0), (1, 0), 0, VIEWS[0], after)
        np.testing.assert_array_equal(two.overlap(edge), one.overlap(edge))


def test_closed_edges_leave_every_list() -> None:
    layout = payoff_cells((2, 3), symmetric=False, constant_sum=None)
    edges = OpenEdges(layout)
    for e in np.random.default_rng(0).permutation(len(layout.edges)).tolist():
        edges.close(e, 1)
        fresh = OpenEdges(layout, edges.better)
        assert e not in edges.numbers
        assert edges.numbers == fresh.numbers
        assert edges.of_cell == fresh.of_cell
        np.testing.assert_array_equal(edges.valence, fresh.valence)
    assert not edges.numbers
