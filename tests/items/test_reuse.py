"""Calibrations: saved, loaded, used on new agents, equated, and predicted from a part."""

import json

import numpy as np
import pytest

import equipoise as eq


def bank(n=40, seed=0, names=None):
    rng = np.random.default_rng(seed)
    return eq.results.Calibration.from_parameters(
        names or [f"item {k}" for k in range(n)], difficulty=rng.normal(size=n), discrimination=rng.uniform(0.8, 2, n)
    )


def answers(calibration, theta, seed=1):
    p = calibration.probability(np.atleast_1d(np.asarray(theta, dtype=float)))
    values = (np.random.default_rng(seed).random(p.shape) < p).astype(float)
    return eq.Scores.from_matrix(values, tasks=calibration.items)


def test_a_calibration_survives_the_round_trip_through_a_file(tmp_path):
    fit = eq.irt(eq.load("lsat"))
    saved = fit.calibration()
    saved.save(tmp_path / "lsat.json")
    loaded = eq.methods.load_calibration(tmp_path / "lsat.json")
    assert loaded.items == saved.items
    assert loaded.model == "2pl"
    for name in ("difficulty", "discrimination", "guessing", "difficulty_se", "discrimination_se"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))


def test_scoring_the_same_agents_gives_the_same_abilities():
    scores = eq.load("lsat")
    fit = eq.irt(scores)
    again = fit.score(scores)
    np.testing.assert_allclose(again.ability, fit.ability, atol=1e-10)
    np.testing.assert_allclose(again.ability_se, fit.ability_se, atol=1e-10)


def test_new_agents_are_matched_by_item_name_in_any_order():
    calibration = bank()
    scores = answers(calibration, [-1.0, 0.0, 1.5])
    mixed = scores.take(tasks=np.random.default_rng(2).permutation(40))
    np.testing.assert_allclose(calibration.score(mixed).ability, calibration.score(scores).ability, atol=1e-9)
    more = eq.Scores.from_matrix(np.column_stack([scores.values, [1, 0, 1]]), tasks=[*scores.tasks, "new item"])
    result = calibration.score(more)
    np.testing.assert_allclose(result.ability, calibration.score(scores).ability)
    assert [note.subjects for note in result.diagnostics if note.code == "unknown-items"] == [("new item",)]


def test_a_threshold_is_remembered():
    values = np.random.default_rng(4).normal(size=(60, 6)) + np.random.default_rng(5).normal(size=(60, 1)) * 2
    fit = eq.irt(eq.Scores.from_matrix(values), model="2pl", threshold=0.25)
    assert fit.calibration().threshold == 0.25
    np.testing.assert_allclose(fit.score(eq.Scores.from_matrix(values)).ability, fit.ability, atol=1e-9)


def test_agents_without_answers_are_named():
    calibration = bank(5)
    values = np.full((2, 5), np.nan)
    values[0] = 1
    result = calibration.score(eq.Scores.from_matrix(values, tasks=calibration.items), estimator="mle")
    assert np.isposinf(result.ability[0])
    assert np.isnan(result.ability[1])
    assert {note.code for note in result.diagnostics} == {"no-answers", "no-finite-ability"}
    assert json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such file"),
        ("{", "not valid JSON"),
        ("[]", 'does not say "format"'),
        ('{"format": "equipoise-calibration", "model": "2pl", "items": []}', "model or items are missing"),
        ('{"format": "equipoise-calibration", "model": "2pl", "items": [{"difficulty": 1}]}', "no name"),
        (
            '{"format": "equipoise-calibration", "model": "2pl", "items": [{"item": "x", "difficulty": null,'
            ' "discrimination": 1, "guessing": 0}]}',
            "no finite difficulty for x",
        ),
    ],
)
def test_a_broken_calibration_file_gets_a_clear_error(tmp_path, text, message):
    path = tmp_path / "bank.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(eq.DataError, match=message):
        eq.methods.load_calibration(path)


def test_a_directory_is_not_a_calibration(tmp_path):
    with pytest.raises(eq.ReadError, match="is a directory"):
        eq.methods.load_calibration(tmp_path)


def test_parameters_are_checked():
    with pytest.raises(eq.DataError, match="more than once"):
        eq.results.Calibration.from_parameters(["a", "a"], difficulty=[0, 1])
    with pytest.raises(eq.DataError, match="guessing must be"):
        eq.results.Calibration.from_parameters(["a"], difficulty=[0], guessing=1.0)
    with pytest.raises(eq.ParameterError, match='no item "itm 1"'):
        bank().take(["itm 1"])
    with pytest.raises(eq.DataError, match="matched by name"):
        bank().score(eq.Scores.from_matrix([[1, 0]]))


@pytest.mark.parametrize("method", ["haebara", "mean-sigma"])
def test_equating_finds_the_line_between_two_scales(method):
    old = bank(30)
    scale, shift = 1.4, -0.3
    new = eq.results.Calibration.from_parameters(
        list(old.items), difficulty=(old.difficulty - shift) / scale, discrimination=old.discrimination * scale
    )
    line = eq.equate(old, new, method=method)
    assert line.scale == pytest.approx(scale, abs=1e-5)
    assert line.shift == pytest.approx(shift, abs=1e-5)
    np.testing.assert_allclose(line.calibration.difficulty, old.difficulty, atol=1e-4)
    assert line.drift.max() < 1e-4


