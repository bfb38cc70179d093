"""How the command line starts: commands are told from their lines, and load no more than they use."""

import inspect
import json
import subprocess
import sys

import pytest

from equipoise.cli.app import COMMANDS, every_command
from equipoise.cli.main import main
from equipoise.cli.options import choices
from equipoise.report.charts.names import CHARTS
from equipoise.reproduce.papers import PAPERS

GAMES = "a,b,outcome\n" + "x,y,a\ny,z,a\nz,x,draw\ny,x,a\n" * 8
UNMET = "a,b,outcome\n" + "x,y,a\ny,z,a\nz,y,draw\ny,x,a\n" * 8
SCORES = "agent,t1,t2,t3,t4\na,1,0,1,0\nb,0,1,1,0\nc,1,1,1,0\nd,0,0,1,1\n"
HEAVY = ("numpy", "scipy", "polars", "numba", "altair")


def loaded_by(*arguments, stdin=""):
    """Give the modules that a run of the command line has loaded at its end."""
    code = (
        "import sys\nfrom equipoise.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], input=stdin, capture_output=True, text=True, check=False, timeout=120
    )
    return set(done.stderr.split())


@pytest.fixture(scope="module")
def heavy_of_help():
    """Give the heavy modules that are there after each command has told its help, all in one process."""
    asked = [["--version"], ["--help"], [], ["rnk"], *([name, "--help"] for name in COMMANDS)]
    code = (
        "import json, sys\nfrom equipoise.cli.main import main\nheavy = {}\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try:\n        main(words)\n    except SystemExit:\n        pass\n"
        "    heavy[' '.join(words)] = [name for name in json.loads(sys.argv[2]) if name in sys.modules]\n"
        "print(json.dumps(heavy), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(asked), json.dumps(HEAVY)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    return json.loads(done.stderr.splitlines()[-1])


@pytest.mark.parametrize("arguments", ["--version", "--help", "", "rnk", *(f"{name} --help" for name in COMMANDS)])
def test_the_version_help_and_a_wrong_name_load_nothing_heavy(arguments, heavy_of_help):
    assert heavy_of_help[arguments] == []


def test_the_version_loads_no_parser_of_options():
    assert loaded_by("--version").isdisjoint({"typer", "rich"})


@pytest.mark.parametrize("command", ["rank", "plan"])
def test_a_table_of_a_small_file_loads_no_compiler_no_charts_and_no_optimiser(command):
    loaded = loaded_by(command, "-", stdin=GAMES)
    assert {"numpy", "polars"} <= loaded
    assert loaded.isdisjoint(
        {"numba", "altair", "jinja2", "scipy.optimize", "scipy.stats", "equipoise.report.render.html"}
    )


def test_defaults_text_choices_and_files_need_no_validator(tmp_path):
    loaded = loaded_by(
        "rank", "-", "--score", "outcome", "--scale", "logit", "-o", str(tmp_path / "board.csv"), stdin=GAMES
    )
    assert (tmp_path / "board.csv").exists()
    assert "scipy.special" in loaded
    assert loaded.isdisjoint({"pydantic", "scipy.sparse.csgraph"})


@pytest.mark.parametrize("given", [None, "12"])
def test_threads_of_linear_algebra_soon_sleep_unless_the_user_has_said_how_soon(given, monkeypatch):
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if given:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    code = (
        "import os, sys\nfrom equipoise.cli.main import main\nsys.argv = ['equipoise', '--version']\nmain()\n"
        "print(os.environ['OPENBLAS_THREAD_TIMEOUT'], 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines()[-1] == f"{given or 20} False"


@pytest.mark.parametrize(
    ("command", "idle"),
    [
        ("rank", ("nash", "alpharank", "aggregates", "items", "luck", "schedule", "arena", "inference.bootstrap")),
        (
            "tasks",
            ("alpharank", "aggregates.profiles", "items", "luck", "schedule", "arena", "analyses.scores.learning"),
        ),
        ("irt", ("alpharank", "nash", "aggregates", "luck", "schedule", "arena", "ratings")),
    ],
)
def test_rooms_that_a_small_file_does_not_ask_for_stay_shut(command, idle):
    """Of the aggregate scores ``tasks`` loads what its board shows (mean and IQM), and not the profile."""
    loaded = loaded_by(command, "-", stdin=UNMET if command == "rank" else SCORES)
    assert any(name.startswith("equipoise.analyses") for name in loaded)
    assert [name for name in sorted(loaded) if name.startswith(tuple(f"equipoise.{part}" for part in idle))] == []


def test_other_packages_are_left_as_they_are():
    """Functions and classes of the packages that a command uses are those that the packages define."""
    code = (
        "import sys\nfrom equipoise.cli.main import main\nmain(['rank', '-'])\n"
        "ours = ('equipoise', '__main__')\n"
        "strange = [f'{name}.{key}' for name, module in list(sys.modules.items())\n"
        "    if module is not None and not name.startswith(ours) for key, value in list(vars(module).items())\n"
        "    if str(getattr(value, '__module__', '')).startswith('equipoise')]\n"
        "print(strange, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=GAMES, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--level", "x"], "'--level'"), (["--scale", "foo"], "'foo' is not one of 'elo', 'logit'"),
        (["--seed", "-1"], "'--seed'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_still_meets_the_validator(options, said, capsys):
    assert main(["rank", "alphago", *options]) == 2
    assert said in capsys.readouterr().err


def test_a_command_loads_no_module_of_another():
    loaded = {name for name in loaded_by("plan", "--help") if name.startswith("equipoise.cli.commands.")}
    assert loaded == {"equipoise.cli.commands.play"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_the_first_of_its_own_help(name):
    first = inspect.getdoc(every_command()[name]).partition("\n\n")[0]
    assert COMMANDS[name] == " ".join(first.split())


def test_every_command_is_in_the_front_help_and_a_wrong_name_is_corrected(capsys):
    assert main([]) == 0
    out = capsys.readouterr().out
    assert all(f"│ {name} " in out for name in COMMANDS)
    assert main(["rnk"]) == 2
    assert capsys.readouterr().err == "equipoise: No such command 'rnk'. Did you mean 'rank'?\n"


def test_charts_and_papers_are_named_in_their_order():
    assert tuple(CHARTS) == choices.CHART_NAMES
    assert tuple(PAPERS) == choices.PAPER_NAMES
