"""Rows and agents that are wanted: conditions, dates, enough games, one component; each with its count."""

import io
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.cli.main import main

HEADER = "a,b,outcome,language,turn,when,ok,two words"
ROWS = [
    ("x", "y", "1", "English", "1", "2024-01-15", "true", "p"),
    ("y", "z", "0", "English", "2", "2024-02-01", "false", "q"),
    ("z", "x", "0.5", "German", "3", "2024-02-29T12:00:00", "true", "p"),
    ("p", "q", "1", "English", "4", "2024-03-01", "", "q"),
    ("x", "y", "1", "", "10", "2024-12-31 23:59:59", "TRUE", "p"),
]
TEXT = "\n".join([HEADER, *(",".join(row) for row in ROWS)]) + "\n"


def log(text=TEXT):
    return io.BytesIO(text.encode())


def turns(**wanted):
    """Give the turns of the rows that are kept."""
    kept = eq.read_matches(log(), task="turn", read=eq.ReadOptions(**wanted))
    account = kept.account
    assert account.rows == len(ROWS)
    assert account.used == len(kept) == account.rows - sum(account.dropped.values())
    assert not account.dropped or kept.diagnostics
    return [int(kept.task.labels[code]) for code in kept.task.codes]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ('language == "English" and turn <= 3', [1, 2]),
        ("language = 'English' AND turn < 3", [1, 2]),
        ('language != "English"', [3]),
        ('not language == "English"', [3]),
        ("language is null", [10]),
        ("language is not null and turn > 3", [4]),
        ('language in ("German", "French") or turn == 10', [3, 10]),
        ("turn not in (1, 2, 3)", [4, 10]),
        ("2 <= turn <= 4", [2, 3, 4]),
        ("turn <> 1 and (turn < 3 or turn > 9)", [2, 10]),
        ("\"language\" = 'German'", [3]),
        ('"German" == language', [3]),
        ("ok", [1, 3, 10]),
        ("ok == false", [2]),
        ("not ok == true", [2]),
        ('`two words` == "q"', [2, 4]),
        ('language contains "erm"', [3]),
        ('language not contains "erm"', [1, 2, 4]),
        ('a != "x" and b != "x"', [2, 4]),
        ("Turn >= 10", [10]),
        ("turn > -1e9", [1, 2, 3, 4, 10]),
        ("a < turn or turn == 4", None),
    ],
)
def test_conditions(condition, kept):
    if kept is None:
        with pytest.raises(eq.ColumnError, match="holds no numbers"):
            turns(where=condition)
    else:
        assert turns(where=condition) == kept


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ('langauge == "English"', 'did you mean "language"'), ("turn <", "ends too early"), ("", "ends too early"),
        ("turn turn", "unexpected"), ("language > 3", "holds no numbers"), ("1 == 1", "needs a column"),
        ("turn == English", 'no column "English"'), ("(turn == 1", '"\\)" expected'), ("turn @ 3", "cannot be read"),
        ("__import__('os').system('true')", "cannot be read"),
        ("__import__('os')", "no column"), ("turn == 1; drop", "cannot be read"),
        ("turn in 3", "expected"),
        ('turn == "a" and', "ends too early"), ("turn is 3", "null expected"),
        ("(" * 99 + "turn == 1" + ")" * 99, "brackets"),
        ("turn == 99", "no row is left of 5"), ("3", "comparison expected"), ("turn < true", "equal or not"),
        ('turn < "x', "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(condition, told):
    with pytest.raises(eq.EquipoiseError, match=told) as refused:
        eq.read_matches(log(), read=eq.ReadOptions(where=condition))
    assert "\n" not in str(refused.value)


@given(st.text(alphabet="abturn languge\"'`()<>=!,.0123456789-+ \n\\{}[]@;", max_size=40))
def test_no_condition_breaks_the_reader(condition):
    with suppress(eq.EquipoiseError):
        eq.read_matches(log(), read=eq.ReadOptions(where=condition))


WORDS = st.sampled_from(["red", "blue", "green", ""])


@given(st.lists(st.tuples(WORDS, st.integers(-3, 3)), min_size=1, max_size=8), st.integers(-3, 3), st.data())
def test_a_condition_agrees_with_python(rows, limit, data):
    word = data.draw(st.sampled_from(["red", "blue"]))
    text = "a,b,outcome,colour,size\n" + "".join(f"x,y,1,{colour},{size}\n" for colour, size in rows)
    expected = sum(
        (colour == word and size <= limit) or (colour not in ("", word) and size != 0) for colour, size in rows
    )
    condition = f'(colour == "{word}" and size <= {limit}) or (colour != "{word}" and not size == 0)'
    if not expected:
        with pytest.raises(eq.DataError, match="no row is left"):
            eq.read_pairs(log(text), read=eq.ReadOptions(where=condition))
    else:
        assert eq.read_pairs(log(text), read=eq.ReadOptions(where=condition)).games.sum() == expected


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"since": "2024-02-01"}, [2, 3, 4, 10]), ({"until": "2024-02-29"}, [1, 2, 3]),
        ({"until": "2024-02"}, [1, 2, 3]),
        ({"since": "2024", "until": "2024"}, [1, 2, 3, 4, 10]), ({"since": "2024-02-29T12:00:00"}, [3, 4, 10]),
        ({"until": "2024-02-29T11:59:59"}, [1, 2]), ({"since": date(2024, 3, 1)}, [4, 10]),
        ({"until": datetime(2024, 2, 1)}, [1, 2]), ({"since": "2024-02-29T13:00:00+01:00"}, [3, 4, 10]),
        ({"since": "2024-03-01", "where": "turn < 5"}, [4]),
    ],
)  # fmt: skip
def test_dates(limits, kept):
    assert turns(**limits) == kept


