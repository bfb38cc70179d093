"""Tables: a long log from disk to a leaderboard, and luck taken out of millions of hands."""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

AGENTS = 200
PLAYERS = 10


def long_log(rows: int) -> pl.DataFrame:
    """Draw matches with ties between named agents."""
    rng = np.random.default_rng(rows)
    names = pl.Series([f"model-{k:03d}-chat" for k in range(AGENTS)])
    a = rng.integers(AGENTS, size=rows)
    b = (a + rng.integers(1, AGENTS, size=rows)) % AGENTS
    words = pl.Series(["model_a", "model_b", "tie"])
    return pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": words[rng.integers(3, size=rows)]})


def file_of(suffix: str) -> Any:
    def write(rows: int) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="bench-"))
        atexit.register(shutil.rmtree, folder, True)
        path = folder / f"log{suffix}"
        frame = long_log(rows)
        frame.write_csv(path) if suffix == ".csv" else frame.write_parquet(path)
        return path

    return write


def ours_leaderboard(path: Path) -> Answer:
    import equipoise as eq

    table = eq.read_pairs(path)
    eq.bradley_terry(table)
    return {"games": float(table.games.sum())}


def polars_floor(path: Path) -> Answer:
    """Scan and group: the least that anybody has to do."""
    scan = pl.scan_csv(path) if path.suffix == ".csv" else pl.scan_parquet(path)
    grouped = scan.group_by("model_a", "model_b", "winner").len().collect(engine="streaming")
    return {"games": float(grouped["len"].sum())}


def same_games(ours: Answer, theirs: Answer) -> Agreement:
    return ours["games"] == theirs["games"], f"games counted {ours['games']:,.0f} and {theirs['games']:,.0f}"


def hands(rows: int) -> Any:
    """Two-seat hands, each deal in both orders: a deal has a luck, an agent a skill, a control sees luck with noise."""
    import equipoise as eq
    from equipoise.data.encode.labels import Factor

    rng = np.random.default_rng(0)
    plays, deals = rows // 2, rows // 4
    deal = np.tile(np.arange(deals), 2)
    plays = len(deal)
    luck = rng.normal(size=deals)[deal]
    first = rng.integers(PLAYERS, size=deals)[deal]
    second = (first + rng.integers(1, PLAYERS, size=deals)[deal]) % PLAYERS
    swapped = np.arange(plays) >= deals
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    won = luck + 0.05 * (first - second) + rng.normal(size=plays)
    own = luck + 0.3 * rng.normal(size=deals)[deal]

    def interleaved(one: Any, other: Any) -> Any:
        return np.stack([one, other], axis=1).ravel()

    return eq.Episodes.from_factors(
        Factor(tuple(f"agent {k}" for k in range(PLAYERS)), interleaved(first, second).astype(np.int32)),
        Factor(tuple(map(str, range(deals))), interleaved(deal, deal).astype(np.int32)),
        interleaved(won, -won),
        seat=Factor(("0", "1"), np.tile(np.array([0, 1], dtype=np.int32), plays)),
        controls={"bot": interleaved(own, -own)},
    )


def ours_duplicate(episodes: Any) -> Answer:
    import equipoise as eq

    return {"games": float(eq.duplicate(episodes).hands.sum())}


def ours_baseline(episodes: Any) -> Answer:
    import equipoise as eq

    return {"games": float(eq.baseline(episodes, control="bot", cluster=False).hands.sum())}


def scan_floor(episodes: Any) -> Answer:
    """Add up the utilities of each player once."""
    np.bincount(episodes.agent.codes, episodes.utility)
    return {}


POLARS = Side("polars", polars_floor, note="scan and group only")
JOBS = (
    *(
        Job(
            f"{kind} to leaderboard",
            file_of(suffix),
            (Side("equipoise", ours_leaderboard), POLARS),
            sizes,
            quick,
            lambda rows: f"{rows:,} rows",
            same_games,
            floor="polars",
        )
        for kind, suffix, sizes, quick in (
            ("CSV", ".csv", (20_000, 100_000, 1_000_000, 10_000_000), (20_000, 150_000, 500_000)),
            ("Parquet", ".parquet", (20_000, 1_000_000, 5_000_000, 20_000_000), (20_000, 150_000, 500_000)),
        )
    ),
    *(
        Job(
            name,
            hands,
            (Side("equipoise", run), Side("one scan", scan_floor, note="sum the results of each player")),
            (1_000, 100_000, 1_000_000, 10_000_000),
            (1_000, 100_000, 300_000),
            lambda rows: f"{rows:,} rows",
            same_games,
            floor="one scan",
        )
        for name, run in (("duplicate", ours_duplicate), ("baseline", ours_baseline))
    ),
)
