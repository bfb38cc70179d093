import gzip

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.data.readers import outcomes as read_outcomes


def write(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def counts(table):
    """Wins, losses and ties by ordered pair of names."""
    return {
        (table.agents[i], table.agents[j]): (w, l, t)
        for i, j, w, l, t in zip(table.first, table.second, table.wins, table.losses, table.ties, strict=True)
    }


LAYOUTS = {
    "a_b_outcome": "a,b,outcome\nx,y,1\nx,y,0.5\ny,x,0\n",
    "model_a_model_b_winner": "model_a,model_b,winner\nx,y,model_a\nx,y,tie (bothbad)\ny,x,model_b\n",
    "left_right_winner_with_other_columns": "id,model_x,left,right,winner\n7,1,x,y,left\n7,1,x,y,tie\n7,2,y,x,right\n",
    "white_black_result": "White,Black,Result\nx,y,1-0\nx,y,1/2-1/2\ny,x,0-1\n",
    "winner_by_name": "player1,player2,winner\nx,y,x\nx,y,draw\ny,x,x\n",
    "home_away_goals": "home_team,away_team,home_goals,away_goals\nx,y,2,1\nx,y,0,0\ny,x,10,11\n",
    "true_false": "a,b,outcome\nx,y,true\nx,y,0.5\ny,x,False\n",
    "trimmed": "a , b, outcome\n x,y , 1\nx,y,0.5 \ny,x,0\n",
}


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS)
def test_a_log_is_understood_by_its_column_names(tmp_path, text):
    path = write(tmp_path, text)
    expected = {("x", "y"): (1, 0, 1), ("y", "x"): (0, 1, 0)}
    assert counts(eq.read_pairs(path)) == expected
    assert counts(eq.read_matches(path).pairs()) == expected


def test_winner_and_loser_columns_need_no_outcome(tmp_path):
    table = eq.read_pairs(write(tmp_path, "winner,loser\nx,y\nx,y\ny,x\n"))
    assert counts(table) == {("x", "y"): (2, 0, 0), ("y", "x"): (1, 0, 0)}


COUNTED = {
    "wins_and_games": "player,opponent,wins,games\nx,y,3,5\n",
    "wins_losses": "player,opponent,wins,losses\nx,y,3,2\n",
    "home_and_away_wins": "home.team,away.team,home.wins,away.wins\nx,y,3,2\n",
    "one_hot": "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n" + "x,y,1,0,0\n" * 3 + "x,y,0,1,0\n" * 2,
    "mirrored": "player,opponent,wins,games\nx,y,3,5\ny,x,2,5\n",
}


@pytest.mark.parametrize("text", COUNTED.values(), ids=COUNTED)
def test_counted_wins_are_matches_too(tmp_path, text):
    path = write(tmp_path, text)
    assert counts(eq.read_pairs(path)) == {("x", "y"): (3, 2, 0)}
    matches = eq.read_matches(path)
    assert counts(matches.pairs()) == {("x", "y"): (3, 2, 0)}
    assert not matches.ordered


def test_mirrored_rows_are_counted_once_and_said_so(tmp_path):
    table = eq.read_pairs(write(tmp_path, COUNTED["mirrored"]))
    assert [note.code for note in table.diagnostics] == ["mirrored-rows"]


def test_rows_that_are_not_complementary_are_different_games(tmp_path):
    table = eq.read_pairs(write(tmp_path, "player,opponent,wins,games\nx,y,3,5\ny,x,3,5\n"))
    assert counts(table) == {("x", "y"): (3, 2, 0), ("y", "x"): (3, 2, 0)}


def test_home_and_away_rows_are_different_games_even_if_complementary(tmp_path):
    table = eq.read_pairs(write(tmp_path, "home,away,home_wins,away_wins\nx,y,3,2\ny,x,2,3\n"))
    assert table.games.sum() == 10


def test_wins_by_side_keep_the_sides_and_count_mirrored_rows_once(tmp_path):
    text = "player,opponent,wins_as_black,games_as_black,wins_as_white,games_as_white\nx,y,1,3,2,2\ny,x,0,2,2,3\n"
    table = eq.read_pairs(write(tmp_path, text))
    assert counts(table) == {("x", "y"): (1, 2, 0), ("y", "x"): (0, 2, 0)}
    assert [note.code for note in table.diagnostics] == ["mirrored-rows"]