def test_a_column_of_times_is_named():
    assert eq.read_pairs(log(), read=eq.ReadOptions(since="2024-03", time="when")).games.sum() == 2


def test_numbers_as_times():
    start = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    for unit in (1, 1000, 1_000_000):
        text = "a,b,outcome,tstamp\n" + "".join(f"x,y,1,{(start + day * 86400) * unit:.0f}\n" for day in range(10))
        assert eq.read_pairs(log(text), read=eq.ReadOptions(since="2024-01-03", until="2024-01-05")).games.sum() == 3
    rounds = "a,b,outcome,time\n" + "".join(f"x,y,1,{n}\n" for n in range(10))
    assert eq.read_pairs(log(rounds), read=eq.ReadOptions(since=3, until="5")).games.sum() == 3
    with pytest.raises(eq.ParameterError, match="numbers that are no dates"):
        eq.read_pairs(log(rounds), read=eq.ReadOptions(since="2024-01-01"))


def test_dates_of_a_frame():
    when = [datetime(2024, 1, 1) + timedelta(days=n) for n in range(5)]
    frame = pl.DataFrame({"a": ["x"] * 5, "b": ["y"] * 5, "outcome": [1] * 5, "when": when})
    for kind in (pl.Datetime("us"), pl.Datetime("ms", "Europe/Paris"), pl.Date):
        assert (
            eq.read_pairs(
                frame.with_columns(pl.col("when").cast(kind)), read=eq.ReadOptions(since="2024-01-03")
            ).games.sum()
            == 3
        )


@pytest.mark.parametrize(
    ("text", "limits", "told"),
    [
        (TEXT, {"since": "soon"}, "is no date"), (TEXT, {"since": "2024-13-01"}, "is no date"),
        ("a,b,outcome\nx,y,1\n", {"since": "2024"}, "no column holds dates"),
        ("a,b,outcome,d,e\nx,y,1,2024-01-01,2024-01-02\n", {"since": "2024"}, "several columns hold dates: d, e"),
        (TEXT, {"since": "2024", "time": "language"}, "holds no times"),
        (TEXT, {"since": "2024", "time": "wen"}, 'did you mean "when"'), (TEXT, {"since": "2030"}, "no row is left"),
    ],
)  # fmt: skip
def test_dates_that_make_no_sense(text, limits, told):
    with pytest.raises(eq.EquipoiseError, match=told):
        eq.read_pairs(log(text), read=eq.ReadOptions(**limits))


def test_rows_without_a_time_are_counted():
    text = "a,b,outcome,date\nx,y,1,2024-01-01\nx,y,1,\ny,x,1,unknown\ny,x,0,2025-01-01\n"
    kept = eq.read_pairs(log(text), read=eq.ReadOptions(until="2024"))
    assert dict(kept.account.dropped) == {"without a time in date": 2, "after 2024": 1}
    assert "date" in kept.account.columns


