"""Comparing and adapting inside Inspect, with stand-ins of what it calls; ``test_inspect_real.py`` has the real one."""

import asyncio
import sys
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import DataError, ParameterError
from equipoise.results import Calibration

OURS = "equipoise.integrations.inspect"
HOOKS = []
"""What was registered with the stand-in."""


@dataclass
class Sample:
    id: str
    metadata: dict | None = None

    def model_copy(self, update):
        return Sample(**{"id": self.id, "metadata": self.metadata} | update)


@dataclass
class EarlyStop:
    id: str
    epoch: int
    reason: str = ""


@dataclass
class Ended:
    id: str
    scores: dict = field(default_factory=dict)
    error: object = None
    epoch: int = 1


def unchanged(**_named):
    return lambda made: made


class Hooks:
    """What hooks inherit."""


@pytest.fixture
def ours(monkeypatch):
    """Give our module, loaded over stand-ins."""
    parts = {
        "inspect_ai": {"SampleSource": type("SampleSource", (), {})},
        "inspect_ai.util": {"EarlyStop": EarlyStop},
        "inspect_ai.scorer": {"metric": unchanged},
        "inspect_ai.hooks": {"Hooks": Hooks, "hooks": lambda **_: HOOKS.append},
    }  # fmt: skip
    for name, names in parts.items():
        module = ModuleType(name)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, name, module)
    room = import_module("equipoise.integrations")

    def forget():
        HOOKS.clear()
        sys.modules.pop(OURS, None)
        vars(room).pop("inspect", None)

    forget()
    yield import_module(OURS)
    forget()


def wait(given):
    return asyncio.run(given)


def spec(shuffled=True):
    return SimpleNamespace(task="quiz", eval_id="e1", dataset=SimpleNamespace(shuffled=shuffled))


def base(count=200, value=1.0):
    return eq.Scores.from_matrix([np.full(count, value)], ["main"], [f"quiz/q{k}" for k in range(count)])


def graded(value):
    return {"match": SimpleNamespace(score=SimpleNamespace(value=value))}


def started(ours, scores=None, samples=200, epochs=1, **how):
    versus = ours.Versus(base() if scores is None else scores, **{"margin": 0.1, **how})
    assert wait(versus.start_task(spec(), [Sample(f"q{k}") for k in range(samples)], epochs)) == "equipoise"
    return versus


def test_samples_run_until_it_is_decided_and_are_stopped_then(ours):
    versus = started(ours)
    for k in range(200):
        if (stop := wait(versus.schedule_sample(f"q{k}", 1))) is not None:
            break
        wait(versus.complete_sample(f"q{k}", 1, graded("C")))
    assert stop.reason == f"pass after {k} samples"
    found = wait(versus.complete_task())
    assert found["verdict"] == "pass"
    assert found["low"] > -0.1
    assert found["counted"] == k < 100


def test_results_count_in_the_order_of_the_task_and_errors_hold_up_nobody(ours):
    versus = started(ours)
    for k in range(1, 100):
        wait(versus.complete_sample(f"q{k}", 1, graded("C")))
    assert versus.gate.counted == 0
    (made,) = HOOKS
    hook = made()
    assert hook.enabled()
    wait(hook.on_sample_end(SimpleNamespace(eval_id="other", sample=Ended("q0", error="lost"))))
    assert versus.gate.counted == 0
    wait(hook.on_sample_end(SimpleNamespace(eval_id="e1", sample=Ended("q0", error="lost"))))
    assert versus.gate.counted == 100
    wait(versus.complete_sample("q0", 1, graded("C")))  # an error that is scored comes twice, and counts as an error
    found = wait(versus.complete_task())
    assert (found["failed"], found["difference"]) == (1, pytest.approx(-1 / 100))
    assert not hook.enabled()


@pytest.mark.parametrize(("errored", "difference"), [("zero", -0.75), ("void", -0.5)])
def test_epochs_count_together(ours, errored, difference):
    versus = started(ours, epochs=4, errored=errored, margin=0.9)
    for epoch, value in ((1, "C"), (2, "I")):
        wait(versus.complete_sample("q0", epoch, graded(value)))
    versus.sample_failed("q0", 3)
    assert versus.gate.counted == 0
    versus.sample_failed("q0", 4)
    assert versus.gate.counted == 1
    assert versus.gate.difference == pytest.approx(difference)


@pytest.mark.parametrize(
    ("value", "number"),
    [("C", 1.0), ("I", 0.0), ("P", 0.5), (True, 1.0), (0.25, 0.25), ("0.5", 0.5), ({"a": 0.5, "b": 1}, 0.5),
     (None, None), (float("nan"), None), ("well", None), ([1], None)],
)  # fmt: skip
def test_grades_are_numbers_as_inspect_counts_them(ours, value, number):
    assert ours.score_of(value) == number