def test_identifiers_stay_text_even_if_the_first_thousand_rows_look_like_numbers(tmp_path):
    rows = "".join(f"00{k % 7},{(k + 1) % 7 + 10},1\n" for k in range(1500)) + "007b,12,0\n"
    agents = eq.read_pairs(write(tmp_path, "a,b,outcome\n" + rows)).agents
    assert {"000", "10", "007b"} <= set(agents)


@pytest.mark.parametrize(
    "name", ["x.csv", "x.csv.gz", "x.csv.zst", "x.tsv", "x.jsonl", "x.jsonl.gz", "x.json", "x.parquet"]
)
def test_every_format_gives_the_same_table(tmp_path, name):
    frame = pl.DataFrame({"a": ["x", "x", "ü"], "b": ["ü", "ü", "x"], "outcome": [1.0, 0.5, 0.0]})
    path = tmp_path / name
    if name == "x.csv":
        frame.write_csv(path)
    elif name.startswith("x.csv"):
        frame.lazy().sink_csv(path, compression="gzip" if name.endswith("gz") else "zstd")
    elif name == "x.tsv":
        frame.write_csv(path, separator="\t")
    elif name.endswith("jsonl.gz"):
        path.write_bytes(gzip.compress(frame.write_ndjson().encode()))
    elif name.endswith("jsonl"):
        frame.write_ndjson(path)
    elif name.endswith("json"):
        frame.write_json(path)
    else:
        frame.write_parquet(path)
    assert counts(eq.read_pairs(path)) == {("x", "ü"): (1, 0, 1), ("ü", "x"): (0, 1, 0)}
    assert eq.read_matches(path).outcome.tolist() == [1.0, 0.5, 0.0]


def test_frames_of_any_library_are_read():
    frame = pl.DataFrame({"a": ["x", "x", "y"], "b": ["y", "y", "x"], "outcome": ["a", "tie", "b"]})
    expected = {("x", "y"): (1, 0, 1), ("y", "x"): (0, 1, 0)}
    for given in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
        assert counts(eq.read_pairs(given)) == expected
        assert counts(eq.read_matches(given).pairs()) == expected


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    path = tmp_path / "bom.csv"
    path.write_bytes(b"\xef\xbb\xbfa,b,outcome\r\nx,y,1\r\n")
    assert counts(eq.read_pairs(path)) == {("x", "y"): (1, 0, 0)}


def test_semicolons_are_noticed_and_said(tmp_path):
    table = eq.read_pairs(write(tmp_path, "a;b;outcome;weight\nx;y;1;1,5\n"))
    assert counts(table) == {("x", "y"): (1.5, 0, 0)}
    assert [note.code for note in table.diagnostics] == ["separator"]


def test_blank_rows_are_passed_over_and_said(tmp_path):
    table = eq.read_pairs(write(tmp_path, "a,b,outcome\nx,y,1\n\n\ny,x,1\n"))
    assert table.games.sum() == 2
    assert "2 blank rows" in table.diagnostics[0].message


def test_weights_are_frequencies(tmp_path):
    path = write(tmp_path, "a,b,outcome,weight\nx,y,1,2\nx,y,1,3\ny,x,0.5,0.5\n")
    assert counts(eq.read_pairs(path)) == {("x", "y"): (5, 0, 0), ("y", "x"): (0, 0, 0.5)}
    assert eq.read_matches(path).weight.tolist() == [2, 3, 0.5]


def test_group_task_and_time_are_kept_with_the_matches(tmp_path):
    path = write(tmp_path, "a,b,outcome,who,what,when\nx,y,1,u,t1,3\ny,x,0,v,t2,1\nx,y,0,u,t1,2\n")
    matches = eq.read_matches(path, group="who", task="what", time="when")
    assert matches.group.labels == ("u", "v")
    assert matches.task.codes.tolist() == [0, 1, 0]
    assert matches.order().tolist() == [1, 2, 0]
    assert eq.read_pairs(path, group="who").group.labels == ("u", "v")


def test_agents_come_in_order_of_first_appearance(tmp_path):
    path = write(tmp_path, "a,b,outcome\nzoe,amy,1\nbob,zoe,1\namy,bob,0\n")
    assert eq.read_pairs(path).agents == eq.read_matches(path).agents == ("zoe", "amy", "bob")


def test_a_square_file_of_probabilities_or_of_wins_is_read(tmp_path):
    chances = eq.read_pairs(write(tmp_path, ",x,y\nx,0.5,0.7\ny,0.3,0.5\n"))
    assert not chances.counted
    assert chances.probabilities()[0, 1] == pytest.approx(0.7)
    wins = eq.read_pairs(write(tmp_path, "won\\lost,x,y\nx,0,7\ny,3,0\n"))
    assert counts(wins) == {("x", "y"): (7, 3, 0)}