def test_blank_rows_stay_blank():
    kept = eq.read_pairs(log("a,b,outcome,n_x\nx,y,1,5\n\n,,,\ny,x,1,6\n"), read=eq.ReadOptions(where="n_x == 5"))
    assert dict(kept.account.dropped) == {"that do not meet the condition": 1, "blank": 2}


PLAYERS = st.sampled_from("abcdefg")
GAMES = st.lists(st.tuples(PLAYERS, PLAYERS).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=25)


def slow_min_games(games, least):
    while True:
        played = {name: sum(name in pair for pair in games) for pair in games for name in pair}
        kept = [pair for pair in games if all(played[name] >= least for name in pair)]
        if kept == games:
            return games
        games = kept


def slow_components(games):
    components = []
    for pair in games:
        joined = [component for component in components if component & set(pair)]
        components = [component for component in components if not component & set(pair)] + [set(pair).union(*joined)]
    return components


@given(GAMES, st.integers(1, 4))
def test_enough_games_agrees_with_counting_by_hand(games, least):
    text = "a,b,outcome\n" + "".join(f"{a},{b},1\n" for a, b in games)
    expected = slow_min_games(games, least)
    for read in (eq.read_pairs, eq.read_matches):
        if not expected:
            with pytest.raises(eq.DataError, match="so many games"):
                read(log(text), read=eq.ReadOptions(min_games=least))
            continue
        kept = read(log(text), read=eq.ReadOptions(min_games=least))
        assert set(kept.agents) == {name for pair in expected for name in pair}
        assert kept.account.used == len(expected)
        out = {name for note in kept.diagnostics if note.code == "few-games" for name in note.subjects}
        assert out == {name for pair in games for name in pair} - set(kept.agents)


def test_where_nobody_has_enough_games_it_is_said_what_would_leave_somebody():
    star = "a,b,outcome\n" + "hub,x,1\nhub,y,0\nhub,z,1\n" * 2
    with pytest.raises(eq.DataError, match="1 have so many in all, and 2 is the most that leaves some"):
        eq.read_matches(log(star), read=eq.ReadOptions(min_games=5))


@given(GAMES)
def test_the_largest_component_agrees_with_joining_by_hand(games):
    text = "a,b,outcome\n" + "".join(f"{a},{b},1\n" for a, b in games)
    components = slow_components(games)
    kept = eq.read_pairs(log(text), read=eq.ReadOptions(components="largest"))
    assert set(kept.agents) in components
    assert len(kept.agents) == max(map(len, components))
    assert kept.account.used == sum(set(pair) <= set(kept.agents) for pair in games)


def test_counts_squares_scores_and_hands_are_chosen_likewise():
    counts = "player,opponent,wins,games\nx,y,3,9\ny,z,2,4\np,q,1,1\n"
    kept = eq.read_pairs(log(counts), read=eq.ReadOptions(min_games=4))
    assert (kept.agents, dict(kept.account.dropped)) == (("x", "y", "z"), {"of agents with too few games": 1})
    square = "m,x,y,z\nx,0,5,0\ny,4,0,0\nz,0,1,0\n"
    kept = eq.read_pairs(log(square), read=eq.ReadOptions(min_games=5))
    assert (kept.agents, dict(kept.account.dropped)) == (("x", "y"), {"of agents with too few games": 1})
    wide = "agent,t1,t2,t3\nx,1,2,3\ny,2,3,\nz,5,,\n"
    kept = eq.read_scores(log(wide), read=eq.ReadOptions(min_games=2))
    assert (kept.agents, dict(kept.account.dropped)) == (("x", "y"), {"of agents with too few scores": 1})
    long = "agent,task,score\nx,p,1\nx,q,2\ny,p,1\ny,q,3\nz,r,1\n"
    kept = eq.read_scores(log(long), read=eq.ReadOptions(components="largest"))
    assert (kept.agents, kept.tasks) == (("x", "y"), ("p", "q"))
    hands = "agent,deal,utility\nx,1,1\ny,1,-1\nx,2,3\ny,2,-3\nz,2,0\n"
    kept = eq.read_episodes(log(hands), read=eq.ReadOptions(min_games=2))
    assert (kept.agents, len(kept)) == (("x", "y"), 4)


