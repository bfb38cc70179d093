"""The goal of CONTRIBUTING is added to a copy of the source: its class into the module of goals, and nothing else."""

import pytest

from tests.contract.test_contributing import FILES, GOAL_TESTS, GOALS, ROOT, SOURCE, link_all, output_of, python

IMPORT = "from dataclasses import dataclass\n"
LISTED = "_ALL: tuple[type[Goal], ...] = (\n"


def with_last(goals: str) -> str:
    """Put what the page shows into the module: its import, the class before the list, and its name at the end of it."""
    imported, _, added = FILES[GOALS].partition("\n\n\n")
    made, _, line = added.partition(f"{LISTED}    ...\n")
    before, start, behind = goals.replace(IMPORT, f"{imported}\n").partition(LISTED)
    listed, end, rest = behind.partition("\n)")
    return f"{before}{made}{start}{listed}\n{line.partition(')')[0].rstrip()}{end}{rest}"


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    root = tmp_path_factory.mktemp("house_with_a_goal")
    package = root / "src" / "equipoise"
    link_all(SOURCE, package)
    for inner in ("arena", "arena/contests"):
        (package / inner).unlink()
        link_all(SOURCE / inner, package / inner)
    (root / GOALS).unlink()
    (root / GOALS).write_text(with_last((ROOT / GOALS).read_text(encoding="utf-8")), encoding="utf-8")
    link_all(ROOT / "tests", root / "tests")
    (root / "tests" / "arena").unlink()
    link_all(ROOT / "tests" / "arena", root / "tests" / "arena")
    (root / GOAL_TESTS).write_text(FILES[GOAL_TESTS], encoding="utf-8")
    (root / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")
    return root


def test_the_tests_of_a_new_goal_pass(house):
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", GOAL_TESTS, path=house / "src", cwd=house)
    assert "3 passed" in done.stdout, done.stdout[-3000:]


def test_a_new_goal_is_asked_for_on_the_command_line(house, tmp_path):
    (tmp_path / "referee.py").write_text(
        "def play(players, seed):\n"
        "    strength = {'a': 0.9, 'b': 0.6, 'c': 0.1}\n"
        "    return [strength[player.name] for player in players]\n"
    )
    (tmp_path / "spec.toml").write_text(
        'name = "Last"\ngame = "python:referee:play"\nplayers = ["a", "b", "c"]\ngoal = "last"\nmargin = 0.05\n'
    )
    commands = "from equipoise.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    path = f"{house / 'src'}:{tmp_path}"
    output_of("-c", commands, "arena", "new", "spec.toml", "-d", "last.db", path=path, cwd=tmp_path)
    said = output_of("-c", commands, "arena", "run", "-d", "last.db", "--workers", "1", path=path, cwd=tmp_path)
    assert "the weakest is c" in said


def test_a_new_goal_is_tidy(house):
    assert output_of("-m", "ruff", "check", "--quiet", GOALS, GOAL_TESTS, path=house / "src", cwd=house) == ""
    output_of("-m", "ruff", "format", "--check", GOALS, GOAL_TESTS, path=house / "src", cwd=house)
