"""Results of which a file is one agent's: SWE-bench and SWE-bench Pro, tau-bench, terminal-bench, MTEB."""

import json
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.logs.files.names import agent_of


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("path", "agent"),
    [
        ("traj/claude-4/eval_results.json", "claude-4"),
        ("20240825_agent_gpt-4o-2024-05-13/results/results.json", "20240825_agent_gpt-4o-2024-05-13"),
        ("20250811_cli_sonnet/run1_2025-08-10__05-27-18/results.json", "20250811_cli_sonnet"),
        ("goose/2025-08-27__22-13-13_results.json", "goose"),
        ("boards/run-llama-70b.json", "run-llama-70b"),
        ("gpt-4.1.json", "gpt-4.1"),
    ],
)
def test_an_agent_is_called_after_the_nearest_name_that_is_its_own(path, agent):
    assert agent_of(Path("/data") / path) == agent


def test_instances_with_true_and_false(tmp_path):
    write(tmp_path, "traj/ada/eval_results.json", {"instance_a-1": True, "instance_b-2": False})
    write(tmp_path, "traj/bob/eval_results.json", {"instance_b-2": True, "instance_c-3": False, "instance_a-1": None})
    scores = eq.read(tmp_path)
    assert scores.agents == ("ada", "bob")
    assert scores.tasks == tuple(f"SWE-bench Pro/instance_{name}" for name in ("a-1", "b-2", "c-3"))
    assert np.array_equal(scores.values, [[1, 0, np.nan], [np.nan, 1, 0]], equal_nan=True)
    assert dict(scores.account.dropped) == {"without an answer": 1}


def test_settings_are_no_results(tmp_path):
    path = write(tmp_path, "config.json", {"verbose": True, "fast": False})
    with pytest.raises(eq.DataError, match="no results by instance were found"):
        eq.read(path, format="solved")


def test_reports_of_single_instances_are_runs_of_the_agents_above_them(tmp_path):
    for agent, solved in (("ada", (True, False, None)), ("bob", (False, False, True))):
        for name, value in zip(("x-1", "x-2", "x-3"), solved, strict=True):
            report = {name: {"patch_exists": True, "resolved": value, "tests_status": {"a": {"success": []}}}}
            write(tmp_path, f"run/{agent}/{name}/report.json", report)
    (tmp_path / "run/ada/x-1/patch.diff").write_text("+")
    scores = eq.read(tmp_path, read=eq.ReadOptions(per="sample"))
    assert scores.agents == ("ada", "bob")
    assert [name.partition("/")[2] for name in scores.tasks] == ["x-1", "x-2", "x-3"]
    assert np.array_equal(scores.values, [[1, 0, np.nan], [0, 0, 1]], equal_nan=True)
    assert scores.repeats is None
    both = write(tmp_path, "both/cat/report.json", {"x-1": {"resolved": True}, "x-2": {"resolved": False}})
    assert eq.read(both).agents == ("cat",)


HARNESS = {
    "total_instances": 4, "submitted_instances": 3, "resolved_instances": 1, "completed_ids": ["a", "b"],
    "incomplete_ids": ["d"], "empty_patch_ids": ["c"], "resolved": ["a"], "unresolved_ids": ["b"],
}  # fmt: skip


def test_a_harness_report_that_calls_its_solved_ids_otherwise(tmp_path):
    path = write(tmp_path, "20240825_x/results/results.json", HARNESS)
    scores = eq.read(path)
    assert scores.agents == ("20240825_x",)
    assert dict(zip(scores.tasks, scores.values[0], strict=True)) == {
        "SWE-bench/a": 1.0, "SWE-bench/b": 0.0, "SWE-bench/c": 0.0,
    }  # fmt: skip
    whole = eq.read(path, format="swe-bench", read=eq.ReadOptions(denominator="all"))
    assert whole.values.mean() == 0.25


def lists(folder: Path, agent: str, solved: list[str], total: int | None) -> Path:
    path = write(folder, f"{agent}/results/results.json", {"no_generation": ["z"], "no_logs": [], "resolved": solved})
    if total is not None:
        counts = {"o/r": {"resolved": len(solved), "total": total - 2}, "o/s": {"resolved": 0, "total": 2}}
        write(folder, f"{agent}/results/resolved_by_repo.json", counts)
    return path


def test_lists_that_name_only_some_of_the_rest_give_the_share_of_all(tmp_path):
    lists(tmp_path, "ada", ["a", "b"], 8)
    lists(tmp_path, "bob", ["a"], 8)
    scores = eq.read(tmp_path)
    assert scores.agents == ("ada", "bob")
    assert scores.values.ravel().tolist() == [0.25, 0.125]
    assert scores.trials.ravel().tolist() == [8, 8]
    assert has_code(scores.diagnostics, "only-shares")
    assert has_code(scores.diagnostics, "files-left-out")


