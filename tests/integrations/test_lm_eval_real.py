"""Documents in chunks in the real lm-eval, with tasks of our own and a model that only pretends."""

import json
import zlib

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.errors import DataError, ParameterError

pytest.importorskip("lm_eval", reason="lm-eval is not installed: make test-real-logs")
pytestmark = pytest.mark.filterwarnings("ignore")  # what the tool leaves open is not ours to close

from lm_eval import simple_evaluate  # noqa: E402
from lm_eval.api.model import LM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

from equipoise.integrations.lm_eval import TasksInParts, eval_in_parts  # noqa: E402

SIZE = 240


class Pretender(LM):
    """Prefers the right answer of a question with a probability that its text decides."""

    def __init__(self, right=0.7):
        super().__init__()
        self.right = right
        self.asked = []

    def loglikelihood(self, requests):
        self.asked += [request.args[0] for request in requests]
        return [(-float(self._likes(*request.args)), False) for request in requests]

    def _likes(self, context, continuation):
        knows = zlib.crc32(context.encode()) % 1000 < 1000 * self.right
        return (continuation.strip() == "yes") != knows

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError

    def generate_until(self, requests):
        raise NotImplementedError


@pytest.fixture(scope="module")
def tasks(tmp_path_factory):
    """Three tasks of our own: without examples, with the first three, and with three that are drawn."""
    folder = tmp_path_factory.mktemp("tasks")
    for split, size in (("test", SIZE), ("train", 20)):
        rows = [json.dumps({"question": f"{split} question {k}?", "answer": 0}) + "\n" for k in range(size)]
        (folder / f"{split}.jsonl").write_text("".join(rows))
    for name, more in (
        ("plain", {}), ("first", {"num_fewshot": 3, "fewshot_config": {"sampler": "first_n"}}),
        ("drawn", {"num_fewshot": 3}),
    ):  # fmt: skip
        config = {
            "task": f"own_{name}", "dataset_path": "json",
            "dataset_kwargs": {"data_files": {s: str(folder / f"{s}.jsonl") for s in ("test", "train")}},
            "test_split": "test", "fewshot_split": "train", "training_split": "train",
            "output_type": "multiple_choice", "doc_to_text": "Q: {{question}}\nA:", "doc_to_choice": ["yes", "no"],
            "doc_to_target": "answer",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        }  # fmt: skip
        (folder / f"own_{name}.yaml").write_text(json.dumps({**config, **more}))  # JSON is YAML
    return folder


def whole(tasks, name, model):
    made = simple_evaluate(
        model=model, tasks=[name], log_samples=True, bootstrap_iters=0,
        task_manager=TaskManager(include_path=str(tasks), include_defaults=False),
    )  # fmt: skip
    return {row["doc_id"]: row for row in made["samples"][name]}


@pytest.mark.parametrize("name", ["own_plain", "own_first"])
def test_prompts_scores_and_numbers_are_those_of_a_full_run(tasks, name):
    full = whole(tasks, name, Pretender())
    parts = TasksInParts(name, Pretender(), include_path=tasks)
    documents = parts.documents
    assert len(documents) == SIZE
    order = [documents[k] for k in np.random.default_rng(1).permutation(SIZE)[:90]]
    scores = {}
    for start in range(0, 90, 30):
        scores |= parts.run(order[start : start + 30])
    assert set(scores) == set(order)
    rows = {row["doc_id"]: row for row in parts.rows[name]}
    for document, score in scores.items():
        number = int(document.rpartition("/")[2])
        for key in ("prompt_hash", "doc_hash", "target_hash"):
            assert rows[number][key] == full[number][key]
        assert score == full[number]["acc"]


def test_examples_that_are_drawn_would_depend_on_the_chunk_and_are_refused(tasks):
    full = whole(tasks, "own_drawn", Pretender())
    manager = TaskManager(include_path=str(tasks), include_defaults=False)
    chunk = simple_evaluate(
        model=Pretender(), tasks=["own_drawn"], task_manager=manager, bootstrap_iters=0, samples={"own_drawn": [5, 9]}
    )  # fmt: skip
    there = {row["doc_id"]: row["prompt_hash"] for row in chunk["samples"]["own_drawn"]}
    assert there[9] != full[9]["prompt_hash"]  # so the refusal has a reason
    with pytest.raises(DataError, match="own_drawn draws its 3 examples at random"):
        TasksInParts("own_drawn", Pretender(), include_path=tasks)
    assert TasksInParts("own_plain", Pretender(), include_path=tasks, num_fewshot=0)
    with pytest.raises(DataError, match="draws its 2 examples"):
        TasksInParts("own_plain", Pretender(), include_path=tasks, num_fewshot=2)


