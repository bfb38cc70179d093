"""Logs as plain tables that every reader takes back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from equipoise.data.episodes import Episodes
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.scores import Scores
from equipoise.errors import DataError, ParameterError
from equipoise.logs.paths import Source
from equipoise.logs.read import LogData, read_logs

__all__ = ["frame_of", "import_logs"]

WRITERS = {".parquet": "write_parquet", ".csv": "write_csv", ".jsonl": "write_ndjson", ".arrow": "write_ipc"}


def import_logs(
    source: Source,
    output: str | Path,
    *,
    metric: str | None = None,
    reading: Mapping[str, object] | None = None,
) -> LogData:
    """Convert logs into one table, and give back what was read.

    Parameters
    ----------
    source
        A log, a folder, a glob, or a list of them.
    output
        The table to write: a name that ends in .parquet, .csv, .jsonl or .arrow.
    metric
        Which metric is taken where a log has several.
    reading
        Other options of the readers by name, as in :func:`read`.

    Fails when
        nothing there can be read, or the table cannot be written.
    """
    target = Path(output)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise ParameterError(f"{target}: tables are written as {', '.join(WRITERS)}")
    data = read_logs(source, {**(reading or {}), **({"metric": metric} if metric else {})})
    try:
        getattr(frame_of(data), writer)(target)
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror or error}") from error
    return data


def frame_of(data: LogData) -> pl.DataFrame:
    """Give data as a table with a row for each score, game, or hand of an agent."""
    if isinstance(data, Scores):
        return _scores(data)
    if isinstance(data, Matches):
        return _matches(data)
    if isinstance(data, PairTable):
        names = np.array(data.agents, dtype=object)
        sides = {"a": names[data.first], "b": names[data.second]}
        return pl.DataFrame(sides | {"wins_a": data.wins, "wins_b": data.losses, "ties": data.ties})
    if isinstance(data, MetaGame):
        raise DataError("payoffs of a game are no table of rows; write them as JSON")
    return _episodes(data)


def _scores(data: Scores) -> pl.DataFrame:
    trials = data.repeats if data.repeats is not None else data.values[:, :, None]
    i, j, k = np.nonzero(~np.isnan(trials))
    columns: dict[str, Any] = {"agent": _text(data.agents, i), "task": _text(data.tasks, j)}
    columns |= {} if data.repeats is None else {"trial": k}
    return pl.DataFrame(columns | {"score": trials[i, j, k]})


def _matches(data: Matches) -> pl.DataFrame:
    columns: dict[str, Any] = {
        "a": _text(data.agents, data.a),
        "b": _text(data.agents, data.b),
        "outcome": data.outcome,
    }
    columns |= {} if data.weight is None else {"weight": data.weight}
    for name in ("task", "group"):
        factor = getattr(data, name)
        columns |= {} if factor is None else {name: _text(factor.labels, factor.codes)}
    return pl.DataFrame(columns | ({} if data.time is None else {"time": data.time}))


def _episodes(data: Episodes) -> pl.DataFrame:
    columns: dict[str, Any] = {"deal": _text(data.deal.labels, data.deal.codes)}
    for name in ("hand", "seat"):
        factor = getattr(data, name)
        columns |= {} if factor is None else {name: _text(factor.labels, factor.codes)}
    columns |= {"agent": _text(data.agents, data.agent.codes), "utility": data.utility}
    return pl.DataFrame(columns | dict(data.controls))


def _text(labels: Any, codes: Any) -> pl.Series:
    """Give labels by their codes."""
    return pl.Series([str(label) for label in labels], dtype=pl.String).gather(np.asarray(codes))
