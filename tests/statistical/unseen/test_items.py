"""Benchmarks with items beyond all reference agents, guessed answers, passages, equal leaders: do intervals hold?"""

from dataclasses import replace

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee
from tests.statistical.unseen.items_worlds import equal_leaders, frontier, guessed, passages


def noted(fit, code):
    return any(note.code == code for note in fit.diagnostics)


def held(fit, world):
    return (fit.ability_low <= world.relative) & (world.relative <= fit.ability_high)


@pytest.mark.parametrize(("reference", "items", "answered"), [(6, 90, 40), (12, 120, 30)])
def test_scores_on_all_items_are_predicted_also_those_that_all_or_none_of_the_others_solved(reference, items, answered):
    rng = np.random.default_rng(reference)
    covered, naive = Coverage(what=f"all {items} items, {reference} reference agents"), []
    for _ in range(24):
        world = frontier(rng, reference=reference, others=6, items=items)
        values, truth = world.values.copy(), world.values[reference:].mean(axis=1)
        for row in values[reference:]:
            row[rng.permutation(items)[answered:]] = np.nan
        scores = eq.Scores.from_matrix(values)
        found = eq.predict(scores)
        assert found.n_items == items
        covered.add(found.low, found.high, truth, found.score)
        bank = eq.irt(scores.take(agents=np.arange(reference))).calibration()
        part = eq.predict(scores.take(agents=np.arange(reference, reference + 6)), replace(bank, constant=None))
        naive += ((part.low > truth) | (part.high < truth)).tolist()
    check_guarantee(~covered.held().ravel(), 0.05, naive=naive, what=covered.what)


@pytest.mark.parametrize(("agents", "items"), [(16, 90), (28, 60)])
def test_abilities_hold_where_answers_can_be_guessed(agents, items):
    rng = np.random.default_rng(agents)
    covered, alarms, false = Coverage(what=f"abilities, {agents} x {items}, guessed"), [], []
    for _ in range(24):
        world = guessed(rng, agents=agents, items=items)
        fit = eq.irt(world.scores())
        covered.add(fit.ability_low, fit.ability_high, world.relative, fit.ability)
        alarms.append(noted(fit, "guessing"))
        false.append(noted(eq.irt(guessed(rng, agents=agents, items=items, options=0).scores()), "guessing"))
    # The goal is 93%: floors differ between items, and the fit knows one for all.
    check_guarantee(~covered.held().ravel(), 0.07, naive=~covered.held(0.7).ravel(), what=covered.what)
    check_guarantee(false, 0.05, naive=alarms, what="guessing, where nobody does")


@pytest.mark.parametrize(("agents", "items", "spread"), [(14, 80, 0.9), (24, 60, 1.4)])
def test_abilities_hold_where_items_share_passages(agents, items, spread):
    rng = np.random.default_rng(items)
    covered, naive, alarms = Coverage(what=f"abilities, {agents} x {items}, passages"), [], []
    for _ in range(24):
        world = passages(rng, agents=agents, items=items, spread=spread)
        fit = eq.irt(world.scores().in_testlets(world.groups))
        covered.add(fit.ability_low, fit.ability_high, world.relative, fit.ability)
        alarms.append(noted(fit, "testlets"))
        naive += (~held(eq.irt(world.scores()), world)).tolist()
    check_guarantee(~covered.held().ravel(), 0.07, naive=naive, what=covered.what)
    assert np.mean(alarms) > 0.8


def test_passages_that_share_nothing_are_rarely_said_to_move_together():
    rng = np.random.default_rng(5)
    together, apart = [], []
    for _ in range(40):
        for spread, found in ((0.0, apart), (1.0, together)):
            world = passages(rng, agents=12, items=40, spread=spread)
            found.append(noted(eq.irt(world.scores().in_testlets(world.groups)), "testlets"))
    check_guarantee(apart, 0.05, naive=together, what="items of a group move together")


def test_none_of_several_equal_leaders_is_called_best():
    rng = np.random.default_rng(6)
    clear, naive = [], []
    for _ in range(40):
        fit = eq.irt(equal_leaders(rng, agents=14, items=100, leaders=3).scores())
        assert fit.leader is not None
        clear.append(fit.leader.near == 0)
        naive.append(fit.leader.lead > fit.lead_se[fit.leader.second])
    check_guarantee(clear, 0.05, naive=naive, what="highest ability")
