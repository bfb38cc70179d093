"""What copies, doubled votes and other units do to voting rules: the table of docs/methods/social-choice.md."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.methods import social_choice
from tests.choice.profiles import random_ballots, with_copy

COPY_PROOF = ("schulze", "maximal-lottery")


def order_of_others(result, copies):
    """Give the layers without the copied agent and its copy."""
    layers = (tuple(sorted(set(layer) - copies)) for layer in result.layers)
    return [layer for layer in layers if layer]


@pytest.mark.parametrize("rule", COPY_PROOF)
def test_copies_leave_winners_alone(rule):
    for seed in range(120):
        rng = np.random.default_rng(seed)
        ballots = random_ballots(rng, 4, int(rng.integers(2, 6)) * 2 + 1, ties=False)
        copied, name = with_copy(ballots, rng)
        same = {name, f"{name}'"}
        before, after = social_choice(ballots, rule=rule), social_choice(copied, rule=rule)
        assert set(before.winners) - same == set(after.winners) - same
        assert (name in before.winners) == bool(same & set(after.winners))
        assert set(before.smith) - same == set(after.smith) - same
        assert set(before.uncovered) - same == set(after.uncovered) - same


@pytest.mark.parametrize("rule", ["borda", "copeland", "kemeny"])
def test_copies_change_the_order_of_others_by_some_rules(rule):
    changed = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        ballots = random_ballots(rng, 4, int(rng.integers(2, 6)) * 2 + 1, ties=False)
        copied, name = with_copy(ballots, rng)
        both = (social_choice(each, rule=rule) for each in (ballots, copied))
        before, after = (order_of_others(each, {name, f"{name}'"}) for each in both)
        changed += before != after
    assert changed > 0


@pytest.mark.parametrize("rule", ["kemeny", "schulze", "copeland", "borda", "plurality", "runoff", "maximal-lottery"])
def test_scores_in_any_units_choose_the_same(rule):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(5, 9))
    units = np.exp(values * rng.uniform(0.1, 3, 9)) * rng.uniform(1, 1000, 9)
    names = list("abcde")
    one, other = (social_choice(eq.Scores.from_matrix(each, names), rule=rule) for each in (values, units))
    assert one.layers == other.layers


@pytest.mark.parametrize(
    "rule", ["kemeny", "schulze", "ranked-pairs", "copeland", "borda", "runoff", "maximal-lottery"]
)
def test_every_vote_twice_chooses_the_same(rule):
    ballots = random_ballots(np.random.default_rng(3), 5, 9)
    twice = ballots.take(np.repeat(np.arange(9), 2))
    assert social_choice(ballots, rule=rule).layers == social_choice(twice, rule=rule).layers


def test_doubled_tasks_are_more_votes():
    """Copies of voters count, by design: that is what task weights are for."""
    values = np.array([[1.0, 0, 1], [0, 1, 0]])
    once = eq.Scores.from_matrix(values, ["x", "y"])
    thrice = eq.Scores.from_matrix(values[:, [0, 1, 1, 1, 2]], ["x", "y"])
    assert (social_choice(once).condorcet, social_choice(thrice).condorcet) == ("x", "y")
