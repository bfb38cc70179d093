"""`equipoise rank` where it used to take long: Go programs with sides, components, cycles, millions of groups."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.command import command_sides, started_floor
from benchmarks.command_jobs import folder
from benchmarks.job import Job, Side

__all__ = ["JOBS", "drawn_log"]

GO_BOTS = Path("go_bots") / "cross_results_long.csv.gz"
GO_AGENTS = {5_000: 100, 26_000: 238, 124_724: 319}
"""Agents for each number of games; the last is the whole published table."""


def go_bots() -> Path | None:
    """Where the published games of Go programs are, if the environment says so."""
    place = os.environ.get("EQUIPOISE_DATA")
    path = Path(place) / GO_BOTS if place else None
    return path if path is not None and path.exists() else None


def names_of(agents: int) -> pl.Series:
    return pl.Series([f"agent-{k:04d}" for k in range(agents)])


def drawn_log(a: Any, b: Any, odds: Any, agents: int, rng: np.random.Generator, **columns: Any) -> pl.DataFrame:
    """Give a log in which the first wins with these log-odds."""
    won = rng.random(len(a)) < 1 / (1 + np.exp(-odds))
    names, words = names_of(agents), pl.Series(["model_b", "model_a"])
    return pl.DataFrame({"model_a": names[a], "model_b": names[b], "winner": words[won.astype(int)], **columns})


def written(frame: pl.DataFrame, suffix: str = ".csv") -> Path:
    path = folder() / f"log{suffix}"
    frame.write_parquet(path) if suffix == ".parquet" else frame.write_csv(path)
    return path


def games_of_go(games: int) -> Path:
    """Draw games, black first, out of those among the least busy programs; without the table, of drawn strength."""
    rng, agents = np.random.default_rng(games), GO_AGENTS[games]
    path = go_bots()
    if path is None:
        rating = 3 * rng.normal(size=agents)
        a = rng.integers(agents, size=games)
        b = np.clip(np.argsort(np.argsort(rating))[a] + rng.choice([-3, -2, -1, 1, 2, 3], size=games), 0, agents - 1)
        b = np.argsort(rating)[b]
        a, b = a[a != b], b[a != b]
        return written(drawn_log(a, b, 0.1 + rating[a] - rating[b], agents, rng))
    cells = pl.read_csv(path).select("player", "opponent", "wins_as_black", "games_as_black")
    busy = cells.group_by("player").agg(pl.col("games_as_black").sum()).sort("games_as_black", "player")
    kept = busy["player"].head(agents).implode()
    cells = cells.filter(pl.col("player").is_in(kept) & pl.col("opponent").is_in(kept))
    count, wins = cells["games_as_black"].to_numpy(), cells["wins_as_black"].to_numpy()
    cell = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(cell)) - np.repeat(np.cumsum(count) - count, count)
    won = place < wins[cell]
    some = np.sort(rng.permutation(len(cell))[:games])
    words = pl.Series(["model_b", "model_a"])
    columns = {"model_a": cells["player"][cell[some]], "model_b": cells["opponent"][cell[some]]}
    return written(pl.DataFrame(columns | {"winner": words[won[some].astype(int)]}))


def go_label(games: int) -> str:
    told = "" if go_bots() else ", drawn (EQUIPOISE_DATA is not set)"
    return f"{games:,} games, {GO_AGENTS[games]} agents{told}"


def components(agents: int) -> Path:
    """Twenty-seven agents a component, each of which met its neighbours on a ring."""
    rng = np.random.default_rng(agents)
    rating, component = rng.normal(size=agents), np.arange(agents) * components_of(agents) // agents
    start = np.searchsorted(component, component)
    size = np.bincount(component)[component]
    a = np.tile(np.arange(agents), 40)
    b = start[a] + (a - start[a] + rng.integers(1, 4, size=len(a))) % size[a]
    return written(drawn_log(a, b, rating[a] - rating[b], agents, rng))


def components_of(agents: int) -> int:
    return max(2, round(agents / 27))


def cyclic(agents: int) -> Path:
    """Agents with ratings and places on one disc, two hundred games a pair of neighbours."""
    rng = np.random.default_rng(agents)
    rating, place = rng.normal(size=agents), rng.normal(size=(agents, 2))
    a = rng.integers(agents, size=500 * agents)
    b = (a + rng.integers(1, agents, size=len(a))) % agents
    odds = rating[a] - rating[b] + place[a, 0] * place[b, 1] - place[a, 1] * place[b, 0]
    return written(drawn_log(a, b, odds, agents, rng))


def grouped(rows: int) -> Path:
    """A log of a hundred agents with a voter for every five rows."""
    rng = np.random.default_rng(rows)
    rating = rng.normal(scale=0.7, size=100)
    a = rng.integers(100, size=rows)
    b = (a + rng.integers(1, 100, size=rows)) % 100
    voter = rng.integers(max(rows // 5, 2), size=rows)
    return written(drawn_log(a, b, rating[a] - rating[b], 100, rng, voter=voter), ".parquet")


def engines(agents: int) -> Path:
    """Fifteen games an engine against engines of like strength, white first, many of them drawn."""
    rng = np.random.default_rng(agents)
    rating, games = np.sort(3 * rng.normal(size=agents)), 15 * agents
    popular = (1.0 + rng.permutation(agents)) ** -0.7
    a = rng.choice(agents, size=games, p=popular / popular.sum())
    b = np.clip(a + rng.choice([-1, 1], size=games) * rng.geometric(min(1.0, 20 / agents), size=games), 0, agents - 1)
    b = np.where(b == a, (a + 1) % agents, b)
    log = drawn_log(a, b, rating[a] - rating[b] + 0.25, agents, rng)
    tied = pl.Series(rng.random(games) < np.exp(-np.abs(rating[a] - rating[b])) / 2)
    return written(log.with_columns(winner=pl.when(tied).then(pl.lit("tie")).otherwise("winner")))


def rank_job(
    name: str,
    make: Callable[[int], Path],
    options: tuple[str, ...],
    sizes: tuple[int, ...],
    quick: tuple[int, ...],
    label: Callable[[int], str],
) -> Job:
    return Job(
        name,
        make,
        (
            *command_sides(lambda path: ["rank", str(path), *options]),
            Side("python", started_floor, note="start Python, do nothing"),
        ),
        sizes,
        quick,
        label,
        lambda *_: (True, ""),
        floor="python",
    )


JOBS = (
    rank_job(
        "rank --side of Go programs",
        games_of_go, ("--position", "--components", "largest"), tuple(GO_AGENTS), tuple(GO_AGENTS)[:2], go_label,
    ),
    rank_job(
        "rank --position --ties davidson of chess engines",
        engines, ("--position", "--ties", "davidson", "--components", "largest"), (200, 600, 1_800), (100, 200, 400),
        lambda agents: f"{15 * agents:,} games, {agents:,} agents",
    ),
    rank_job(
        "rank --components each",
        components, ("--components", "each"), (54, 513, 2_049), (54, 135, 270),
        lambda agents: f"{agents:,} agents in {components_of(agents)} components",
    ),
    rank_job(
        "rank --method melo --k auto",
        cyclic, ("--method", "melo", "--dimensions", "auto"), (8, 20, 43), (8, 12, 20),
        lambda agents: f"{agents} agents",
    ),
    rank_job(
        "rank --group",
        grouped, ("--cluster", "voter"), (10_000, 500_000, 5_000_000), (10_000, 50_000, 200_000),
        lambda rows: f"{rows:,} rows, {max(rows // 5, 2):,} groups",
    ),
)  # fmt: skip
