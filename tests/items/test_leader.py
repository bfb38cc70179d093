"""Who has the highest ability is said as far as intervals say so; groups of items; items that all or none solved."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.items.leader import leader, leader_words, reliability
from equipoise.items.models.models import Items
from equipoise.items.models.responses import from_counts
from equipoise.items.scoring.calibration import load_calibration
from equipoise.items.testlets import design_effect, moves_together

NAMES = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("ability", "said"),
    [
        ([3.0, 1.0, 0.0, -1.0], "a has the highest ability (+3.00): 2.00 ahead of b (95% interval 1.52 to 2.48)."),
        ([3.0, 2.9, 0.0, -1.0],
         "a and b are tied for first: the difference of 0.10 is within noise (95% interval -0.38 to 0.58)."),
        ([3.0, 2.9, 2.8, -1.0], "a has the highest ability (+3.00), but 2 of the other 3 agents cannot be ruled out."),
        ([3.0, 2.9, 2.8, 2.7], "Nobody can be ruled out as best of these 4 agents: the items are too few."),
    ],
)  # fmt: skip
def test_the_leader_is_named_as_far_as_the_intervals_allow(ability, said):
    found = leader(np.array(ability), np.full(4, 0.2), 0.95)
    assert leader_words(NAMES, found, max(ability), 0.95) == said


def test_reliability_is_what_is_not_error():
    assert reliability(np.array([1.0, -1.0]), np.array([0.0, 0.0])) == 1.0
    assert reliability(np.array([1.0, -1.0]), np.array([1.0, 1.0])) == 0.5
    assert np.isnan(reliability(np.array([1.0, np.nan]), np.array([1.0, 1.0])))


def test_errors_of_leads_are_those_of_the_abilities_together():
    """Abilities relative to three agents are negatively correlated: a lead is less sure than independent errors say."""
    rng = np.random.default_rng(2)
    answers = rng.random((3, 40)) < scipy.special.expit(np.array([[1.0], [0.0], [-1.0]]) - rng.normal(size=40))
    fit = eq.irt(eq.Scores.from_matrix(answers.astype(float)))
    best = int(np.argmax(fit.ability))
    assert fit.lead_se[best] == 0.0
    others = np.arange(3) != best
    assert (fit.lead_se[others] > 1.1 * np.hypot(fit.ability_se[others], fit.ability_se[best])).all()


def test_the_design_effect_against_its_formula():
    rng = np.random.default_rng(0)
    scores, groups, follow = rng.normal(size=(7, 12)), np.repeat(np.arange(4), 3), rng.normal(size=(5, 5))
    root = rng.normal(size=(7, 7))
    covariance = root @ root.T
    meat = sum(np.outer(u, u) for u in (scores[:, groups == g].sum(axis=1) for g in range(4)))
    whole = 4 / 3 * (covariance @ meat @ covariance)[:5, :5]
    slow = np.diag(follow @ whole @ follow.T) / np.diag(follow @ covariance[:5, :5] @ follow.T)
    assert design_effect(scores, covariance, follow, groups) == pytest.approx(max(1.0, slow.mean()))


def passages(seed, spread, agents=20, items=60):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(items // 5), 5)
    logit = (
        rng.normal(size=(agents, 1))
        - rng.normal(size=items)
        + spread * rng.normal(size=(agents, items // 5))[:, groups]
    )
    return eq.Scores.from_matrix((rng.random(logit.shape) < scipy.special.expit(logit)).astype(float)), groups


def test_items_of_a_group_that_move_together_are_named_and_widen_intervals():
    scores, groups = passages(0, 1.5)
    plain, fit = eq.irt(scores), eq.irt(scores.in_testlets(groups))
    assert has_code(fit.diagnostics, "testlets")
    assert not has_code(plain.diagnostics, "testlets")
    np.testing.assert_array_equal(plain.ability, fit.ability)
    assert (fit.ability_high - fit.ability_low > 1.2 * (plain.ability_high - plain.ability_low)).all()
    assert "clustered by group of items" in fit.ability_interval.kind
    few = eq.irt(scores.in_testlets(groups // 4))
    assert has_code(few.diagnostics, "few-testlets")
    np.testing.assert_array_equal(few.ability_low, plain.ability_low)
    many = eq.irt(scores.in_testlets(groups), method="mml", prior="weak", starts=1)
    assert any("too short" in note.message for note in many.diagnostics if note.code == "testlets")


def test_the_alarm_of_groups_is_a_permutation_test():
    scores, groups = passages(1, 2.0)
    responses, items = from_counts(scores.values), Items(np.ones(60), np.zeros(60), np.zeros(60))
    rng = np.random.default_rng(0)
    assert moves_together(responses, items, np.zeros(20), groups, rng) == 1 / 200
    assert moves_together(responses, items, np.zeros(20), rng.permutation(groups), rng) > 0.01


def test_a_column_of_passages_is_found_in_a_long_table(tmp_path):
    rows = [f"{agent},q{q},p{q // 2},{(agent + q) % 2}" for agent in range(3) for q in range(6)]
    file = tmp_path / "answers.csv"
    file.write_text("agent,item,passage,score\n" + "\n".join(rows) + "\n")
    assert eq.read_scores(file).testlets == ("p0", "p0", "p1", "p1", "p2", "p2")
    assert eq.read_scores(file).take(tasks=[5, 0]).testlets == ("p2", "p0")
    file.write_text("agent,item,passage,score\n" + "\n".join(rows).replace("q0,p0", "q0,p1", 1) + "\n")
    assert eq.read_scores(file).testlets is None
    with pytest.raises(eq.DataError, match="one for each task"):
        eq.read_scores(file).in_testlets(["a"])


def with_constant(agents=12, items=40):
    rng = np.random.default_rng(0)
    logit = rng.normal(size=(agents, 1)) - rng.normal(size=items)
    varied = (rng.random(logit.shape) < scipy.special.expit(logit)).astype(float)
    varied[:2] = [[0.0], [1.0]]
    return np.column_stack([varied, np.ones((agents, 10)), np.zeros((agents, 30))])


@pytest.mark.parametrize("options", [{}, {"method": "mml", "prior": "weak"}])
def test_items_that_all_or_none_solved_belong_to_the_whole(options, tmp_path):
    fit = eq.irt(eq.Scores.from_matrix(with_constant()), **options)
    bank = fit.calibration()
    assert len(bank.items) == 40
    assert bank.whole.items == (*bank.items, *(f"task {k}" for k in range(41, 81)))
    chance = bank.constant.probability(np.array([-1.0, 0.0, 1.0]))
    assert (chance[:, :10] > 0.75).all()
    assert (chance[:, 10:] < 0.25).all()
    assert (np.diff(chance, axis=0) > 0).all()
    bank.save(tmp_path / "bank.json")
    loaded = load_calibration(tmp_path / "bank.json")
    np.testing.assert_allclose(loaded.whole.difficulty, bank.whole.difficulty)
    moved = eq.equate(bank, bank).calibration
    np.testing.assert_allclose(moved.constant.difficulty, bank.constant.difficulty, atol=1e-3)


def test_a_prediction_is_about_all_items():
    """A new agent that solves half of what nobody solved: leaving those items out would double its score."""
    values = with_constant()
    new = np.column_stack([np.zeros((1, 50)), np.tile([[1.0, 0.0]], 15)])
    given = np.random.default_rng(1).permutation(80) < 50
    table = eq.Scores.from_matrix(np.vstack([values, np.where(given, new, np.nan)]))
    found = eq.predict(table)
    assert found.n_items == 80
    assert found.low[0] <= new.mean() <= found.high[0]
    bank = replace(eq.irt(eq.Scores.from_matrix(values)).calibration(), constant=None)
    assert eq.predict(table.take(agents=[12]), bank).n_items == 40
