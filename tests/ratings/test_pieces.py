"""Cells worked on in pieces, and steps by conjugate gradients, give what the plain ways give."""

import numpy as np
import pytest

from equipoise.ratings.paired import errors as bradley_terry_errors
from equipoise.ratings.paired import newton
from equipoise.ratings.paired import ties as tie_models
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts, curvature, log_likelihood


def counts(rng, cells):
    return PairCounts(*(rng.integers(1, 9, size=cells).astype(float) for _ in range(3)))


@pytest.mark.parametrize("model", ["half", "davidson", "rao-kupper"])
def test_pieces_add_up_to_the_whole(monkeypatch, model):
    rng = np.random.default_rng(0)
    d, cells = rng.normal(size=103), counts(rng, 103)
    whole, value = curvature(d, 0.4, cells, model), log_likelihood(d, 0.4, cells, model)
    monkeypatch.setattr(tie_models, "PIECE", 10)
    pieces = curvature(d, 0.4, cells, model)
    assert log_likelihood(d, 0.4, cells, model) == pytest.approx(value, rel=1e-13)
    for name in ("d", "t", "dd", "dt", "tt"):
        np.testing.assert_allclose(getattr(pieces, name), getattr(whole, name), rtol=1e-13)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("precision", [0.0, 0.5])
def test_conjugate_gradients_lead_where_factorisations_do(monkeypatch, ties, side, precision):
    rng = np.random.default_rng(1)
    agents = 12
    first, second = (pair.astype(np.int32) for pair in np.nonzero(rng.random((agents, agents)) < 0.6))
    met = first != second
    first, second = first[met], second[met]
    model = PairedModel(agents, first, second, ties, side, np.zeros(agents, dtype=np.int64), precision)
    cells = counts(rng, len(first))
    direct = newton.bradley_terry_newton(model, cells)
    monkeypatch.setattr(newton, "DIRECT", 0)
    steps = newton.bradley_terry_newton(model, cells)
    np.testing.assert_allclose(steps.x, direct.x, atol=1e-10)
    assert steps.objective == pytest.approx(direct.objective, rel=1e-13)
    assert steps.fit.converged


def test_errors_of_many_agents_who_seldom_met() -> None:
    """A sparse product in the middle, and an inverse mirrored in tiles, give what plain ones do."""
    rng = np.random.default_rng(0)
    met = np.triu(np.where(rng.random((700, 700)) < 0.02, rng.random((700, 700)), 0.0), 1)
    meat = np.diag((met + met.T).sum(axis=0) + 1) - met - met.T
    bread = bradley_terry_errors._positive_inverse(meat)
    assert bread is not None
    np.testing.assert_allclose(bread, np.linalg.inv(meat), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        bradley_terry_errors._sandwich(bread, 2 * meat), 2 * bread @ meat @ bread, rtol=1e-9, atol=1e-12
    )
