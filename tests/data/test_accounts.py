"""Every row of a file is used, or dropped for a reason that is said; rows that come again are counted."""

import io
import pickle
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq

CELL = st.sampled_from(["x", "y", "1", "0", "tie", "", "what"])
ROWS = st.lists(st.lists(CELL, min_size=2, max_size=5), max_size=12)


def stream(text):
    return io.BytesIO(text.encode())


@settings(max_examples=150, deadline=None)
@given(ROWS, st.sampled_from([None, "keep", "drop"]))
def test_rows_in_the_file_are_rows_used_and_rows_dropped(rows, duplicates):
    text = "id,a,b,outcome\n" + "".join(",".join(row) + "\n" for row in rows)
    written = [row for row in rows if row]
    for read in (eq.read_matches, eq.read_pairs):
        try:
            data = read(stream(text), read=eq.ReadOptions(on_error="skip", duplicates=duplicates))
        except eq.DataError:
            continue
        account = data.account
        assert account.rows == len(written) == account.used + sum(account.dropped.values())
        assert all(count > 0 for count in account.dropped.values())
        assert account.columns == ("a", "b", "outcome")
        assert account.unused == ("id",)
        used = [row for row in written if len(row) == 4 and row[1] and row[2] and row[1] != row[2] and good(row)]
        if duplicates == "drop":
            used = first_of_each([row for row in written if len(row) == 4 and (row[1] or row[2])], used)
        assert account.used == len(used)
        games = len(data) if isinstance(data, eq.Matches) else data.games.sum()
        assert games == len(used)


def good(row):
    _, a, b, word = row
    readings = {1.0 for name in (a,) if word == name} | {0.0 for name in (b,) if word == name}
    readings |= {{"1": 1.0, "0": 0.0, "tie": 0.5}[word]} if word in ("1", "0", "tie") else set()
    return len(readings) == 1


def first_of_each(rows, used):
    seen, kept = set(), []
    for row in rows:
        key = tuple(row[:3])
        if key not in seen and any(row is each for each in used):
            kept.append(row)
        seen.add(key)
    return kept


@pytest.mark.parametrize(
    ("read", "text", "rows", "used", "columns"),
    [
        (eq.read_pairs, "player,opponent,wins,games,id\nx,y,3,5,1\ny,x,2,5,2\n,,,,\nx,z,0,0,3\n", 4, 1, 4),
        (eq.read_matches, "player,opponent,wins,losses\nx,y,3,2\n", 1, 1, 4),
        (eq.read_scores, "agent,t1,t2,note\nx,1,2,a\n\ny,3,4,b\n", 3, 2, 3),
        (eq.read_scores, "agent,task,score,note\nx,t,1,a\nx,u,what,a\ny,t,1,a\n\n", 4, 2, 3),
        (eq.read_episodes, "deal,agent,utility,seat,c\n1,x,1,n,2\n1,y,-1,s,2\n\n1,z,,s,2\n", 4, 2, 4),
        (eq.read_pairs, ",x,y\nx,0.5,0.7\ny,0.3,0.5\n\n", 3, 2, 3),
        (eq.read_metagame, ",x,y\nx,0,1\n\ny,-1,0\n", 3, 2, 3),
    ],
)
def test_every_kind_of_data_has_its_account(read, text, rows, used, columns):
    options = None if read is eq.read_metagame else eq.ReadOptions(on_error="skip")
    account = read(stream(text), read=options).account
    assert (account.rows, account.used, len(account.columns)) == (rows, used, columns)
    assert account.used + sum(account.dropped.values()) == account.rows
    assert pickle.loads(pickle.dumps(account)).to_dict() == account.to_dict()


def test_the_account_goes_with_the_data_and_is_no_part_of_their_identity():
    matches = eq.read_matches(stream("a,b,outcome\nx,y,1\ny,x,0\n"))
    for data in (matches, matches.pairs(), matches.pairs().unordered(), matches.take([0, 1])):
        assert data.account is matches.account
    assert eq.Matches.from_columns(["x"], ["y"], [1]).account is None


LOG = "id,a,b,outcome,time\n1,x,y,1,5\n1,x,y,1,5\n2,x,y,1,5\n2,x,y,0,6\n"