def test_what_cannot_be_compared_is_refused(ours):
    with pytest.raises(ValueError, match="shuffle it"):
        wait(ours.Versus(base(), margin=0.1).start_task(spec(shuffled=False), [Sample("q0")], 1))
    with pytest.raises(ValueError, match="shares no sample with quiz"):
        wait(ours.Versus(base(), margin=0.1).start_task(spec(), [Sample("z")], 1))
    with pytest.raises(ParameterError, match="margin"):
        ours.Versus(base())
    with pytest.raises(DataError, match="scores outside of 0 to 1"):
        ours.Versus(base(value=3.0), margin=0.1)


@pytest.fixture
def bank():
    items = [f"q{k}" for k in range(30)]
    return Calibration.from_parameters(items, difficulty=np.linspace(-2, 2, 30), discrimination=1.5)


def asked_of(source, answer):
    """Play a task: whatever a source gives is run at once."""
    queue, asked = list(source.initial_samples()), []
    while queue or (queue := wait(source.next_samples()) or []):
        sample = queue.pop(0)
        asked.append(sample)
        queue += wait(source.sample_complete(answer(sample)))
    return asked


def test_a_source_asks_what_the_adaptive_test_asks_and_says_why(ours, bank):
    samples = [Sample(f"q{k}", {"topic": "sums"}) for k in range(25)] + [Sample("other")]
    limits = eq.methods.TestLimits(length=12)
    source = ours.AdaptiveSource(samples, bank, stop=limits)
    asked = asked_of(source, lambda sample: Ended(sample.id, {"match": SimpleNamespace(value="C")}))
    other = eq.AdaptiveTest(bank, stop=limits)
    for k in range(25, 30):
        other.skip(f"q{k}")
    for sample in asked:
        assert other.ask().item == sample.id
        reasons = {"why": other.ask().why, "answered": other.answered}
        reasons |= {"ability": other.ability, "stderr": other.stderr}
        assert sample.metadata == {"topic": "sums", "equipoise": reasons}
        other.tell(sample.id, 1)
    assert (len(asked), source.test.ability) == (12, other.ability)


def test_a_source_asks_its_anchors_and_no_others(ours, bank):
    anchors = eq.methods.anchor_items(bank, 12)
    samples = [Sample(item) for item in bank.items]
    source = ours.AdaptiveSource(samples, bank, anchors=anchors, stop=eq.methods.TestLimits(length=30))
    asked = asked_of(source, lambda sample: Ended(sample.id, {"match": SimpleNamespace(value="C")}))
    assert sorted(sample.id for sample in asked) == sorted(anchors)
    with pytest.raises(DataError, match="no sample is an item"):
        ours.AdaptiveSource(samples, bank, anchors=["z"])


@pytest.mark.parametrize(("errored", "answered"), [("zero", 30), ("void", 20)])
def test_errors_of_a_source_count_as_wrong_or_not_at_all(ours, bank, errored, answered):
    source = ours.AdaptiveSource([Sample(item) for item in bank.items], bank, stop=eq.methods.TestLimits(length=30),
                                 errored=errored)  # fmt: skip
    asked = asked_of(source, lambda sample: Ended(sample.id, {"match": SimpleNamespace(value="C")},
                                                  "lost" if int(sample.id[1:]) % 3 == 0 else None))  # fmt: skip
    assert (len(asked), source.test.answered) == (30, answered)


def test_a_sample_that_was_abandoned_is_left_out(ours, bank):
    source = ours.AdaptiveSource([Sample(item) for item in bank.items], bank)
    (first,) = source.initial_samples()
    (second,) = wait(source.sample_abandoned(first, 1))
    assert second.id != first.id
    assert source.test.answered == 0


def test_the_metric_gives_the_estimate_of_the_same_answers(ours, bank, tmp_path):
    bank.save(tmp_path / "items.json")
    test = eq.AdaptiveTest(bank)
    scores = []
    for k in range(0, 30, 3):
        test.tell(f"q{k}", k % 2)
        scores.append(SimpleNamespace(sample_id=f"q{k}", score=SimpleNamespace(value="CI"[1 - k % 2])))
    found = ours.ability(str(tmp_path / "items.json"))(scores)
    assert found == {"ability": pytest.approx(test.ability), "stderr": pytest.approx(test.stderr)}


def test_a_calibration_of_other_items_is_refused(ours, bank):
    with pytest.raises(DataError, match="no sample is an item"):
        ours.AdaptiveSource([Sample("z")], bank)
