"""Real logs of other tools: the answers that they state, or that were recomputed from their rows by hand."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code


@pytest.fixture(scope="module")
def logs(equipoise_data):
    folder = equipoise_data / "logs"
    if not folder.is_dir():
        pytest.skip("the sample logs are not at hand")
    return folder


INSPECT = {
    "popularity_gpt-5_5epochs.eval": ("openai/gpt-5", "popularity", 0.6, 10),
    "popularity_claude-sonnet-4_5epochs.eval": ("anthropic/claude-sonnet-4-20250514", "popularity", 0.66, 10),
    "log_streaming_2epochs.eval": ("azureai/Meta-Llama-3-1-405B-Instruct-jqf", "popularity", 0.75, 2),
    "log_formats.eval": ("ollama/llama3.1", "popularity", 0.0, 1),
    "log_formats.json": ("ollama/llama3.1", "popularity", 0.0, 1),
    "popularity_cancelled.json": ("openai/gpt-4o-mini", "popularity", 2 / 3, 3),
    "no_samples_cancelled.json": ("openai/gpt-4o-mini", "testtaskname", 2 / 3, 3),
    "bash_1_four_scorers.eval": ("anthropic/claude-3-5-sonnet-latest", "bash_task", 1 / 3, 3),
    "security_guide_model_graded.eval": ("openai/gpt-4o-mini", "security_guide", 0.6875, 16),
    "multi_problems_numeric_string_grades.eval": ("google/gemini-2.5-flash", "multi_problems_eval", 9.2, 10),
    "monty_1sample_zstd.eval": ("openrouter/openai/gpt-5.4", "generalized_monty", 1.0, 1),
    "monty_crashed_partial_zstd.eval": ("openrouter/anthropic/claude-opus-4-6", "generalized_monty", 23 / 35, 35),
    "cyse2_trimmed_4epochs.json": (
        "mistral/mistral-large-latest",
        "inspect_evals/cyse2_vulnerability_exploit",
        0.65,
        1,
    ),
    "pubmedqa.json": ("openai/azure/gpt-4o-mini", "inspect_evals/pubmedqa", 1.0, 2),
}


@pytest.mark.parametrize("name", INSPECT)
def test_inspect(logs, name):
    agent, evaluation, mean, samples = INSPECT[name]
    each = eq.read(logs / "inspect" / name)
    assert each.agents == (agent,)
    assert len(each.tasks) == samples
    assert all(task.startswith(f"{evaluation}/") for task in each.tasks)
    assert each.values.mean() == pytest.approx(mean)
    whole = eq.read(logs / "inspect" / name, format="inspect", read=eq.ReadOptions(per="evaluation"))
    assert whole.tasks == (evaluation,)
    assert whole.values.item() == pytest.approx(mean)


@pytest.mark.parametrize("name", ["popularity_unscored.eval", "wmdp_error.json"])
def test_no_scores_are_no_zeros(logs, name):
    with pytest.raises(eq.DataError, match="the logs contain no scores"):
        eq.read(logs / "inspect" / name)


@pytest.mark.parametrize(
    ("scorer", "mean"),
    [("side_task_correctness", 0.0), ("max_sus_scorer", -1.0), ("full_traj_monitor", 10.0)],
)
def test_each_of_four_scorers(logs, scorer, mean):
    scores = eq.read(
        logs / "inspect" / "bash_1_four_scorers.eval", format="inspect", read=eq.ReadOptions(scorer=scorer)
    )
    assert scores.values.mean() == mean


def test_what_is_odd_about_inspect_logs_is_said(logs):
    crashed = eq.read(logs / "inspect" / "monty_crashed_partial_zstd.eval")
    assert {"run-not-finished", "samples-without-score"} <= {note.code for note in crashed.diagnostics}
    assert (crashed.account.used, dict(crashed.account.dropped)) == (35, {"that ended in an error": 11})
    assert has_code(eq.read(logs / "inspect" / "cyse2_trimmed_4epochs.json").diagnostics, "stated-mean-differs")
    assert has_code(eq.read(logs / "inspect" / "bash_1_four_scorers.eval").diagnostics, "metric-taken")


def test_a_folder_of_inspect_logs_is_one_table(logs):
    scores = eq.read(logs / "inspect")
    assert (len(scores.agents), len(scores.tasks)) == (11, 9)
    found = {(scores.agents[i], scores.tasks[j].partition("(")[0]): v for (i, j), v in np.ndenumerate(scores.values)}
    for agent, evaluation, mean, _ in INSPECT.values():
        assert found[agent, evaluation] == pytest.approx(mean) or "monty" in evaluation
    assert {"same-run-once", "files-left-out"} <= {note.code for note in scores.diagnostics}


def test_two_models_on_the_same_samples_join(logs):
    scores = eq.read(str(logs / "inspect" / "popularity_*_5epochs.eval"))
    assert scores.repeats.shape == (2, 10, 5)
    assert scores.values.mean(axis=1).tolist() == pytest.approx([0.66, 0.6])


RESULTS = {
    "meta-llama__Meta-Llama-3-8B/arc.json": ("arc_challenge", {"acc": 0.554608, "acc_norm": 0.575085}),
    "meta-llama__Meta-Llama-3-8B/gsm8k.json": ("gsm8k", {"exact_match": 0.508719}),
    "meta-llama__Meta-Llama-3-8B/hellaswag.json": ("hellaswag", {"acc": 0.617606, "acc_norm": 0.820852}),
    "meta-llama__Meta-Llama-3-8B/winogrande.json": ("winogrande", {"acc": 0.775848}),
    "meta-llama__Meta-Llama-3-8B-Instruct/arc.json": ("arc_challenge", {"acc": 0.585324, "acc_norm": 0.622014}),
    "meta-llama__Meta-Llama-3-8B-Instruct/gsm8k.json": ("gsm8k", {"exact_match": 0.755876}),
    "meta-llama__Meta-Llama-3-8B-Instruct/hellaswag.json": ("hellaswag", {"acc": 0.587433, "acc_norm": 0.788389}),
    "meta-llama__Meta-Llama-3-8B-Instruct/winogrande.json": ("winogrande", {"acc": 0.754538}),
    "meraGPT__mera-mix-4x7B/arc.json": ("arc_challenge", {"acc": 0.700512, "acc_norm": 0.717577}),
    "meraGPT__mera-mix-4x7B/gsm8k.json": ("gsm8k", {"exact_match": 0.72934}),
    "meraGPT__mera-mix-4x7B/hellaswag.json": ("hellaswag", {"acc": 0.720474, "acc_norm": 0.889166}),
    "meraGPT__mera-mix-4x7B/winogrande.json": ("winogrande", {"acc": 0.845304}),
    "LGAI-EXAONE__EXAONE-3.0-7.8B-Instruct/results_2024-12-23T14-45-44.695233.json": (
        "winogrande",
        {"exact_match": 0.0},
    ),
    "gpt-4o/results_2024-12-23T14-29-31.806745.json": ("winogrande", {"exact_match": 0.3}),
    "upstage__SOLAR-10.7B-Instruct-v1.0/results_2024-12-23T14-36-36.300029.json": ("winogrande", {"exact_match": 0.7}),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_the_harness(logs, name):
    task, metrics = RESULTS[name]
    for metric, value in metrics.items():
        scores = eq.read(logs / "lm_eval" / name, format="lm-eval", read=eq.ReadOptions(metric=metric))
        assert scores.agents == (name.partition("/")[0].replace("__", "/"),)
        assert scores.tasks == (task,)
        assert scores.values.item() == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "documents", "mean"),
    [
        ("EleutherAI__pythia-14m/samples_metabench_winogrande_secondary_2024-11-26T10-50-23.349203", 45, 0.488889),
        ("EleutherAI__pythia-14m/samples_metabench_arc_secondary_2024-11-26T10-50-23.349203", 6, 0),
        ("EleutherAI__pythia-14m/samples_metabench_gsm8k_secondary_2024-11-26T10-50-23.349203", 16, 0),
        ("LGAI-EXAONE__EXAONE-3.0-7.8B-Instruct/samples_winogrande_2024-12-23T14-45-44.695233", 10, 0.0),
        ("gpt-4o/samples_winogrande_2024-12-23T14-29-31.806745", 10, 0.3),
        ("upstage__SOLAR-10.7B-Instruct-v1.0/samples_winogrande_2024-12-23T14-36-36.300029", 10, 0.7),
        ("math_perturbed/samples_math_perturbed_full_2026-01-21T03-44-18.458309", 10, 0.0),
    ],
)
def test_samples_of_the_harness(logs, name, documents, mean):
    scores = eq.read(logs / "lm_eval" / f"{name}.jsonl")
    assert len(scores.tasks) == documents
    assert scores.values.mean() == pytest.approx(mean, abs=1e-6)
    folder = name.partition("/")[0].replace("__", "/")
    assert scores.agents[0] == (folder if folder != "math_perturbed" else scores.agents[0])
    assert scores.agents[0] != "math_perturbed"


def test_filters_of_the_harness(logs):
    scores = eq.read(
        str(logs / "lm_eval" / "*" / "gsm8k.json"), format="lm-eval", read=eq.ReadOptions(filter="flexible-extract")
    )
    assert scores.values.ravel().tolist() == pytest.approx([0.732373, 0.511751, 0.752843], abs=1e-6)


def test_groups_of_the_harness_do_not_repeat_their_subtasks(logs):
    scores = eq.read(logs / "lm_eval" / "groups")
    names = ["MedNLI", "MedQA", "NLI4PR_medical-lang", "NLI4PR_patient-lang", "PubMedQA"]
    assert scores.tasks == tuple(f"{name}_0-shot" for name in names)
    expected = [[0.612518, 0.633936, 0.673638, 0.664766, 0.759], [0.729255, 0.602514, 0.678074, 0.6673, 0.612]]
    assert scores.values.tolist() == [pytest.approx(row, abs=1e-6) for row in expected]
    assert scores.trials[0].tolist() == [1422, 1273, 1578, 1578, 1000]
    assert has_code(scores.diagnostics, "groups-left-out")


def test_old_results_of_the_harness(logs):
    path = logs / "lm_eval" / "old_format" / "pythia-70m-5shot_step143000.json"
    scores = eq.read(path)
    assert scores.agents == ("EleutherAI/pythia-v1.1-70m (step143000)",)
    assert len(scores.tasks) == 65
    found = dict(zip(scores.tasks, scores.values[0], strict=True))
    assert found["arc_challenge"] == pytest.approx(0.180034, abs=1e-6)
    assert found["piqa"] == pytest.approx(0.573449, abs=1e-6)
    assert eq.read(path, format="lm-eval", read=eq.ReadOptions(metric="acc_norm")).values[0, 0] == pytest.approx(
        0.240741, abs=1e-6
    )


def test_a_folder_of_models_is_one_table(logs):
    scores = eq.read(logs / "lm_eval")
    assert (len(scores.agents), len(scores.tasks)) == (11, 77)


def test_helm(logs):
    scores = eq.read(logs / "helm")
    assert scores.agents == ("eleutherai/pythia-1b-v0", "openai/gpt2")
    assert np.diag(scores.values).tolist() == pytest.approx([0.3, 1 / 9])
    assert np.diag(scores.trials).tolist() == [10, 9]
    assert has_code(scores.diagnostics, "split-taken")
    other = eq.read(str(logs / "helm" / "mmlu*"), format="helm", read=eq.ReadOptions(split="valid"))
    assert (other.values.mean(), len(other.tasks)) == (0, 1)


@pytest.mark.parametrize("name", ["crossword-turbo", "crossword-turbo-0301"])
def test_openai_evals(logs, name):
    scores = eq.read(logs / "openai_evals" / f"{name}.jsonl")
    assert scores.agents == (name.replace("crossword", "gpt-3.5"),)
    assert (len(scores.tasks), scores.values.mean()) == (100, pytest.approx(0.37))


def test_openai_evals_of_two_models_join(logs):
    scores = eq.read(logs / "openai_evals")
    assert scores.values.shape == (2, 100)
    assert not scores.missing.any()


def test_swe_bench(logs):
    lite = eq.read(logs / "leaderboards" / "swebench_lite_aider_results.json")
    assert (len(lite.tasks), lite.values.sum()) == (300, 79)
    verified = logs / "leaderboards" / "swebench_verified_harness_report.json"
    submitted, everything = (
        eq.read(verified),
        eq.read(verified, format="swe-bench", read=eq.ReadOptions(denominator="all")),
    )
    assert (submitted.values.size, submitted.values.sum()) == (100, 9)
    assert (everything.values.size, everything.values.sum()) == (500, 9)
    assert has_code(submitted.diagnostics, "denominator-chosen")


def test_leaderboards(logs):
    folder = logs / "leaderboards"
    with pytest.raises(eq.ColumnError, match="eval_name"):
        eq.read(folder / "open_llm_v2_official.csv")
    official = eq.read_scores(folder / "open_llm_v2_official.csv", agent="eval_name")
    assert official.tasks == ("IFEval", "BBH", "MATH Lvl 5", "GPQA", "MUSR", "MMLU-PRO")
    best = official.values.mean(axis=1).argmax()
    assert "zephyr-orpo-141b-A35b" in official.agents[best]
    assert official.values.mean(axis=1)[best] == pytest.approx(34.063, abs=1e-3)
    live = eq.read(folder / "livebench_table_2024_11_25.csv")
    assert live.values.shape == (65, 18)
    assert live.missing.sum() == 1
    means = np.nanmean(live.values, axis=1)
    assert (live.agents[means.argmax()], means.max()) == ("gemini-2.5-pro-exp-03-25", pytest.approx(82.061, abs=1e-3))
    categories = json.loads((folder / "livebench_categories_2024_11_25.json").read_text())
    parts = [[live.tasks.index(task) for task in tasks] for tasks in categories.values()]
    by_category = np.mean([np.nanmean(live.values[:, part], axis=1) for part in parts], axis=0)
    best = np.argsort(-by_category)[:3]
    assert [live.agents[k] for k in best[:2]] == ["gemini-2.5-pro-exp-03-25", "claude-3-7-sonnet-thinking"]
    assert by_category[best].tolist() == pytest.approx([82.354, 76.101, 75.883], abs=1e-3)
    hard = eq.read(folder / "arena_hard_leaderboard_20240731.csv")
    assert (hard.tasks, hard.agents[0], hard.values[0, 0]) == (("score",), "gpt-4-turbo-2024-04-09", 82.63)
    alpaca = eq.read(folder / "alpaca_eval_2_leaderboard.csv")
    assert alpaca.agents[0] == "NullModel"
    tasks = dict(zip(alpaca.tasks, alpaca.values.T, strict=True))
    assert tasks["length_controlled_winrate"].max() == pytest.approx(86.46, abs=0.01)
    assert alpaca.agents[int(np.nanargmax(tasks["win_rate"]))] == "gemma-2-9b-it-WPO-HB"


@pytest.mark.parametrize(
    ("folder", "figures"),
    [
        ("inspect", ["0.6600", "0.6571", "9.2000", "0.6875"]),
        ("lm_eval", ["0.5087", "0.7293", "0.4889", "0.0004"]),
        ("helm", ["0.3000", "0.1111"]),
        ("openai_evals", ["0.3700"]),
        ("leaderboards", ["0.2633", "0.0900"]),
    ],
)
def test_every_folder_makes_a_page(logs, folder, figures, tmp_path):
    page = eq.write_report(logs / folder, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Contents of the logs" in page
    assert all(figure in page for figure in figures)
