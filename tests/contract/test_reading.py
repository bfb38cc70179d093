"""Everything that opens a file is told how to read it in one way, and former ways do the same for one more version."""

import inspect
import warnings
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import equipoise as eq
from equipoise.cli.app import every_command
from equipoise.cli.options.invocation import option_names
from equipoise.core.former import FORMER_READING, SYNONYMS
from equipoise.data.readers.options import declared_options

MOST_PARAMETERS = 15
OTHER_FILES = {
    "fetch_data": "the folder that is written to",
    "changes": "boards that were written, or the standings themselves",
    "play": "an arena",
    "restore_arena": "a journal of an arena",
}
"""Public functions whose first parameter is a file that holds no data to read."""


def first_files(function):
    """Give the parameters by position that take a file to read; what is written comes after it."""
    hints = get_type_hints(inspect.unwrap(function))
    by_position = [each for each in inspect.signature(function).parameters.values() if each.kind != each.KEYWORD_ONLY]
    files = [
        each.name for each in by_position if Path in get_args(hints.get(each.name)) or hints.get(each.name) is Path
    ]
    return [name for name in files if name not in ("output", "path", "by", "where")]


FUNCTIONS = {
    name: found
    for name in eq.__all__
    if inspect.isfunction(found := getattr(eq, name)) and not name.endswith("_curve_frame")
}
OPENING = sorted(name for name, function in FUNCTIONS.items() if first_files(function) and name not in OTHER_FILES)


def test_what_opens_files_is_found():
    assert {"read", "read_matches", "rank", "tasks", "write_report", "chart", "import_logs"} <= {*OPENING}
    assert set(OTHER_FILES) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", OPENING)
def test_how_a_file_is_read_is_one_parameter(name):
    function = FUNCTIONS[name]
    parameter = inspect.signature(function).parameters["read"]
    assert parameter.kind == parameter.KEYWORD_ONLY
    assert parameter.default is None
    assert get_type_hints(inspect.unwrap(function))["read"] == eq.ReadOptions | None


@pytest.mark.parametrize("name", OPENING)
def test_no_function_has_more_parameters_than_can_be_kept_in_mind(name):
    assert len(inspect.signature(FUNCTIONS[name]).parameters) <= MOST_PARAMETERS


