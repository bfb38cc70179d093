"""The README does what it says: every block runs in a fresh clone, and prints what is shown under it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import readme

ROOT = Path(__file__).parents[1]
PICTURES = "docs/images"


PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = list(readme.blocks(PAGE))


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no checkout: what a clone holds is known to git only")
    return readme.fresh_clone(tmp_path_factory.mktemp("clone"))


def test_the_first_block_installs_and_the_first_command_shows_its_output():
    assert (BLOCKS[0].language, BLOCKS[0].lines) == ("sh", ["make demo", ". .venv/bin/activate"])
    first = next(block for block in BLOCKS if block.language == "bash")
    assert first.lines == ["equipoise rank classifiers"]
    assert first.shown


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "bash"], ids=lambda b: b.lines[0])
def test_a_command_works_as_printed_and_prints_what_is_shown(block, clone):
    printed = readme.printed(block, clone)
    if block.shown is not None:
        assert printed == block.shown, "`make shots` brings the README up to date"


def test_the_targets_of_make_are_there(clone):
    named = [line for block in BLOCKS if block.language == "sh" for line in block.lines if line.startswith("make ")]
    assert "make demo" in named
    for line in named:
        subprocess.run(["make", "-n", *line.split()[1:]], cwd=clone, check=True, capture_output=True)


def test_no_page_for_beginners_installs_from_a_registry():
    for page in ("README.md", "docs/index.md", "docs/tutorial.md", "docs/install.md"):
        lines = [line for block in readme.blocks((ROOT / page).read_text(encoding="utf-8")) for line in block.lines]
        assert [line for line in lines if re.search(r"pip install \"?equipoise", line)] == []


def test_the_demo_says_what_it_installs_and_lets_pip_show_how_far_it_is(clone):
    told = subprocess.run(["make", "-n", "demo"], cwd=clone, check=True, capture_output=True, text=True).stdout
    assert "Installing Equipoise" in told
    assert "--quiet" not in told.partition("Installing Equipoise")[2]


def test_the_python_runs_in_the_order_of_the_page(clone):
    code = "\n".join(block.code for block in BLOCKS if block.language == "python")
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=clone, env=readme.environment_of(clone), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_every_file_that_the_readme_names_is_in_the_clone(clone):
    links = re.findall(r"\]\(([^):#]+)\)", PAGE)
    assert sum(link.startswith(PICTURES) for link in links) >= 3
    assert [link for link in links if not (clone / link).exists()] == []
