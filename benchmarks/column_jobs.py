"""Ratings from columns that a program already holds: lists, NumPy text, polars."""

from typing import Any

import numpy as np
import polars as pl

from benchmarks.job import Answer, Job, Side, close
from benchmarks.rating_jobs import as_lists, by_name, log, matches_of, same_ratings

__all__ = ["JOBS"]

COLUMNS = ("model_a", "model_b", "winner")


def lists(frame: pl.DataFrame) -> Any:
    return tuple(frame[name].to_list() for name in COLUMNS)


def numpy_text(frame: pl.DataFrame) -> Any:
    return tuple(np.array(frame[name].to_list()) for name in COLUMNS)


def series(frame: pl.DataFrame) -> Any:
    return tuple(frame[name] for name in COLUMNS)


def ours_bradley_terry(columns: Any) -> Answer:
    import equipoise as eq

    board = eq.bradley_terry(eq.Matches.from_columns(*columns))
    return by_name(board.agents, board.rating, board.high - board.low)


def evalica_bradley_terry(columns: Any) -> Answer:
    import evalica

    scores = evalica.bradley_terry(*columns).scores
    return by_name(scores.index, np.log(scores.to_numpy()))


def ours_elo(columns: Any) -> Answer:
    import equipoise as eq

    board = eq.elo(eq.Matches.from_columns(*columns), k=16.0)
    return by_name(board.agents, board.rating / eq.methods.ELO_POINT)


def evalica_elo(columns: Any) -> Answer:
    import evalica

    scores = evalica.elo(*columns, k=16.0).scores
    return by_name(scores.index, scores.to_numpy())


def counted(columns: Any) -> Answer:
    """Go through the lists once, and count each name."""
    from collections import Counter

    for column in columns:
        Counter(column)
    return {}


LISTS = "reading three million Python texts is two fifths of it: as long as NumPy takes to point at them"
EVALICA = "Rust; winners already in its own type"
JOBS = tuple(
    Job(
        name,
        log,
        (
            Side(
                "equipoise",
                ours,
                lists,
                LISTS,
            ),
            Side("equipoise, NumPy text", ours, numpy_text),
            Side("equipoise, polars columns", ours, series),
            Side("evalica", theirs, as_lists, note),
            Side("one count", counted, lists, "count the names of each list in Python"),
        ),
        (1_000, 10_000, 100_000, 1_000_000),
        (1_000, 10_000, 100_000),
        matches_of,
        agree,
        floor="one count",
    )
    for name, ours, theirs, note, agree in (
        (
            "Bradley-Terry from columns",
            ours_bradley_terry,
            evalica_bradley_terry,
            f"{EVALICA}; no intervals",
            same_ratings,
        ),
        ("online Elo from columns", ours_elo, evalica_elo, EVALICA, close("rating", 1e-6, "a rating in Elo points")),
    )
)