def test_rows_with_the_same_id_and_time_are_counted_dropped_or_refused():
    kept = eq.read_pairs(stream(LOG))
    (note,) = kept.diagnostics
    assert note.code == "repeated-rows"
    assert note.message.startswith("1 of 4 rows repeat an earlier one in id, time, a, b")
    assert kept.games.sum() == 4
    assert eq.read_pairs(stream(LOG), read=eq.ReadOptions(duplicates="drop")).games.sum() == 3
    assert eq.read_matches(stream(LOG), read=eq.ReadOptions(duplicates="drop")).outcome.tolist() == [1, 1, 0]
    with pytest.raises(eq.DataError, match=r'1 of 4 rows repeat.*duplicates="drop"'):
        eq.read_pairs(stream(LOG), read=eq.ReadOptions(duplicates="error"))


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("a,b,outcome\nx,y,1\nx,y,1\n", 0),
        ("a,b,outcome,judge\nx,y,1,j\nx,y,1,j\n", 0),
        ("a,b,outcome,date\nx,y,1,2024-01-01\nx,y,1,2024-01-01\nx,y,0,2024-01-01\n", 1),
        ("question_id,a,b,outcome\n1,x,y,1\n1,x,y,1\n1,x,y,1\n2,x,y,1\n", 2),
        ("game_id,a,b,outcome\n1,x,y,1\n1,y,z,1\n1,x,z,1\n", 0),
        ("player,opponent,wins,losses\nx,y,3,1\nx,y,3,1\n", 1),
        ("id,a,b,outcome\n,,,\n,,,\n1,x,y,1\n", 0),
    ],
)
def test_equal_rows_are_repeats_only_where_something_should_tell_them_apart(text, repeats):
    found = [note for note in eq.read_pairs(stream(text)).diagnostics if note.code == "repeated-rows"]
    assert len(found) == (repeats > 0)
    assert all(note.message.startswith(f"{repeats} of") for note in found)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("id,a,b,outcome,worker", "0,x,y,1,58\n0,x,y,1,83\n0,x,y,0,58\n"),
        ("match_id,white,black,result,Round", "7,x,y,1,1\n7,x,y,1,3\n7,x,y,1,2\n"),
        (
            "game_id,white,black,result,date,moves",
            "7,x,y,1,2024,e4\n7,x,y,1,2024,d4\n7,x,y,1,2024,c4\n",
        ),
    ],
)
def test_votes_of_other_raters_and_games_of_other_rounds_or_moves_are_no_copies(header, rows):
    copied = rows + rows.splitlines()[0] + "\n"
    first = 2 if "worker" in header else 1
    for text, copies in ((rows, first - 1), (copied, first)):
        found = [
            note for note in eq.read_pairs(stream(f"{header}\n{text}")).diagnostics if note.code == "repeated-rows"
        ]
        assert [note.message.split(" of ")[0] for note in found] == [str(copies)] * (copies > 0)
        assert all("drop" in note.message for note in found)


def test_equal_games_of_one_day_are_said_without_the_advice_to_drop():
    text = "white,black,result,date\nx,y,1,2024-01-01\nx,y,1,2024-01-01\n"
    (note,) = [note for note in eq.read_pairs(stream(text)).diagnostics if note.code == "repeated-rows"]
    assert "drop" not in note.message
    (note,) = [
        note for note in eq.read_pairs(stream(text.replace("01\n", "01 10:00\n"))).diagnostics
        if note.code == "repeated-rows"
    ]  # fmt: skip
    assert "drop" in note.message


@pytest.mark.parametrize(
    ("header", "row", "other"),
    [
        ("event,date,white,black,result", "cup,2024.01.01,x,y,1-0", "cup,2024.01.01,x,y,0-1"),
        ("question_id,model_a,model_b,winner", "q1,x,y,model_a", "q1,x,y,tie"),
        ("question_id,model_a,model_b,score_a,score_b", "q1,x,y,3,2", "q1,x,y,1,2"),
        ("player,opponent,wins,losses", "x,y,3,1", "x,y,2,1"),
    ],
)
def test_equal_rows_among_rows_with_other_results_are_no_copies(header, row, other):
    def said(*rows):
        data = eq.read_pairs(stream("\n".join([header, *rows]) + "\n"))
        return next(note.message for note in data.diagnostics if note.code == "repeated-rows")

    assert said(row, row, other).startswith("1 of 3 rows repeat")
    assert "drop" not in said(row, row, other)
    if "date" not in header:  # games of one day are never said to be copies
        assert "drop" in said(row, row)
        many = [one.replace("x", f"x{k}") for k in range(11) for one in (row, row)]
        assert "drop" in said(*many, other.replace("x", "x1"))


