"""Logs of our own making, each with one thing that a reader could get wrong."""

import gzip
import json
import zipfile

import polars as pl
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.diagnostics import has_code
from equipoise.logs.files.peek import Peek
from equipoise.logs.registry import format_of_log


def inspect_log(path, samples, model="m", task="quiz", status="success", **more):
    header = {"version": 2, "status": status, "eval": {"task": task, "model": model, "task_id": f"{model}-{path.name}"}}
    path.write_text(json.dumps({**header, "plan": {}, "samples": samples, **more}))
    return path


def sample(name, value, epoch=1, scorer="match", **more):
    return {"id": name, "epoch": epoch, "scores": {scorer: {"value": value}}, **more}


def messages(data):
    return " ".join(note.message for note in data.diagnostics)


def test_grades_numbers_and_truths_are_scores(tmp_path):
    values = ["C", "I", "P", "N", "0.25", 2, True]
    log = inspect_log(tmp_path / "a.json", [sample(k, value) for k, value in enumerate(values)])
    assert eq.read(log).values[0].tolist() == [1, 0, 0.5, 0, 0.25, 2, 1]


def test_a_value_that_is_no_score_is_refused_or_skipped(tmp_path):
    log = inspect_log(tmp_path / "a.json", [sample(1, "C"), sample(2, "maybe")])
    with pytest.raises(eq.DataError, match="'maybe' is neither a number nor C, I, P or N"):
        eq.read(log, format="inspect")
    assert eq.read(log, format="inspect", read=eq.ReadOptions(on_error="skip")).values.tolist() == [[1]]


def test_epochs_are_averaged_per_sample_first(tmp_path):
    log = inspect_log(tmp_path / "a.json", [sample(1, "C"), sample(1, "C", 2), sample(1, "C", 3), sample(2, "I")])
    assert eq.read(log, format="inspect", read=eq.ReadOptions(per="evaluation")).values.item() == 0.5
    assert eq.read(log, format="inspect").values.tolist() == [[1, 0]]


def test_a_dictionary_gives_the_metric_asked_for(tmp_path):
    log = inspect_log(tmp_path / "a.json", [sample(1, {"good": 1, "fast": 7}), sample(2, {"good": 0, "fast": 9})])
    taken = eq.read(log)
    assert taken.values.tolist() == [[1, 0]]
    assert '"good" is taken of the scores good, fast' in messages(taken)
    assert eq.read(log, format="inspect", read=eq.ReadOptions(metric="fast")).values.tolist() == [[7, 9]]
    assert eq.read(
        log, format="inspect", read=eq.ReadOptions(metric="fast", scorer="match", per="evaluation")
    ).values.tolist() == [[8]]
    with pytest.raises(eq.ParameterError, match='has no "slow"; it has good, fast'):
        eq.read(log, format="inspect", read=eq.ReadOptions(metric="slow"))


def test_a_crashed_archive_without_header_gives_its_journal_and_its_samples(tmp_path):
    path = tmp_path / "crashed.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "quiz", "model": "m"}}))
        archive.writestr("_journal/summaries/1.json", json.dumps([sample(1, "C")]))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample(1, "C")))
        archive.writestr("samples/2_epoch_1.json", json.dumps(sample(2, "I")))
    scores = eq.read(path)
    assert scores.values.tolist() == [[1, 0]]
    assert has_code(scores.diagnostics, "run-not-finished")


def test_a_damaged_archive_is_one_line(tmp_path):
    path = tmp_path / "cut.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"task": "quiz", "model": "m"}}))
        archive.writestr("summaries.json", '[{"id": 1,')
    with pytest.raises(eq.ReadError, match=r"cut\.eval: summaries\.json: broken JSON"):
        eq.read(path)


def test_tasks_with_other_arguments_are_other_evaluations(tmp_path):
    for name, level in (("a", 1), ("b", 2)):
        log = json.loads(inspect_log(tmp_path / f"{name}.json", [sample(1, "C")], model=name).read_text())
        log["eval"]["task_args"] = {"level": level, "seed": 0}
        (tmp_path / f"{name}.json").write_text(json.dumps(log))
    assert eq.read(tmp_path).tasks == ("quiz(level=1)", "quiz(level=2)")


def test_samples_that_some_model_lacks_are_named(tmp_path):
    inspect_log(tmp_path / "a.json", [sample(1, "C"), sample(2, "C")], model="owl")
    inspect_log(tmp_path / "b.json", [sample(2, "I")], model="fox")
    scores = eq.read(tmp_path)
    assert scores.values.shape == (2, 2)
    assert "1 of 2 tasks have no score of some agent (quiz/1): fox lacks 1" in messages(scores)


