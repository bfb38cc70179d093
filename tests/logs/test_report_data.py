"""Every sample log as a report reads it: the figures that its own README states, or that were counted by hand."""

import numpy as np
import pytest

from equipoise.analyses.reports.files import wanted_files
from equipoise.core.errors import EquipoiseError
from equipoise.data.readers.options import ReadOptions

# Runs of evaluations: agent, evaluation, mean and samples of the first run (0 where the log does not say how many).
RUNS = {
    "battles/arena_bench_v1_single_score.jsonl": ("gpt-3.5-turbo", "judged by gpt-4", 9.0, 10),
    "battles/mt_bench_gpt-4_single.jsonl": ("phi-3-dpo", "judged by gpt-4", 9.3125, 16),
    "inspect/bash_1_four_scorers.eval": ("anthropic/claude-3-5-sonnet-latest", "bash_task", 0.333333, 3),
    "inspect/cyse2_trimmed_4epochs.json": (
        "mistral/mistral-large-latest",
        "inspect_evals/cyse2_vulnerability_exploit",
        0.65,
        1,
    ),
    "inspect/log_formats.eval": ("ollama/llama3.1", "popularity", 0.0, 1),
    "inspect/log_formats.json": ("ollama/llama3.1", "popularity", 0.0, 1),
    "inspect/log_streaming_2epochs.eval": ("azureai/Meta-Llama-3-1-405B-Instruct-jqf", "popularity", 0.75, 2),
    "inspect/monty_1sample_zstd.eval": ("openrouter/openai/gpt-5.4", "generalized_monty", 1.0, 1),
    "inspect/monty_crashed_partial_zstd.eval": (
        "openrouter/anthropic/claude-opus-4-6",
        "generalized_monty",
        0.657143,
        35,
    ),
    "inspect/multi_problems_numeric_string_grades.eval": ("google/gemini-2.5-flash", "multi_problems_eval", 9.2, 10),
    "inspect/no_samples_cancelled.json": ("openai/gpt-4o-mini", "testtaskname", 0.666667, 3),
    "inspect/popularity_cancelled.json": ("openai/gpt-4o-mini", "popularity", 0.666667, 3),
    "inspect/popularity_claude-sonnet-4_5epochs.eval": ("anthropic/claude-sonnet-4-20250514", "popularity", 0.66, 10),
    "inspect/popularity_gpt-5_5epochs.eval": ("openai/gpt-5", "popularity", 0.6, 10),
    "inspect/pubmedqa.json": ("openai/azure/gpt-4o-mini", "inspect_evals/pubmedqa", 1.0, 2),
    "inspect/security_guide_model_graded.eval": ("openai/gpt-4o-mini", "security_guide", 0.6875, 16),
    "leaderboards/swebench_lite_aider_results.json": ("swebench_lite_aider_results", "SWE-bench", 0.263333, 300),
    "leaderboards/swebench_verified_harness_report.json": ("swebench_verified_harness_report", "SWE-bench", 0.09, 100),
    "lm_eval/EleutherAI__pythia-14m/samples_metabench_arc_secondary_2024-11-26T10-50-23.349203.jsonl": (
        "EleutherAI/pythia-14m",
        "metabench_arc_secondary",
        0.0,
        6,
    ),
    "lm_eval/EleutherAI__pythia-14m/samples_metabench_gsm8k_secondary_2024-11-26T10-50-23.349203.jsonl": (
        "EleutherAI/pythia-14m",
        "metabench_gsm8k_secondary",
        0.0,
        16,
    ),
    "lm_eval/EleutherAI__pythia-14m/samples_metabench_winogrande_secondary_2024-11-26T10-50-23.349203.jsonl": (
        "EleutherAI/pythia-14m",
        "metabench_winogrande_secondary",
        0.488889,
        45,
    ),
    "lm_eval/LGAI-EXAONE__EXAONE-3.0-7.8B-Instruct/results_2024-12-23T14-45-44.695233.json": (
        "LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct",
        "winogrande",
        0.0,
        10,
    ),
    "lm_eval/LGAI-EXAONE__EXAONE-3.0-7.8B-Instruct/samples_winogrande_2024-12-23T14-45-44.695233.jsonl": (
        "LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct",
        "winogrande",
        0.0,
        10,
    ),
    "lm_eval/gpt-4o/results_2024-12-23T14-29-31.806745.json": ("gpt-4o", "winogrande", 0.3, 10),
    "lm_eval/gpt-4o/samples_winogrande_2024-12-23T14-29-31.806745.jsonl": ("gpt-4o", "winogrande", 0.3, 10),
    "lm_eval/groups/Llama-3.1-8B-Instruct_results.json": (
        "meta-llama/Llama-3.1-8B-Instruct",
        "MedNLI_0-shot",
        0.612518,
        1422,
    ),
    "lm_eval/groups/unsloth_Qwen3-8B_results.json": ("unsloth/Qwen3-8B", "MedNLI_0-shot", 0.729255, 1422),
    "lm_eval/math_perturbed/results_2026-01-21T03-44-18.458309.json": (
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1",
        "math_perturbed_full",
        0.0,
        5000,
    ),
    "lm_eval/math_perturbed/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl": (
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1",
        "math_perturbed_full",
        0.0,
        10,
    ),
    "lm_eval/meraGPT__mera-mix-4x7B/arc.json": ("meraGPT/mera-mix-4x7B", "arc_challenge", 0.700512, 0),
    "lm_eval/meraGPT__mera-mix-4x7B/gsm8k.json": ("meraGPT/mera-mix-4x7B", "gsm8k", 0.72934, 0),
    "lm_eval/meraGPT__mera-mix-4x7B/hellaswag.json": ("meraGPT/mera-mix-4x7B", "hellaswag", 0.720474, 0),
    "lm_eval/meraGPT__mera-mix-4x7B/winogrande.json": ("meraGPT/mera-mix-4x7B", "winogrande", 0.845304, 0),
    "lm_eval/meta-llama__Meta-Llama-3-8B/arc.json": ("meta-llama/Meta-Llama-3-8B", "arc_challenge", 0.554608, 0),
    "lm_eval/meta-llama__Meta-Llama-3-8B/gsm8k.json": ("meta-llama/Meta-Llama-3-8B", "gsm8k", 0.508719, 0),
    "lm_eval/meta-llama__Meta-Llama-3-8B/hellaswag.json": ("meta-llama/Meta-Llama-3-8B", "hellaswag", 0.617606, 0),
    "lm_eval/meta-llama__Meta-Llama-3-8B/winogrande.json": ("meta-llama/Meta-Llama-3-8B", "winogrande", 0.775848, 0),
    "lm_eval/meta-llama__Meta-Llama-3-8B-Instruct/arc.json": (
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "arc_challenge",
        0.585324,
        0,
    ),
    "lm_eval/meta-llama__Meta-Llama-3-8B-Instruct/gsm8k.json": (
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "gsm8k",
        0.755876,
        0,
    ),
    "lm_eval/meta-llama__Meta-Llama-3-8B-Instruct/hellaswag.json": (
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "hellaswag",
        0.587433,
        0,
    ),
    "lm_eval/meta-llama__Meta-Llama-3-8B-Instruct/winogrande.json": (
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "winogrande",
        0.754538,
        0,
    ),
    "lm_eval/old_format/pythia-70m-5shot_step143000.json": (
        "EleutherAI/pythia-v1.1-70m (step143000)",
        "hendrycksTest-elementary_mathematics",
        0.243386,
        0,
    ),
    "lm_eval/upstage__SOLAR-10.7B-Instruct-v1.0/results_2024-12-23T14-36-36.300029.json": (
        "upstage/SOLAR-10.7B-Instruct-v1.0",
        "winogrande",
        0.7,
        10,
    ),
    "lm_eval/upstage__SOLAR-10.7B-Instruct-v1.0/samples_winogrande_2024-12-23T14-36-36.300029.jsonl": (
        "upstage/SOLAR-10.7B-Instruct-v1.0",
        "winogrande",
        0.7,
        10,
    ),
    "openai_evals/crossword-turbo-0301.jsonl": (
        "gpt-3.5-turbo-0301",
        "partially_solved_crossword_clues.dev.v0",
        0.37,
        100,
    ),
    "openai_evals/crossword-turbo.jsonl": ("gpt-3.5-turbo", "partially_solved_crossword_clues.dev.v0", 0.37, 100),
    "helm/commonsense-dataset=hellaswag,method=multiple_choice_joint,model=eleutherai_pythia-1b-v0": (
        "eleutherai/pythia-1b-v0",
        "commonsense:dataset=hellaswag,method=multiple_choice_joint",
        0.3,
        10,
    ),
    "helm/mmlu-subject=philosophy,method=multiple_choice_joint,model=openai_gpt2": (
        "openai/gpt2",
        "mmlu:subject=philosophy,method=multiple_choice_joint",
        0.111111,
        9,
    ),
}
# Games and dealt hands: how many, and how many agents.
PLAYED = {
    "battles/alpaca_eval_annotations_text_davinci_001.json": (80, 2),
    "battles/arena_hard_battles.jsonl": (600, 4),
    "battles/evalica_food.csv": (30, 5),
    "battles/evalica_simple.csv": (16, 5),
    "battles/genai_arena_clean_battle_a.json": (480, 13),
    "battles/kaggle_onehot_a.csv": (14, 5),
    "battles/mt_bench_gpt-4_pair_a.jsonl": (20, 2),
    "kaggle_env/connectx.json": (1, 2),
    "kaggle_env/hungry_geese.json": (6, 4),
    "kaggle_env/repeated_game_ipd.json": (1, 2),
    "pgn/TCEC_Cup_6_Bronze.pgn": (3, 2),
    "pgn/TCEC_Season_15_-_Champion_Houdini_3_Vs_Glaurung.pgn": (7, 2),
    "pgn/TCEC_Season_16_-_Viewer_Submitted_Openings_Bonus_8.pgn": (10, 6),
    "pgn/TCEC_Season_17_-_Stockfish_1pct_Vs_L2_Test_4.pgn": (3, 2),
    "pgn/TCEC_Tournament_4.pgn": (30, 6),
    "pgn/fastchess_gauntlet_config.json": (189, 24),
    "pgn/fastchess_gauntlet_games.pgn": (50, 20),
    "poker/acpc_2p.limit.h1000.r0.log": (2000, 2),
    "poker/acpc_3p.nolimit.h1000.r0.log": (3000, 3),
    "poker/pluribus_30": (72, 6),
}
# Scores: agents, tasks, and the highest one.
SCORES = {
    "leaderboards/alpaca_eval_2_leaderboard.csv": (223, 3, 86.4578),
    "leaderboards/arena_hard_leaderboard_20240731.csv": (60, 1, 82.63),
    "leaderboards/livebench_table_2024_11_25.csv": (65, 18, 100.0),
    "rl/atari100k/HUMAN.json": (1, 26, 69571.3),
    "rl/atari100k/IRIS.json": (1, 26, 59324.2),
    "rl/atari100k/RANDOM.json": (1, 26, 10780.5),
    "rl/atari100k/SPR.json": (1, 26, 36700.46),
    "rl/atari100k/SimPLe.json": (1, 26, 62583.595),
    "rl/dreamerv3_atari100k.json.gz": (1, 26, 80060.0),
    "rl/openrlbenchmark_cleanrl_vs_baselines.csv": (2, 57, 3258958.33),
    "rl/sb3/a2c-Acrobot-v1/0.monitor.csv": (1, 1, -83.3526),
    "rl/sb3/a2c-CartPole-v1/0.monitor.csv": (1, 1, 500.0),
    "rl/sb3/dqn-Acrobot-v1/0.monitor.csv": (1, 1, -76.6387),
    "rl/sb3/dqn-CartPole-v1/0.monitor.csv": (1, 1, 500.0),
    "rl/sb3/ppo-Acrobot-v1/0.monitor.csv": (1, 1, -73.5057),
    "rl/sb3/ppo-CartPole-v1/0.monitor.csv": (1, 1, 500.0),
    "rl/sb3_ppo_progress.csv": (1, 1, -271.2193),
}
# Files without an answer of their own, and what is said of them.
REFUSED = {
    "inspect/popularity_unscored.eval": "the logs contain no scores",
    "inspect/wmdp_error.json": "the logs contain no scores",
    "kaggle_env/oshi_zumo_forfeit.json": "1 forfeited",
    "leaderboards/livebench_categories_2024_11_25.json": "must be lists of the same length",
    "leaderboards/open_llm_v2_official.csv": "names agents more than once",
    "pgn/fastchess_gauntlet_results_report.txt": "unknown kind of file",
    "pgn/fastchess_test_config_zero_stats.json": "contain no game that counts",
    "rl/openrlbenchmark_multi-metrics.csv": "the runs contain no score",
}
PLAYED_OUT = {"poker/alice-carol-wikipedia.phh", "poker/dwan-ivey-2009.phh"}
"""Hands that pokerkit must play out, which need not be installed."""


