"""Battles of arenas and verdicts of judges, held against real files and small awkward ones."""

import json
from collections import Counter
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.core.errors import EquipoiseError
from tests.logs.game_samples import sample


def lines(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def battle(winner: str, **more: object) -> dict[str, object]:
    return {"model_a": "x", "model_b": "y", "winner": winner, "judge": "j", **more}


def codes(data: object) -> set[str]:
    return {note.code for note in data.diagnostics}  # type: ignore[attr-defined]


def test_only_battles_without_names_count() -> None:
    path = sample("battles/genai_arena_clean_battle_a.json")
    fair, everything = eq.read(path, format="arena"), eq.read(path, format="arena", read=eq.ReadOptions(keep="all"))
    assert Counter(fair.outcome.tolist()) == {1.0: 206, 0.0: 169, 0.5: 89 + 16}
    assert Counter(everything.outcome.tolist()) == {1.0: 259, 0.0: 206, 0.5: 115 + 20}
    assert len(everything.agents) == 13
    assert fair.time is not None
    assert {"both-bad", "names-shown"} <= codes(fair)


def test_one_of_three_columns() -> None:
    matches = eq.read(sample("battles/kaggle_onehot_a.csv"), format="arena")
    assert Counter(matches.outcome.tolist()) == {1.0: 4, 0.0: 6, 0.5: 4}
    assert len(matches.agents) == 5


def test_alpaca_eval_zero_is_a_draw() -> None:
    matches = eq.read(sample("battles/alpaca_eval_annotations_text_davinci_001.json"), format="judgments")
    assert matches.agents == ("text_davinci_003", "text_davinci_001")
    assert 1 - matches.outcome.mean() == pytest.approx(0.1875)
    assert Counter(matches.outcome.tolist()) == {1.0: 64, 0.0: 14, 0.5: 2}


def test_one_row_of_mt_bench_is_two_games() -> None:
    path = sample("battles/mt_bench_gpt-4_pair_a.jsonl")
    matches = eq.read(path, format="judgments")
    first = {0: matches.outcome, 1: 1 - matches.outcome}
    ours = [first[side][row] for row, side in enumerate(matches.a)]
    assert Counter(zip(ours[::2], ours[1::2], strict=True)) == {(1, 0): 6, (1, 0.5): 1, (0, 0): 2, (1, 1): 1}
    agreed = eq.read_pairs(path)  # as FastChat counts them
    assert (agreed.wins.sum(), agreed.losses.sum(), agreed.ties.sum()) == (1, 2, 7)


@pytest.mark.parametrize(
    ("name", "agent", "mean", "count"),
    [("mt_bench_gpt-4_single", "phi-3-dpo", 9.3125, 16), ("arena_bench_v1_single_score", "gpt-3.5-turbo", 9.0, 10)],
)
def test_single_scores(name: str, agent: str, mean: float, count: int) -> None:
    scores = eq.read(sample(f"battles/{name}.jsonl"), format="single-judgments")
    assert scores.agents == (agent,)
    assert scores.values.shape == (1, count)
    assert scores.values.mean() == pytest.approx(mean)


def test_strong_verdicts_of_arena_hard_count_once() -> None:
    path = sample("battles/arena_hard_battles.jsonl")
    fair, everything = (
        eq.read(path, format="judgments"),
        eq.read(path, format="judgments", read=eq.ReadOptions(keep="all")),
    )
    assert Counter(everything.outcome.tolist()) == {0.0: 1178, 1.0: 147, 0.5: 23}
    assert len(fair) == 600
    assert fair.group is not None
    assert len(fair.group.labels) == 100


def test_arena_hard_judgments(tmp_path: Path) -> None:
    games = [{"score": "A>>B"}, {"score": "A>B"}]
    path = lines(
        tmp_path / "m.jsonl",
        {"question_id": "q", "model": "m", "judge": "j", "games": games},
        {"question_id": "r", "model": "m", "judge": "j", "games": [{"score": "A=B"}, {"score": None}]},
    )
    matches = eq.read(path, format="judgments")
    assert [matches.agents[code] for code in matches.a] == ["gpt-4-0314", "m", "gpt-4-0314"]
    assert matches.outcome.tolist() == [1.0, 1.0, 0.5]
    assert {"baseline-assumed", "verdicts-missing", "judged-twice"} <= codes(matches)
    assert eq.read(path, format="judgments", read=eq.ReadOptions(keep="all")).outcome.tolist() == [
        1.0,
        1.0,
        1.0,
        1.0,
        0.5,
    ]
    assert eq.read(path, format="judgments", read=eq.ReadOptions(keep="graded")).outcome.tolist() == [1.0, 0.75, 0.5]


def test_shares_and_failures_of_alpaca_eval(tmp_path: Path) -> None:
    rows = [{"instruction": "i", "generator_1": "x", "generator_2": "y", "preference": p} for p in (1.25, 1.5, None)]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(rows))
    matches = eq.read(path, format="judgments")
    assert matches.outcome.tolist() == [0.75, 0.5]
    assert "verdicts-missing" in codes(matches)


def test_who_chooses_rows_reads_the_table(tmp_path: Path) -> None:
    rows = [battle("model_a", language="English"), battle("model_b", language="French")]
    path = lines(tmp_path / "b.jsonl", *rows)
    assert eq.read(path, read=eq.ReadOptions(where='language == "English"')).wins.sum() == 1  # type: ignore[union-attr]


def test_several_files_join(tmp_path: Path) -> None:
    lines(tmp_path / "1.jsonl", battle("model_a"))
    lines(tmp_path / "2.jsonl", {**battle("tie (bothbad)"), "model_b": "z"})
    matches = eq.read(tmp_path, format="arena")
    assert matches.agents == ("x", "y", "z")
    assert matches.outcome.tolist() == [1.0, 0.5]


@pytest.mark.parametrize("winner", ["nobody", "", "3"])
def test_no_winner_is_refused_or_left_out(tmp_path: Path, winner: str) -> None:
    path = lines(tmp_path / "b.jsonl", battle("model_a"), battle(winner))
    with pytest.raises(EquipoiseError, match="row 2"):
        eq.read(path, format="arena")
    assert len(eq.read(path, format="arena", read=eq.ReadOptions(on_error="skip"))) == 1


def test_no_fair_battle_at_all(tmp_path: Path) -> None:
    with pytest.raises(EquipoiseError, match="contain no game that counts: 1 rows, 1 whose judge saw the names"):
        eq.read(lines(tmp_path / "b.jsonl", battle("model_a", anony=False)), format="arena")


def test_judge_without_score(tmp_path: Path) -> None:
    row = {"question_id": 1, "model": "m", "judge": ["g", "single-v1"], "turn": 1, "score": 7}
    scores = eq.read(lines(tmp_path / "s.jsonl", row, {**row, "turn": 2, "score": -1}), format="single-judgments")
    assert scores.values.tolist() == [[7.0]]
    assert "samples-without-score" in codes(scores)