def harness_samples(path, rows):
    path.parent.mkdir(exist_ok=True)
    base = {"target": "x", "filtered_resps": ["x"], "doc_hash": "h"}
    path.write_text("".join(json.dumps({**base, **row}) + "\n" for row in rows))
    return path


def test_rows_of_other_filters_are_not_counted_again(tmp_path):
    rows = [{"doc_id": k, "filter": f, "exact_match": s} for f, s in (("strict", 0), ("flexible", 1)) for k in range(3)]
    path = harness_samples(tmp_path / "org__model" / "samples_quiz_2025-01-01T00-00-00.000001.jsonl", rows)
    scores = eq.read(path)
    assert (scores.agents, scores.values.tolist()) == (("org/model",), [[0, 0, 0]])
    assert scores.account.dropped == {'of filters other than "strict"': 3}
    assert eq.read(path, format="lm-eval", read=eq.ReadOptions(filter="flexible")).values.tolist() == [[1, 1, 1]]
    with pytest.raises(eq.DataError, match="no scores"):
        eq.read(path, format="lm-eval", read=eq.ReadOptions(filter="none"))


def test_old_samples_repeat_documents_without_naming_the_filter(tmp_path):
    rows = [{"doc_id": k, "exact_match": s} for s in (1, 0) for k in range(2)]
    scores = eq.read(harness_samples(tmp_path / "m" / "samples_quiz.jsonl", rows))
    assert scores.values.tolist() == [[1, 1]]
    assert "no filter is named" in messages(scores)


def test_documents_of_other_versions_are_said(tmp_path):
    harness_samples(tmp_path / "a" / "samples_quiz.jsonl", [{"doc_id": 0, "acc": 1.0}])
    harness_samples(tmp_path / "b" / "samples_quiz.jsonl", [{"doc_id": 0, "acc": 1.0, "doc_hash": "other"}])
    assert has_code(eq.read(tmp_path).diagnostics, "documents-differ")


def test_less_is_better_of_perplexity(tmp_path):
    path = tmp_path / "results.json"
    results = {"wiki": {"word_perplexity,none": 12.5, "word_perplexity_stderr,none": "N/A"}}
    path.write_text(json.dumps({"results": results, "configs": {}, "model_name": "m"}))
    scores = eq.read(path)
    assert scores.values.tolist() == [[-12.5]]
    assert has_code(scores.diagnostics, "sign-turned")


def helm_run(folder, instances, model="org/m"):
    folder.mkdir(parents=True)
    (folder / "run_spec.json").write_text(json.dumps({"name": f"quiz:model={model}", "adapter_spec": {"model": model}}))
    (folder / "stats.json").write_text("[]")
    (folder / "per_instance_stats.json").write_text(json.dumps(instances))


def instance(name, mean, trial=0, **more):
    stat = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": mean, "mean": mean}
    return {"instance_id": name, "train_trial_index": trial, "stats": [stat], **more}


def test_helm_trials_are_averaged_and_perturbed_copies_left_out(tmp_path):
    rows = [instance("a", 1), instance("a", 0, 1), instance("b", 1), instance("b", 1, 1)]
    helm_run(tmp_path / "quiz", [*rows, instance("a", 0, perturbation={"name": "typos"})])
    scores = eq.read(tmp_path)
    assert (scores.agents, scores.tasks, scores.values.tolist()) == (("org/m",), ("quiz/a", "quiz/b"), [[0.5, 1]])
    assert {"perturbed-left-out", "trials-averaged"} <= {note.code for note in scores.diagnostics}
    assert eq.read(tmp_path / "quiz").tasks == scores.tasks


