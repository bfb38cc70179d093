"""Real tables as people publish them: leaderboards, battles, judgments; expected answers from their own pages."""

import pytest

import equipoise as eq


@pytest.fixture
def logs(equipoise_data):
    return equipoise_data / "logs"


def best(scores, task=None):
    values = scores.values.mean(axis=1) if task is None else scores.values[:, scores.tasks.index(task)]
    return scores.agents[values.argmax()], float(values.max())


def test_the_open_llm_leaderboard_is_its_six_normalised_scores(logs):
    path = logs / "leaderboards" / "open_llm_v2_official.csv"
    with pytest.raises(
        eq.ColumnError, match=r'"fullname" names agents more than once.*2 such names.*agent="eval_name"'
    ):
        eq.read_scores(path)
    scores = eq.read_scores(path, agent="eval_name")
    assert scores.tasks == ("IFEval", "BBH", "MATH Lvl 5", "GPQA", "MUSR", "MMLU-PRO")
    agent, average = best(scores)
    assert agent == "HuggingFaceH4_zephyr-orpo-141b-A35b-v0.1_float16"
    assert average == pytest.approx(34.063, abs=5e-4)
    assert {"Average ⬆️", "#Params (B)", "Hub ❤️", "IFEval Raw"} <= set(scores.account.unused)


def test_livebench_is_all_its_tasks_and_one_gap(logs):
    scores = eq.read_scores(logs / "leaderboards" / "livebench_table_2024_11_25.csv")
    assert scores.values.shape == (65, 18)
    assert [(scores.agents[i], scores.tasks[j]) for i, j in zip(*scores.missing.nonzero(), strict=True)] == [
        ("phi-3-small-8k-instruct", "connections")
    ]
    assert len(scores.account.unused) == 0


def test_win_rates_of_alpaca_eval_stand_apart_from_their_counts_and_errors(logs):
    scores = eq.read_scores(logs / "leaderboards" / "alpaca_eval_2_leaderboard.csv")
    assert scores.tasks == ("win_rate", "discrete_win_rate", "length_controlled_winrate")
    agent, rate = best(scores, "win_rate")
    assert (agent, round(rate, 2)) == ("gemma-2-9b-it-WPO-HB", 77.83)


def test_arena_hard_has_one_score(logs):
    scores = eq.read_scores(logs / "leaderboards" / "arena_hard_leaderboard_20240731.csv")
    assert scores.tasks == ("score",)
    assert best(scores) == ("gpt-4-turbo-2024-04-09", 82.63)


@pytest.mark.parametrize(
    ("name", "agents", "counts"),
    [
        ("arena_hard_battles.jsonl", 4, (147, 1178, 23)),
        ("genai_arena_clean_battle_a.json", 13, (259, 206, 135)),
        ("kaggle_onehot_a.csv", 5, (4, 6, 4)),
        ("evalica_food.csv", 5, (13, 15, 2)),
        ("evalica_simple.csv", 5, (6, 1, 9)),
        ("mt_bench_gpt-4_pair_a.jsonl", 2, (1, 2, 7)),
        ("alpaca_eval_annotations_text_davinci_001.json", 2, (64, 14, 2)),
    ],
)
def test_battles_have_the_counts_that_their_makers_give(logs, name, agents, counts):
    path = logs / "battles" / name
    table = eq.read_pairs(path)
    assert len(table.agents) == agents
    assert (table.wins.sum(), table.losses.sum(), table.ties.sum()) == counts
    assert table.account.used == table.account.rows == len(eq.read_matches(path))


def test_battles_that_were_written_several_times_are_said_to_be(logs):
    path = logs / "battles" / "arena_hard_battles.jsonl"
    note, clusters = eq.read_pairs(path, group="auto").diagnostics
    assert clusters.message.startswith("Errors are clustered by question_id, found by name.")
    assert note.message.startswith("995 of 1,348 rows repeat an earlier one in all columns")
    assert eq.read_pairs(path, read=eq.ReadOptions(duplicates="drop")).games.sum() == 353


@pytest.mark.parametrize(
    ("name", "rows", "mean"),
    [("mt_bench_gpt-4_single.jsonl", 16, 9.3125), ("arena_bench_v1_single_score.jsonl", 10, 9.0)],
)
def test_single_judgments_are_scores_of_questions(logs, name, rows, mean):
    scores = eq.read_scores(logs / "battles" / name)
    assert scores.values.shape == (1, rows)
    assert scores.values.mean() == mean
