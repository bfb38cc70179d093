"""The examples of CONTRIBUTING are performed from the page: in a copy of the source, and as a package of its own."""

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import equipoise
from tests.contract.cases import columns

ROOT = Path(__file__).parents[2]
SOURCE = Path(equipoise.__file__).parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^`(?P<path>[\w./-]+)`\n\n(?P<fence>`{3,})\w+\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
FILES = {match["path"]: match["text"] for match in BLOCK.finditer(PAGE)}
MODULE, DOCS_PAGE, TESTS = "src/equipoise/ratings/borda.py", "docs/methods/borda.md", "tests/ratings/test_borda.py"
READER, REGISTRY, READER_TESTS = (
    "src/equipoise/logs/games/duelog.py", "src/equipoise/logs/registry.py", "tests/logs/test_duelog.py"
)  # fmt: skip


GOALS, GOAL_TESTS = "src/equipoise/arena/contests/goals.py", "tests/arena/test_last_goal.py"
COLUMNS, COLUMN_TESTS = "src/equipoise/analyses/boards/columns.py", "tests/analyses/test_behind.py"


def test_the_page_shows_all_files():
    assert set(FILES) == {MODULE, DOCS_PAGE, TESTS, "pyproject.toml", READER, REGISTRY, READER_TESTS, GOALS, GOAL_TESTS,
                          COLUMNS, COLUMN_TESTS}  # fmt: skip


def python(*arguments: str, path: Path | str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with other packages in front; nothing is written beside the sources."""
    environment = os.environ | {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=cwd, capture_output=True, text=True, check=False
    )


def output_of(*arguments: str, path: Path | str, cwd: Path) -> str:
    done = python(*arguments, path=path, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def link_all(source: Path, target: Path) -> None:
    """Make a folder that shows what another holds, so that compiled kernels are found and nothing is copied."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        (target / entry.name).symlink_to(entry)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Make a copy of the house in which the three files of the page were added, and the exports written."""
    root = tmp_path_factory.mktemp("house")
    package = root / "src" / "equipoise"
    link_all(SOURCE, package)
    (package / "ratings").unlink()
    link_all(SOURCE / "ratings", package / "ratings")
    for name in ("__init__.pyi", "__init__.py", "methods.pyi", "methods.py", "results.pyi", "results.py"):
        (package / name).unlink()
        (package / name).write_text((SOURCE / name).read_text(encoding="utf-8"), encoding="utf-8")
    link_all(ROOT / "docs" / "methods", root / "docs" / "methods")
    (root / "tests" / "ratings").mkdir(parents=True)
    for name in ("__init__.py", "conftest.py", "browsing.py"):
        (root / "tests" / name).symlink_to(ROOT / "tests" / name)
    (root / "tests" / "contract").mkdir()
    for file in (ROOT / "tests" / "contract").glob("*.py"):
        if not file.name.startswith("test_contributing"):
            (root / "tests" / "contract" / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (root / "tools").symlink_to(ROOT / "tools")
    (root / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    for name in (MODULE, DOCS_PAGE, TESTS):
        (root / name).write_text(FILES[name], encoding="utf-8")
    assert output_of("tools/exports.py", path=root / "src", cwd=root) == "added: Borda, borda\n"
    return root


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """Install the module as a package of its own, the way an installer does: files, and the metadata beside them."""
    root = tmp_path_factory.mktemp("plugin")
    (root / "borda_plugin.py").write_text(FILES[MODULE], encoding="utf-8")
    install_metadata(root, tomllib.loads(FILES["pyproject.toml"])["project"])
    return root


def install_metadata(root: Path, project: dict) -> None:
    folder = root / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in points.items())])
        for group, points in project["entry-points"].items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(groups) + "\n")


def search_path(root: Path) -> str:
    return os.pathsep.join([str(root), str(SOURCE.parent)])


ALL_OF_THEM = """
import json, sys
from equipoise.cli.main import main
for words in json.loads(sys.argv[1]):
    assert main(words) == 0, words
"""


@pytest.fixture(scope="module", params=["in the house", "in a package of its own"])
def added(request, tmp_path_factory):
    """Give the package that brings the method, and a folder with what commands make of it; one process runs them."""
    if request.param == "in the house":
        path, package = request.getfixturevalue("house") / "src", "equipoise"
    else:
        path, package = search_path(request.getfixturevalue("plugin")), "borda-plugin"
    folder = tmp_path_factory.mktemp("added")
    write_games(folder)
    commands = [
        ["methods", "--format", "csv", "-o", "methods.csv"],
        ["rank", "games.csv", "--method", "borda", "--format", "json", "-o", "board.json"],
        ["report", "games.csv", "--output", "page.html"],
    ]
    output_of("-c", ALL_OF_THEM, json.dumps(commands), path=path, cwd=folder)
    return package, folder


def write_games(folder: Path) -> None:
    rows = [",".join(map(str, row)) for row in zip(*columns(games=60), strict=True)]
    (folder / "games.csv").write_text("\n".join(["a,b,outcome", *rows]))


@pytest.fixture
def games(tmp_path):
    write_games(tmp_path)
    return tmp_path


def test_it_is_exported(house, tmp_path):
    code = "from equipoise import methods, results; "
    code += "print(methods.borda.__module__, results.Borda.main, 'borda' in methods.__all__)"
    assert output_of("-c", code, path=house / "src", cwd=tmp_path).split() == [
        "equipoise.ratings.borda",
        "score",
        "True",
    ]


def test_it_is_in_the_list_of_methods(added):
    package, folder = added
    listed = (folder / "methods.csv").read_text(encoding="utf-8")
    (row,) = [row for row in csv.DictReader(listed.splitlines()) if row["method"] == "borda"]
    assert (row["takes"], row["reference"], row["package"]) == ("matches, pairs", "Borda (1781)", package)


def test_rank_uses_it(added):
    board = json.loads((added[1] / "board.json").read_text(encoding="utf-8"))
    assert board["agents"][0]["agent"] == "ada"
    assert 0.5 < board["agents"][0]["rating"] < 1, "a share of points is no log-odds: nothing may rescale it"


def test_a_report_shows_it(added):
    page = (added[1] / "page.html").read_text(encoding="utf-8")
    assert "Borda counts" in page
    assert "has the highest Borda count" in page
    assert "Borda (1781)" in page


def test_its_tests_and_the_contract_pass(house):
    """The suite asks the new method everything, without being told of it."""
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "borda", "tests"]
    done = python(*arguments, path=house / "src", cwd=house)
    assert done.returncode == 0, done.stdout[-3000:]
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    assert passed > 60, done.stdout[-500:]


def test_its_docstring_and_its_page_run(house, tmp_path):
    output_of("-m", "doctest", str(house / MODULE), path=house / "src", cwd=tmp_path)
    code = "".join(re.findall(r"^```python\n(.*?)^```$", FILES[DOCS_PAGE], re.MULTILINE | re.DOTALL))
    assert "0.875" in output_of("-c", code, path=house / "src", cwd=tmp_path)


def test_the_module_is_tidy(house):
    found = output_of("-m", "ruff", "check", "--quiet", MODULE, TESTS, path=house / "src", cwd=house)
    assert found == ""
    output_of("-m", "ruff", "format", "--check", MODULE, TESTS, path=house / "src", cwd=house)


BROKEN = {
    "absent": "no_such_package:method",
    "crashing": "crashing_plugin:method",
    "undeclared": "json:dumps",
    "elo": "namesake_plugin:elo",
}


def test_a_broken_package_breaks_nothing_but_itself(plugin, games):
    (games / "crashing_plugin.py").write_text("raise RuntimeError('two\\nlines')\n")
    (games / "namesake_plugin.py").write_text(
        "from equipoise.core.declaration import method\n"
        "@method(takes='matches', answers='?', reference='?')\n"
        "def elo(data):\n    return data\n"
    )
    install_metadata(games, {"name": "broken", "version": "1", "entry-points": {"equipoise.methods": BROKEN}})
    path = os.pathsep.join([str(games), search_path(plugin)])
    commands = [["rank", "games.csv"], ["methods", "--format", "json", "-o", "methods.json"]]
    output_of("-c", ALL_OF_THEM, json.dumps(commands), path=path, cwd=games)
    listed = json.loads((games / "methods.json").read_text(encoding="utf-8"))
    assert "borda" in [row["method"] for row in listed["methods"]]
    notes = {note["subjects"][0]: note["message"] for note in listed["diagnostics"]}
    assert notes.keys() == BROKEN.keys()
    assert all("broken" in message and "\n" not in message for message in notes.values())
    asked = python("-m", "equipoise", "rank", "games.csv", "--method", "crashing", path=path, cwd=games)
    assert asked.returncode == 2
    assert "RuntimeError" in asked.stderr


def with_duelog(registry: str) -> str:
    """Put what the page shows into the registry: the signature before the list, and the line at the end of it."""
    signature, _, line = FILES[REGISTRY].partition("_ALL = [\n    ...\n")
    before, start, behind = registry.partition("_ALL = [\n")
    listed, end, rest = behind.partition("\n]")
    return f"{before}{signature}{start}{listed}\n{line.rstrip().removesuffix(']').rstrip()}{end}{rest}"


@pytest.fixture(scope="module")
def house_with_a_format(tmp_path_factory):
    """Make a copy of the house in which the three files of a log format were added or changed."""
    root = tmp_path_factory.mktemp("house_with_a_format")
    package = root / "src" / "equipoise"
    link_all(SOURCE, package)
    (package / "logs").unlink()
    link_all(SOURCE / "logs", package / "logs")
    (package / "logs" / "games").unlink()
    link_all(SOURCE / "logs" / "games", package / "logs" / "games")
    (root / REGISTRY).unlink()
    (root / REGISTRY).write_text(with_duelog((ROOT / REGISTRY).read_text(encoding="utf-8")), encoding="utf-8")
    (root / "tests" / "logs").mkdir(parents=True)
    for name in ("__init__.py", "conftest.py", "browsing.py"):
        (root / "tests" / name).symlink_to(ROOT / "tests" / name)
    (root / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    for name in (READER, READER_TESTS):
        (root / name).write_text(FILES[name], encoding="utf-8")
    return root


def test_the_tests_of_a_new_log_format_pass(house_with_a_format):
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", READER_TESTS]
    done = python(*arguments, path=house_with_a_format / "src", cwd=house_with_a_format)
    assert "3 passed" in done.stdout, done.stdout[-3000:]


def test_commands_read_a_new_log_format(house_with_a_format, tmp_path):
    rows = [{"duel": k, "left": "ada", "right": "bob", "winner": ("left", "right", "left")[k % 3]} for k in range(30)]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    commands = [["rank", "log.jsonl", "--format", "json", "-o", "board.json"]]
    output_of("-c", ALL_OF_THEM, json.dumps(commands), path=house_with_a_format / "src", cwd=tmp_path)
    board = json.loads((tmp_path / "board.json").read_text(encoding="utf-8"))
    assert [row["agent"] for row in board["agents"]] == ["ada", "bob"]


def test_a_new_log_format_is_tidy(house_with_a_format):
    files = (READER, REGISTRY, READER_TESTS)
    found = output_of(
        "-m", "ruff", "check", "--quiet", *files, path=house_with_a_format / "src", cwd=house_with_a_format
    )
    assert found == ""
    output_of("-m", "ruff", "format", "--check", *files, path=house_with_a_format / "src", cwd=house_with_a_format)
