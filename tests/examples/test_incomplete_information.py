"""The example runs from start to end without the public data."""

import runpy
from pathlib import Path

import polars as pl
import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "incomplete_information.py"


def test_all_tables_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)
    runpy.run_path(str(SCRIPT))["main"](["--trials", "1", "--budget", "40", "--out", str(tmp_path)])
    assert "games" in capsys.readouterr().out
    tables = {path.stem: pl.read_csv(path) for path in tmp_path.glob("*.csv")}
    assert set(tables) == {"H.1", "1.1b", "6.1", "6.3", "H.3"}
    assert tables["H.1"].height == 48
    shrinking = tables["1.1b"].group_by("width", maintain_order=True).agg(pl.col("mean_spread").first())["mean_spread"]
    assert shrinking.to_list() == sorted(shrinking.to_list(), reverse=True)
