"""Counts count, codes are asked back, and an option that has no effect is refused."""

import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.cli.main import main
from equipoise.data.readers.columns import ROW_COUNTS, ROW_WINS, WHO_WON


def read(text, **options):
    return eq.read_pairs(io.BytesIO(text.encode()), **options)


def both(text, **options):
    """Read pairs, after seeing that single matches say the same."""
    matches = eq.read_matches(io.BytesIO(text.encode()), **options).pairs()
    pairs = read(text, **options)
    assert wins(pairs) == wins(matches)
    return pairs


def wins(table):
    """Wins of one over the other, ties half, by ordered pair of names."""
    return {
        (one, other): float(table.win_matrix()[i, j])
        for i, one in enumerate(table.agents)
        for j, other in enumerate(table.agents)
        if i != j
    }


@pytest.mark.parametrize("name", [*ROW_WINS, *ROW_COUNTS, "Games", "n games", "weight"])
def test_a_row_with_a_winner_and_a_loser_counts_as_often_as_its_count_says(name):
    table = both(f"winner,loser,{name}\nx,y,90\ny,x,10\ny,z,80\nz,y,20\n")
    assert table.games.sum() == 200
    assert wins(table)["x", "y"] == 90


@pytest.mark.parametrize("name", [*ROW_COUNTS, "weight"])
def test_an_outcome_with_a_count_is_that_of_each_game_or_their_mean(name):
    table = both(f"a,b,score,{name}\nx,y,0.7,10\ny,z,1,4\n")
    assert wins(table)["x", "y"] == pytest.approx(7)
    assert wins(table)["y", "x"] == pytest.approx(3)
    assert wins(table)["y", "z"] == 4


def test_the_command_of_the_issue_sees_two_hundred_games(tmp_path, capsys):
    path = tmp_path / "log.csv"
    path.write_text("winner,loser,wins\nx,y,90\ny,x,10\ny,z,80\nz,y,20\n")
    assert main(["rank", str(path), "--format", "json"]) == 0
    assert '"games": 200.0' in capsys.readouterr().out or read(path.read_text()).games.sum() == 200


@pytest.mark.parametrize(
    "text",
    [
        "winner,loser,wins,losses\nx,y,3,1\n",
        "player,opponent,wins,played\nx,y,3,4\n",
        "player,opponent,wins,matches\nx,y,3,4\n",
    ],
)
def test_counts_of_both_sides_come_before_counts_of_rows(text):
    assert wins(both(text)) == {("x", "y"): 3, ("y", "x"): 1}


@pytest.mark.parametrize(
    "text",
    [
        "a,b,outcome,wins\nx,y,1,10\n",
        "a,b,outcome,weight,games\nx,y,1,10,3\n",
        "a,b,outcome,games,votes\nx,y,1,10,3\n",
        "player,opponent,wins,losses,votes\nx,y,1,10,3\n",
        "a,b,outcome,num_wins\nx,y,1,10\n",
        "a,b,outcome,n\n" + "".join(f"x,y,1,{k}\n" for k in range(1, 20)),
    ],
)
def test_a_column_that_looks_like_a_count_and_has_no_place_is_asked_back(text):
    with pytest.raises(eq.ColumnError, match=r'looks like a count and is not used.*weight="none"'):
        read(text)
    assert read(text, weight="none").games.sum() > 0


@pytest.mark.parametrize(
    "text",
    [
        "a,b,outcome,n\nx,y,1,1\ny,x,1,1\n",
        "a,b,outcome,games\nx,y,1,chess\ny,x,1,go\n",
        "a,b,outcome,word_count,turn,round\nx,y,1,10,2,3\ny,x,1,20,3,4\n",
    ],
)
def test_columns_that_count_nothing_are_left_alone(text):
    table = read(text)
    assert table.games.sum() == 2
    assert not table.diagnostics


def test_a_column_named_by_the_user_is_no_count():
    assert eq.read_matches(io.BytesIO(b"a,b,outcome,n\nx,y,1,7\ny,x,1,8\n"), time="n").weights.tolist() == [1, 1]


def test_counts_and_an_outcome_side_by_side_are_asked_back():
    text = "a,b,wins_a,wins_b,result\nx,y,3,1,1\n"
    with pytest.raises(eq.ColumnError, match='both "wins_a" and "result"'):
        read(text)
    assert read(text, wins="wins_a", losses="wins_b").games.sum() == 4
    assert read(text, outcome="result", weight="none").games.sum() == 1


def test_rows_that_name_a_winner_and_say_they_are_ties_are_asked_back():
    with pytest.raises(eq.ColumnError, match='column "draw" says that some are ties'):
        read("winner,loser,draw\nx,y,1\ny,x,0\n")
    assert read("winner,loser,draw\nx,y,0\ny,x,false\n").games.sum() == 2


@pytest.mark.parametrize("role", ["wins", "losses", "games", "ties"])
def test_a_named_column_without_effect_is_refused(role):
    with pytest.raises(eq.ColumnError, match=f'{role}="more" has no effect'):
        read("a,b,outcome,more\nx,y,1,3\n", **{role: "more"})