def test_two_editions_with_different_agents_end_on_one_scale():
    """Abler agents calibrate the second edition; the common items say by how much."""
    whole = bank(90, seed=7)
    rng = np.random.default_rng(8)
    first = answers(whole.take(whole.items[:60]), rng.normal(0, 1, 1500), seed=9)
    theta = rng.normal(0.8, 1.2, 1500)
    second = answers(whole.take(whole.items[30:]), theta, seed=10)
    fit = eq.irt(second, starts=1)
    line = eq.equate(eq.irt(first, starts=1).calibration(), fit.calibration())
    assert len(line.common) == 30
    assert line.scale == pytest.approx(1.2, abs=0.1)
    assert line.shift == pytest.approx(0.8, abs=0.1)
    assert np.abs(line.ability(fit.ability) - theta).mean() < 0.25


def test_a_drifted_item_is_named():
    old = bank(20)
    moved = old.difficulty.copy()
    moved[4] += 1.5
    new = eq.results.Calibration.from_parameters(list(old.items), difficulty=moved, discrimination=old.discrimination)
    (note,) = eq.equate(old, new).diagnostics
    assert note.subjects == ("item 4",)


def test_results_say_what_they_come_to():
    old = bank(20)
    new = eq.results.Calibration.from_parameters(
        old.items, difficulty=old.difficulty - 0.5, discrimination=old.discrimination
    )
    line = eq.equate(old, new)
    assert line.answer[0] == "Ability on the base scale is 1.00 times ability on the new scale plus 0.50."
    assert line.answer[1] == "The line rests on 20 shared items; none of them drifted."
    scored = old.score(answers(old, [-1.0, 3.0]))
    assert scored.answer[0].startswith("agent 2 has the highest ability of 2 agents, ")
    assert old.score(eq.Scores.from_matrix([[1] * 20], tasks=old.items), estimator="mle").answer == ()
    big = bank(400, seed=11)
    part = eq.predict(part_of(answers(big, np.zeros(8)), 60, np.random.default_rng(1)), big)
    assert " of all 400 items (95% interval " in part.answer[0]
    assert part.answer[1] == "60 of 400 items were answered (median agent)."
    assert "times as many answers" in part.answer[2]
    assert eq.predict(part_of(answers(old, [0.0]), 6, np.random.default_rng(0)), old).answer == ()


def test_equating_needs_common_items():
    with pytest.raises(eq.DataError, match="share 0 items"):
        eq.equate(bank(3), bank(3, names=["x", "y", "z"]))
    with pytest.raises(eq.ParameterError, match="method is"):
        eq.equate(bank(3), bank(3), method="stocking")
    with pytest.raises(eq.DataError, match="equate takes calibrations of items"):
        eq.equate(eq.load("lsat"), bank(3))
    with pytest.raises(eq.DataError, match=r"equate takes calibrations of items .*, not 3"):
        eq.equate(bank(3), 3)


def part_of(scores, size, rng):
    values = scores.values.copy()
    for row in values:
        row[rng.permutation(len(row))[size:]] = np.nan
    return eq.Scores.from_matrix(values, agents=scores.agents, tasks=scores.tasks)


@pytest.mark.parametrize("wrong", [False, True])
def test_the_predicted_whole_is_covered_even_if_the_model_is_wrong(wrong):
    calibration = bank(400, seed=11)
    theta = np.random.default_rng(12).normal(size=250)
    scores = answers(calibration, theta, seed=13)
    if wrong:  # the bank believes the opposite of the truth
        calibration = eq.results.Calibration.from_parameters(
            list(calibration.items), difficulty=-calibration.difficulty, discrimination=calibration.discrimination
        )
    truth = scores.values.mean(axis=1)
    predicted = eq.predict(part_of(scores, 60, np.random.default_rng(14)), calibration)
    covered = (predicted.low <= truth) & (truth <= predicted.high)
    assert covered.mean() > 0.92
    assert np.mean(predicted.score - truth) == pytest.approx(0, abs=0.01)
    if not wrong:
        p = calibration.probability(theta)
        share = p.mean(axis=1)
        promised = share * (1 - share) / (p * (1 - p)).mean(axis=1)
        assert np.median(predicted.saving / promised) == pytest.approx(1, abs=0.1)
        assert np.median(predicted.saving) > 1.15


def test_all_items_answered_leave_no_error():
    calibration = bank(30)
    scores = answers(calibration, [0.0])
    predicted = eq.predict(scores, calibration)
    assert predicted.score[0] == pytest.approx(scores.values.mean())
    assert predicted.stderr[0] == 0


def test_too_few_answers_give_no_prediction():
    calibration = bank(30)
    predicted = eq.predict(part_of(answers(calibration, [0.0]), 6, np.random.default_rng(0)), calibration)
    assert np.isnan(predicted.score[0])
    assert [note.code for note in predicted.diagnostics] == ["few-answers"]
    with pytest.raises(eq.ParameterError, match="folds is a whole number of at least 2"):
        eq.predict(answers(calibration, [0.0]), calibration, folds=1)
    with pytest.raises(eq.ParameterError, match="calibration is a Calibration"):
        eq.predict(answers(calibration, [0.0]), calibration.parameters)