def test_nothing_asked_runs_nothing(tasks):
    model = Pretender()
    assert TasksInParts("own_plain", model, include_path=tasks).run([]) == {}
    assert model.asked == []


def test_a_part_predicts_the_whole_and_is_written_as_the_harness_writes_it(tasks, tmp_path):
    truth = np.mean([row["acc"] for row in whole(tasks, "own_plain", Pretender()).values()])
    found = eval_in_parts(
        TasksInParts("own_plain", Pretender(), include_path=tasks), documents=120, chunk=25, logs=tmp_path, rng=3
    )
    assert (len(found.tasks), found.size) == (120, SIZE)
    assert found.low < truth < found.high
    assert "on all 240 tasks" in found.answer[0]
    back = eq.read(tmp_path)
    assert back.agents == ("Pretender",)
    assert dict(zip(back.tasks, back.values[0], strict=True)) == dict(zip(found.tasks, found.scores, strict=True))
    everything = eval_in_parts(TasksInParts("own_plain", Pretender(), include_path=tasks), chunk=100)
    assert everything.low == pytest.approx(truth) == everything.high


def test_running_stops_when_the_gate_has_decided(tasks, tmp_path):
    eval_in_parts(TasksInParts("own_plain", Pretender(0.95), include_path=tasks), logs=tmp_path / "base")
    model = Pretender(0.3)
    parts = TasksInParts("own_plain", model, include_path=tasks)
    found = eval_in_parts(parts, base=tmp_path / "base", margin=0.05, chunk=10, logs=tmp_path / "new")
    assert found.verdict == "fail"
    assert len(found.tasks) < 100
    assert len(set(model.asked)) == len(found.tasks)
    assert found.answer[0].startswith("Fail: the new agent is worse than Pretender by more than 0.05")


def test_calibrated_items_predict_the_whole(tasks, tmp_path):
    answers = {}
    for k, right in enumerate(np.linspace(0.2, 0.95, 8)):
        rows = whole(tasks, "own_plain", Pretender(float(right)))
        answers[f"m{k}"] = [rows[number]["acc"] for number in range(SIZE)]
    table = eq.Scores.from_matrix(list(answers.values()), list(answers), [f"own_plain/{k}" for k in range(SIZE)])
    bank = eq.irt(table).calibration()
    found = eval_in_parts(TasksInParts("own_plain", Pretender(0.6), include_path=tasks), documents=80, calibration=bank)
    assert found.predicted.n_items == SIZE
    truth = np.mean([row["acc"] for row in whole(tasks, "own_plain", Pretender(0.6)).values()])
    assert found.predicted.low[0] <= truth <= found.predicted.high[0]


def test_the_command_decides_by_its_exit_code_and_refuses_in_one_line(tasks, tmp_path, capsys, monkeypatch):
    given = ["eval-in-parts", "own_plain", "--model", "dummy", "--include-path", str(tasks), "--documents", "40"]
    assert main([*given, "--logs", str(tmp_path / "logs"), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["run"] == 40
    assert len(eq.read(tmp_path / "logs").tasks) == 40
    for wrong in (["own_plan"], ["own_drawn"], ["own_plain", "--metric-name", "f9"]):
        assert main([given[0], *wrong, *given[2:]]) == 2
        assert len([line for line in capsys.readouterr().err.splitlines() if line.startswith("equipoise")]) <= 1
    assert main([*given[:3], "dumy", *given[4:]]) == 2
    base = [f"own_plain/{k},{1}\n" for k in range(SIZE)]
    (tmp_path / "base.csv").write_text("model,task,score\n" + "".join(f"base,{row}" for row in base))
    assert main([*given, "--base", str(tmp_path / "base.csv"), "--margin", "0.05", "--chunk", "10"]) == 1


def test_what_is_no_score_is_refused(tasks):
    with pytest.raises(ParameterError, match='no task "own_plane"'):
        TasksInParts("own_plane", Pretender(), include_path=tasks)
    with pytest.raises(ParameterError, match='own_plain has no "acc_mutual"'):
        TasksInParts("own_plain", Pretender(), include_path=tasks, metric_name="acc_mutual").run(["own_plain/1"])
