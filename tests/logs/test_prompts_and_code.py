"""promptfoo, EvalPlus and BigCodeBench, evaluations of Stable-Baselines3, arrays of runs; headers of two lines."""

import json

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code


def result(provider, test, success, **more):
    return {
        "promptIdx": 0, "testIdx": test, "provider": {"id": provider, "label": ""}, "success": success,
        "score": 0.5, "vars": {}, "response": {}, **more,
    }  # fmt: skip


def promptfoo(path, results):
    whole = {"evalId": "e", "results": {"version": 3, "results": results, "stats": {}}, "config": {}}
    path.write_text(json.dumps(whole))
    return path


def test_providers_are_agents_and_tests_are_tasks(tmp_path):
    rows = [result(p, t, p == "openai:gpt" or t == 0) for p in ("openai:gpt", "ollama:llama") for t in range(3)]
    path = promptfoo(tmp_path / "out.json", rows)
    scores = eq.read(path)
    assert scores.agents == ("openai:gpt", "ollama:llama")
    assert scores.values.tolist() == [[1, 1, 1], [1, 0, 0]]
    assert eq.read(path, read=eq.ReadOptions(metric="score")).values.tolist() == [[0.5] * 3] * 2
    with pytest.raises(eq.ParameterError, match="success or score"):
        eq.read(path, read=eq.ReadOptions(metric="speed"))


def test_prompts_of_one_provider_are_agents_and_errors_are_said(tmp_path):
    rows = [result("p", t, True, promptIdx=prompt) for prompt in (0, 1) for t in range(2)]
    rows[3] |= {"success": False, "failureReason": 2}
    scores = eq.read(promptfoo(tmp_path / "out.json", rows))
    assert scores.agents == ("p / prompt 1", "p / prompt 2")
    assert scores.values.tolist() == [[1, 1], [1, 0]]
    assert has_code(scores.diagnostics, "error-as-failure")


def test_a_broken_result_is_named(tmp_path):
    with pytest.raises(eq.DataError, match="result 2"):
        eq.read(promptfoo(tmp_path / "out.json", [result("p", 0, True), {**result("p", 1, True), "success": "?"}]))


def evaluated(path, tasks):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"date": "2024-10-01", "eval": tasks}))


def test_samples_of_programs_are_runs_and_agents_are_called_after_files(tmp_path):
    status = {"a": ["pass", "fail"], "b": ["fail", "fail"]}
    for agent, found in status.items():
        tasks = {f"BigCodeBench/{k}": [{"task_id": "x", "status": s} for s in found] for k in range(2)}
        evaluated(tmp_path / f"{agent}--main--bigcodebench-full--openai-0-1-sanitized_eval_results.json", tasks)
    scores = eq.read(tmp_path)
    assert scores.agents == ("a", "b")
    assert scores.values.tolist() == [[0.5, 0.5], [0, 0]]
    assert scores.trials.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("old", [True, False])
def test_further_tests_of_evalplus_count_unless_the_original_ones_are_asked_for(tmp_path, old):
    plus = [True, False, False]
    tasks = {
        f"HumanEval/{k}": {"nfiles": 1, "base": [["success", [True]]], "plus": [["success" if p else "failed", []]]}
        if old
        else [{"base_status": "pass", "plus_status": "pass" if p else "fail"}]
        for k, p in enumerate(plus)
    }
    evaluated(tmp_path / "gpt-4_temp_0.0" / "eval_results.json", tasks)
    scores = eq.read(tmp_path)
    assert scores.agents == ("gpt-4_temp_0.0",)
    assert scores.values.tolist() == [[1, 0, 0]]
    assert eq.read(tmp_path, read=eq.ReadOptions(metric="base")).values.tolist() == [[1, 1, 1]]


def test_evaluations_of_stable_baselines_give_their_last_mean(tmp_path):
    for agent, reward in (("ppo", 300.0), ("dqn", 200.0)):
        for run in (1, 2):
            folder = tmp_path / agent / f"CartPole-v1_{run}"
            folder.mkdir(parents=True)
            results = np.array([[0.0, 0.0], [reward, reward + run]])
            np.savez(folder / "evaluations.npz", timesteps=np.array([1, 2]), results=results)
    scores = eq.read(tmp_path)
    assert scores.tasks == ("CartPole-v1",)
    assert dict(zip(scores.agents, scores.values[:, 0], strict=True)) == {"dqn": 200.75, "ppo": 300.75}


def test_arrays_by_agent_are_runs_x_tasks_and_objects_are_refused(tmp_path):
    np.savez(tmp_path / "runs.npz", dqn=[[1.0, 2.0], [3.0, 4.0]], iqn=[[5.0, 6.0], [7.0, 8.0]])
    scores = eq.read(tmp_path / "runs.npz")
    assert scores.agents == ("dqn", "iqn")
    assert scores.values.tolist() == [[2, 3], [6, 7]]
    np.savez(tmp_path / "objects.npz", dqn=np.array([{"a": 1}], dtype=object))
    with pytest.raises(eq.DataError, match=r"numpy\.savez"):
        eq.read(tmp_path / "objects.npz")
    np.save(tmp_path / "one.npy", np.zeros((2, 2)))
    with pytest.raises(eq.ReadError, match=r"numpy\.savez"):
        eq.read(tmp_path / "one.npy")


def test_headers_of_two_lines_and_titles_are_named(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("model,Reasoning,Reasoning,Math\n,ARC,HellaSwag,GSM8K\na,1,2,3\nb,2,3,4\n")
    with pytest.raises(eq.ColumnError, match="two lines, join them"):
        eq.read_scores(table)
    table.write_text("model,Reasoning,Logic,Math\n,ARC,HellaSwag,GSM8K\na,1,2,3\nb,2,3,4\n")
    with pytest.raises(eq.DataError, match="two lines, join them"):
        eq.read_scores(table)
    table.write_text("Leaderboard of 2024,,\nmodel,MMLU,GSM8K\na,1,2\nb,2,3\n")
    with pytest.raises(eq.ColumnError, match="above the header"):
        eq.read_scores(table)
