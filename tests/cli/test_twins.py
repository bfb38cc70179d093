"""Every command names its call in Python, the call exists, and both spell what they mean alike in the same words."""

import inspect
import json
import re
from pathlib import Path
from pkgutil import resolve_name
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

import equipoise as eq
from equipoise.cli.app import every_arena_command, every_command
from equipoise.cli.main import main
from equipoise.cli.options.generated import IN_PYTHON
from equipoise.cli.options.invocation import option_names
from equipoise.data.readers.options import ReadOptions, declared_options

COMMANDS, ARENA = every_command(), every_arena_command()
ARENA["vote"] = COMMANDS.pop("vote")  # it makes an arena, whose options are those of a game
TWIN = re.compile(r"In Python: `equipoise\.((?:methods\.)?\w+)\(")
SHOWN = {"form", "output", "show", "rows", "title", "caption", "scale", "offset", "top", "page", "verbose", "jobs"}
"""Options that say how and where an answer is shown, and who works; the answer itself does not depend on them."""
IN_PYTHON_ALONE = {"progress", "max_discrimination", "unit_variance"}
"""Rare options that no command has."""
BY_METHODS = {
    "irt": {"drop_flagged"}, "gate": {"sequential", "junit", "strict", "by", "badge"},
    "reproduce": {"figures"},
    "eval-in-parts": {"model", "model_args", "include_path", "num_fewshot", "metric_name"},
}  # fmt: skip
"""Options that another call stands for (``fit.without(fit.flagged)``, ``Gate``, ``gate_parts``, ``TasksInParts``,
``draw_paper_figures``), and what machines read of an answer.
"""
BY_TABLES = {"metagame": {"show"}, "tasks": {"aggregates"}, "irt": {"indicators", "n"}}
"""Parameters behind ``--show``, and what only concerns a table that it asks for."""
ABOUT_PYTHON = {"progress", "executor", "working", "spelling", "command", "data"}
"""Parameters that only make sense in Python, and the data, which a command reads from its file."""
READING = {one.option.removeprefix("--").replace("-", "_"): one for one in declared_options() if one.panel}
"""Options of reading, which are ``read`` in Python, and fields behind them."""
FIELDS = {one.name for one in declared_options()}
RANKED_FIRST = {"changes": "rank"}
"""Commands that take games where their call takes what another call made of them."""
each_command = pytest.mark.parametrize("name", COMMANDS)


def twin_of(name):
    return TWIN.search(inspect.getdoc(COMMANDS[name])).group(1)


def called(name):
    """Give a call by its name below the package."""
    return resolve_name(f"equipoise.{name}")


@each_command
def test_the_help_names_a_call_that_exists(name):
    assert callable(called(twin_of(name)))


@pytest.mark.parametrize("name", ARENA)
def test_the_help_of_an_arena_command_names_a_call_that_exists(name):
    call = re.search(r"In Python: `(equipoise|arena)\.([\w.]+)\(", inspect.getdoc(ARENA[name]))
    where = "equipoise" if call.group(1) == "equipoise" else "equipoise.Arena"
    assert callable(resolve_name(f"{where}.{call.group(2)}"))