BAD_FILES = {
    "missing": (None, "does not exist"),
    "empty": ("", "is empty"),
    "only_a_header": ("a,b,outcome\n", "no rows"),
    "ragged": ("a,b,outcome\nx,y,1\nx,y,1,2\n", "line 3 has 4 fields"),
    "unfinished_quote": ('a,b,outcome\n"x,y,1\ny,x,0\n', "quote"),
    "no_pair_of_columns": ("modle_a,modle_b,winner\nx,y,a\n", 'did you mean "model_a"'),
    "no_outcome": ("a,b,winer\nx,y,a\n", 'did you mean "winner"'),
    "unknown_word": ("a,b,outcome\nx,y,1\nx,y,wim\n", 'unknown outcome "wim" in row 2 (did you mean "win"?)'),
    "outcome_out_of_range": ("a,b,outcome\nx,y,2\n", 'unknown outcome "2" in row 1'),
    "nan_outcome": ("a,b,outcome\nx,y,nan\n", 'unknown outcome "nan"'),
    "no_outcome_value": ("a,b,outcome\nx,y,1\nx,y,\n", "no outcome in row 2"),
    "no_name": ("a,b,outcome\n,y,1\n", "no agent's name in row 1"),
    "self_match": ("a,b,outcome\nx,y,1\nx,x,1\n", 'an agent against itself "x" in row 2'),
    "negative_weight": ("a,b,outcome,weight\nx,y,1,-1\n", "weight that is negative"),
    "infinite_weight": ("a,b,outcome,weight\nx,y,1,inf\n", "weight that is negative, missing or not finite"),
    "word_as_weight": ("a,b,outcome,weight\nx,y,1,many\n", "weight that is negative, missing or not finite"),
    "word_and_name": ("a,b,outcome\nmodel_b,x,model_b\n", "both a side's word and an agent's name"),
    "more_wins_than_games": ("player,opponent,wins,games\nx,y,5,3\n", "more wins than games"),
    "missing_count": ("player,opponent,wins,games\nx,y,,3\n", "missing or not a number"),
    "all_counts_zero": ("player,opponent,wins,games\nx,y,0,0\n", "nothing can be rated"),
    "square_out_of_range": (",x,y\nx,0.5,1.5\ny,-0.5,0.5\n", "at least 0"),
    "square_not_complementary": (",x,y\nx,0.5,0.7\ny,0.4,0.5\n", "P + P^T is not 1"),
    "square_with_words": (",x,y\nx,0.5,high\ny,0.4,0.5\n", "not a number for x vs y"),
}


