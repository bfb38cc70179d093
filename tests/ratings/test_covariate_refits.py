from functools import partial

import numpy as np
import pytest

import equipoise as eq
from equipoise.ratings.paired import clustered_errors
from tests.contract.cases import attempt
from tests.ratings.test_covariates import battles


@pytest.mark.parametrize(
    "options",
    [{}, {"side": True}, {"ties": "davidson"}, {"prior": 1.0, "covariate_prior": 0.3}],
    ids=["plain", "side", "davidson", "priors"],
)
@pytest.mark.parametrize("rows", [400, 25])
def test_a_refit_is_the_fit_of_the_resample(options, rows):
    m = battles(3, rows=rows)
    names = ["z0", "z1"]
    if rows == 25:
        options = {"prior": 2.0} | options
    fit = eq.bradley_terry(m, covariates=names, **options)
    rng = np.random.default_rng(1)
    samples = [m.take(rng.integers(0, len(m), len(m))) for _ in range(12)]
    for sample, quick in zip(samples, fit.refit_matches(samples), strict=True):
        slow = attempt(partial(eq.bradley_terry, sample, covariates=names, **options))
        if isinstance(slow, eq.EquipoiseError):
            assert str(quick) == str(slow)
        else:
            assert quick == pytest.approx(slow.rating, abs=1e-7)


def test_a_bootstrap_takes_the_quick_way_and_groups_stay_together():
    m = battles(5, rows=500, groups=40)
    slow = eq.bootstrap(lambda data: eq.bradley_terry(data, covariates=["z0"]), m, n=20, over="clusters")
    quick = eq.bootstrap(partial(eq.bradley_terry, covariates=["z0"]), m, n=20, over="clusters")
    assert quick.replicates == pytest.approx(slow.replicates, abs=1e-7)


def test_many_small_groups_are_summed_in_pieces(monkeypatch):
    m = battles(7, rows=900, groups=700)
    whole = eq.bradley_terry(m, covariates=["z0", "z1"])
    monkeypatch.setattr(clustered_errors, "LONG", 100)
    pieces = eq.bradley_terry(m, covariates=["z0", "z1"])
    assert pieces.stderr == pytest.approx(whole.stderr, rel=1e-9)
    assert pieces.coefficients.stderr == pytest.approx(whole.coefficients.stderr, rel=1e-9)


def test_covariates_are_looked_at_in_pieces(monkeypatch):
    m = battles(9, rows=500)
    whole = eq.bradley_terry(m, covariates=["z0", "z1"], side=True)
    monkeypatch.setattr("equipoise.ratings.paired.model.PIECE", 70)
    pieces = eq.bradley_terry(m, covariates=["z0", "z1"], side=True)
    assert pieces.coefficients.stderr == pytest.approx(whole.coefficients.stderr, rel=1e-9)
    assert float(pieces.side) == pytest.approx(float(whole.side), abs=1e-9)