@each_command
def test_the_call_has_no_name_of_a_room(name):
    rooms = {path.stem for path in Path(eq.__file__).parent.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert twin_of(name) not in rooms


def parameters_of(call):
    """Give the parameters of a call; those that it takes as one value of rare options, one by one."""
    own = dict(inspect.signature(called(call)).parameters)
    if "options" in own:
        del own["options"]
        rare = {"rank": eq.RankOptions, "irt": eq.methods.IRTOptions, "chart": eq.methods.SectionOptions}[call]
        own |= {name: each for name, each in inspect.signature(rare).parameters.items() if name not in IN_PYTHON_ALONE}
    if "look" in own:
        del own["look"]
        own |= inspect.signature(eq.methods.ChartLook).parameters
    return own


def own_options(name):
    """Give the options of a command that are none of reading, by their names in Python."""
    return {IN_PYTHON.get(option, option) for option in option_names(COMMANDS[name]) if option not in READING}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo", "data", "methods"}))
def test_options_have_the_names_of_parameters(name):
    parameters = set(parameters_of(twin_of(name)))
    before = set(parameters_of(RANKED_FIRST[name])) if name in RANKED_FIRST else set()
    unrandom = {"rng"} if name == "luck" else set()
    options = own_options(name) - SHOWN - (BY_TABLES["irt"] if name == "irt" else set()) - BY_METHODS.get(name, set())
    assert options - unrandom <= parameters | before
    arguments = set(inspect.signature(COMMANDS[name]).parameters) - set(option_names(COMMANDS[name]))
    arguments |= {"new"} if name == "changes" else set()  # its file, as all commands call it
    shown_here = (
        {"output"} if name in ("report", "chart", "import", "export") else {"scale"} if name == "changes" else set()
    )
    shown_here |= {"title", "caption", "offset"} if name == "chart" else {"title"} if name == "report" else set()
    former = BY_TABLES.get(name, set()) - options
    reading = (
        FIELDS | set(READING) if "read" in options else set()
    )  # what people give most is a keyword beside read, too
    assert parameters - options - arguments - ABOUT_PYTHON - shown_here - reading - former == set()


@each_command
def test_a_command_takes_every_option_of_reading_where_its_call_takes_read(name):
    call = RANKED_FIRST.get(name, twin_of(name))
    spelled = {word for words in option_names(COMMANDS[name]).values() for word in words}
    meant = {f"--{IN_PYTHON[option]}" for option in option_names(COMMANDS[name]) if option in IN_PYTHON}
    wanted = {one.option for one in READING.values()} | {"--read"}
    assert wanted - spelled - meant == (set() if "read" in parameters_of(call) else wanted)


@each_command
def test_options_of_reading_have_the_defaults_and_the_words_of_their_fields(name):
    declared = inspect.signature(COMMANDS[name]).parameters
    fields = get_type_hints(ReadOptions)
    for option in set(READING) & set(option_names(COMMANDS[name])):
        assert declared[option].default == READING[option].default, option
        field = fields[READING[option].name]
        free = str in get_args(field)  # beside its words it takes a text of the user's own
        assert words_in(declared[option].annotation) == (set() if free else words_in(field)), option


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo", "data", "methods", "reproduce"}))
def test_defaults_are_the_same(name):
    twin = parameters_of(twin_of(name))
    command = inspect.signature(COMMANDS[name]).parameters
    for option in option_names(COMMANDS[name]):
        parameter = twin.get(IN_PYTHON.get(option, option))
        required = command[option].default is inspect.Parameter.empty
        if parameter is None or option in ("output", "show", *READING) or (option == "steps" and required):
            continue
        assert parameter.default == command[option].default, option


def words_in(annotation):
    """Give all words of the choices in an annotation."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return set().union(*(words_in(part) for part in get_args(annotation)))


@each_command
def test_an_option_takes_the_words_that_its_parameter_takes(name):
    offered, taken = (get_type_hints(inspect.unwrap(each)) for each in (COMMANDS[name], called(twin_of(name))))
    looks = get_type_hints(eq.methods.ChartLook) if "look" in taken else {}
    for option in set(option_names(COMMANDS[name])) - set(READING):
        parameter = {**looks, **taken}.get(IN_PYTHON.get(option, option))
        if words_in(offered[option]) and words_in(parameter):
            assert words_in(offered[option]) == words_in(parameter), option


def test_a_command_prints_what_its_twin_computes(capsys, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("a,b,outcome\n" + "x,y,1\ny,z,1\nz,x,0.5\ny,x,1\n" * 9)
    assert main(["rank", str(path), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    board = eq.rank(path)
    for row, expected in zip(printed["agents"], board.frame().to_dicts(), strict=True):
        assert row == pytest.approx(expected)
    assert printed["words"] == list(board.answer)
