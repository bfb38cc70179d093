"""Words that count what a user says, names of wide tables that are one agent's, and counts that say the same twice."""

import io

import pytest

import equipoise as eq
from equipoise.cli.main import main

LONG = "model,task,score\na,1,good\na,2,poor\nb,1,Poor\nb,2,poor\n"
WIDE = "model,q1,q2,q3\na,good,poor,good\nb,poor,poor,\n"
GAMES = "a,b,winner\nx,y,weiss\ny,x,schwarz\nx,y,remis\n"


def scores(text, **given):
    return eq.read_scores(io.BytesIO(text.encode()), read=eq.ReadOptions(**given))


@pytest.mark.parametrize("text", [LONG, WIDE])
def test_words_that_nobody_knows_are_asked_back_with_what_to_say(text):
    with pytest.raises(eq.DataError, match='score_means="good=NUMBER,poor='):
        scores(text)


def test_words_count_what_was_said():
    assert scores(LONG, score_means="good=1,poor=0").values.tolist() == [[1, 0], [0, 0]]
    read = scores(WIDE, score_means="good = 2, POOR = -1")
    assert read.values[0].tolist() == [2, -1, 2]
    assert read.missing.sum() == 1
    assert any(note.code == "answers-as-words" for note in read.diagnostics)


def test_words_of_outcomes_count_for_the_first_side():
    pairs = eq.read_pairs(io.BytesIO(GAMES.encode()), read=eq.ReadOptions(score_means="weiss=1,schwarz=0,remis=0.5"))
    assert pairs.games.sum() == 3
    assert dict(zip(pairs.agents, eq.bradley_terry(pairs).rating, strict=True))["x"] > 0


@pytest.mark.parametrize("wrong", ["good", "good=x", "=1", "good=1,poor", "good=inf"])
def test_what_no_words_count_is_refused(wrong):
    with pytest.raises(eq.ParameterError, match="good=1,poor=0"):
        eq.ReadOptions(score_means=wrong)


def test_a_word_of_games_counts_from_a_loss_to_a_win():
    with pytest.raises(eq.ParameterError, match="from 0 to 1"):
        eq.read_pairs(io.BytesIO(GAMES.encode()), read=eq.ReadOptions(score_means="weiss=3,schwarz=0,remis=1"))


def test_codes_of_outcomes_have_no_effect_on_scores():
    with pytest.raises(eq.ParameterError, match="score_means has no effect"):
        scores("model,task,score\na,1,1\nb,1,0\n", score_means="index")


def test_answers_are_read_in_wide_tables_and_left_out_beside_numbers():
    assert scores("model,q1,q2\na,pass,fail\nb,✓,✗\n").values.tolist() == [[1, 0], [1, 0]]
    assert scores("model,MMLU,GSM8K,open\na,1,2,yes\nb,3,4,no\n").tasks == ("MMLU", "GSM8K")


TWICE = "model,MMLU,GSM8K\nGPT-4O,1,2\ngpt-4o,,3\nx,3,4\n"


def test_spellings_of_an_agent_are_joined_in_wide_tables():
    for text in ("model,MMLU,GSM8K\nGPT-4O,1,\ngpt-4o,,3\nx,3,4\n", "game,GPT-4O,gpt-4o,x\nMMLU,1,,3\nGSM8K,,3,4\n"):
        assert scores(text).agents == ("GPT-4O", "gpt-4o", "x")
        joined = scores(text, merge_names="spelling")
        assert joined.agents == ("GPT-4O", "x")
        assert joined.values.tolist() == [[1, 3], [3, 4]]


def test_two_scores_of_one_agent_are_asked_back():
    with pytest.raises(eq.DataError, match=r'"GPT-4O" and "gpt-4o" would be one agent.*GSM8K.*duplicates="keep"'):
        scores(TWICE, merge_names="spelling")
    assert scores(TWICE, merge_names="spelling", duplicates="drop").values[0].tolist() == [1, 2]
    kept = scores(TWICE, merge_names="spelling", duplicates="keep")
    assert kept.values[0].tolist() == [1, 2.5]
    assert kept.trials.tolist() == [[1, 2], [1, 1]]


def test_wins_losses_and_games_are_taken_together():
    text = "x,y,up,down,all\na,b,12,8,25\nb,c,5,5,10\n"
    how = eq.ReadOptions(a="x", b="y", wins="up", losses="down", games="all")
    matches = eq.read_matches(io.BytesIO(text.encode()), read=how)
    assert matches.weight[matches.outcome == 0.5].sum() == 5
    assert eq.read_pairs(io.BytesIO(text.encode()), read=how).games.sum() == 35
    with pytest.raises(eq.DataError, match="do not add up"):
        eq.read_pairs(io.BytesIO(text.replace("25", "19").encode()), read=how)


def test_item_is_an_old_spelling_of_task_everywhere(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text(
        "who,what,got\n" + "".join(f"{a},q{t},{(t + len(a)) % 2}\n" for a in ("a", "bb") for t in range(6))
    )
    assert main(["tasks", str(table), "--agent", "who", "--item", "what", "--score", "got", "--format", "csv"]) == 0
    assert "--item is now --task" in capsys.readouterr().err


def test_a_column_of_times_controls_nothing(tmp_path, capsys):
    table = tmp_path / "hands.csv"
    rows = [f"{d},ada,{d % 7},{d}\n{d},bob,{-(d % 7)},{d}\n" for d in range(40)]
    table.write_text("deal,agent,utility,moment\n" + "".join(rows))
    assert main(["report", str(table), "-o", str(tmp_path / "p.html"), "--time", "moment", "--since", "5"]) == 0
    assert eq.read(table, read=eq.ReadOptions(time="moment", since="5")).controls == {}
    capsys.readouterr()


def test_goals_of_both_sides_are_outcomes():
    text = "team1,team2,score\nA,B,2-1\nB,C,0 : 0\nC,A,1-13\n"
    matches = eq.read_matches(io.BytesIO(text.encode()))
    assert matches.outcome.tolist() == [1, 0.5, 0]
    with pytest.raises(eq.DataError, match="unknown outcome"):
        eq.read_matches(io.BytesIO(text.replace("0 : 0", "6-4 6-3").encode()))


def test_hints_name_what_is_there_and_not_the_word_just_given():
    with pytest.raises(eq.ColumnError) as caught:
        eq.read_pairs(io.BytesIO(b"player,opponent,result\na,b,1\n"), read=eq.ReadOptions(score="outcome"))
    assert "found: player, opponent, result" in str(caught.value)
    assert "name it with" not in str(caught.value)
    with pytest.raises(eq.ColumnError, match="found: Pong, Qbert"):
        scores("env,ppo,dqn\nPong,1,2\nQbert,3,4\n", tasks="MMLU")