@pytest.fixture(scope="module")
def logs(equipoise_data):
    folder = equipoise_data / "logs"
    if not folder.is_dir():
        pytest.skip("the sample logs are not at hand")
    return folder


def reported(path):
    [wanted] = wanted_files([path])
    return wanted.read(ReadOptions())


@pytest.mark.parametrize("name", RUNS)
def test_runs(logs, name):
    agent, evaluation, mean, samples = RUNS[name]
    run = reported(logs / name).runs[0]
    assert (run.agent, run.evaluation, run.samples) == (agent, evaluation, samples)
    assert run.mean == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("name", PLAYED)
def test_games_and_hands(logs, name):
    data = reported(logs / name).data
    count = data.games.sum() if data.kind == "pairs" else len(data)
    assert (count, len(data.agents)) == PLAYED[name]


@pytest.mark.parametrize("name", SCORES)
def test_scores(logs, name):
    agents, tasks, highest = SCORES[name]
    scores = reported(logs / name).data
    assert scores.values.shape == (agents, tasks)
    assert np.nanmax(scores.values) == pytest.approx(highest, abs=1e-4)


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_no_answer_is_one_line(logs, name):
    with pytest.raises(EquipoiseError, match=REFUSED[name]) as told:
        reported(logs / name)
    assert "\n" not in str(told.value)


def test_no_file_is_forgotten(logs):
    known = {*RUNS, *PLAYED, *SCORES, *REFUSED, *PLAYED_OUT}
    files = [path.relative_to(logs) for path in logs.rglob("*") if path.is_file() and path.name != "README.md"]
    assert [str(path) for path in files if not {str(path), *map(str, path.parents)} & known] == []