def test_a_game_with_a_row_for_either_side_is_one_game():
    text = "game_id,team,opponent,result\n" + "".join(f"{k},x,y,W\n{k},y,x,L\n" for k in range(5))
    (note,) = [note for note in eq.read_pairs(stream(text)).diagnostics if note.code == "repeated-rows"]
    assert note.severity == "warning"
    assert note.message.startswith("5 of 10 rows repeat an earlier one in game_id, team, opponent, whichever side is")
    once = eq.read_pairs(stream(text), read=eq.ReadOptions(duplicates="drop"))
    assert (once.games.sum(), once.wins.tolist()) == (5, [5])
    apart = text.replace("team", "white").replace("opponent", "black").replace("W", "1-0").replace("L", "0-1")
    assert not [note for note in eq.read_pairs(stream(apart)).diagnostics if note.code == "repeated-rows"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("xyz"), st.sampled_from("uvw")), min_size=1))
def test_repeats_are_counted_as_a_slow_count_does(rows):
    text = "id,a,b,outcome\n" + "".join(f"{number},{a},{b},1\n" for number, a, b in rows)
    again = sum(count - 1 for count in Counter(rows).values())
    table = eq.read_pairs(stream(text), read=eq.ReadOptions(duplicates="drop"))
    assert table.games.sum() == len(rows) - again
    assert table.account.dropped.get("that repeat an earlier row", 0) == again


def test_an_agent_and_task_that_come_again_are_no_second_run_unless_one_says_so():
    text = "agent,task,score\nx,t,1\nx,t,2\ny,t,3\n"
    with pytest.raises(eq.DataError, match=r'x on t appears more than once.*trial.*duplicates="keep"'):
        eq.read_scores(stream(text))
    assert eq.read_scores(stream(text), read=eq.ReadOptions(duplicates="keep")).values.tolist() == [[1.5], [3]]
    first = eq.read_scores(stream(text), read=eq.ReadOptions(duplicates="drop"))
    assert first.values.tolist() == [[1], [3]]
    assert first.account.used == 2
    assert eq.read_scores(stream(text.replace("score", "score,run").replace(",1\n", ",1,a\n").replace(",2\n", ",2,b\n")
        .replace(",3\n", ",3,a\n"))).trials.tolist() == [[2], [1]]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("date", ["2024-03-05", "2023-12-31", "2024-01-01"]),
        ("tstamp", ["1709600000", "1703980800", "1704067200"]),
        ("played_at", ["2024-03-05T00:53:20Z", "2023-12-31T00:00:00Z", "2024-01-01T10:00:00Z"]),
    ],
)
@pytest.mark.parametrize("read", [eq.read_matches, eq.read_pairs])
def test_an_account_says_from_when_to_when_a_log_goes(read, header, cells):
    text = f"a,b,winner,{header}\n" + "".join(f"x,y,x,{cell}\n" for cell in cells)
    account = read(stream(text)).account
    assert [day.isoformat() for day in account.days] == ["2023-12-31", "2024-03-05"]
    assert account.from_dict(account.to_dict()) == account


@pytest.mark.parametrize("column", ["round,1,2", "date,soon,later", "note,2024-01-01,2024-01-02"])
def test_an_account_is_silent_about_dates_where_there_are_none(column):
    header, first, second = column.split(",")
    account = eq.read_pairs(stream(f"a,b,winner,{header}\nx,y,x,{first}\nx,y,y,{second}\n")).account
    assert account.days is None
    assert "days" not in account.to_dict()


@pytest.mark.parametrize("beyond", ["1e300", "-1e18", "inf", "99999999999999"])
def test_numbers_beyond_the_calendar_are_no_days(beyond):
    rows = "".join(f"x,y,1,{time}\n" for time in (1700000000, 1700000500, beyond))
    account = eq.read_pairs(io.BytesIO(f"a,b,outcome,time\n{rows}".encode())).account
    assert account.days is None


def test_only_the_days_that_are_wanted_count():
    text = "a,b,winner,date\nx,y,x,2024-01-01\nx,y,y,2024-02-01\nx,y,y,2024-03-01\n"
    account = eq.read_pairs(stream(text), read=eq.ReadOptions(since="2024-02")).account
    assert [day.isoformat() for day in account.days] == ["2024-02-01", "2024-03-01"]
