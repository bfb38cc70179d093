import math

import pytest

import equipoise as eq
from equipoise.schedule.stopping import mixture_interval


@pytest.mark.parametrize("margin", [-0.1, 0.0, 0.5, 0.7])
def test_a_margin_lies_strictly_between_nothing_and_everything(margin):
    with pytest.raises(eq.ParameterError, match="margin"):
        eq.StoppingRule(margin=margin)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.2])
def test_an_error_rate_lies_strictly_between_0_and_1(alpha):
    with pytest.raises(eq.ParameterError, match="alpha"):
        eq.StoppingRule(alpha)


def test_evidence_without_end_is_still_a_number():
    assert math.isfinite(eq.methods.evalue(10_000, 0, 0))


@pytest.mark.parametrize(("games", "alpha", "tuned_to"), [(50, 0.05, 100.0), (400, 0.2, 30.0), (3000, 0.01, 900.0)])
def test_the_confidence_sequence_follows_its_formula(games, alpha, tuned_to):
    spent = -2 * math.log(alpha)
    rho = tuned_to / (spent + math.log(spent + 1))
    half = math.sqrt((games + rho) * math.log((games + rho) / (rho * alpha**2)) / (4 * games**2))
    expected = max(0, 0.45 - half), min(1, 0.45 + half)
    assert mixture_interval(0.45, games, alpha=alpha, tuned_to=tuned_to) == pytest.approx(expected, rel=1e-12)
