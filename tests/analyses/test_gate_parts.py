"""Gates over several metrics and slices, prompts that changed, and what was answered."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.errors import DataError, ParameterError
from equipoise.report.render.ci import github_annotation, github_summary, junit

BOTH = ("base", "new")


def harness(folder, model, scores, *, f1=None, prompt="p", metric="acc", task="quiz"):
    """A log of lm-eval: one file of samples."""
    folder = folder / model
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"doc_id": k, "doc": {}, "target": "x", "arguments": [], "resps": [[f"said {score}"]],
         "filtered_resps": [f"said {score}"], "filter": "none", "prompt_hash": f"{prompt}{k}", metric: score}
        | ({} if f1 is None else {"f1": f1[k]})
        for k, score in enumerate(scores)
    ]  # fmt: skip
    path = folder / f"samples_{task}_2026-01-01T00-00-00.000000.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def right():
    return (np.arange(200) % 4 > 0).astype(float).tolist()


def test_tasks_with_other_prompts_are_refused_and_named(tmp_path, right):
    base = harness(tmp_path, "base", right)
    altered = harness(tmp_path, "new", right, prompt="P")
    with pytest.raises(DataError, match=r"200 of 200 tasks have other prompts than before: quiz/0, quiz/1") as caught:
        eq.gate(base, altered, margin=0.1)
    assert "\n" not in str(caught.value)
    assert main(["gate", str(base), str(altered), "--margin", "0.1"]) == 2


def test_scores_of_another_metric_are_refused(tmp_path, right):
    base = harness(tmp_path, "base", right)
    other = harness(tmp_path, "new", right, metric="exact_match")
    with pytest.raises(DataError, match="base was read by acc, the new agent by exact_match"):
        eq.gate(base, other, margin=0.1)


def test_tasks_that_flipped_are_shown_with_both_answers(tmp_path, right):
    late = [0.0, *right[1:5], 1.0 - right[5], *right[6:]]
    found = eq.gate(harness(tmp_path, "base", right), harness(tmp_path, "new", late), margin=0.1)
    assert 'quiz/5: "said 1.0", now "said 0.0"' in found.answer[1]
    row = found.frame().row(0, named=True)
    assert (row["base_answer"], row["new_answer"]) == ("said 1.0", "said 0.0")
    assert "said 0.0" in found.to_markdown()


def test_inspect_logs_have_answers_and_prompts(tmp_path):
    for name, said in (("base", "A"), ("new", "B")):
        samples = [
            {"id": k, "epoch": 1, "input": [{"id": f"{name}{k}", "role": "user", "content": f"question {k}"}],
             "scores": {"match": {"value": "C" if said == "A" or k else "I", "answer": said}}}
            for k in range(30)
        ]  # fmt: skip
        log = {"version": 2, "status": "success", "eval": {"task": "quiz", "model": name, "task_id": name},
               "samples": samples}  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    found = eq.gate(tmp_path / "base.json", tmp_path / "new.json", margin=0.5)
    assert '1 task got worse (quiz/0: "A", now "B")' in found.answer[1]


def table(values):
    tasks = [f"{subject}/{k}" for subject in ("law", "physics", "art") for k in range(len(values[0]) // 3)]
    return eq.Scores.from_matrix(values, BOTH, tasks)


def test_all_slices_must_pass_and_one_that_fails_fails():
    base = np.tile([1.0, 0.0, 1.0, 1.0], 150)
    same = eq.methods.gate_parts(table([base, base]), by="evaluation", base_agent="base", margin=0.1)
    assert (same.verdict, [part.verdict for part in same.parts]) == ("pass", ["pass"] * 3)
    worse = base.copy()
    worse[:200] = 0.0
    found = eq.methods.gate_parts(table([base, worse]), by="evaluation", base_agent="base", margin=0.1)
    assert (found.verdict, [part.verdict for part in found.parts]) == ("fail", ["fail", "pass", "pass"])
    assert found.answer[0].startswith("Fail: 3 slices by evaluation")
    few = table([base[:24], base[:24]])
    assert eq.methods.gate_parts(few, by="evaluation", base_agent="base", margin=0.01).verdict == "undecided"


def test_what_fails_alone_is_undecided_where_it_shares_the_level_with_others():
    base = np.tile([1.0, 1.0, 0.0, 1.0], 150)
    new = base.copy()
    for lost in range(5, 60):
        new[:lost] = 0.0
        data = table([base, new])
        law = eq.Scores.from_matrix(data.values[:, :200], BOTH, data.tasks[:200])
        alone = eq.gate(law, base_agent="base", margin=0.05)
        joint = eq.methods.gate_parts(data, by="evaluation", base_agent="base", margin=0.05)
        if alone.verdict == "fail":
            break
    assert joint.parts[0].verdict == joint.verdict == "undecided"
    new[:100] = 0.0
    joint = eq.methods.gate_parts(table([base, new]), by="evaluation", base_agent="base", margin=0.05)
    assert joint.parts[0].level == pytest.approx(1 - 0.05 / 3)


def test_metrics_of_logs_and_columns_of_tables_are_decided_together(tmp_path, right, capsys):
    lost = [0.0 if k % 2 else 0.5 for k in range(200)]
    base = harness(tmp_path, "base", right, f1=[0.5] * 200)
    new = harness(tmp_path, "new", right, f1=lost)
    machines = tmp_path / "gate.xml"
    given = ["gate", str(base), str(new), "--margin", "0.1", "--by", "acc,f1"]
    assert main([*given, "--junit", str(machines), "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "fail"
    assert {part["part"]: part["verdict"] for part in document["parts"]} == {"acc": "pass", "f1": "fail"}
    suite = ET.parse(machines).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert main([*given[:-1], "evaluation"]) == 2
    assert "needs no joint decision" in capsys.readouterr().err
    for name in BOTH:
        rows = [f"{name},q{k},{right[k]},{0.5 if name == 'base' else lost[k]},{'odd' if k % 2 else 'even'}\n"
                for k in range(200)]  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("model,task,acc,quality,kind\n" + "".join(rows))
    files = [str(tmp_path / f"{name}.csv") for name in BOTH]
    assert main(["gate", *files, "--margin", "0.1", "--by", "acc,quality"]) == 1
    assert main(["gate", *files, "--margin", "0.2", "--score", "quality", "--by", "kind"]) == 1
    said = " ".join(capsys.readouterr().out.split())  # lines may break anywhere
    assert "fail: odd" in said
    assert main(["gate", *files, "--margin", "0.2", "--score", "acc", "--by", "knd"]) == 2
    assert main(["gate", *files, "--margin", "0.2", "--sequential", str(tmp_path / "s"), "--by", "kind"]) == 2


def test_machines_read_every_part():
    base = np.tile([1.0, 0.0, 1.0, 1.0], 150)
    worse = base.copy()
    worse[:200] = 0.0
    found = eq.methods.gate_parts(table([base, worse]), by="evaluation", base_agent="base", margin=0.1)
    assert "| law" in github_summary(found)
    assert github_annotation(found).startswith("::error title=equipoise gate::Fail: 3 slices")
    assert junit(found).count("<testcase") == 3


def test_parts_are_metrics_or_slices_and_not_one():
    data = table([[1.0] * 9, [1.0] * 9])
    for given in ({}, {"metrics": ["a", "b"], "by": "evaluation"}):
        with pytest.raises(ParameterError, match="give either"):
            eq.methods.gate_parts(data, base_agent="base", margin=0.1, **given)
