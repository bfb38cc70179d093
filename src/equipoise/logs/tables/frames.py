"""Data of logs as plain tables: a row for each score, game, or hand of an agent; and which of the rows are wanted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from equipoise.core.errors import DataError, EquipoiseError
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import read_episodes, read_pairs, read_scores
from equipoise.data.readers.similar_names import not_about_names
from equipoise.data.select.selection import refuse_cleaning, refuse_selection
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Ballots, Orders, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

LogData = Scores | Matches | PairTable | Episodes | MetaGame | Rankings | Ballots
"""What logs are read into."""


def chosen(data: LogData, options: ReadOptions) -> LogData:
    """Take the rows and agents that are wanted; games are counted by pairs then."""
    selection = options.by_limits
    if not selection.named():
        return data
    if isinstance(data, MetaGame):
        refuse_selection(selection)
    if isinstance(data, Scores | Episodes):
        refuse_cleaning(selection)
    with errors_naming("the logs"):
        taken = _taken(data, options.rows)
    kept: LogData = replace(taken, diagnostics=(*not_about_names(data.diagnostics), *taken.diagnostics))
    return kept


@contextmanager
def errors_naming(name: str) -> Iterator[None]:
    """Call what is wrong with a frame after the logs that a user gave: the frame is only our way to choose of them."""
    try:
        yield
    except EquipoiseError as error:
        words = [word.replace("the data frame", name) if isinstance(word, str) else word for word in error.words]
        raise type(error)(*words, advice=error.advice) from error


def _taken(data: LogData, options: ReadOptions) -> Any:
    frame = frame_of(data)
    if isinstance(data, Scores):
        return read_scores(frame, read=options)
    if isinstance(data, Episodes):
        return read_episodes(frame, controls=list(data.controls), read=options)
    return read_pairs(frame, read=options)


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
    if isinstance(data, Orders):
        return _orders(data)
    return _episodes(data)


def _orders(data: Orders) -> pl.DataFrame:
    """Give a row for each agent of each game, or of each ballot as often as it was cast."""
    times = data.weight.astype(np.int64)
    if (times != data.weight).any():
        raise DataError("ballots with fractional weights are no table of rows")
    whole = data.take(np.repeat(np.arange(len(data)), times))
    games = data.games if isinstance(data, Rankings) and len(whole) == len(data) else range(1, len(whole) + 1)
    named = {"game": _text(tuple(map(str, games)), whole.rows), "player": _text(data.agents, whole.who)}
    columns = list(named) if isinstance(data, Rankings) else ["voter", "candidate"]
    table = pl.DataFrame({**dict(zip(columns, named.values(), strict=True)), "place": whole.place + 1})
    return table if isinstance(data, Rankings) else table.rename({"place": "rank"})


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
