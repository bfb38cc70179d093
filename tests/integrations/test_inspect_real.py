"""Comparing and adapting inside the real Inspect, with models that only pretend; run where it is installed."""

import gc
import json
import re
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.items.scoring.adaptive import AdaptiveTest, TestLimits
from equipoise.items.scoring.calibration import Calibration, load_calibration

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: make test-real-logs")
pytestmark = pytest.mark.filterwarnings("ignore")  # what the tool leaves open is not ours to close

from inspect_ai import Task, eval_retry  # noqa: E402
from inspect_ai import eval as run  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # noqa: E402
from inspect_ai.model import ModelOutput  # noqa: E402
from inspect_ai.scorer import exact, match  # noqa: E402
from inspect_ai.solver import solver  # noqa: E402

from equipoise.integrations.inspect import AdaptiveSource, Versus, ability  # noqa: E402

CHANCE = dict(zip(range(600), np.random.default_rng(3).beta(3, 1, size=600), strict=True))


@pytest.fixture(autouse=True)
def collected():
    """Let go of streams that runs with errors leave open while warnings of them are not ours."""
    yield
    gc.collect()


@solver
def answers(loss=0.0, seed=0, broken=()):
    async def solve(state, generate):  # as Inspect calls it
        k = int(state.sample_id[1:])
        if k in broken:
            raise RuntimeError("the sandbox is gone")
        right = np.random.default_rng([seed, k, state.epoch]).random() < CHANCE[k] - loss
        state.output = ModelOutput.from_content("mockllm/model", "yes" if right else "no")
        return state

    return solve


def quiz(samples=400, stopping=None, shuffled=True, **how):
    data = MemoryDataset([Sample(str(k), target="yes", id=f"q{k}") for k in range(samples)])
    if shuffled:
        data.shuffle(11)
    return Task(data, name="quiz", solver=answers(**how), scorer=[match(), exact()], early_stopping=stopping)


def ran(task, folder, **how):
    (log,) = run(task, model="mockllm/model", log_dir=str(folder), display="none", **{"max_samples": 4, **how})
    return log


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baseline")
    assert ran(quiz(), folder).status == "success"
    return folder


def test_a_task_stops_when_it_is_decided_and_its_log_comes_back_with_the_interval(baseline, tmp_path):
    log = ran(quiz(loss=0.5, seed=1, stopping=Versus(baseline, margin=0.05)), tmp_path)
    assert log.status == "success"
    stopping = log.results.early_stopping
    found = stopping.metadata
    assert (stopping.manager, found["verdict"]) == ("equipoise", "fail")
    assert found["high"] < -0.05
    assert found["low"] < found["difference"] < found["high"]
    assert found["counted"] < 200
    # What was in flight when it was decided was finished; nothing else was begun.
    assert found["counted"] <= len(log.samples) <= found["counted"] + 4
    assert len(stopping.early_stops) == 400 - len(log.samples)
    assert stopping.early_stops[0].reason.startswith("fail after ")
    notes = {note.code: note.message for note in eq.read(tmp_path).diagnostics}
    assert "95% confidence sequence" in notes["gate-decision"]
    assert "biased" in notes["stopped-early"]


def test_an_unchanged_model_passes_before_the_end(baseline, tmp_path):
    log = ran(quiz(seed=2, stopping=Versus(baseline, margin=0.3)), tmp_path)
    assert log.results.early_stopping.metadata["verdict"] == "pass"
    assert len(log.samples) < 400


def test_the_order_of_a_data_set_is_refused_unless_it_was_shuffled(baseline, tmp_path):
    log = ran(quiz(shuffled=False, stopping=Versus(baseline, margin=0.3)), tmp_path)
    assert log.status == "error"
    assert "shuffle it" in log.error.message
    log = ran(quiz(shuffled=False, stopping=Versus(baseline, margin=0.3)), tmp_path, sample_shuffle=5)
    assert log.status == "success"


@pytest.mark.parametrize(("errored", "counted"), [("zero", 60), ("void", 57)])
def test_errors_come_through_the_hook_and_stop_no_counting(baseline, tmp_path, errored, counted):
    stopping = Versus(baseline, margin=0.001, errored=errored)
    log = ran(quiz(60, seed=3, broken=(0, 1, 2), stopping=stopping), tmp_path, fail_on_error=False)
    found = log.results.early_stopping.metadata
    assert (found["counted"], found["failed"]) == (counted, 3)