def test_graded_events_of_openai_evals(tmp_path):
    lines = [{"spec": {"completion_fns": ["m"], "eval_name": "quiz"}}]
    lines += [
        {"run_id": "r", "event_id": k, "sample_id": f"s{k}", "type": "metrics", "data": {"choice": "A", "score": k / 2}}
        for k in range(3)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert eq.read(path, format="openai-evals").values.tolist() == [[0, 0.5, 1]]


def py_irt(path, subjects=3):
    lines = [
        {"subject_id": f"m{i}", "responses": {f"q{j}": int((i + j) % 3 > 0) for j in range(4)}} for i in range(subjects)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_py_irt_lines_packed_or_not(tmp_path):
    plain = py_irt(tmp_path / "quiz.jsonlines")
    packed = tmp_path / "quiz.jsonlines.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert eq.read(plain).values.tolist() == eq.read(packed).values.tolist()
    assert eq.read(plain, format="py-irt").tasks[0] == "quiz/q0"


def test_a_log_is_known_by_what_it_holds(tmp_path):
    path = py_irt(tmp_path / "named_anyhow.txt")
    assert format_of_log(Peek.at(path)).name == "py-irt"
    assert eq.read(path).agents == ("m0", "m1", "m2")
    table = tmp_path / "scores.json"
    table.write_text('[{"agent": "a", "x": 1, "y": 2}, {"agent": "b", "x": 2, "y": 1}]')
    assert format_of_log(Peek.at(table)) is None


@pytest.mark.parametrize("line", ["<<<<<<< HEAD", ">>>>>>> theirs"])
def test_a_file_in_the_middle_of_a_merge_is_refused(tmp_path, line):
    path = py_irt(tmp_path / "quiz.jsonl")
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([first, line, *rest]))
    with pytest.raises(eq.ReadError, match="line 2 is a mark of an unfinished merge"):
        eq.read(path)
    table = tmp_path / "scores.csv"
    table.write_text(f"agent,x,y\na,1,2\n{line}\nb,2,3\n")
    with pytest.raises(eq.ReadError, match="line 3 is a mark of an unfinished merge"):
        eq.read(table)


def test_logs_of_two_tools_join(tmp_path):
    inspect_log(tmp_path / "a.json", [sample(1, "C"), sample(2, "I")], model="owl")
    helm_run(tmp_path / "helm", [instance("x", 1)], model="owl")
    scores = eq.read(tmp_path)
    assert (scores.agents, scores.tasks, scores.values.tolist()) == (
        ("owl",),
        ("quiz/1", "quiz/2", "quiz/x"),
        [[1, 0, 1]],
    )


@pytest.mark.parametrize("given", ["", " ", ["", "games.csv"]])
def test_an_empty_name_is_not_the_folder_we_are_in(given, tmp_path, monkeypatch):
    (tmp_path / "games.csv").write_text("model_a,model_b,winner\na,b,model_a\nb,a,model_a\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(eq.ReadError, match="the name of a file is empty"):
        eq.read(given)


def test_options_that_have_no_effect_are_refused(tmp_path):
    path = py_irt(tmp_path / "quiz.jsonl")
    with pytest.raises(eq.ParameterError, match="metric has no effect on py-irt responses"):
        eq.read(path, read=eq.ReadOptions(metric="acc"))
    with pytest.raises(eq.ColumnError, match='no column "x"; found: agent, task, score'):
        eq.read(path, read=eq.ReadOptions(where="x > 1"))
    with pytest.raises(eq.DataError, match="has no effect"):
        eq.read(path, read=eq.ReadOptions(table="sheet"))
    with pytest.raises(eq.DataError, match="no Inspect AI logs were found there"):
        eq.read(path, format="inspect")
    with pytest.raises(eq.ReadError, match="no file fits this pattern"):
        eq.read(tmp_path / "*.eval")


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "arrow"])
def test_import_writes_a_table_that_is_read_back(tmp_path, suffix, capsys):
    log = inspect_log(tmp_path / "a.json", [sample(1, "C"), sample(1, "I", 2), sample(2, "C"), sample(2, "C", 2)])
    table = tmp_path / f"table.{suffix}"
    assert main(["import", str(log), "-o", str(table)]) == 0
    assert "Epochs are averaged sample by sample first (a.json)" in capsys.readouterr().err
    assert eq.read(table).values.tolist() == eq.read(log).values.tolist() == [[0.5, 1]]


def test_import_of_a_table_with_another_end_is_refused(tmp_path):
    with pytest.raises(eq.ParameterError, match="tables are written as"):
        eq.import_logs(py_irt(tmp_path / "quiz.jsonl"), tmp_path / "table.docx")


def test_a_report_joins_logs_and_keeps_tables_apart(tmp_path):
    inspect_log(tmp_path / "a.json", [sample(k, "CI"[k % 2]) for k in range(6)], model="owl")
    inspect_log(tmp_path / "b.json", [sample(k, "CI"[k % 3 > 0]) for k in range(6)], model="fox")
    pl.DataFrame({"a": ["x", "y"], "b": ["y", "x"], "outcome": [1, 1]}).write_csv(tmp_path / "games.csv")
    page = eq.write_report(tmp_path, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Taken for Inspect AI logs: scores: 2 agents on 6 tasks." in page
    assert "Taken for games" in page