@pytest.mark.parametrize(("text", "said"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_gets_one_clear_line(tmp_path, text, said):
    path = tmp_path / "log.csv"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    for read in (eq.read_pairs, eq.read_matches):
        with pytest.raises(eq.DataError) as caught:
            read(path)
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(eq.ReadError, match="is a directory"):
        eq.read_matches(tmp_path)


@pytest.mark.parametrize("name", ["log.docx", "log", "log.csv.zip", "log.rda.gz"])
def test_an_unknown_extension_is_refused(tmp_path, name):
    path = write(tmp_path, "a,b,outcome\nx,y,1\n", name)
    with pytest.raises(eq.ReadError, match="unknown kind of file; give csv, tsv"):
        eq.read_matches(path)


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("a,b,outcome\nxé,y,1\n".encode("latin-1"), "log.csv", "not UTF-8"),
        ("a,b,outcome\nx,y,1\n".encode("utf-16"), "log.csv", "UTF-16"),
        (b"a,b,outcome\nx,y,1\n", "log.csv.gz", "content is something else"),
        (b"a,b,outcome\nx,y,1\n", "log.parquet", "content is something else"),
        (b"PAR1 and no more", "log.parquet", "cannot be read"),
        (gzip.compress(b"a,b,outcome\nx,y,1\n" * 999, mtime=0)[:40], "log.csv.gz", "cannot be read"),
        (b'{"a": "x", "b": "y", "outcome": 1}\n{"a": ', "log.jsonl", "cannot be read"),
    ],
    ids=["latin-1", "utf-16", "no-gzip", "no-parquet", "cut-parquet", "cut-gzip", "cut-json"],
)
def test_content_that_is_not_what_the_name_says_is_refused(tmp_path, content, name, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(eq.ReadError, match=said):
        eq.read_matches(path)


def test_a_named_column_that_is_missing_lists_what_was_found(tmp_path):
    path = write(tmp_path, "p1,p2,res\nx,y,1\n")
    with pytest.raises(eq.ColumnError, match=r'"rse" for outcome .did you mean "res".*found: p1, p2, res'):
        eq.read_matches(path, a="p1", b="p2", outcome="rse")


def test_skipping_bad_rows_counts_them_by_reason(tmp_path):
    text = "a,b,outcome,weight\nx,y,1,1\nx,x,1,1\nx,y,what,1\nx,y,0,-1\ny,x,0.5,1\nx,,1,1\nx,y,why,1\n"
    path = write(tmp_path, text)
    for data in (
        eq.read_pairs(path, read=eq.ReadOptions(on_error="skip")),
        eq.read_matches(path, read=eq.ReadOptions(on_error="skip")).pairs(),
    ):
        assert counts(data) == {("x", "y"): (1, 0, 0), ("y", "x"): (0, 0, 1)}
        (note,) = [note for note in data.diagnostics if note.code == "rows-skipped"]
        assert note.severity == "warning"
        assert "2 unknown outcome" in note.message
        assert "1 an agent against itself" in note.message


def test_skipping_everything_is_still_an_error(tmp_path):
    with pytest.raises(eq.DataError, match="no usable row is left"):
        eq.read_pairs(write(tmp_path, "a,b,outcome\nx,x,1\n"), read=eq.ReadOptions(on_error="skip"))


def test_an_unknown_way_to_deal_with_errors_is_refused(tmp_path):
    with pytest.raises(eq.ParameterError, match="on_error"):
        eq.read_pairs(write(tmp_path, "a,b,outcome\nx,y,1\n"), read=eq.ReadOptions(on_error="ignore"))


def test_something_that_is_no_table_is_refused():
    with pytest.raises(eq.DataError, match="cannot read a list"):
        eq.read_matches([1, 2, 3])


def test_rows_and_groups_agree_on_a_long_random_log(tmp_path):
    rng = np.random.default_rng(0)
    n = 5000
    frame = pl.DataFrame(
        {
            "a": [f"m{k}" for k in rng.integers(0, 9, n)],
            "b": [f"m{k}" for k in rng.integers(9, 18, n)],
            "winner": rng.choice(["a", "b", "tie", "0.25"], n),
        }
    )
    path = tmp_path / "log.csv"
    frame.write_csv(path)
    one, other = eq.read_pairs(path), eq.read_matches(path).pairs()
    assert counts(one).keys() == counts(other).keys()
    np.testing.assert_allclose(list(counts(one).values()), list(counts(other).values()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("player,opponent,wins,losses,games\nx,y,3,1,5\n", (3, 1, 1)),
        ("player,opponent,wins,losses,draws,games\nx,y,3,1,1,5\n", (3, 1, 1)),
        ("white,black,white_wins,black_wins,draws\nx,y,3,1,1\n", (3, 1, 1)),
    ],
)
def test_losses_and_games_together_give_the_ties(tmp_path, text, expected):
    assert counts(eq.read_pairs(write(tmp_path, text))) == {("x", "y"): expected}


@pytest.mark.parametrize(
    "text",
    ["player,opponent,wins,losses,games\nx,y,3,3,5\n", "player,opponent,wins,losses,draws,games\nx,y,3,1,1,9\n"],
)
def test_counts_that_do_not_add_up_are_refused(tmp_path, text):
    with pytest.raises(eq.DataError, match="do not add up"):
        eq.read_pairs(write(tmp_path, text))


def test_only_pairs_listed_twice_are_said_to_be(tmp_path):
    text = "player,opponent,wins,games\na,b,3,5\nb,a,2,5\na,c,1,4\n"
    table = eq.read_pairs(write(tmp_path, text))
    assert table.games.sum() == 9
    assert table.diagnostics[0].message.startswith("1 pairs are listed")


def test_a_column_that_appears_twice_is_refused(tmp_path):
    with pytest.raises(eq.ColumnError, match="more than once: winner"):
        eq.read_pairs(write(tmp_path, "model_a,model_b,winner,winner\nx,y,a,b\n"))


def test_a_column_of_counts_is_used_and_said_so(tmp_path):
    path = write(tmp_path, "a,b,outcome,count\nx,y,1,5\ny,x,1,2\n")
    table = eq.read_pairs(path)
    assert [note.code for note in table.diagnostics] == ["counted-rows"]
    assert table.games.sum() == eq.read_pairs(path, weight="count").games.sum() == 7
    assert eq.read_pairs(path, weight="none").games.sum() == 2


def test_times_are_numbers_or_iso_dates_and_nothing_else(tmp_path):
    iso = write(tmp_path, "a,b,outcome,at\nx,y,1,2024-01-01T00:00:00Z\ny,x,1,2023-12-31T10:00:00.5Z\n")
    assert eq.read_matches(iso, time="at").order().tolist() == [1, 0]
    for bad in ("31/12/2023", "soon", "nan", ""):
        path = write(tmp_path, f"a,b,outcome,at\nx,y,1,1\ny,x,1,{bad}\n")
        with pytest.raises(eq.DataError, match=r"no time.*in row 2 of column at"):
            eq.read_matches(path, time="at")


def test_a_stream_may_hold_json_lines_or_parquet():
    import io

    frame = pl.DataFrame({"a": ["x"], "b": ["y"], "outcome": [1.0]})
    packed = io.BytesIO()
    frame.write_parquet(packed)
    for content in (frame.write_ndjson().encode(), packed.getvalue()):
        assert counts(eq.read_pairs(io.BytesIO(content))) == {("x", "y"): (1, 0, 0)}


def test_a_decimal_comma_in_an_outcome_is_read_where_semicolons_separate(tmp_path):
    assert counts(eq.read_pairs(write(tmp_path, "a;b;outcome\nx;y;0,5\n"))) == {("x", "y"): (0, 0, 1)}


def test_two_columns_of_one_name_in_a_frame_are_refused():
    import pandas as pd

    with pytest.raises(eq.DataError, match="same name"):
        eq.read_pairs(pd.DataFrame([["x", "y", 1, 0]], columns=["a", "b", "outcome", "outcome"]))


@pytest.mark.parametrize(
    ("late", "early"), [("2024-01-02", "2023-12-31"), ("2024-01-01 00:00:01", "2024-01-01 00:00:00"), ("10", "9")]
)
def test_every_usual_form_of_a_time_is_sorted_as_a_time(tmp_path, late, early):
    path = write(tmp_path, f"a,b,outcome,at\nx,y,1,{late}\ny,x,1,{early}\n")
    assert eq.read_matches(path, time="at").order().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("log.csv", "a,b,outcome\nx,y,1\nx,y,1,2\ny,x,0.5\n", "1 rows with more fields than the header"),
        ("log.jsonl", '{"a":"x","b":"y","outcome":1}\n{"a":\n{"a":"y","b":"x","outcome":0.5}\n', "1 lines"),
    ],
)
def test_lines_that_are_no_rows_can_be_skipped_and_are_counted(tmp_path, name, text, said):
    path = write(tmp_path, text, name)
    with pytest.raises(eq.ReadError):
        eq.read_pairs(path)
    table = eq.read_pairs(path, read=eq.ReadOptions(on_error="skip"))
    assert counts(table) == {("x", "y"): (1, 0, 0), ("y", "x"): (0, 0, 1)}
    assert said in table.diagnostics[0].message