def test_lists_without_a_number_of_instances_are_asked_back(tmp_path):
    path = lists(tmp_path, "ada", ["a", "b"], None)
    with pytest.raises(eq.DataError, match=r"no resolved_by_repo\.json beside it.*denominator"):
        eq.read(path)
    given = eq.read(path, format="swe-bench", read=eq.ReadOptions(denominator="10"))
    assert given.values.item() == 0.2


def test_counts_by_repository_are_no_agents(tmp_path):
    path = lists(tmp_path, "ada", ["a"], 8)
    with pytest.raises(eq.DataError, match=r"counts resolved instances by repository.*results\.json"):
        eq.read(path.parent / "resolved_by_repo.json")


def tau(reward: float, task: int, trial: int = 0, error: str | None = None) -> dict[str, object]:
    info = {"error": error} if error else {"source": "user"}
    return {"task_id": task, "reward": reward, "info": info, "traj": [], "trial": trial}


def test_tau_bench(tmp_path):
    name = "tool-calling-gpt-4.1-0.0_range_0--1_user-gemini-2.0-flash-llm_0609163729.json"
    write(tmp_path, name, [tau(1.0, 1), tau(0.0, 1, 1), tau(0.0, 0), tau(1.0, 0, 1)])
    write(tmp_path, "act-m-0.0_range_0-3_user-u-llm_1.json", [tau(1.0, 0), tau(0.0, 1, error="rate limit")])
    scores = eq.read(tmp_path)
    assert scores.agents == ("act-m-0.0", "tool-calling-gpt-4.1-0.0")
    assert scores.tasks == ("tau-bench/0", "tau-bench/1")
    assert np.array_equal(scores.values, [[1.0, np.nan], [0.5, 0.5]], equal_nan=True)
    assert scores.repeats.shape == (2, 2, 2)
    assert dict(scores.account.dropped) == {"that ended in an error": 1}
    assert any("1 of 2 records ended in an error" in note.message for note in scores.diagnostics)
    counted = eq.read(tmp_path, format="tau-bench", read=eq.ReadOptions(keep="all"))
    assert counted.values[0].tolist() == [1.0, 0.0]


def test_tau2_bench(tmp_path):
    runs = [
        {"task_id": "7", "trial": 0, "reward_info": {"reward": 1.0}, "termination_reason": "user_stop"},
        {"task_id": "8", "trial": 0, "reward_info": None, "termination_reason": "agent_error"},
    ]
    info = {"agent_info": {"llm": "gpt-4.1"}, "environment_info": {"domain_name": "retail"}}
    scores = eq.read(write(tmp_path, "x.json", {"info": info, "tasks": [], "simulations": runs}))
    assert (scores.agents, scores.tasks) == (("gpt-4.1",), ("tau2-bench/retail/7",))


def trials(*resolved: bool | None) -> dict[str, object]:
    each = [
        {"task_id": f"t{k // 2}", "trial_name": f"t{k // 2}.{k % 2 + 1}-of-2", "is_resolved": one}
        for k, one in enumerate(resolved)
    ]
    return {"results": each, "accuracy": sum(map(bool, resolved)) / len(resolved)}


def test_terminal_bench(tmp_path):
    write(tmp_path, "20250811_cli_m/run1_2025-08-10__05-27-18/results.json", trials(True, False, None, False))
    write(tmp_path, "20250811_cli_m/run2_2025-08-10__21-53-39/results.json", trials(True, True, False, False))
    write(tmp_path, "20250829_goose_m/2025-08-27__22-13-13_results.json", trials(True, True, True, True))
    scores = eq.read(tmp_path)
    assert scores.agents == ("20250811_cli_m", "20250829_goose_m")
    assert scores.values.tolist() == [[0.75, 0.0], [1.0, 1.0]]
    assert scores.repeats.shape == (2, 2, 4)
    assert {"null-as-failure", "several-runs"} <= {note.code for note in scores.diagnostics}
    assert not has_code(scores.diagnostics, "stated-mean-differs")


def test_terminal_bench_that_states_another_accuracy_and_names_its_agent(tmp_path):
    path = write(tmp_path, "2025-08-10__05-27-18/results.json", trials(True, False) | {"accuracy": 0.9})
    write(path.parent, "run_metadata.json", {"agent_name": "terminus", "model_name": "m"})
    scores = eq.read(path)
    assert scores.agents == ("terminus m",)
    assert has_code(scores.diagnostics, "stated-mean-differs")


