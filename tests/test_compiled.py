"""Loops give the same as Python and compiled, and small ones do without the compiler."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from equipoise.alpharank import _elimination as elimination
from equipoise.core.compiled import compiled
from equipoise.flows import triangles
from equipoise.ratings.online import _kernels as ratings


def chain(seed, n):
    return np.random.default_rng(seed).random((n, n)) ** 4


def sweeps(seed, rows):
    rng = np.random.default_rng(seed)
    a = rng.integers(5, size=rows)
    return a, (a + 1 + rng.integers(4, size=rows)) % 5, rng.random(rows), rng.random(rows) * 2, np.zeros(5)


def near(seed, n):
    """A graph as the kernels take it: where the neighbours of each vertex start, they, their edges, the edges' ends."""
    met = np.triu(np.random.default_rng(seed).random((n, n)) < 0.7, 1)
    first, second = np.nonzero(met)
    number = np.zeros((n, n), dtype=np.int64)
    number[first, second] = number[second, first] = np.arange(len(first))
    vertex, neighbour = np.nonzero(met | met.T)
    starts = np.searchsorted(vertex, np.arange(n + 1))
    return starts, neighbour, number[vertex, neighbour], first, second


def settling(seed, n):
    *graph, first, second = near(seed, n)
    edges = len(first) + 1
    return (
        *graph,
        first,
        second,
        np.arange(edges),
        np.ones(edges),
        np.zeros((40, 3), dtype=np.int64),
        np.zeros((40, 3)),
    )


def wide(seed, n):
    mantissa, exponent = np.frexp(chain(seed, n))
    return mantissa, exponent.astype(np.int64)


LONG = [
    (elimination.eliminate_block, lambda seed: (chain(seed, 40), np.ones(40), 0, 40)),
    (elimination.masses_of, lambda seed: (chain(seed, 40), 1 + chain(seed, 40)[0])),
    (elimination.times_to_first, lambda seed: (chain(seed, 40),)),
    (elimination.wide_gth, lambda seed: wide(seed, 20)),
    (elimination.wide_back, lambda seed: wide(seed, 20)),
    (ratings._elo_sweep, lambda seed: (*sweeps(seed, ratings.LONG), 0.1)),
    (ratings.melo_sweep, lambda seed: (*sweeps(seed, ratings.LONG), np.ones((5, 2)), 0.1, 0.1)),
    (triangles.count_triangles, lambda seed: near(seed, 40)[:2]),
    (triangles.list_triangles, lambda seed: (*near(seed, 40)[:3], np.zeros((10_000, 3), dtype=np.int64))),
    (triangles.settle, lambda seed: settling(seed, 40)),
]


@pytest.mark.parametrize(("loop", "make"), LONG, ids=[loop.__name__ for loop, _ in LONG])
@pytest.mark.parametrize("seed", range(3))
def test_a_compiled_loop_gives_what_python_gives(loop, make, seed):
    given, again = make(seed), make(seed)
    result, plain = loop(*given), inspect.unwrap(loop)(*again)
    for one, other in zip((result, *given), (plain, *again), strict=True):
        for left, right in zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]:
            if left is not None:
                np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12)


def test_a_loop_is_compiled_from_its_size_on(monkeypatch):
    asked = []
    monkeypatch.setattr("equipoise.core.compiled._compile", lambda function, *_: asked.append(function) or function)
    loop = compiled(least=3)(len)
    assert [loop([0] * n) for n in range(5)] == list(range(5))
    assert asked == [len]


def test_small_analyses_load_no_compiler():
    code = (
        "import sys, equipoise as eq\n"
        "games = eq.Matches.from_columns(['x', 'y', 'z', 'x'] * 9, ['y', 'z', 'w', 'z'] * 9, [1, 0, 1, 1] * 9)\n"
        "eq.elo(games); eq.transitivity(games); eq.nash_average(games); eq.hodge(games)\n"
        "print('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
