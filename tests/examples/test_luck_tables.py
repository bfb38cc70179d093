"""The example with tables like the paper's runs, and shows what it is meant to show."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "luck_tables.py"


@pytest.fixture(scope="module")
def example() -> dict:
    return runpy.run_path(str(EXAMPLE))


def cut(cell: str) -> float:
    return float(cell.rstrip("* "))


def test_the_tables_have_the_rows_and_columns_of_the_paper(
    example: dict, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    tables = example["main"](40)
    assert [table[1][0] for table in tables] == ["Match", "Match", "Match", "β"]
    assert [len(table[2]) for table in tables] == [4, 6, 3, 5]
    shown = capsys.readouterr().out
    assert "Human 1" in shown
    assert "M (%)" in shown


def test_three_players_favour_baseline_where_duplicate_hurts(example: dict) -> None:
    rows = {row[0]: row for row in example["three_players"](60)[2]}
    assert cut(rows["rock"][2]) < 0 < cut(rows["rock"][3])


def test_more_repeats_of_a_stochastic_control_are_worth_more(example: dict) -> None:
    cuts = [cut(row[1]) for row in example["repeated_control"](120)[2]]
    assert cuts[-1] > cuts[0] > 0


def test_real_hands_give_the_published_figures(example: dict, equipoise_data: Path) -> None:
    rows = {row[0]: row[-1] for row in example["real_hands"](equipoise_data)[2]}
    assert rows == {"fc4": "721 ± 56", "fcpa": "3852 ± 141", "56bets": "4675 ± 152", "2r56bets": "983 ± 95"}
