"""Every command names its call in Python, the call exists, and both spell what they mean alike in the same words."""

import inspect
import json
import re
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

import equipoise as eq
from equipoise.cli.app import every_command
from equipoise.cli.main import main
from equipoise.cli.options.invocation import IN_PYTHON, option_names

COMMANDS = every_command()
TWIN = re.compile(r"In Python: `equipoise\.(\w+)\(")
SHOWN = {
    "form",
    "output",
    "report",
    "scale",
    "offset",
    "first",
    "top",
    "everything",
    "page",
    "verbose",
    "whole",
    "jobs",
}
"""Options that say how and where an answer is shown, and who works; the answer itself does not depend on them."""
ABOUT_PYTHON = {"progress", "executor", "working", "spelling", "command", "data"}
"""Parameters that only make sense in Python, and the data, which a command reads from its file."""
ANOTHER_CALL = {
    "rank": {
        "versus": "compare_agents",
        "since_board": "compare_boards",
        **dict.fromkeys(("length_controlled", "baseline", "length", "difficulty"), "control_length"),
        **dict.fromkeys(("by", "tau"), "rank_by_category"),
        "sensitivity": "cleaning_sensitivity",
        "hold": "place_agents",
    }
}
"""Options that ask another question, and its call."""
each_command = pytest.mark.parametrize("name", COMMANDS)


def twin_of(name):
    return TWIN.search(inspect.getdoc(COMMANDS[name])).group(1)


@each_command
def test_the_help_names_a_call_that_exists(name):
    assert callable(getattr(eq, twin_of(name)))


@each_command
def test_the_call_has_no_name_of_a_room(name):
    rooms = {path.stem for path in Path(eq.__file__).parent.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert twin_of(name) not in rooms


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo", "data", "methods"}))
def test_options_have_the_names_of_parameters(name):
    parameters = set(inspect.signature(getattr(eq, twin_of(name))).parameters)
    options = {IN_PYTHON.get(option, option) for option in option_names(COMMANDS[name])} - SHOWN
    options -= set(ANOTHER_CALL.get(name, ()))
    options -= {"shared", "least_p"} if name == "rank" else set()  # of compare_boards and place_agents
    unrandom = {"rng"} if name == "luck" else set()
    assert options - unrandom <= parameters
    arguments = set(inspect.signature(COMMANDS[name]).parameters) - set(option_names(COMMANDS[name]))
    shown_here = {"output"} if name in ("report", "chart", "import") else set()
    assert parameters - options - arguments - ABOUT_PYTHON - shown_here == set()


@pytest.mark.parametrize("name", sorted(ANOTHER_CALL))
def test_an_option_that_asks_another_question_has_a_call_with_the_same_options(name):
    options = {IN_PYTHON.get(option, option) for option in option_names(COMMANDS[name])}
    for call in ANOTHER_CALL[name].values():
        assert f"equipoise.{call}(" in inspect.getdoc(COMMANDS[name])
        parameters = set(inspect.signature(getattr(eq, call)).parameters)
        assert parameters - {"data", "first", "second", "old", "new"} <= options


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo", "data", "methods", "reproduce"}))
def test_defaults_are_the_same(name):
    twin = inspect.signature(getattr(eq, twin_of(name))).parameters
    command = inspect.signature(COMMANDS[name]).parameters
    for option in option_names(COMMANDS[name]):
        parameter = twin.get(IN_PYTHON.get(option, option))
        if parameter is None or option in ("output", "deal"):
            continue
        assert parameter.default == command[option].default, option


def words_in(annotation):
    """Give all words of the choices in an annotation."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return set().union(*(words_in(part) for part in get_args(annotation)))


@each_command
def test_an_option_takes_the_words_that_its_parameter_takes(name):
    offered, taken = (get_type_hints(inspect.unwrap(each)) for each in (COMMANDS[name], getattr(eq, twin_of(name))))
    for option in option_names(COMMANDS[name]):
        parameter = taken.get(IN_PYTHON.get(option, option))
        if words_in(offered[option]) and words_in(parameter):
            assert words_in(offered[option]) == words_in(parameter), option


def test_a_command_prints_what_its_twin_computes(capsys, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\ny,z,1\nz,x,0.5\ny,x,1\n" * 9)
    assert main(["rank", str(path), "--scale", "logit", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    board = eq.rank_agents(path)
    for row, expected in zip(printed["agents"], board.frame().to_dicts(), strict=True):
        assert row == pytest.approx(expected)
    assert printed["words"] == list(board.words)
