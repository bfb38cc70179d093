"""Logs with an outcome in each row, read through codes.

A log of a hundred million rows has few distinct texts. Polars gives each a code; trimming, the meaning of words and
whose name is an outcome are then worked out once a text, and every check of the rows compares small integers.
Files are grouped by (a, b, outcome) while they stream, so that their rows are never held together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from equipoise.data.bad_rows import Reason, refuse_no_rows, sift
from equipoise.data.columns import LIKE_WEIGHTS, MatchColumns, OnError, find
from equipoise.data.labels import Codes
from equipoise.data.match_layouts import OutcomeLayout
from equipoise.data.outcomes import OUTCOME_WORDS, outcome_score
from equipoise.data.tables import Table, collect
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import did_you_mean
from equipoise.results import FloatArray, IntArray
from equipoise.wording import Advice, Option

__all__ = ["Outcomes", "outcomes_from"]

TEXTS = ("first", "second", "outcome")
EXTRA = ("group", "task", "time")


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Checked rows, or groups of equal rows.

    Attributes
    ----------
    agents, first, second
        Names in order of first appearance, and the two sides as codes into them.
    score
        Of the first side, in [0, 1].
    weight
        How many games a row stands for.
    extra
        Further columns that were asked for, of the same rows.
    """

    agents: tuple[str, ...]
    first: Codes
    second: Codes
    score: FloatArray
    weight: FloatArray
    extra: Mapping[str, pl.Series]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Coded:
    """Rows by codes into trimmed ``texts`` (-1 where there is none); ``count`` rows alike from row ``place`` on."""

    texts: pl.Series
    first: Codes
    second: Codes
    outcome: Codes
    weight: FloatArray
    unfair: npt.NDArray[np.bool_]
    count: IntArray
    place: IntArray
    frame: pl.DataFrame

    def take(self, rows: npt.NDArray[Any]) -> "_Coded":
        return _Coded(
            self.texts,
            self.first[rows],
            self.second[rows],
            self.outcome[rows],
            self.weight[rows],
            self.unfair[rows],
            self.count[rows],
            self.place[rows],
            self.frame.filter(pl.Series(rows)),
        )


def outcomes_from(
    table: Table, layout: OutcomeLayout, columns: MatchColumns, on_error: OnError, *, each_row: bool
) -> Outcomes:
    """Read and check a log: all its rows in their order, or groups of equal rows in any order."""
    texts = (layout.a, layout.b, layout.outcome)
    shape = [text.cast(pl.Categorical).alias(name) for text, name in zip(texts, TEXTS, strict=True)]
    shape += [] if layout.weight is None else [layout.weight.alias("weight")]
    shape += [] if columns.group is None else [table.text(columns.group).alias("group")]
    shape += [] if columns.task is None else [table.text(columns.task).alias("task")]
    shape += [] if columns.time is None else [pl.col(columns.time).alias("time")]
    rows = table.rows.select(shape)
    if layout.weight is not None:
        rows = rows.with_columns(unfair=~_fair(pl.col("weight")))
    frame = collect(rows, table.name) if each_row or table.in_memory else _grouped(rows, table.name)
    refuse_no_rows(frame, table.name)
    coded, blank = _without_blank(_coded(frame))
    score, contradiction = _scores(coded)
    good, notes = _sifted(coded, score, contradiction, on_error, table.name)
    if notes:
        coded, score = coded.take(good), score[good]
    agents, first, second = _agents(coded)
    extra = {name: coded.frame[name] for name in coded.frame.columns if name in EXTRA}
    notes = table.diagnostics + blank + notes + _overlooked(table, layout)
    return Outcomes(agents, first, second, score, coded.weight, extra, notes)