def test_an_outcome_beyond_one_beside_games_names_the_way_out():
    text = "a,b,score,games\nx,y,7,10\n"
    with pytest.raises(eq.DataError, match="or name counts with wins and games"):
        read(text)
    assert wins(read(text, wins="score"))["x", "y"] == 7


CODES = st.sampled_from(["0", "1", "0.0", "1.0", "true", "False"])
OTHERS = st.sampled_from(["0.5", "tie", "x", "a"])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(WHO_WON), st.lists(CODES, min_size=1, max_size=6), st.lists(OTHERS, max_size=3))
def test_bare_numbers_in_a_column_that_says_who_won_are_always_asked_back(name, words, others):
    text = f"a,b,{name}\n" + "".join(f"x,y,{word}\n" for word in words + others)
    for on_error in ("raise", "skip"):
        with pytest.raises(eq.ColumnError, match=r'score_means="first-score".*score_means="index"'):
            read(text, read=eq.ReadOptions(on_error=on_error))


@pytest.mark.parametrize(
    ("means", "codes", "expected"),
    [
        ("first-score", "1 0 0.5", (1.5, 1.5)),
        ("second-score", "1 1 0.5", (0.5, 2.5)),
        ("index", "0 0 1 2", (2.5, 1.5)),
        ("index-from-1", "1 1 2 0 1.5 1.25", (3.75, 2.25)),
        ("sign", "1 1 -1 0", (2.5, 1.5)),
        ("index", "0 a tie", (2.5, 0.5)),
        ("index", "x y 0", (2, 1)),
    ],
)
def test_the_user_says_what_numbers_mean(means, codes, expected):
    text = "a,b,winner\n" + "".join(f"x,y,{code}\n" for code in codes.split())
    table = both(text, read=eq.ReadOptions(score_means=means))
    assert (wins(table)["x", "y"], wins(table)["y", "x"]) == expected


def test_a_winner_by_name_is_no_code_even_where_names_are_numbers():
    assert wins(both("a,b,winner\n7,1,7\n7,1,1\n7,1,7\n7,1,tie\n"))["7", "1"] == 2.5
    with pytest.raises(eq.DataError, match="both a side's word and an agent's name"):
        read("a,b,winner\n7,1,7\n7,1,1\n7,2,1\n")
    with pytest.raises(eq.ColumnError, match="score_means"):
        read("a,b,winner\n0,1,0\n0,1,1\n2,0,1\n")


@pytest.mark.parametrize("codes", ["1 2", "0 1 2", "-1 1", "-1 0 1"])
def test_codes_beyond_scores_are_not_skipped_one_by_one(codes):
    text = "a,b,outcome\n" + "".join(f"x,y,{code}\n" for code in codes.split())
    with pytest.raises(eq.ColumnError, match="score_means="):
        read(text, read=eq.ReadOptions(on_error="skip"))
    with pytest.raises(eq.DataError, match="score_means"):
        read(text)


def test_saying_what_numbers_mean_where_there_are_none_is_refused():
    for text in ("winner,loser\nx,y\n", "a,b,wins,losses\nx,y,1,2\n"):
        with pytest.raises(eq.ColumnError, match="score_means has no effect"):
            read(text, read=eq.ReadOptions(score_means="index"))


HEADERS = {
    "winner_name,loser_name,surface\nx,y,clay\n": 1,
    "winning_player,losing_player\nx,y\n": 1,
    "generator_1,generator_2,preference\nx,y,1\nx,y,2\nx,y,1.0\nx,y,0\n": 2.5,
    "player1,player2,winning_player\nx,y,x\nx,y,y\n": 1,
    "model_a,model_b,verdict\nx,y,[[A>>B]]\nx,y,B>A\nx,y,[[A=B]]\nx,y,a>b\n": 2.5,
    "team1,team2,winner\nx,y,team1\nx,y,Team2\nx,y,draw\n": 1.5,
    "model_1,model_2,g1_winner,g2_winner\nx,y,model_1,model_1\nx,y,model_1,model_2\nx,y,tie,tie\n": 2,
    "system a,system b,preferred\nx,y,x\n": 1,
}


@pytest.mark.parametrize(("text", "expected"), HEADERS.items())
def test_headers_that_people_use_are_known(text, expected):
    assert wins(both(text))["x", "y"] == expected


def test_names_are_trimmed_wherever_they_come_from():
    spaced, clean = [" x", "x\t", "\ufeffx"[1:]], ["x", "x", "x"]
    for others in (spaced, clean):
        matches = eq.Matches.from_columns(others, ["y ", " y", "y"], ["x", " y", "tie "])
        assert matches.agents == ("x", "y")
        assert matches.outcome.tolist() == [1, 0, 0.5]
    frame = pl.DataFrame({"a": spaced, "b": ["y ", " y", "y"], "outcome": ["x", " y", "tie "]})
    assert eq.read_matches(frame).agents == ("x", "y")
    assert eq.Scores.from_matrix([[1], [2]], agents=[" x", "y "], tasks=["t "]).agents == ("x", "y")