@pytest.mark.parametrize("some", [1, 50_000], ids=["held", "grouped while it streams"])
def test_groups_stand_in_the_order_of_the_log(tmp_path, monkeypatch, some):
    """However rows are read: simulated signs of groups are drawn in this order."""
    monkeypatch.setattr(read_outcomes, "SOME", some)
    rng = np.random.default_rng(1)
    names = [f"group {code}" for code in rng.integers(300, size=20_000)]
    path = tmp_path / "log.csv"
    sides = rng.integers(2, size=20_000)
    lines = [f"{'xy'[k]},{'yx'[k]},{k},{name}" for k, name in zip(sides, names, strict=True)]
    path.write_text("a,b,outcome,who\n" + "\n".join(lines))
    table = eq.read_pairs(path, group="who")
    assert table.group.labels == tuple(dict.fromkeys(names))
    matches = eq.read_matches(path, group="who").pairs(by_group=True)
    for column in ("first", "second", "wins", "losses"):
        np.testing.assert_array_equal(getattr(table, column), getattr(matches, column))
    np.testing.assert_array_equal(table.group.codes, matches.group.codes)


def test_the_name_of_a_winner_keeps_its_comma_where_numbers_have_decimal_commas(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a;model_b;winner\nGPT 4;Llama, 2;Llama, 2\nLlama, 2;GPT 4;0,5\nGPT 4;Llama, 2;GPT 4\n")
    assert eq.read_matches(path).outcome.tolist() == [0.0, 0.5, 1.0]
