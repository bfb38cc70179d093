import subprocess
import sys
from pathlib import Path

import pytest

import equipoise
from tests.layers import cycles, exported, unplanned, wrong_arrows

ROOT = Path(equipoise.__file__).parent


def test_imports_go_in_one_direction():
    assert wrong_arrows(ROOT) == []


def test_no_module_imports_itself_in_a_circle():
    assert cycles(ROOT) == []


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("data", "from equipoise.ratings.online.elo import elo"),
        ("inference", "import equipoise.cli.main"),
        ("nash", "from equipoise.items import fit"),
        ("core", "from equipoise.errors import DataError"),
        ("ratings", "import altair"),
        ("data", "import pandas as pd"),
        ("data", 'import_module("equipoise.ratings.online.elo")'),
        ("results", 'importlib.import_module("equipoise.report.notebook").drawing'),
        ("nash", '__import__("equipoise.items")'),
        ("flows", 'import_module(".elo", "equipoise.ratings")'),
        ("luck", 'import_module(f"equipoise.report.{name}")'),
        ("results", 'return "equipoise.report.notebook:drawing"'),
        ("results", 'EntryPoint("drawing", "equipoise.report.notebook:drawing", "equipoise.notebook")'),
        ("data", 'where = {"equipoise.schedule.plan": 3}'),
        ("ratings", 'import_module("altair")'),
        ("data", "from equipoise import elo"),
        ("data", "import equipoise as eq; eq.elo"),
        ("data", "from equipoise import cli"),
        ("data", "from equipoise.methods import melo"),
        ("data", "import equipoise as eq; eq.methods.melo"),
    ],
)
def test_a_reversed_arrow_is_found(tmp_path, room, line):
    root = tmp_path / "equipoise"
    (root / room).mkdir(parents=True)
    (root / "__init__.pyi").write_text("from .ratings.elo import elo\n")
    (root / "methods.pyi").write_text("from .ratings.melo import melo\n")
    (root / room / "wrong.py").write_text(f"def late(name):\n    {line}\n")
    assert len(wrong_arrows(root)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "from equipoise.data.types.pairs import PairTable",
        'import_module("equipoise.data.types.pairs")',
        'files("equipoise.ratings")',
        "from equipoise import __version__, load",
        'entry_points(group="equipoise.notebook")',
        '"""See equipoise.report.notebook for who draws."""',
    ],
)
def test_an_arrow_to_the_left_is_fine(tmp_path, line):
    root = tmp_path / "equipoise"
    (root / "ratings").mkdir(parents=True)
    (root / "__init__.pyi").write_text("from .data.datasets import load\n")
    (root / "ratings" / "right.py").write_text(f"{line}\n")
    assert wrong_arrows(root) == []


def test_every_room_has_a_place_in_the_plan():
    assert unplanned(ROOT) == []


def test_a_room_without_a_place_in_the_plan_is_found(tmp_path):
    root = tmp_path / "equipoise"
    (root / "attic").mkdir(parents=True)
    (root / "attic" / "box.py").write_text("")
    (root / "__init__.py").write_text("")
    assert unplanned(root) == ["attic"]


def test_every_name_that_the_root_exports_is_read_from_its_stub():
    read = set(exported(ROOT))
    assert {name for name in read if "." not in name} == set(equipoise.__all__)
    for module in (equipoise.methods, equipoise.results):
        room = module.__name__.rpartition(".")[2]
        assert {name for name in read if name.startswith(f"{room}.")} == {f"{room}.{name}" for name in module.__all__}


def test_a_circle_is_found(tmp_path):
    root = tmp_path / "equipoise"
    (root / "data").mkdir(parents=True)
    (root / "data" / "one.py").write_text("import equipoise.data.two\n")
    (root / "data" / "two.py").write_text("def f():\n    from equipoise.data.one import x\n")
    assert cycles(root) == ["equipoise.data.one", "equipoise.data.two"]


def test_a_circle_by_text_is_found(tmp_path):
    root = tmp_path / "equipoise"
    (root / "data").mkdir(parents=True)
    (root / "data" / "one.py").write_text("import equipoise.data.two\n")
    (root / "data" / "two.py").write_text('LATER = "equipoise.data.one:name"\n')
    assert cycles(root) == ["equipoise.data.one", "equipoise.data.two"]


def test_importing_the_package_loads_a_dozen_modules_at_most():
    code = "import sys, equipoise; print(*sorted(name for name in sys.modules if name.startswith('equipoise')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert len(loaded) <= 12, loaded
