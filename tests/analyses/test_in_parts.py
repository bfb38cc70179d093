"""Benchmarks that are run in parts: what is run, when it stops, and what the part says of the whole."""

import json

import jsonschema
import numpy as np
import pytest

import equipoise as eq
from equipoise.analyses.gate.in_parts import run_in_parts
from equipoise.errors import DataError, ParameterError
from equipoise.report.render.export import to_json
from equipoise.report.render.schema import schema_of
from equipoise.report.views.registry import view_of
from equipoise.schedule.part_of_whole import whole_mean

TASKS = [f"quiz/{k}" for k in range(300)]


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(3)
    return dict(zip(TASKS, (rng.random(300) < 0.7).astype(float).tolist(), strict=True))


def runner(answers, chunks):
    def run(tasks):
        chunks.append(list(tasks))
        return {task: answers[task] for task in tasks}

    return run


def test_a_random_part_predicts_the_whole(answers):
    chunks = []
    found = run_in_parts(runner(answers, chunks), TASKS, agent="mine", documents=130, chunk=50)
    assert [len(chunk) for chunk in chunks] == [50, 50, 30]
    assert list(found.tasks) == [task for chunk in chunks for task in chunk] != TASKS[:130]
    assert found.low < np.mean(list(answers.values())) < found.high
    assert found.answer[0].startswith("mine would score 0.")
    assert found.verdict is None
    assert json.loads(json.dumps(found.to_dict()))["run"] == 130
    printed = json.loads(to_json(view_of(found), command="eval-in-parts", parameters={}))
    jsonschema.Draft202012Validator(schema_of("eval-in-parts")).validate(printed)
    assert len(printed["tasks"]) == 130


def test_all_of_it_is_known_exactly(answers):
    found = run_in_parts(runner(answers, []), TASKS)
    assert found.low == pytest.approx(np.mean(list(answers.values()))) == found.high


def test_running_stops_when_it_is_decided_and_tasks_without_a_base_are_not_run(answers):
    base = eq.Scores.from_matrix([[1.0] * 250], ["base"], TASKS[:250])
    chunks = []
    found = run_in_parts(runner(answers, chunks), TASKS, base=base, margin=0.05, chunk=10)
    assert found.verdict == "fail"
    assert found.size == 250
    assert len(found.tasks) < 100
    assert set(found.tasks) <= set(TASKS[:250])
    assert found.answer[0].startswith("Fail: the new agent is worse than base")


def test_what_cannot_be_run_in_parts_is_refused(answers):
    run = runner(answers, [])
    stranger = eq.Scores.from_matrix([[1.0]], ["base"], ["other"])
    with pytest.raises(DataError, match="has none of these tasks"):
        run_in_parts(run, TASKS, base=stranger, margin=0.1)
    with pytest.raises(ParameterError, match="part of a fixed size"):
        run_in_parts(run, TASKS, base=stranger, margin=0.1, calibration=object())
    with pytest.raises(DataError, match="between 0 and 1 here, not None"):
        run_in_parts(lambda _: {}, TASKS)


def test_the_interval_of_a_part_shrinks_to_what_is_known():
    scores = np.tile([1.0, 1.0, 0.0, 1.0], 50)
    widths = []
    for n in (0, 20, 60, 150, 200):
        low, high = whole_mean(scores[:n], 200, 0.95)
        assert 0.0 <= low <= 0.75 <= high <= 1.0
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == pytest.approx(1.0)
    assert widths[-1] == pytest.approx(0.0)
    low, high = whole_mean(np.ones(30), 1000, 0.95)
    assert low < 0.93 < high == 1.0


def test_capital_without_replacement_is_that_of_the_formula():
    from equipoise.schedule.part_of_whole import _most_capital
    from equipoise.schedule.stopping import SHARES

    scores, size, mean = np.array([1.0, 0.25, 0.0, 1.0]), 9, 0.4
    best, capital, total = 0.0, np.ones(SHARES.size), 0.0
    for i, score in enumerate(scores):
        expected = (size * mean - total) / (size - i)
        capital *= 1.0 + SHARES * (score / expected - 1.0)
        total += score
        best = max(best, capital.mean())
    assert _most_capital(scores, size, mean) == pytest.approx(np.log(best))
