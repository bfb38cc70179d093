"""The moments of handing values out anew, against handing them out in every way."""

from itertools import combinations

import numpy as np

from equipoise.inference.stratified import group_differences


def test_moments_are_those_of_every_way_to_hand_values_out():
    strata = [[0.0, 1.0, 0.5, 1.0, 0.0], [1.0, 1.0, 0.0]]
    sizes = [2, 1]
    sums = [[sum(values[at] for at in chosen) for chosen in combinations(range(len(values)), size)]
            for values, size in zip(strata, sizes, strict=True)]  # fmt: skip
    counts = np.array([[size, len(values) - size] for values, size in zip(strata, sizes, strict=True)], dtype=float)
    first = np.array([[some[0], sum(values) - some[0]] for some, values in zip(sums, strata, strict=True)])
    found = group_differences(counts, first, np.array([sum(v * v for v in values) for values in strata]))
    expected = sum(some[0] - np.mean(some) for some in sums)
    assert np.allclose(found.excess, [expected, -expected])
    assert np.allclose(found.variance, sum(np.var(some) for some in sums))
    assert np.allclose(found.information, 2 * 3 / 5 + 1 * 2 / 3)


def test_a_stratum_of_one_value_says_nothing():
    found = group_differences(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]]), np.array([1.0]))
    assert found.excess.tolist() == found.variance.tolist() == [0.0, 0.0]