def test_win_rates_have_no_games_to_ask_for():
    with pytest.raises(eq.DataError, match="min_games has no effect"):
        eq.read_pairs(log("m,x,y\nx,0.5,0.7\ny,0.3,0.5\n"), read=eq.ReadOptions(min_games=2))


COMMANDS = {
    "rank": TEXT, "plan": TEXT, "chart forest": TEXT, "report": TEXT,
    "tasks": "agent,task,score,language,turn,when\n" + "".join(
        f"{a},{t},{i * j},{'English' if i else 'German'},{j},2024-0{j + 1}-01\n"
        for i, a in enumerate("pqrs") for j, t in enumerate("tuv")
    ),
    "irt": "agent,task,score,language,turn,when\n" + "".join(
        f"m{i},t{j},{int(((i * 7 + j * 3) % 11) > 4 + j % 3)},English,{j},2024-01-{j + 1:02}\n"
        for i in range(20) for j in range(6)
    ),
    "luck": "agent,deal,utility,seat,language,turn,when\n" + "".join(
        f"{'xy'[(d + s) % 2]},{d // 2},{(d * 5 + s * 3) % 7 - 3},{s},English,{d // 2},2024-01-01\n"
        for d in range(20) for s in (0, 1)
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_reads_can_choose(command, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(COMMANDS[command])
    more = ["-o", str(tmp_path / "out.svg")] if "chart" in command else []
    more = ["-o", str(tmp_path / "out.html")] if command == "report" else more
    # Ratings look at times by themselves: whether pairs followed results.
    idle = 'no column "nonsense"' if command == "rank" else "--time has no effect"
    for options, told in (
        (["--where", "nowhere == 1"], 'no column "nowhere"'), (["--where", "turn <= -5"], "no row is left"),
        (["--since", "2050-01-01"], "no row is left"), (["--until", "1950"], "no row is left"),
        (["--min-games", "99999"], "99999"), (["--table", "games"], "--table games has no effect"),
        (["--since", "2024", "--time", "wen"], 'did you mean "when"'), (["--time", "nonsense"], idle),
    ):  # fmt: skip
        assert main([*command.split(), str(path), *options, *more]) == 2, options
        assert told in capsys.readouterr().err, options


def test_rank_keeps_the_largest_component(tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(TEXT)
    assert main(["rank", str(path)]) == 2
    capsys.readouterr()
    assert main(["rank", str(path), "--islands", "largest", "--format", "csv"]) == 0
    assert "p," not in capsys.readouterr().out
    board = eq.rank(path, components="largest", read=eq.ReadOptions(where='language == "English" or turn == 3'))
    assert board.data.games.sum() == 3


def test_times_are_for_methods_that_go_by_them(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(TEXT)
    with pytest.raises(eq.ParameterError, match='time has no effect on method="melo"'):
        eq.rank(path, method="melo", read=eq.ReadOptions(time="when"))
    with pytest.raises(eq.ColumnError, match="time"):
        eq.rank(path, method="elo", read=eq.ReadOptions(time="nonsense"))
    counted = io.BytesIO(b"player,opponent,wins,games,date\nx,y,3,9,1\n")
    with pytest.raises(eq.ColumnError, match="time has no effect: rows that count"):
        eq.read_matches(counted, time="date")


@pytest.mark.parametrize(
    ("call", "option"),
    [
        (lambda: eq.metagame(np.zeros((2, 2)), show="graph", alpha=3.0), "alpha"),
        (lambda: eq.metagame(np.zeros((2, 2)), budget=3), "budget"),
        (lambda: eq.metagame(np.zeros((2, 2)), show="sweep", width=3.0), "width"),
        (lambda: eq.remove_luck("hands-kuhn2", method="duplicate", mean=3.0), "mean"),
        (lambda: eq.remove_luck("hands-kuhn2", control="honest", permutations="any"), "permutations"),
        (lambda: eq.irt("lsat", calibration="bank.json", model="rasch"), "model"),
        (lambda: eq.read_scores(log("agent,t1\nx,1\n"), trial="t1"), "trial"),
        (lambda: eq.read_pairs(log("m,x,y\nx,0,1\ny,2,0\n"), group="m"), "group"),
        (lambda: eq.rank("alphago", read=eq.ReadOptions(min_games=3)), "min_games"),
    ],
)  # fmt: skip
def test_an_option_without_effect_is_refused(call, option):
    with pytest.raises(eq.EquipoiseError, match=rf"^{option}"):
        call()
