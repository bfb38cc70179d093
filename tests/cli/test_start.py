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


def test_defaults_text_choices_and_files_need_no_validator_and_parts_of_numpy_for_others_stay_idle(tmp_path):
    loaded = loaded_by(
        "rank", "-", "--score", "outcome", "--scale", "logit", "-o", str(tmp_path / "board.csv"), stdin=GAMES
    )
    assert (tmp_path / "board.csv").exists()
    assert "scipy.special" in loaded
    assert loaded.isdisjoint({"pydantic", "numpy.f2py.f2py2e", "unittest", "scipy.sparse.csgraph", "email"})


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


def test_a_part_of_numpy_that_is_idle_loads_when_it_is_used():
    code = (
        "from equipoise.cli.idle import leave_idle\nleave_idle()\nimport numpy as np\n"
        "np.testing.assert_allclose(1.0, 1.0)\nfrom numpy.polynomial import Polynomial\nprint(Polynomial([1, 2])(3))\n"
        "import importlib.metadata\nassert importlib.metadata.version('numpy') == np.__version__\n"
        "assert not hasattr(np.testing, 'no_such_name')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "7.0\n"


def test_the_front_help_waits_for_neither_markdown_nor_tracebacks_and_commands_draw_it():
    ask = "import sys\nfrom equipoise.cli.main import main\nsys.argv = ['equipoise', *{words}]\nmain()\nprint({seen})"
    loaded = "[name in sys.modules for name in ('markdown_it', 'rich.markdown', 'rich.traceback')]"
    for words, seen in ((["--help"], "[False, False, False]"), (["rank", "--help"], "[True, True, False]")):
        code = ask.format(words=words, seen=loaded)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
        assert done.stdout.splitlines()[-1] == seen
        assert "Usage: equipoise" in done.stdout
    assert "• equipoise rank" in done.stdout


def test_methods_that_are_compiled_late_are_those_that_dataclasses_have():
    code = (
        "import dataclasses, pickle, sys\nfrom equipoise.cli.late_methods import compile_late\n"
        "compile_late(); compile_late()\n"
        "@dataclasses.dataclass(frozen=True, slots=True)\nclass Place:\n    x: int\n    y: float = 0.5\n"
        "@dataclasses.dataclass\nclass Open:\n    name: str\n"
        "one, same, other = Place(1), Place(1), Place(1, 2.0)\n"
        "again = pickle.loads(pickle.dumps(one))\n"
        "print(one, one == same, one != other, one == 1, len({one, same, other}), again == one)\n"
        "for change in (lambda: setattr(one, 'x', 2), lambda: delattr(one, 'x')):\n"
        "    try:\n        change()\n    except dataclasses.FrozenInstanceError as error:\n        print(error)\n"
        "print(dataclasses.replace(one, x=3), Open('a') == Open('a'), Open.__hash__, Place.__eq__.__name__)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.splitlines() == [
        "Place(x=1, y=0.5) True True False 2 True",
        "cannot assign to field 'x'",
        "cannot delete field 'x'",
        "Place(x=3, y=0.5) True None __eq__",
    ]


def test_docstrings_that_nobody_reads_are_left_as_they_are_and_the_tool_that_rewrites_them_is_whole_again():
    code = (
        "from equipoise.cli.idle import leave_idle\nleave_idle()\nimport scipy.linalg, scipy.special\n"
        "from scipy._lib._docscrape import FunctionDoc\n"
        "print(scipy.special.ndtri(0.5), 'Cholesky' in scipy.linalg.cho_factor.__doc__, "
        "bool(FunctionDoc(scipy.linalg.inv)['Parameters']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "0.0 True True\n"


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
    assert loaded == {"equipoise.cli.commands.plan"}


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