def _grouped(rows: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Group equal rows while the table streams; weights are summed, fair ones apart from others."""
    columns = rows.collect_schema().names()
    keys = [key for key in (*TEXTS, "group", "unfair") if key in columns]
    sums = [pl.len().alias("n"), pl.col("row").min()]
    sums += [pl.col("weight").sum()] if "weight" in columns else []
    return collect(rows.with_row_index("row").group_by(keys).agg(sums), name)


def _fair(weight: pl.Expr) -> pl.Expr:
    return (weight.is_finite() & (weight >= 0)).fill_null(False)


def _coded(frame: pl.DataFrame) -> _Coded:
    texts, codes = _shared_codes([frame[name] for name in TEXTS])
    size = frame.height
    count = frame["n"].to_numpy().astype(np.int64) if "n" in frame.columns else np.ones(size, dtype=np.int64)
    place = frame["row"].to_numpy().astype(np.int64) if "row" in frame.columns else np.arange(size)
    weighted = "weight" in frame.columns
    weight = frame["weight"].to_numpy() if weighted else count.astype(float)
    unfair = frame["unfair"].to_numpy() if weighted else np.zeros(size, dtype=bool)
    return _Coded(texts, codes[0], codes[1], codes[2], weight, unfair, count, place, frame)


def _shared_codes(columns: list[pl.Series]) -> tuple[pl.Series, list[Codes]]:
    """Give the distinct trimmed texts of several coded columns, and the columns as codes into them."""
    distinct = pl.concat([column.unique() for column in columns]).unique().drop_nulls()
    trimmed = distinct.cast(pl.String).str.strip_chars()
    texts = trimmed.filter(trimmed != "").unique(maintain_order=True)
    code = trimmed.cast(pl.Enum(texts), strict=False).to_physical().cast(pl.Int32).fill_null(-1)
    number = distinct.to_physical()
    none = int(number.max() or 0) + 1  # type: ignore[arg-type]  # codes are whole numbers
    translation = np.full(none + 1, -1, dtype=np.int32)
    translation[number.to_numpy()] = code.to_numpy()
    return texts, [translation[column.to_physical().fill_null(none).to_numpy()] for column in columns]


def _without_blank(rows: _Coded) -> tuple[_Coded, tuple[Diagnostic, ...]]:
    blank = (rows.first < 0) & (rows.second < 0) & (rows.outcome < 0)
    if not blank.any() or blank.all():
        return rows, ()
    count = int(rows.count[blank].sum())
    return rows.take(~blank), (info("blank-rows", f"{count:,} blank rows were passed over."),)


def _scores(rows: _Coded) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Give the first side's score, by the winner's name or else by the word, and where the two contradict.

    A number is a score even where an agent bears it as a name, unless both readings exist and differ.
    """
    meaning = np.full(len(rows.texts) + 1, np.nan)
    used = np.unique(rows.outcome[rows.outcome >= 0])
    meaning[used] = [np.nan if (score := outcome_score(word)) is None else score for word in rows.texts.gather(used)]
    by_word = meaning[rows.outcome]
    is_name = np.zeros(len(rows.texts), dtype=bool)
    is_name[rows.first[rows.first >= 0]] = is_name[rows.second[rows.second >= 0]] = True
    if not is_name[used].any():
        return by_word, np.zeros(len(by_word), dtype=bool)
    by_name = np.where(rows.outcome == rows.second, 0.0, np.nan)
    by_name[rows.outcome == rows.first] = 1.0
    by_name[rows.outcome < 0] = np.nan
    named = ~np.isnan(by_name)
    contradiction = named & ~np.isnan(by_word) & (by_name != by_word)
    return np.where(named, by_name, by_word), contradiction


def _sifted(
    rows: _Coded, score: FloatArray, contradiction: npt.NDArray[np.bool_], on_error: OnError, name: str
) -> tuple[npt.NDArray[np.bool_], tuple[Diagnostic, ...]]:
    """Give which rows are good; rows are spelt out only if one is not."""
    bad = (rows.first < 0) | (rows.second < 0) | (rows.first == rows.second) | np.isnan(score)
    bad |= contradiction | rows.unfair
    group = rows.frame["group"].is_null() if "group" in rows.frame.columns else pl.Series([False])
    if not bad.any() and not group.any():
        return ~bad, ()
    spelt = {key: rows.texts.gather(_or_none(getattr(rows, key))) for key in TEXTS}
    frame = pl.DataFrame(
        {
            "row": rows.place, "n": rows.count, "at": np.arange(len(bad)), **spelt, "unfair": rows.unfair,
            "contradiction": contradiction, "score": pl.Series(score).fill_nan(None),
        }
    ).with_columns(nowhere=group if group.len() == len(bad) else pl.lit(False))  # fmt: skip
    frame = frame.sort("row")
    usable, notes = sift(frame, _reasons(), on_error, name, _hint(frame))
    good = np.zeros(len(bad), dtype=bool)
    good[usable["at"].to_numpy()] = True
    return good, notes


def _or_none(codes: Codes) -> pl.Series:
    return pl.Series(codes).replace(-1, None)


def _reasons() -> list[Reason]:
    return [
        Reason(pl.col("first").is_null() | pl.col("second").is_null(), "no agent's name"),
        Reason(pl.col("first") == pl.col("second"), "an agent against itself", pl.col("first")),
        Reason(pl.col("outcome").is_null(), "no outcome"),
        Reason(pl.col("contradiction"), "an outcome that is both a side's word and an agent's name", pl.col("outcome")),
        Reason(pl.col("score").is_null(), "unknown outcome", pl.col("outcome")),
        Reason(pl.col("unfair"), "a weight that is negative, missing or not finite"),
        Reason(pl.col("nowhere"), "no group"),
    ]


def _hint(frame: pl.DataFrame) -> str:
    unknown = frame.filter(pl.col("score").is_null() & pl.col("outcome").is_not_null())
    if unknown.is_empty():
        return ""
    word = unknown["outcome"][0]
    hint = did_you_mean(word, [known for known in OUTCOME_WORDS if known.isalpha()]) if word.isalpha() else ""
    return hint or " (use 1, 0.5, 0, or words such as a, b, tie, or the winner's name)"


def _agents(rows: _Coded) -> tuple[tuple[str, ...], Codes, Codes]:
    """Number the agents in order of first appearance."""
    place = np.full(len(rows.texts), np.iinfo(np.int64).max)
    for shift, codes in enumerate((rows.first, rows.second)):
        np.minimum.at(place, codes, 2 * rows.place + shift)
    order = np.argsort(place, kind="stable")[: int(np.count_nonzero(place < np.iinfo(np.int64).max))]
    number = np.empty(len(rows.texts), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return tuple(rows.texts.gather(order).to_list()), number[rows.first], number[rows.second]


def _overlooked(table: Table, layout: OutcomeLayout) -> tuple[Diagnostic, ...]:
    """Point out a column that looks like a weight and was not taken as one."""
    column = find(table.columns, LIKE_WEIGHTS) if layout.weight is None else None
    if column is None:
        return ()
    message = f'Every row counts once, whatever column "{column}" says.'
    advice = Advice("if it says how often a row happened, name it with ", Option("weight", column))
    return (warning("column-not-used", message, [column], advice=[advice]),)