def mteb(task: str, **splits: list[float]) -> dict[str, object]:
    scores = {
        split: [{"hf_subset": f"s{k}", "main_score": value, "f1": value / 2} for k, value in enumerate(values)]
        for split, values in splits.items()
    }
    return {"task_name": task, "mteb_version": "1.2", "dataset_revision": "x", "scores": scores}


@pytest.fixture
def embeddings(tmp_path):
    write(tmp_path, "results/o__m/abc/Facts.json", mteb("Facts", train=[0.9], test=[0.5]))
    write(tmp_path, "results/o__m/external/Similar.json", mteb("Similar", test=[0.2, 0.4]))
    write(tmp_path, "results/o__m/abc/model_meta.json", {"name": "o/m"})
    write(tmp_path, "results/o__n/abc/Facts.json", mteb("Facts", test=[0.75]))
    write(tmp_path, "results/o__n/abc/Similar.json", mteb("Similar", test=[0.5, 0.7]))
    return tmp_path


def test_mteb_takes_the_main_score_of_the_test_split(embeddings):
    scores = eq.read(embeddings)
    assert (scores.agents, scores.tasks) == (("o/m", "o/n"), ("Facts", "Similar"))
    assert scores.values.tolist() == [[0.5, pytest.approx(0.3)], [0.75, pytest.approx(0.6)]]
    assert has_code(scores.diagnostics, "split-taken")
    assert any("model_meta.json" in note.message for note in scores.diagnostics)


def test_mteb_with_another_metric_split_or_subsets(embeddings):
    f1 = eq.read(embeddings, format="mteb", read=eq.ReadOptions(metric="f1"))
    assert f1.values[0, 0] == 0.25
    subsets = eq.read(embeddings, format="mteb", read=eq.ReadOptions(per="sample"))
    assert subsets.tasks == ("Facts/s0", "Similar/s0", "Similar/s1")
    train = eq.read(embeddings / "results/o__m/abc/Facts.json", format="mteb", read=eq.ReadOptions(split="train"))
    assert train.values.item() == 0.9
    with pytest.raises(eq.ParameterError, match='has no "accuracy"; it has main_score, f1'):
        eq.read(embeddings, format="mteb", read=eq.ReadOptions(metric="accuracy"))
    with pytest.raises(eq.ParameterError, match=r'split: Similar\.json has no "train"; it has test'):
        eq.read(embeddings, format="mteb", read=eq.ReadOptions(split="train"))


def test_own_results_come_before_those_from_elsewhere(embeddings):
    write(embeddings, "results/o__n/external/Facts.json", mteb("Facts", test=[0.1]))
    scores = eq.read(embeddings)
    assert scores.values[1, 0] == 0.75
    assert has_code(scores.diagnostics, "several-runs")


SOUND = {
    "fixtures": {"matches": [{"team1": "x", "team2": "y", "score": {"ft": [1, 0]}}, {"team1": "y", "team2": "x"}]},
    "solved": {"a-1": True, "b-2": False},
    "kaggle-env": {
        "name": "g", "configuration": {}, "info": {"TeamNames": ["x", "y"]}, "rewards": [1, 0],
        "statuses": ["DONE", "DONE"], "steps": [[{"reward": 1}, {"reward": 0}]],
    },
    "terminal-bench": trials(True, False),
    "mteb": mteb("T", test=[0.5]),
}  # fmt: skip
BROKEN = {
    "fixtures": {"matches": {"team1": "x", "team2": "y"}},
    "solved": '{"a-1": true, "b-2": false, "c": tru',
    "kaggle-env": {"name": "g", "configuration": {}, "steps": 3},
    "terminal-bench": {"results": [{"task_id": "t", "is_resolved": "yes"}]},
    "mteb": {"task_name": "T", "mteb_version": "1", "scores": {"test": [{"hf_subset": "en"}]}},
}


@pytest.mark.parametrize("name", SOUND)
def test_one_broken_file_of_a_folder_is_left_out_and_named(tmp_path, name):
    write(tmp_path, "ada/good.json", SOUND[name])
    bad = BROKEN[name]
    path = write(tmp_path, "bob/bad.json", bad)
    if isinstance(bad, str):
        path.write_text(bad)
    with pytest.raises(eq.DataError):
        eq.read(tmp_path, format=name)
    data = eq.read(tmp_path, format=name, read=eq.ReadOptions(on_error="skip"))
    assert any(note.code == "files-left-out" and "bad.json" in note.message for note in data.diagnostics)
