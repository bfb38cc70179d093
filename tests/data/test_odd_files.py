"""Files that ended in one of polars' own messages, or in no answer: old line ends, games as a meta-game, many gaps."""

import gzip

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.data.types.gaps import shared

GAMES = "model_a,model_b,winner\nx,y,model_a\ny,z,model_a\nz,x,model_a\nx,y,tie\n"


def test_lines_that_end_in_carriage_returns_alone(tmp_path):
    path = tmp_path / "games.csv"
    path.write_bytes(GAMES.replace("\n", "\r").encode())
    assert eq.read_matches(path).outcome.tolist() == [1.0, 1.0, 1.0, 0.5]
    with path.open("rb") as file:
        assert len(eq.read_matches(file)) == 4
    (tmp_path / "scores.csv").write_bytes(b"agent,task,score\rx,t,1\ry,t,2\r")
    assert eq.read_scores(tmp_path / "scores.csv").values.tolist() == [[1], [2]]


LINES = '{"model_a":"x","model_b":"y","winner":"a"}\n{"model_a":"y","model_b":"z","winner":"a"}\n'
PGN = '[White "x"]\n[Black "y"]\n[Result "1-0"]\n\n1. e4 1-0\n\n[White "y"]\n[Black "x"]\n[Result "0-1"]\n\n1. d4 0-1\n'


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("name", "text"), [("x.csv", GAMES), ("x.jsonl", LINES), ("x.pgn", PGN)])
def test_old_line_ends_in_every_kind_of_text(tmp_path, name, text, packed):
    answers = []
    for written in (text, text.replace("\n", "\r")):
        data = written.encode()
        path = tmp_path / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(data) if packed else data)
        read = eq.read(path)
        table = read.pairs() if isinstance(read, eq.Matches) else read
        answers.append((table.agents, table.wins.tolist()))
    assert answers[0] == answers[1]


def test_metagame_takes_a_log_of_games_and_a_table_of_pairs(tmp_path):
    (tmp_path / "games.csv").write_text(GAMES)
    (tmp_path / "pairs.csv").write_text("a,b,wins_a,wins_b\nx,y,3,1\ny,z,4,0\nz,x,5,1\n")
    for name in ("games.csv", "pairs.csv"):
        (chain,) = eq.metagame(tmp_path / name).result.mccs
        assert set(chain) == {"x", "y", "z"}


def test_metagame_still_takes_payoffs(tmp_path):
    (tmp_path / "payoffs.csv").write_text(",x,y\nx,0,1\ny,-1,0\n")
    assert eq.metagame(tmp_path / "payoffs.csv").result.mccs == (("x",),)


def gappy():
    values = np.full((4, 6), np.nan)
    values[:2, :4] = [[1, 2, 3, 5], [2, 1, 4, 3]]
    values[2, 3:5] = [2, 7]
    values[3, 5] = 1
    return eq.Scores.from_matrix(values, list("abcd"), [f"t{k}" for k in range(6)])


def test_gaps_are_filled_in_without_the_tasks_that_only_unranked_agents_tried():
    audit = eq.nash_average(gappy(), missing="complete")
    notes = {note.code: note.message for note in audit.diagnostics}
    assert notes["tasks-of-others"] == (
        "2 tasks that no ranked agent tried were left out: t4, t5. Give ranked agents' scores on them where you can."
    )
    assert has_code(audit.diagnostics, "too-few-scores")


def test_only_choices_that_work_are_offered():
    with pytest.raises(eq.DataError) as refused:
        eq.nash_average(gappy(), missing="drop-tasks")
    said = str(refused.value)
    assert "2 agents (a, b) all have scores on 4 tasks (t0, t1, t2 and 1 more)" in said
    assert "drop-agents" not in said


def test_parts_that_share_no_task_are_named():
    values = [[1, 2, np.nan, np.nan], [2, 1, np.nan, np.nan], [np.nan, np.nan, 1, 2], [np.nan, np.nan, 3, 1]]
    apart = eq.Scores.from_matrix(values, list("abcd"), [f"t{k}" for k in range(4)])
    assert shared(apart).startswith("2 sets of agents share no task with each other: a, b; c, d")
    with pytest.raises(eq.DataError) as refused:
        eq.nash_average(apart, missing="drop-agents")
    assert 'missing="complete"' not in str(refused.value)


BROKEN = {
    "mixed.json": '[{"a":1,"b":[1,2]},{"a":"x","b":{"c":1}}]',
    "mixed.jsonl": '{"a":1,"b":[1,2]}\n{"a":"x","b":{"c":1}}\n',
    "list.json": "[1, 2, 3]", "lists.json": "[[1, 2], [3, 4]]", "deep.json": '{"a": {"b": {"c": [1, {"d": 2}]}}}',
    "text.json": '"x"', "bytes.parquet": "PAR1xxxxPAR1", "columns.json": '{"a": [1, "x", null], "b": [[1], [2], 3]}',
}  # fmt: skip
"""What polars says of these is for programmers."""


@pytest.mark.parametrize("name", BROKEN)
def test_no_message_of_polars_is_shown(tmp_path, name):
    path = tmp_path / name
    path.write_text(BROKEN[name])
    with pytest.raises(eq.DataError) as refused:
        eq.read(path)
    said = str(refused.value)
    assert not any(word in said for word in ("supertype", "struct[", "deserializ", "Static(", "out of specification"))
    assert "\n" not in said
