"""Counts made elsewhere, and long tables that do not say what they are."""

from pathlib import Path
from typing import Any

from benchmarks.command_jobs import folder
from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS", "QUERY"]

QUERY = """
SELECT
    model_a,
    model_b,
    SUM(CASE WHEN winner = 'model_a' THEN 1 ELSE 0 END) AS wins,
    SUM(CASE WHEN winner = 'model_b' THEN 1 ELSE 0 END) AS losses,
    SUM(CASE WHEN winner = 'tie' THEN 1 ELSE 0 END) AS ties
FROM battles
GROUP BY model_a, model_b
"""
"""As docs/howto/large-data.md has it."""
MADE = """
CREATE TABLE battles AS
SELECT 'model ' || (hash(i) % 200) AS model_a,
       'model ' || ((hash(i) % 200 + 1 + hash(i + 7) % 199) % 200) AS model_b,
       CASE WHEN hash(i + 3) % 10 < 5 THEN 'model_a' WHEN hash(i + 3) % 10 < 9 THEN 'model_b' ELSE 'tie' END AS winner
FROM range({rows}) AS games(i)
"""


def warehouse(rows: int) -> Any:
    """Give a database on disk with so many games of two hundred agents."""
    import duckdb

    database = duckdb.connect(str(folder() / "battles.duckdb"))
    database.execute(MADE.format(rows=rows))
    database.execute("CHECKPOINT")
    return database


def ours_counts(database: Any) -> Answer:
    import equipoise as eq

    counts = database.execute(QUERY).fetchnumpy()
    table = eq.PairTable.from_columns(
        counts["model_a"], counts["model_b"], wins=counts["wins"], losses=counts["losses"], ties=counts["ties"]
    )
    eq.bradley_terry(table)
    return {"games": float(table.games.sum())}


def counted(database: Any) -> Answer:
    """Let the database group the rows by agents, and count them."""
    counts = database.execute("SELECT model_a, model_b, COUNT(*) FROM battles GROUP BY model_a, model_b").fetchall()
    return {"games": float(sum(count for _, _, count in counts))}


def same_games(ours: Answer, theirs: Answer) -> Agreement:
    return ours["games"] == theirs["games"], f"games counted {ours['games']:,.0f} and {theirs['games']:,.0f}"


def odd_headers(rows: int) -> Path:
    """Forty agents in a long table whose headers no reader knows."""
    path = folder() / "odd.csv"
    lines = [f"m{row % 40},{row // 40},{row % 7}\n" for row in range(rows)]
    path.write_text("model,which,how_well\n" + "".join(lines), encoding="utf-8")
    return path


def nothing_shared(rows: int) -> Path:
    """Write a long table in which no two rows share an agent or a task."""
    path = folder() / "odd.csv"
    lines = [f"m{row},t{row},0.5\n" for row in range(rows)]
    path.write_text("model,task,value\n" + "".join(lines), encoding="utf-8")
    return path


def ours_refusal(path: Path) -> Answer:
    """Read it, and say in one line why that cannot be."""
    import equipoise as eq

    try:
        eq.read_scores(path)
    except eq.ColumnError:
        return {"games": 0.0}
    raise RuntimeError("the table was read")


def named(path: Path) -> Answer:
    import equipoise as eq

    return {"games": float(eq.read_scores(path, task="which", score="how_well").values.size)}


def scanned(path: Path) -> Answer:
    import polars as pl

    pl.read_csv(path)
    return {}


def rows_of(rows: int) -> str:
    return f"{rows:,} rows"


SCAN = Side("one scan", scanned, note="polars reads the file")
JOBS = (
    Job(
        "pair counts of a warehouse by one query",
        warehouse,
        (
            Side("equipoise", ours_counts, note="DuckDB counts, Bradley-Terry with intervals follows"),
            Side("group by", counted, note="DuckDB counts the rows of each pair only"),
        ),
        (1_000_000, 10_000_000, 100_000_000),
        (10_000, 100_000, 1_000_000),
        lambda rows: f"{rows:,} games, 200 agents",
        same_games,
        floor="group by",
    ),
    *(
        Job(name, make, (Side("equipoise", run), SCAN), (12_000, 20_000, 28_000), (12_000, 20_000, 28_000), rows_of,
            same_games, floor="one scan")
        for name, make, run in (
            ("long table with odd headers, refused", odd_headers, ours_refusal),
            ("long table whose rows share nothing, refused", nothing_shared, ours_refusal),
            ("long table with odd headers that are named", odd_headers, named),
        )
    ),
)  # fmt: skip
