"""Reading scores, episodes and meta-games."""

import json

import numpy as np
import pytest

import equipoise as eq


def write(tmp_path, text, name="file.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_wide_table_names_its_agents_in_the_first_column(tmp_path):
    scores = eq.read_scores(write(tmp_path, "agent,t1,t2\nx,1,2\ny,3,\n"))
    assert (scores.agents, scores.tasks) == (("x", "y"), ("t1", "t2"))
    np.testing.assert_array_equal(scores.values, [[1, 2], [3, np.nan]])
    assert "y on t2" in scores.diagnostics[0].message


def test_a_transposed_table_has_a_column_for_each_agent(tmp_path):
    scores = eq.read_scores(write(tmp_path, "game,x,y\nt1,1,3\nt2,2,4\n"), transpose=True)
    assert (scores.agents, scores.tasks) == (("x", "y"), ("t1", "t2"))
    assert scores.values.tolist() == [[1, 2], [3, 4]]


def test_a_long_table_may_have_trials_and_other_names(tmp_path):
    text = "model,game,seed,value,extra\nx,t1,0,1,q\nx,t1,1,3,q\nx,t2,0,5,q\ny,t1,0,7,q\n"
    scores = eq.read_scores(write(tmp_path, text))
    np.testing.assert_array_equal(scores.values, [[2, 5], [7, np.nan]])
    assert scores.trials.tolist() == [[2, 1], [1, 0]]


def test_a_table_without_names_gets_numbers(tmp_path):
    scores = eq.read_scores(write(tmp_path, "Item 1,Item 2\n0,1\n0,0\n1,1\n"))
    assert scores.agents == ("agent 1", "agent 2", "agent 3")
    assert scores.tasks == ("Item 1", "Item 2")
    assert [note.code for note in scores.diagnostics] == ["no-agent-column"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agent,t1\n", "no rows"),
        ("agent\nx\n", "no column of scores"),
        ("agent,t1\nx,good\n", 'not a number: "good" (x on t1)'),
        ("agent,t1\nx,1\nx,2\n", "more than once: x"),
        ("agent,t1\n,1\n", "no name in the first column"),
        ("agent,t1,t1\nx,1,2\n", "column names appear more than once: t1"),
        ("agent,t1\nx,inf\n", "infinite"),
        ("agent,task,score\nx,t,high\n", 'not a number "high" in row 1'),
        ("agent,task,score\n,t,1\n", "no agent's or task's name"),
        ("agent,task,trial,score\nx,t,0,1\nx,t,0,2\n", "appears more than once"),
        ("agent,task,score\nx,t,\n", "every cell is missing"),
    ],
)
def test_bad_scores_get_one_clear_line(tmp_path, text, said):
    with pytest.raises(eq.DataError) as caught:
        eq.read_scores(write(tmp_path, text))
    assert said in str(caught.value)


def test_strange_cells_can_be_skipped_and_are_named(tmp_path):
    scores = eq.read_scores(write(tmp_path, "agent,t1,t2\nx,1,oops\ny,2,3\n"), read=eq.ReadOptions(on_error="skip"))
    assert np.isnan(scores.values[0, 1])
    assert '"oops" (x on t2)' in scores.diagnostics[0].message


def test_na_is_a_missing_cell_in_any_spelling(tmp_path):
    scores = eq.read_scores(write(tmp_path, "agent,t1,t2,t3,t4\nx,NA,nan,N/A,1\n"))
    assert scores.missing.tolist() == [[True, True, True, False]]


def test_a_layout_that_is_not_there_is_refused(tmp_path):
    path = write(tmp_path, "agent,t1\nx,1\n")
    with pytest.raises(eq.ColumnError, match="no columns for agent, task and score"):
        eq.read_scores(path, layout="long")
    with pytest.raises(eq.ParameterError, match="layout"):
        eq.read_scores(path, layout="tall")


