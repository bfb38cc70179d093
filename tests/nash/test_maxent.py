"""`maxent_nash`: the answer, its certificate, and what it refuses."""

import json

import numpy as np
import pytest

import equipoise as eq
from tests.nash.games import CYCLE


def test_the_certificate_comes_with_the_answer():
    found = eq.maxent_nash(CYCLE * 4.6, agents=["rock", "paper", "scissors"])
    assert found.agents == ("rock", "paper", "scissors")
    assert found.support.tolist() == [0, 1, 2]
    assert found.exploitability == pytest.approx(0.0, abs=1e-14)
    assert found.kkt <= 1e-8
    assert found.dimension == 0
    assert found.fit.converged


def test_arrays_are_read_only():
    found = eq.maxent_nash(CYCLE)
    with pytest.raises(ValueError, match="read-only"):
        found.p[0] = 1.0


def test_the_input_is_left_alone():
    payoff = CYCLE.copy()
    eq.maxent_nash(payoff)
    np.testing.assert_array_equal(payoff, CYCLE)
    assert payoff.flags.writeable


def test_the_frame_shows_the_largest_mass_first():
    frame = eq.maxent_nash([[0, 1, 1], [-1, 0, 1], [-1, -1, 0]], agents="xyz").frame()
    assert frame["agent"].to_list() == ["x", "y", "z"]
    assert frame["average"].to_list() == [0.0, -1.0, -1.0]


def test_json_is_strict_and_complete():
    body = json.loads(json.dumps(eq.maxent_nash(CYCLE).to_dict(), allow_nan=False))
    assert body["agents"][0].keys() == {"agent", "p", "average"}
    assert body["exploitability"] == pytest.approx(0.0, abs=1e-15)


def test_clones_are_named():
    found = eq.maxent_nash([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]], agents=["king", "twin", "twin again"])
    (note,) = found.diagnostics
    assert note.code == "agent-clones"
    assert note.subjects == ("twin", "twin again")


def test_one_unit_in_the_last_place_of_asymmetry_is_tolerated():
    payoff = CYCLE * 4.6
    payoff[0, 1] = np.nextafter(payoff[0, 1], 10.0)
    np.testing.assert_allclose(eq.maxent_nash(payoff).p, 1 / 3, atol=1e-14)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_real_asymmetry_is_refused_and_placed(size):
    payoff = CYCLE * size
    payoff[0, 2] += 1e-9 * size
    with pytest.raises(eq.DataError, match=r"not antisymmetric: rock vs scissors|not antisymmetric: scissors vs rock"):
        eq.maxent_nash(payoff, agents=["rock", "paper", "scissors"])


@pytest.mark.parametrize(
    ("payoff", "told"),
    [
        ([[0, 1], [-1, 0], [1, 1]], "square"),
        ([[0, np.nan], [np.nan, 0]], "missing or infinite for agent 1 vs agent 2"),
        ([[0, np.inf], [-np.inf, 0]], "missing or infinite"),
        (np.zeros((0, 0)), "takes arrays of numbers"),
        ([["a", "b"], ["c", "d"]], "takes arrays of numbers"),
        ([[1.0, 0.0], [0.0, 1.0]], "not antisymmetric"),
        (3.0, "takes arrays of numbers"),
    ],
)
def test_what_is_not_an_antisymmetric_table_is_refused(payoff, told):
    with pytest.raises(eq.DataError, match=told):
        eq.maxent_nash(payoff)


def test_names_must_fit():
    with pytest.raises(eq.DataError, match="2 agent names for 3 agents"):
        eq.maxent_nash(CYCLE, agents=["a", "b"])


def test_integers_and_single_precision_are_taken():
    assert eq.maxent_nash(CYCLE.astype(int)).p.tolist() == eq.maxent_nash(CYCLE.astype(np.float32)).p.tolist()


def test_a_game_of_many_scales_is_solved_at_each():
    # Two tied leaders differ from a third by 1e-10 only, while the rest lose by 1: the third is no equilibrium.
    rating = np.array([1.0, 1.0, 1.0 - 1e-10, 0.0, 0.0])
    payoff = rating[:, None] - rating
    np.testing.assert_allclose(eq.maxent_nash(payoff).p, [0.5, 0.5, 0, 0, 0], atol=1e-12)


def test_masses_far_below_rounding_are_still_right():
    # Nobody gains from anybody among four; a fifth gains a_i from them. p ~ exp(-z a) with a.p = 0: a mass near 1e-16.
    gains = np.array([-0.01, 20.0, 30.0, 36.0])
    payoff = np.zeros((5, 5))
    payoff[4, :4], payoff[:4, 4] = gains, -gains
    p = eq.maxent_nash(payoff).p
    z = np.diff(np.log(p[:4])) / -np.diff(gains)
    assert p[4] == 0.0
    np.testing.assert_allclose(z, z[0], rtol=1e-6)
    assert abs(p[:4] @ gains) < 1e-12