AGAIN = """
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver
from equipoise.integrations.inspect import Versus

@solver
def answers():
    async def solve(state, generate):
        if state.sample_id == "q7" and not Path({mended!r}).exists():
            raise RuntimeError("the sandbox is gone")
        with Path({ran!r}).open("a") as file:
            file.write(state.sample_id + " ")
        state.output = ModelOutput.from_content("mockllm/model", "yes" if int(state.sample_id[1:]) % 4 else "no")
        return state
    return solve

@task
def quiz():
    data = MemoryDataset([Sample(str(k), target="yes", id=f"q{{k}}") for k in range(60)])
    data.shuffle(1)
    return Task(data, solver=answers(), scorer=match(), early_stopping=Versus({base!r}, margin=0.001))
"""


def test_samples_that_are_used_again_count_on_a_retry(baseline, tmp_path):
    mended, asked, file = (tmp_path / name for name in ("mended", "asked", "quiz.py"))
    file.write_text(AGAIN.format(mended=str(mended), ran=str(asked), base=str(baseline)))
    log = ran(f"{file}@quiz", tmp_path / "logs", max_samples=1)
    assert log.status == "error"
    before = len(asked.read_text().split())
    mended.touch()
    (retried,) = eval_retry(log, log_dir=str(tmp_path / "logs"), display="none", max_samples=1)
    assert retried.status == "success"
    assert 0 < before < 60
    assert len(asked.read_text().split()) <= 62  # those that had ended were not run again
    assert retried.results.early_stopping.metadata["counted"] == 60


def test_epochs_of_a_sample_count_together(baseline, tmp_path):
    log = ran(quiz(40, seed=5, stopping=Versus(baseline, margin=0.001)), tmp_path, epochs=2)
    found = log.results.early_stopping.metadata
    base = eq.read(baseline)
    new = eq.read(tmp_path)
    places = [base.tasks.index(task) for task in new.tasks]
    assert found["counted"] == 40
    assert found["difference"] == pytest.approx(new.values.mean() - base.values[0, places].mean())


def test_the_page_does_what_it_says(baseline, bank, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [json.dumps({"id": f"q{k}", "input": str(k), "target": "yes"}) + "\n" for k in range(400)]
    (tmp_path / "quiz.jsonl").write_text("".join(rows))
    (tmp_path / "items.json").write_text(bank.read_text())
    (log,) = baseline.iterdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "baseline.eval").write_bytes(log.read_bytes())
    page = (Path(__file__).parents[2] / "docs" / "howto" / "inspect.md").read_text(encoding="utf-8")
    names = {"answers": answers}
    for block in re.findall(r"^```py\n(.*?)^```", page, re.M | re.S):
        exec(block.replace("generate()", "answers(loss=0.5)"), names)
    log = ran(names["quiz"](), tmp_path / "ran")
    assert log.results.early_stopping.metadata["verdict"] == "fail"
    log = ran(names["adaptive_quiz"](), tmp_path / "ran")
    assert log.results.scores[0].metrics["stderr"].value <= 0.3 or len(log.samples) == 60


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    difficulty = np.linspace(-2.5, 2.5, 60)
    items = [f"q{k}" for k in range(60)]
    made = Calibration.from_parameters(items, difficulty=difficulty, discrimination=1.5)
    path = tmp_path_factory.mktemp("bank") / "items.json"
    made.save(path)
    return path


@solver
def able(theta):
    async def solve(state, generate):  # as Inspect calls it
        k = int(state.sample_id[1:])
        chance = 1 / (1 + np.exp(-1.5 * (theta - np.linspace(-2.5, 2.5, 60)[k])))
        right = np.random.default_rng([9, k]).random() < chance
        state.output = ModelOutput.from_content("mockllm/model", "yes" if right else "no")
        return state

    return solve


def test_an_adaptive_source_asks_what_tells_most_and_writes_why(bank, tmp_path):
    samples = [Sample(str(k), target="yes", id=f"q{k}") for k in range(60)]
    source = AdaptiveSource(samples, bank, stop=TestLimits(length=15))
    task = Task(source, name="adaptive", solver=able(1.0), scorer=match(), metrics=[ability(str(bank))])
    log = ran(task, tmp_path)
    assert log.status == "success"
    assert len(log.samples) == 15
    asked = [sample.metadata["equipoise"] for sample in log.samples]
    assert {one["answered"] for one in asked} == set(range(15))
    assert all(one["why"].startswith("most information") for one in asked)
    said = {name: found.value for score in log.results.scores for name, found in score.metrics.items()}
    assert said["ability"] == pytest.approx(source.test.ability)
    assert said["stderr"] == pytest.approx(source.test.stderr)
    # The same test outside.
    other = AdaptiveTest(load_calibration(bank), stop=TestLimits(length=15))
    right = {str(sample.id): sample.scores["match"].value == "C" for sample in log.samples}
    while not other.done:
        item = other.ask().item
        other.tell(item, int(right[item]))
    assert other.ability == source.test.ability
    assert json.loads(bank.read_text())