def test_episodes_take_a_deal_of_several_columns(tmp_path):
    text = "seed,hand,agent,seat,utility,c\n0,1,x,n,3,1\n0,1,y,s,-3,\n0,2,x,s,1,2\n"
    e = eq.read_episodes(write(tmp_path, text), deal=("seed", "hand"), controls=["c"])
    assert e.deal.labels == ("0 / 1", "0 / 2")
    assert e.seat.labels == ("n", "s")
    np.testing.assert_array_equal(e.controls["c"], [1, np.nan, 2])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deal,agent,utilty\n1,x,1\n", 'no column "utility" for utility (did you mean "utilty"?)'),
        ("deal,agent,utility\n1,x,nan\n", "utility that is missing or not a finite number in row 1"),
        ("deal,agent,utility\n,x,1\n", "no deal in row 1"),
        ("deal,agent,utility\n1,,1\n", "no agent's name in row 1"),
        ("deal,agent,utility\n", "no rows"),
    ],
)
def test_bad_episodes_get_one_clear_line(tmp_path, text, said):
    with pytest.raises(eq.DataError) as caught:
        eq.read_episodes(write(tmp_path, text))
    assert said in str(caught.value)


def test_a_metagame_comes_from_json_or_a_square_table(tmp_path):
    nested = {"strategies": [["a", "b"], ["c"]], "payoffs": [[[1], [2]], [[3], [4]]]}
    game = eq.read_metagame(write(tmp_path, json.dumps(nested), "g.json"))
    assert game.strategies == (("a", "b"), ("c",))
    square = eq.read_metagame(write(tmp_path, ",a,b\na,0,1\nb,-1,0\n"))
    assert square.single
    assert square.payoffs[0].tolist() == [[0, 1], [-1, 0]]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("[1]", "g.json", "expected an object"),
        ("{}", "g.json", 'no "payoffs"'),
        ("{", "g.json", "cannot be read"),
        ('{"payoffs": [[[1, 2]], [[1]]]}', "g.json", "different shapes"),
        ('{"payoffs": [["x"]]}', "g.json", "numbers"),
        (",a,b\na,0,1\nc,-1,0\n", "g.csv", "must be square"),
        (",a,b\na,0,\nb,-1,0\n", "g.csv", "missing or infinite at (a, b)"),
    ],
)
def test_a_bad_metagame_gets_one_clear_line(tmp_path, text, name, said):
    with pytest.raises(eq.DataError) as caught:
        eq.read_metagame(write(tmp_path, text, name))
    assert said in str(caught.value)


def test_a_long_table_whose_rows_share_nothing_is_refused_before_it_is_spread_out(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("model,task,value\n" + "".join(f"m{i},t{i},0.5\n" for i in range(28_000)))
    with pytest.raises(eq.ColumnError, match=r"28,000 agents and column \"task\" 28,000 tasks.* 784,000,000 cells"):
        eq.read_scores(path)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "agent,task,run,net,score\nx,t,0,CNN,1\nx,t,0,MLP,2\ny,t,0,CNN,3\ny,t,0,MLP,4\n",
            'x on t, run 0, has 2 scores that differ in column "net" (CNN, MLP); take one with where=\'net == "CNN"\';'
            ' or count each as an agent with agent="agent,net"',
        ),
        (
            "agent,game,level,play,score\n"
            + "".join(f"{a},g,{level},{play},{level + play}\n" for a in "xy" for level in (0, 1) for play in (1, 2)),
            'x on g has 4 scores that differ in columns "level" and "play"; count the first as part of the task, and'
            ' the other as runs, with task="game,level" run="play"',
        ),
    ],
)
def test_the_column_that_tells_repeated_rows_apart_is_looked_for_before_rows_are_dropped(tmp_path, rows, said):
    path = tmp_path / "scores.csv"
    path.write_text(rows)
    with pytest.raises(eq.DataError) as error:
        eq.read_scores(path)
    assert said in str(error.value)
    assert "duplicates" not in str(error.value)
