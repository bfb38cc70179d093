"""The example of hold'em runs in a short form, and luck goes without moving the estimate."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "holdem_baseline.py"


@pytest.fixture(scope="module")
def example():
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: the extra games")
    return runpy.run_path(str(EXAMPLE))


def test_every_method_estimates_the_same_with_smaller_errors(example):
    rows = {name: (cell, float(smaller)) for name, cell, smaller, _ in example["one_match"](400)}
    assert list(rows) == ["unadjusted", "baseline", "duplicate", "MIVAT", "AIVAT"]
    intervals = {name: tuple(map(float, cell.split(" ± "))) for name, (cell, _) in rows.items()}
    middle, half = intervals["unadjusted"]
    for estimate, _ in intervals.values():
        assert abs(estimate - middle) < half
    assert 0.0 < rows["baseline"][1] < rows["AIVAT"][1]
    assert rows["MIVAT"][1] < rows["AIVAT"][1]


def test_the_tables_have_the_shape_of_the_papers(example, capsys):
    example["main"](0.01)
    match, three, two = capsys.readouterr().out.strip().split("\n\n")
    assert match.startswith("sharp against loose")
    assert len(three.splitlines()) == 2 + 9
    assert len(two.splitlines()) == 2 + 21
    assert "AIVAT" in two.splitlines()[1]
