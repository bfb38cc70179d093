"""Do intervals of control variates hold where a control explains samples along a curve, or say that they may not?"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.luck.adjusted_mean import fitted, totals
from tests.statistical.honesty import SIGMAS, Coverage, record
from tests.statistical.unseen.controls_worlds import CURVES, straight, truth

LEAST, REPEATS = 0.93, 500


def simulated(world, n, seed):
    """Intervals of samples of a world, Student's about the same line, and how many are said to be curved."""
    rng, mean = np.random.default_rng(seed), truth(world)
    held, plain, told = Coverage(), Coverage(), []
    for _ in range(REPEATS):
        x, y = world(rng, n)
        result = eq.control_variates(x, y)
        held.add(result.low, result.high, mean, result.estimate)
        line = fitted(totals(x, y[:, None]))
        half = scipy.special.stdtrit(line.dof, 0.975) * np.sqrt(line.variance)
        plain.add(line.estimate - half, line.estimate + half, mean, line.estimate)
        told.append(any(note.code == "curved-control" for note in result.diagnostics))
    return held, plain, float(np.mean(told))


@pytest.mark.parametrize("world", CURVES)
def test_curved_controls_are_covered(world):
    missed = []
    for n in (20, 35, 50):
        held, plain, _ = simulated(CURVES[world], n, n)
        missed.append(plain.held().mean())
        share = float(held.held().mean())
        record(f"{world}, {n} samples", "at least 93%", round(share, 3))
        assert share >= LEAST - SIGMAS * np.sqrt(LEAST * (1 - LEAST) / REPEATS), (n, share)
    assert np.mean(missed) < 0.91 or world not in ("hinge", "gamma power"), "Student's would do as well"


def test_a_line_loses_nothing():
    for n in (12, 25, 50):
        held, _, told = simulated(straight, n, n)
        held.what = f"line, {n} samples"
        held.check(over=0.015)
        assert told < 0.12, (n, told)
