"""Figures that real logs state, beyond the first metric of each: what a reader must give for every one of them."""

import pytest

import equipoise as eq
from tests.logs.game_samples import sample

GROUPS = {
    ("unsloth_Qwen3-8B", "acc"): {
        "MedNLI_0-shot": 0.729255, "MedQA_0-shot": 0.602514, "NLI4PR_medical-lang_0-shot": 0.678074,
        "NLI4PR_patient-lang_0-shot": 0.6673, "PubMedQA_0-shot": 0.612,
    },
    ("unsloth_Qwen3-8B", "f1"): {
        "MedNLI_0-shot": 0.912008, "NLI4PR_medical-lang_0-shot": 0.77382, "NLI4PR_patient-lang_0-shot": 0.768621,
        "PubMedQA_0-shot": 0.859259,
    },
    ("unsloth_Qwen3-8B", "acc_norm"): {"MedQA_0-shot": 0.602514, "PubMedQA_0-shot": 0.203},
    ("Llama-3.1-8B-Instruct", "acc"): {
        "MedNLI_0-shot": 0.612518, "MedQA_0-shot": 0.633936, "NLI4PR_medical-lang_0-shot": 0.673638,
        "NLI4PR_patient-lang_0-shot": 0.664766, "PubMedQA_0-shot": 0.759,
    },
    ("Llama-3.1-8B-Instruct", "f1"): {
        "MedNLI_0-shot": 0.92868, "NLI4PR_medical-lang_0-shot": 0.772225, "NLI4PR_patient-lang_0-shot": 0.765202,
        "PubMedQA_0-shot": 0.876352,
    },
    ("Llama-3.1-8B-Instruct", "acc_norm"): {"MedQA_0-shot": 0.633936, "PubMedQA_0-shot": 0.305},
}  # fmt: skip
"""Subtasks only: the row of the group repeats them."""
OLD = {
    "hendrycksTest-elementary_mathematics": (0.243386, 0.240741),
    "hendrycksTest-high_school_european_history": (0.230303, 0.309091),
    "hendrycksTest-high_school_physics": (0.231788, 0.291391), "hendrycksTest-security_studies": (0.355102, 0.297959),
    "arc_challenge": (0.180034, 0.21843), "hendrycksTest-machine_learning": (0.232143, 0.25),
    "piqa": (0.573449, 0.569097), "hendrycksTest-medical_genetics": (0.21, 0.31),
    "hendrycksTest-jurisprudence": (0.212963, 0.314815),
}  # fmt: skip
MEANS = {
    "IRIS": (420.02, 142.98), "SimPLe": (616.875, 74.2562), "SPR": (841.891, 179.711), "HUMAN": (7127.7, 1719.5),
    "RANDOM": (227.8, 5.8),
}  # fmt: skip


def figures(scores: eq.Scores) -> dict[str, float]:
    assert len(scores.agents) == 1
    return dict(zip(scores.tasks, scores.values[0].tolist(), strict=True))


@pytest.mark.parametrize(("model", "metric"), GROUPS)
def test_groups_of_the_harness(model: str, metric: str) -> None:
    path = sample(f"lm_eval/groups/{model}_results.json")
    assert figures(eq.read(path, format="lm-eval", read=eq.ReadOptions(metric=metric))) == pytest.approx(
        GROUPS[model, metric], abs=1e-6
    )


@pytest.mark.parametrize(("metric", "place"), [("acc", 0), ("acc_norm", 1)])
def test_old_results_of_the_harness(metric: str, place: int) -> None:
    found = figures(
        eq.read(
            sample("lm_eval/old_format/pythia-70m-5shot_step143000.json"),
            format="lm-eval",
            read=eq.ReadOptions(metric=metric),
        )
    )
    assert {task: found[task] for task in OLD} == pytest.approx({task: OLD[task][place] for task in OLD}, abs=1e-6)


@pytest.mark.parametrize("name", MEANS)
def test_means_of_lists_of_scores(name: str) -> None:
    found = figures(eq.read(sample(f"rl/atari100k/{name}.json"), format="runs"))
    assert len(found) == 26
    assert (found["Alien"], found["Amidar"]) == pytest.approx(MEANS[name], rel=1e-5)


def test_share_that_is_resolved() -> None:
    scores = eq.read(
        sample("leaderboards/swebench_lite_aider_results.json"),
        format="swe-bench",
        read=eq.ReadOptions(denominator="all"),
    )
    assert scores.values.shape == (1, 300)
    assert 100 * float(scores.values.mean()) == pytest.approx(26.33, abs=0.005)
