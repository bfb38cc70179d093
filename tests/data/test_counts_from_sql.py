"""The query of the how-to makes the counts that the reader makes, and parts of the games merge into the whole."""

import re
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import equipoise as eq

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "large-data.md"
QUERY = re.findall(r"^```sql\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
ROWS, AGENTS = 300_000, 40


@pytest.fixture(scope="module")
def battles():
    rng = np.random.default_rng(8)
    a = rng.integers(AGENTS, size=ROWS)
    b = (a + rng.integers(1, AGENTS, size=ROWS)) % AGENTS
    names = np.array([f"model {k}" for k in range(AGENTS)])
    winner = np.array(["model_a", "model_b", "tie"])[rng.choice(3, p=[0.5, 0.4, 0.1], size=ROWS)]
    return pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})


def counted(battles):
    (query,) = QUERY
    database = duckdb.connect()
    database.register("battles", battles.to_arrow())
    counts = database.execute(query).fetchnumpy()
    columns = {name: counts[name] for name in ("wins", "losses", "ties")}
    return eq.PairTable.from_columns(counts["model_a"], counts["model_b"], **columns)


def ratings(table):
    return dict(zip(table.agents, eq.bradley_terry(table).rating, strict=True))


def test_the_query_counts_what_the_reader_counts(battles):
    whole = ratings(counted(battles))
    assert whole == pytest.approx(ratings(eq.read_matches(battles).pairs()), abs=1e-9)


def test_parts_of_the_games_merge(battles):
    parts = [counted(part) for part in battles.iter_slices(ROWS // 7)]
    assert ratings(eq.PairTable.merge(*parts)) == pytest.approx(ratings(counted(battles)), abs=1e-9)