@pytest.mark.parametrize("name", OPENING)
def test_an_unknown_option_is_refused(name):
    function = FUNCTIONS[name]
    needed = [each for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    with pytest.raises(TypeError, match="nonsense"):
        function(*("nowhere.csv" for _ in needed), nonsense=1)


@pytest.mark.parametrize("name", OPENING)
def test_an_option_of_reading_that_was_never_a_parameter_is_refused_with_what_to_say(name):
    function = FUNCTIONS[name]
    own = inspect.signature(function).parameters
    needed = [each for each in own.values() if each.default is each.empty]
    had = FORMER_READING.get(function.__name__, "").split()
    if function is eq.chart:  # what the questions behind charts take was a parameter of its own
        had += [one.name for one in fields(eq.methods.SectionOptions)]
    for option in sorted({one.name for one in fields(eq.ReadOptions)} - set(had) - set(own) - set(SYNONYMS)):
        with pytest.raises(TypeError, match=rf"'{option}'; reading has it: read=ReadOptions\({option}=\.\.\.\)"):
            function(*("nowhere.csv" for _ in needed), **{option: "x"})


GAMES = "p,q,res,turn\n" + "x,y,1,1\ny,z,0,2\nz,x,1,3\nx,y,0,4\nz,y,1,5\nx,z,1,6\n" * 3 + "v,w,1,7\nw,v,1,8\n"
LONG = "agent,task,score,which\n" + "".join(
    f"{a},{t},{(i * 3 + j * 5 + k) % 7},{k}\n"
    for i, a in enumerate("pqrs") for j, t in enumerate("tuvw") for k in range(2)
)  # fmt: skip
WIDE = "task,x,y,z\nt,1,2,4\nu,3,4,1\nv,5,1,2\nw,2,2,6\n"
HANDS = "agent,deal,chips,seat\n" + "".join(
    f"{'xy'[(d + s) % 2]},{d // 2},{(1 - 2 * s) * (d * 5 % 7 - 3)},{s}\n" for d in range(20) for s in (0, 1)
)
BAD = GAMES.replace("p,q,res", "a,b,outcome") + "x,y,what,9\n"
SIDES = {"a": "p", "b": "q"}
CONNECTED = 'p != "v" and q != "v"'

FORMERLY = [
    # what is asked, of what, formerly, now
    (eq.read_pairs, GAMES, {**SIDES, "outcome": "res", "where": "turn <= 3"}, {"where": "turn <= 3"}),
    (eq.read_matches, GAMES, {**SIDES, "outcome": "res", "min_games": 3}, {"min_games": 3}),
    (eq.read_pairs, BAD, {"on_error": "skip"}, {"on_error": "skip"}),
    (eq.read_matches, BAD, {"on_error": "skip", "islands": "largest"}, {"on_error": "skip", "components": "largest"}),
    (eq.read_scores, LONG, {"duplicates": "keep"}, {"duplicates": "keep"}),
    (eq.read, GAMES, {"reading": {**SIDES, "outcome": "res"}}, {**SIDES, "score": "res"}),
    (eq.read, LONG, {"reading": {"trial": "which"}}, {"run": "which"}),
    (eq.read, WIDE, {"reading": {"transpose": "true"}}, {"agents_in": "columns"}),
    (eq.read, HANDS, {"reading": {"utility": "chips", "deal": "deal"}}, {"score": "chips", "deal": "deal"}),
    (eq.rank, GAMES, {**SIDES, "outcome": "res", "where": CONNECTED},
     {**SIDES, "score": "res", "where": CONNECTED}),
    (eq.rank, GAMES, {"reading": {}, **SIDES, "outcome": "res", "min_games": 3},
     {**SIDES, "score": "res", "min_games": 3}),
    (eq.plan, GAMES, {**SIDES, "outcome": "res", "islands": "largest"},
     {**SIDES, "score": "res", "components": "largest"}),
    (eq.plan, BAD, {"on_error": "skip", "min_games": 3}, {"on_error": "skip", "min_games": 3}),
    (eq.tasks, LONG, {"trial": "which", "tasks": "t,u,v"}, {"run": "which", "tasks": "t,u,v"}),
    (eq.tasks, WIDE, {"transpose": True}, {"agents_in": "columns"}),
    (eq.remove_luck, HANDS, {"utility": "chips", "where": "deal < 8"}, {"score": "chips", "where": "deal < 8"}),
]  # fmt: skip


def told(result):
    """Give all that a result says, or all that data hold."""
    if hasattr(result, "frame"):
        return str(result.frame().to_dict(as_series=False)), result.answer, result.diagnostics
    return [repr(getattr(result, one.name)) for one in fields(result)]


@pytest.mark.parametrize(
    ("ask", "text", "former", "now"), FORMERLY, ids=[f"{ask.__name__}-{'-'.join(old)}" for ask, _, old, _ in FORMERLY]
)
def test_former_options_do_what_they_did(ask, text, former, now, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(text)
    own = inspect.signature(ask).parameters
    kept = {name: value for name, value in former.items() if name in own}
    with pytest.warns(DeprecationWarning, match=rf"{ask.__name__}\(\w+=\.\.\.\) is now read=ReadOptions\(") as caught:
        before = ask(path, **former)
    assert len(caught) == 1
    assert caught[0].filename == __file__, "the warning points at the line that uses the old form"
    for name in now:
        assert f"{name}=..." in str(caught[0].message) or name in own
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after = ask(path, **kept, read=eq.ReadOptions(**now))
        plain = _or_refused(lambda: told(ask(path, **kept)))
    assert told(before) == told(after)
    assert told(after) != plain, "options that change nothing prove nothing"


def _or_refused(ask):
    try:
        return ask()
    except eq.EquipoiseError as error:
        return str(error)


def test_what_is_given_in_both_ways_must_agree(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(GAMES)
    with (
        pytest.warns(DeprecationWarning, match="where"),
        pytest.raises(eq.ParameterError, match=r"^where was given twice, the second time in read$"),
    ):
        eq.read_pairs(path, where="turn <= 3", read=eq.ReadOptions(**SIDES, score="res", where="turn <= 4"))


@pytest.mark.parametrize(
    ("former", "said"),
    [
        ({"on_error": None}, "on_error is raise, skip or skip-all"),
        ({"on_error": "ignore"}, 'on_error is raise, skip or skip-all, not "ignore"'),
        ({"min_games": 0}, "min_games is a whole number of at least 1"),
        ({"islands": "all"}, "components is largest"),
    ],
)
def test_former_options_are_held_to_what_they_may_be(former, said, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(BAD)
    (name,) = former
    now = "components" if name == "islands" else name
    with (
        pytest.warns(DeprecationWarning, match=rf"read_pairs\({name}=\.\.\.\) is now read=ReadOptions\({now}=\.\.\.\)"),
        pytest.raises(eq.ParameterError, match=said),
    ):
        eq.read_pairs(path, **former)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (LONG, {"time": "which"}, "time has no effect without since or until"),
        (LONG, {"a": "agent", "task": "task"}, "a has no effect: the file was taken for scores"),
        (LONG, {"clean": "anonymous"}, "clean has no effect"),
        (LONG, {"metric": "acc"}, "metric has no effect"),
        (HANDS.replace("chips", "utility"), {"task": "deal", "seat": "seat"}, "task has no effect"),
        ("m,x,y\nx,0.5,0.7\ny,0.3,0.5\n", {"group": "m"}, "group has no effect"),
        ("m,x,y\nx,0.5,0.7\ny,0.3,0.5\n", {"where": "x > 0", "on_error": "skip"}, "on_error has no effect"),
    ],
)
def test_an_option_that_nothing_looks_at_is_refused(text, options, said, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(eq.EquipoiseError, match=f"^{said}"):
        eq.read(path, read=eq.ReadOptions(**options))


PGN = "".join(
    f'[White "{w}"]\n[Black "{b}"]\n[Result "1-0"]\n[Date "2024.01.0{k}"]\n\n1. e4 e5 1-0\n\n'
    for k, (w, b) in enumerate(["xy", "yz", "zx", "xy"], 1)
)


def test_options_of_rows_are_heeded_or_refused_for_logs(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(PGN)
    assert eq.read(path).games.sum() == 4
    assert eq.read(path, read=eq.ReadOptions(where='a == "x"')).games.sum() == 2
    with pytest.raises(eq.ParameterError, match="time has no effect without since or until"):
        eq.read(path, read=eq.ReadOptions(time="time"))
    with pytest.raises(eq.ParameterError, match="where has no effect: all rows of logs are taken here"):
        eq.import_logs(path, tmp_path / "table.csv", read=eq.ReadOptions(where='a == "x"'))
    assert not (tmp_path / "table.csv").exists()
    with pytest.raises(eq.ParameterError, match="score has no effect: the file was taken for logs"):
        eq.import_logs(path, tmp_path / "table.csv", read=eq.ReadOptions(score="result"))


COMMANDS = {
    name: function for name, function in every_command().items() if "reading" in inspect.signature(function).parameters
}


def test_commands_that_read_are_found():
    assert {"rank", "compare", "tasks", "irt", "luck", "metagame", "plan", "judges", "import", "report", "chart"} <= {
        *COMMANDS
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_every_option_of_reading_that_is_declared(name):
    named = option_names(COMMANDS[name])
    spelled = {word: parameter for parameter, words in named.items() for word in words}
    parameters = inspect.signature(COMMANDS[name]).parameters
    assert "--read" in spelled
    for one in declared_options():
        if not one.panel or (name, one.option) == ("clean", "--clean"):  # its steps are given with --steps
            continue
        assert one.option in spelled, one.name
        parameter = spelled[one.option]
        if parameter == one.option.removeprefix("--").replace("-", "_"):
            shown = get_args(parameters[parameter].annotation)[1]
            assert shown.help, one.option
            assert shown.rich_help_panel == one.panel or shown.help != one.help, one.option
