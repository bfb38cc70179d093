import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import equipoise as eq
from equipoise.data.types.normalisation import UNITS, TaskScale, in_units, is_linear, without_gaps

tables = arrays(float, (5, 3), elements=st.one_of(st.floats(-100, 100), st.just(np.nan)))


def slowly(column, units):
    """The formulas of the units, one score at a time."""
    known = [score for score in column if not np.isnan(score)]
    if units == "none":
        return list(column)
    if units == "rank":
        below = [sum(other < score for other in known) for score in column]
        equal = [sum(other == score for other in known) for score in column]
        return [
            np.nan if np.isnan(score) or len(known) < 2 else (b + (e - 1) / 2) / (len(known) - 1)
            for score, b, e in zip(column, below, equal, strict=True)
        ]
    if len(set(known)) < 2:
        return [np.nan] * len(column)
    if units == "min-max":
        return [(score - min(known)) / (max(known) - min(known)) for score in column]
    mean, spread = np.mean(known), np.std(known, ddof=1)
    z = [(score - mean) / spread for score in column]
    return z if units == "z" else list(scipy.stats.norm.cdf(z))


@pytest.mark.parametrize("units", UNITS)
@given(values=tables)
def test_units_are_what_their_formulas_say(units, values):
    values = np.round(values, 2)  # differences that drown in rounding have no z
    wanted = np.array([slowly(column, units) for column in values.T]).T
    np.testing.assert_allclose(in_units(values, units), wanted, rtol=1e-9, atol=1e-9)


def test_the_worst_is_0_and_the_best_1():
    values = np.array([[3.0, 1.0], [1.0, 5.0], [2.0, 2.0]])
    for units in ("min-max", "rank"):
        assert in_units(values, units).min(axis=0).tolist() == [0, 0]
        assert in_units(values, units).max(axis=0).tolist() == [1, 1]


def test_a_constant_task_has_no_units_even_after_rounding():
    values = np.full((3, 1), 0.1)
    for units in ("min-max", "z", "z-cdf"):
        assert np.isnan(in_units(values, units)).all()


def test_huge_scores_have_units():
    values = np.array([[-1.7e308], [0.0], [1.7e308]])
    assert in_units(values, "min-max").ravel().tolist() == [0, 0.5, 1]


def test_trials_are_brought_to_the_units_of_the_means():
    scale = TaskScale.of(np.array([[1.0, 10.0], [3.0, 30.0]]), "min-max")
    trials = np.array([[[0.0, 2.0], [10.0, 20.0]]])
    assert scale.scaled(trials).tolist() == [[[-0.5, 0.5], [0.0, 0.5]]]
    assert scale.size.tolist() == [2, 20]


def test_an_unknown_unit_is_refused():
    with pytest.raises(eq.ParameterError, match=r'units is .* not "zcdf" .did you mean "z-cdf"'):
        in_units(np.eye(2), "zcdf")


def test_linear_units_are_told_from_others():
    assert [units for units in UNITS if is_linear(units)] == ["none", "min-max", "z"]


def test_gaps_are_refused_with_three_ways_out():
    gapped = eq.Scores.from_matrix([[1, np.nan], [2, 3], [4, 5]])
    with pytest.raises(eq.DataError) as caught:
        without_gaps(gapped, "error")
    for way in ("drop-tasks", "drop-agents", "complete"):
        assert f'missing="{way}"' in str(caught.value)
