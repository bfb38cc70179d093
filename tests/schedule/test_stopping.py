"""Betting: capital by hand, order does not matter, verdicts have their signs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.schedule.stopping import log_capital


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12), st.sampled_from([0.3, 0.5, 0.6]))
def test_the_capital_is_the_mixture_of_products(scores: list[float], null: float) -> None:
    counts = [scores.count(x) for x in (1.0, 0.5, 0.0)]
    shares = np.concatenate([np.arange(1, 19) / 20.0, 2.0 ** -np.arange(5.0, 8.0)])
    plain = np.mean([math.prod(1 + share / null * (x - null) for x in scores) for share in shares])
    assert eq.methods.evalue(*counts, null=null) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("null", [0.4, 0.5])
@pytest.mark.parametrize("draw", [0.0, 0.3])
def test_the_expected_capital_under_the_null_is_one(null: float, draw: float) -> None:
    """All results of six games, weighed by their chance: a fair bet stays fair."""
    chance = {1.0: null - draw / 2, 0.5: draw, 0.0: 1 - null - draw / 2}
    expected = 0.0
    for games in itertools.product(chance, repeat=6):
        counts = [games.count(x) for x in (1.0, 0.5, 0.0)]
        expected += math.prod(chance[x] for x in games) * eq.methods.evalue(*counts, null=null)
    assert expected == pytest.approx(1.0, rel=1e-9)


def test_verdicts_have_their_signs() -> None:
    rule = eq.StoppingRule(0.05, margin=0.05)
    assert rule.verdict(40, 10, 5) == "first"
    assert rule.verdict(5, 10, 40) == "second"
    assert rule.verdict(5, 3, 4) == "undecided"
    assert rule.verdict(5000, 4000, 5010) == "equal"
    assert eq.StoppingRule(0.05).verdict(5000, 4000, 5010) == "undecided"


def test_more_comparisons_need_more_evidence() -> None:
    assert eq.StoppingRule(0.05).verdict(16, 0, 3) == "first"
    assert eq.StoppingRule(0.05, comparisons=1000).verdict(16, 0, 3) == "undecided"


def test_capital_does_not_overflow() -> None:
    assert math.isfinite(eq.methods.evalue(1e6, 0, 0))
    assert log_capital(np.array([1.0, 0.5, 0.0]), np.array([1e9, 0.0, 0.0]), 0.5) > 1e8


def test_the_confidence_sequence_narrows_and_holds_the_mean() -> None:
    widths = [np.diff(eq.methods.mixture_interval(0.5, n))[0] for n in (1, 10, 100, 1000)]
    assert np.all(np.diff(widths) < 0) or widths[0] == 1.0
    assert eq.methods.mixture_interval(0.2, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.0}, "alpha is a number between 0 and 1, not 0.0"),
        ({"alpha": "a"}, 'alpha is a number between 0 and 1, not "a"'),
        ({"alpha": math.nan}, "alpha is a number between 0 and 1, not nan"),
        ({"comparisons": 0}, "comparisons is a whole number of at least 1, not 0"),
        ({"comparisons": 2.5}, "comparisons is a whole number of at least 1, not 2.5"),
        ({"margin": 0.7}, "margin is a number between 0 and 0.5, not 0.7"),
    ],
)
def test_bad_rules_are_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(eq.ParameterError, match=words):
        eq.StoppingRule(**options)  # type: ignore[arg-type]


def test_counts_below_zero_are_refused() -> None:
    with pytest.raises(eq.ParameterError, match="counts"):
        eq.StoppingRule().verdict(-1, 0, 0)
    with pytest.raises(eq.ParameterError, match="counts"):
        eq.methods.evalue("a", 0, 0)  # type: ignore[arg-type]
