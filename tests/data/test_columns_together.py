"""Tasks and agents of several columns, agents that come again in wide tables, several tables of one form."""

import json

import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.core.diagnostics import has_code

LEVELS = "who,game,level,pts,rep\n" + "".join(
    f"{who},{game},{level},{ord(who) + 10 * level + rep},{rep}\n"
    for who in "ab" for game in ("g1", "g2") for level in (1, 2) for rep in (0, 1)
)  # fmt: skip
WIDE = "model,seed,t1,t2\na,0,1,2\na,1,3,4\nb,0,5,6\nb,1,7,8\n"


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def test_a_task_may_be_several_columns(tmp_path):
    path = write(tmp_path, "x.csv", LEVELS)
    scores = eq.read_scores(path, agent="who", task="game,level", score="pts", trial="rep")
    assert scores.tasks == ("g1/1", "g1/2", "g2/1", "g2/2")
    assert scores.repeats.shape == (2, 4, 2)
    assert scores.values[0].tolist() == [107.5, 117.5, 107.5, 117.5]


def test_an_agent_may_be_several_columns(tmp_path):
    path = write(tmp_path, "x.csv", LEVELS)
    scores = eq.read_scores(path, agent="who,level", task="game", score="pts", trial="rep")
    assert scores.agents == ("a/1", "a/2", "b/1", "b/2")


def test_one_of_several_columns_that_is_not_there_is_named(tmp_path):
    path = write(tmp_path, "x.csv", LEVELS)
    with pytest.raises(eq.ColumnError, match=r'no column "levl" for task \(did you mean "level"\?\); found: [^;]*$'):
        eq.read_scores(path, agent="who", task="game,levl", score="pts")


@pytest.mark.parametrize("command", ["tasks", "rank"])
def test_commands_take_the_same_options_of_columns(tmp_path, capsys, command):
    path = write(tmp_path, "x.csv", LEVELS)
    columns = ["--agent", "who", "--task", "game,level", "--score", "pts", "--run", "rep", "--format", "json"]
    assert main([command, str(path), *columns]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["agents"] == 2


def test_a_wide_table_with_a_column_of_runs(tmp_path):
    scores = eq.read(write(tmp_path, "x.csv", WIDE))
    assert (scores.agents, scores.tasks, scores.repeats.shape) == (("a", "b"), ("t1", "t2"), (2, 2, 2))
    assert scores.values.tolist() == [[2, 3], [6, 7]]
    assert has_code(scores.diagnostics, "runs-in-rows")


def test_agents_that_come_again_in_a_wide_table_are_asked_back_kept_or_dropped(tmp_path):
    path = write(tmp_path, "x.csv", "model,t1,t2\na,1,2\nb,5,6\na,3,5\nc,0,1\n")
    with pytest.raises(eq.ColumnError, match=r'names agents more than once: a 2 times.*duplicates="keep".*"drop"'):
        eq.read_scores(path)
    kept = eq.read_scores(path, read=eq.ReadOptions(duplicates="keep"))
    assert kept.values.tolist() == [[2, 3.5], [5, 6], [0, 1]]
    dropped = eq.read_scores(path, read=eq.ReadOptions(duplicates="drop"))
    assert dropped.values.tolist() == [[1, 2], [5, 6], [0, 1]]
    assert dict(dropped.account.dropped) == {"that repeat an agent": 1}


def parts(folder):
    write(folder, "one.csv", "agent,task,score\na,t1,1\nb,t1,2\n")
    write(folder, "two.csv", "task,agent,score\nt1,a,3\nt1,b,4\n")
    return folder


def test_several_tables_of_one_form_are_one_with_the_file_as_run(tmp_path):
    scores = eq.read(parts(tmp_path))
    assert scores.repeats.tolist() == [[[1, 3]], [[2, 4]]]
    assert has_code(scores.diagnostics, "tables-joined")
    assert eq.tasks([tmp_path / "one.csv", tmp_path / "two.csv"]).origin.name == "2 tables"


def test_tables_about_other_things_keep_only_where_rows_are_from(tmp_path):
    write(tmp_path, "one.csv", "agent,task,score\na,t1,1\nb,t1,2\n")
    write(tmp_path, "two.csv", "agent,task,score\na,t2,3\nb,t2,4\n")
    scores = eq.read(tmp_path)
    assert (scores.repeats, scores.values.tolist()) == (None, [[1, 3], [2, 4]])


def test_games_of_several_tables_are_one_log(tmp_path):
    write(tmp_path, "one.csv", "a,b,winner\nx,y,a\n")
    write(tmp_path, "two.csv", "a,b,winner\nx,y,b\ny,x,tie\n")
    assert eq.read(tmp_path).games.sum() == 3
    assert sorted(eq.rank(str(tmp_path)).table["agent"].to_list()) == ["x", "y"]


def test_a_table_of_another_form_is_refused_or_left_out(tmp_path):
    write(parts(tmp_path), "zzz.csv", "model,t1,t2\na,1,2\n")
    with pytest.raises(eq.DataError, match=r'3 tables that do not have the same columns.*on_error="skip"'):
        eq.read(tmp_path)
    scores = eq.read(tmp_path, read=eq.ReadOptions(on_error="skip"))
    assert scores.repeats.shape == (2, 1, 2)
    assert any(note.code == "files-left-out" and "zzz.csv" in note.message for note in scores.diagnostics)


def test_a_hint_names_a_column_that_is_there(tmp_path):
    with pytest.raises(eq.ColumnError) as refused:
        eq.read_matches(write(tmp_path, "x.csv", "a,b,came_out\nx,y,1\n"))
    assert "did you mean" not in str(refused.value)
    with pytest.raises(eq.ColumnError, match=r'\(column "winer": did you mean "winner"\?\)'):
        eq.read_matches(write(tmp_path, "x.csv", "a,b,winer\nx,y,1\n"))


def test_answers_may_be_words(tmp_path):
    path = write(tmp_path, "x.csv", "ID,week,y\nX01,0,y\nX01,2,n\nX02,0,Yes\nX02,2,FAILED\n")
    scores = eq.read_scores(path, agent="ID", task="week", score="y")
    assert scores.values.tolist() == [[1, 0], [1, 0]]
    assert has_code(scores.diagnostics, "answers-as-words")
    with pytest.raises(eq.DataError, match='a score that is not a number "good"'):
        eq.read_scores(write(tmp_path, "x.csv", "agent,task,score\na,t,good\nb,t,y\n"))
