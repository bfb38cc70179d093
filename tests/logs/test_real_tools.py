"""Logs that the real tools write, with models that only pretend; run where the tools are installed."""

import math

import numpy as np
import pytest

import equipoise as eq

pytestmark = pytest.mark.filterwarnings("ignore")  # what the tools leave open is not ours to close


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect_writes_and_we_read(tmp_path, form):
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    from inspect_ai import Task
    from inspect_ai import eval as run
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import exact, match
    from inspect_ai.solver import solver

    @solver
    def answers():
        async def solve(state, generate):  # as Inspect calls it
            good = (int(state.sample_id[1:]) + state.epoch) % 3
            state.output = ModelOutput.from_content("mockllm/model", "yes" if good else "no")
            return state

        return solve

    samples = [Sample(str(k), target="yes", id=f"q{k}") for k in range(4)]
    task = Task(samples, name="quiz", solver=answers(), scorer=[match(), exact()])
    (log,) = run(task, model="mockllm/model", epochs=2, log_dir=str(tmp_path), log_format=form, display="none")
    assert log.status == "success"
    first, second = log.results.scores
    scores = eq.read(tmp_path)
    assert scores.agents == ("mockllm/model",)
    assert sorted(scores.tasks) == [f"quiz/q{k}" for k in range(4)]
    assert scores.repeats.shape == (1, 4, 2)
    assert scores.values.mean() == pytest.approx(first.metrics["accuracy"].value)
    other = eq.read(tmp_path, format="inspect", read=eq.ReadOptions(scorer="exact", per="evaluation"))
    assert other.values.item() == pytest.approx(second.metrics["mean"].value)


def test_the_harness_writes_and_we_read(tmp_path):
    pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    from lm_eval import simple_evaluate
    from lm_eval.api.task import ConfigurableTask
    from lm_eval.loggers import EvaluationTracker

    class Quiz(ConfigurableTask):
        VERSION = 0

        def __init__(self, config=None):  # noqa: ARG002  # as the harness calls it
            super().__init__(config={"task": "quiz", "output_type": "multiple_choice", "doc_to_text": "{{q}}",
                                     "doc_to_choice": ["a", "b"], "doc_to_target": 0, "test_split": "test",
                                     "metric_list": [{"metric": "acc"}]})  # fmt: skip

        def download(self, dataset_kwargs=None, **more):  # noqa: ARG002  # likewise
            from datasets import Dataset

            self.dataset = {"test": Dataset.from_list([{"q": f"question {k}"} for k in range(12)])}

    tracker = EvaluationTracker(output_path=str(tmp_path))
    made = simple_evaluate(
        model="dummy", tasks=[Quiz()], log_samples=True, evaluation_tracker=tracker, bootstrap_iters=0
    )
    samples = made.pop("samples")
    tracker.general_config_tracker.model_name_sanitized = "dummy"
    tracker.save_results_aggregated(results=made, samples=samples)
    tracker.save_results_samples(task_name="quiz", samples=samples["quiz"])
    scores = eq.read(tmp_path)
    assert len(scores.tasks) == 12
    assert not math.isnan(made["results"]["quiz"]["acc,none"])
    assert np.mean(scores.values) == pytest.approx(made["results"]["quiz"]["acc,none"])
