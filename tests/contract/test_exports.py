"""What ``import equipoise`` gives is written from the source."""

import subprocess
import sys
from pathlib import Path

import pytest

import equipoise

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "exports.py"


def exporter(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_the_stub_is_up_to_date():
    done = exporter("--check", Path(equipoise.__file__).parent)
    assert done.returncode == 0, done.stdout + done.stderr


METHOD = '''
from equipoise.core.declaration import method
from equipoise.room.results import {result}


@method(takes="scores", answers="?", reference="?")
def {name}(data) -> "{result} | None":
    """Do nothing."""
'''


@pytest.fixture
def package(tmp_path):
    root = tmp_path / "equipoise"
    (root / "room").mkdir(parents=True)
    (root / "room" / "__init__.py").write_text("")
    (root / "room" / "results.py").write_text("class Counted:\n    pass\n\n\nclass Other:\n    pass\n\n\nLIMIT = 3\n")
    (root / "room" / "counting.py").write_text(METHOD.format(name="counting", result="Counted"))
    (root / "__init__.pyi").write_text("")
    return root


def exported(package: Path) -> dict[str, str]:
    done = exporter(package)
    assert done.returncode == 0, done.stderr
    lines = [
        (stub, line)
        for stub in ("__init__", "methods", "results")
        for line in (package / f"{stub}.pyi").read_text().splitlines()
        if line.startswith("from")
    ]
    return {
        f"{stub}.{name}": line.split()[1]
        for stub, line in lines
        for name in line.partition(" import ")[2].replace(",", "").split()
    }


def test_a_declared_method_is_exported_with_its_result(package):
    assert exported(package) == {"methods.counting": ".room.counting", "results.Counted": ".room.results"}
    assert '__all__ = [\n    "counting",\n]' in (package / "methods.pyi").read_text()


def test_a_second_run_changes_nothing(package):
    exported(package)
    before = [path.read_text() for path in sorted(package.glob("*.pyi"))]
    assert exporter("--check", package).returncode == 0
    exported(package)
    assert [path.read_text() for path in sorted(package.glob("*.pyi"))] == before


def test_what_was_exported_by_hand_stays_and_what_vanished_goes(package):
    (package / "__init__.pyi").write_text("from .room.results import LIMIT, Gone\n")
    assert exporter("--check", package).returncode == 1
    assert exported(package) == {
        "__init__.LIMIT": ".room.results", "methods.counting": ".room.counting", "results.Counted": ".room.results",
    }  # fmt: skip


def test_a_name_follows_its_module(package):
    exported(package)
    (package / "room" / "counting.py").rename(package / "room" / "tallies.py")
    assert exported(package)["methods.counting"] == ".room.tallies"


def test_a_renamed_method_leaves_no_trace(package):
    exported(package)
    (package / "room" / "counting.py").write_text(METHOD.format(name="tallying", result="Other"))
    assert exported(package) == {
        "methods.tallying": ".room.counting", "results.Other": ".room.results", "results.Counted": ".room.results",
    }  # fmt: skip
