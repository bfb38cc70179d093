"""Neighbours and gains equal the definition, one profile at a time."""

import itertools

import numpy as np
import pytest

from equipoise.alpharank.deviations import deviations, neighbour_table


@pytest.mark.parametrize("shape", [(2, 2), (3, 2), (2, 3, 4), (2, 1, 3)])
def test_several_populations(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    payoffs = [rng.normal(size=shape) for _ in shape]
    graph = deviations(payoffs)
    assert graph.degree == sum(n - 1 for n in shape)
    for profile in itertools.product(*map(range, shape)):
        s = int(np.ravel_multi_index(profile, shape))
        expected = {}
        for k, n in enumerate(shape):
            for b in set(range(n)) - {profile[k]}:
                other = (*profile[:k], b, *profile[k + 1 :])
                expected[int(np.ravel_multi_index(other, shape))] = payoffs[k][other] - payoffs[k][profile]
        found = dict(zip(graph.neighbours[s].tolist(), graph.gaps[s].tolist(), strict=True))
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_one_population(n: int) -> None:
    payoffs = np.random.default_rng(n).normal(size=(n, n))
    graph = deviations([payoffs])
    for i in range(n):
        assert sorted(graph.neighbours[i]) == [j for j in range(n) if j != i]
        for j, gap in zip(graph.neighbours[i], graph.gaps[i], strict=True):
            assert gap == payoffs[j, i] - payoffs[i, j]
    np.testing.assert_array_equal(graph.neighbours, neighbour_table((n,)))


def test_payoffs_that_differ_by_rounding_are_ties() -> None:
    p = 0.1 + 0.2  # 0.30000000000000004
    assert np.all(deviations([np.array([[0.5, p], [0.3, 0.5]])]).gaps == 0.0)
