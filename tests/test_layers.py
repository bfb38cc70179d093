from pathlib import Path

import pytest

import equipoise
from tests.layers import cycles, wrong_arrows

ROOT = Path(equipoise.__file__).parent


def test_imports_go_in_one_direction():
    assert wrong_arrows(ROOT) == []


def test_no_module_imports_itself_in_a_circle():
    assert cycles(ROOT) == []


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("data", "from equipoise.ratings.elo import elo"),
        ("inference", "import equipoise.cli.main"),
        ("nash", "from equipoise.items import fit"),
        ("errors", "from equipoise.diagnostics import Diagnostic"),
        ("ratings", "import altair"),
        ("data", "import pandas as pd"),
    ],
)
def test_a_reversed_arrow_is_found(tmp_path, room, line):
    root = tmp_path / "equipoise"
    (root / room).mkdir(parents=True)
    (root / room / "wrong.py").write_text(f"def late():\n    {line}\n")
    assert len(wrong_arrows(root)) == 1


def test_an_arrow_to_the_left_is_fine(tmp_path):
    root = tmp_path / "equipoise"
    (root / "ratings").mkdir(parents=True)
    (root / "ratings" / "right.py").write_text("from equipoise.data.pairs import PairTable\n")
    assert wrong_arrows(root) == []


def test_a_circle_is_found(tmp_path):
    root = tmp_path / "equipoise"
    (root / "data").mkdir(parents=True)
    (root / "data" / "one.py").write_text("import equipoise.data.two\n")
    (root / "data" / "two.py").write_text("def f():\n    from equipoise.data.one import x\n")
    assert cycles(root) == ["equipoise.data.one", "equipoise.data.two"]
