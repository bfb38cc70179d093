"""Logs with an outcome in each row, read through codes.

A log of a hundred million rows has few distinct texts. Polars gives each a code; trimming, the meaning of words and
whose name is an outcome are then worked out once a text, and every check of the rows compares small integers.
Files are grouped by (a, b, outcome) while they stream, so that their rows are never held together; where each row also
names one of many groups, so that hardly any are alike, their codes are held.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import did_you_mean
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Codes, odd_names
from equipoise.data.encode.outcomes import OUTCOME_WORDS, as_number, coded_score, outcome_score, preference_scale
from equipoise.data.encode.side_words import letters_of, side_of
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.bad_rows import BLANK, Reason, refuse_no_rows, sift
from equipoise.data.readers.clusters import cluster_text
from equipoise.data.readers.columns import MatchColumns, OnError, OutcomeMeans, plain
from equipoise.data.readers.covariate_columns import covariate_columns
from equipoise.data.readers.match_layouts import OutcomeLayout
from equipoise.data.readers.outcome_question import OutcomeQuestion
from equipoise.data.readers.similar_names import similar_names
from equipoise.data.select.filters import kept_rows
from equipoise.data.types.accounts import Account

TEXTS = ("first", "second", "outcome")
LONGEST_WORD = 40
"""Letters of a word that advice repeats."""
EXTRA = ("group", "task", "time", "covariate ", "difference ", "label ")
SOME = 50_000
"""Rows that show whether a log repeats itself."""
COUNTED = (Advice("or name counts with ", Option("wins"), " and ", Option("games")),)


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
    place
        The row of the log where each first stood.
    """

    agents: tuple[str, ...]
    first: Codes
    second: Codes
    score: FloatArray
    weight: FloatArray
    extra: Mapping[str, pl.Series]
    place: IntArray
    diagnostics: tuple[Diagnostic, ...]
    account: Account


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
    table: Table,
    layout: OutcomeLayout,
    columns: MatchColumns,
    on_error: OnError,
    *,
    each_row: bool,
    means: str | None = None,
) -> Outcomes:
    """Read and check a log: all its rows in their order, or groups of equal rows in any order."""
    texts = (layout.a, layout.b, layout.outcome)
    shape = [text.cast(pl.Categorical).alias(name) for text, name in zip(texts, TEXTS, strict=True)]
    shape += [] if layout.weight is None else [layout.weight.alias("weight")]
    shape += [cluster_text(columns, table).cast(pl.Categorical).alias("group")] if columns.clusters else []
    shape += [] if columns.task is None else [table.text(columns.task).alias("task")]
    shape += [] if columns.time is None else [pl.col(columns.time).alias("time")]
    beside = covariate_columns(table.columns, columns.covariates)
    shape += [part for name, those in beside.items() for part in _differences(table, name, those)]
    shape += [table.text(name).alias(f"label {name}") for name in columns.labels]
    rows = table.rows.select(shape)
    if layout.weight is not None:
        rows = rows.with_columns(unfair=~_fair(pl.col("weight")))
    whole = each_row or table.in_memory or (columns.clusters and _hardly_repeats(rows, table.name))
    frame = collect(rows, table.name) if whole else _grouped(rows, table.name)
    refuse_no_rows(frame, table.name)
    everything = _coded(frame)
    coded, blank, dropped = _without_blank(everything)
    score, contradiction = _scores(coded, layout, OutcomeQuestion.of(table.name, layout, means, on_error))
    good, notes, bad = _sifted(coded, score, contradiction, on_error, table.name)
    if notes:
        coded, score = coded.take(good), score[good]
    kept = kept_rows(table.selection, coded.texts, coded.first, coded.second, coded.weight, coded.count)
    if kept is not None:
        coded, score = coded.take(kept.mask), score[kept.mask]
        notes, bad = notes + kept.notes, {**bad, **kept.dropped}
    agents, first, second = _agents(coded)
    extra = {name: coded.frame[name] for name in coded.frame.columns if name.startswith(EXTRA)}
    kept_beside = (
        *columns.clusters,
        columns.task,
        columns.time,
        *columns.labels,
        *chain.from_iterable(beside.values()),
    )
    used = {*layout.used, *(column for column in kept_beside if column is not None)}
    account = table.account(int(everything.count.sum()), dropped | bad, used)
    notes = table.diagnostics + blank + notes + layout.notes + odd_names(agents) + similar_names(agents)
    return Outcomes(agents, first, second, score, coded.weight, extra, coded.place, notes, account)


def _differences(table: Table, name: str, columns: tuple[str, ...]) -> list[pl.Expr]:
    """Give a covariate: of two columns the relative difference (none where one is below 0) and the plain one.

    One column is a difference already.
    """
    if len(columns) == 1:
        return [table.number(columns[0]).alias(f"covariate {name}")]
    a, b = table.number(columns[0]), table.number(columns[1])
    relative = pl.when((a >= 0) & (b >= 0)).then((a - b) / (a + b + 1))
    return [relative.alias(f"covariate {name}"), (a - b).alias(f"difference {name}")]


def _grouped(rows: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Group equal rows while the table streams; weights are summed, fair ones apart from others."""
    columns = rows.collect_schema().names()
    keys = [key for key in (*TEXTS, "group", "unfair") if key in columns]
    sums = [pl.len().alias("n"), pl.col("row").min()]
    sums += [pl.col("weight").sum()] if "weight" in columns else []
    return collect(rows.with_row_index("row").group_by(keys).agg(sums), name)


def _hardly_repeats(rows: pl.LazyFrame, name: str) -> bool:
    """Whether so few of the first rows are alike that grouping would only take time and memory."""
    first = collect(rows.head(SOME), name)
    return first.n_unique() > first.height * 0.9


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


def _without_blank(rows: _Coded) -> tuple[_Coded, tuple[Diagnostic, ...], dict[str, int]]:
    blank = (rows.first < 0) & (rows.second < 0) & (rows.outcome < 0)
    if not blank.any() or blank.all():
        return rows, (), {}
    count = int(rows.count[blank].sum())
    return rows.take(~blank), (info("blank-rows", f"{count:,} blank rows were passed over."),), {BLANK: count}


def _scores(
    rows: _Coded, layout: OutcomeLayout, question: "OutcomeQuestion"
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Give the first side's score, by the winner's name or else by the word, and where the two contradict.

    A number is a score even where an agent bears it as a name, unless both readings exist and differ. In a column that
    says who won, numbers are names where all of them are names of a side; where the user says what they mean, they are
    none.
    """
    used = np.unique(rows.outcome[rows.outcome >= 0])
    words = rows.texts.gather(used).to_list()
    explained = {word: question.words[word.lower()] for word in words if word.lower() in question.words}
    numeric = np.zeros(len(rows.texts) + 1, dtype=bool)
    numeric[used] = [as_number(word) is not None and word not in explained for word in words]
    side = (rows.outcome >= 0) & ((rows.outcome == rows.first) | (rows.outcome == rows.second))
    names = question.about_winner and bool((side | ~numeric[rows.outcome]).all())
    means = (
        None if names else question.settled([word for word, number in zip(words, numeric[used], strict=True) if number])
    )
    meaning = np.full(len(rows.texts) + 1, np.nan)
    scale = preference_scale(
        {as_number(word) or 0.0 for word, number in zip(words, numeric[used], strict=True) if number}
    )
    sides = plain(layout.pair[0]), plain(layout.pair[1])
    letters = letters_of(sides, words) if means is None else {}
    meaning[used] = [explained.get(word, _meaning(word, sides, means, letters, scale)) for word in words]
    by_word = meaning[rows.outcome]
    # Numbers are either names or codes, never both.
    side &= ~numeric[rows.outcome] if means is not None else True
    by_word[side & numeric[rows.outcome] & names] = np.nan
    by_name = np.where(side, np.where(rows.outcome == rows.first, 1.0, 0.0), np.nan)
    contradiction = side & ~np.isnan(by_word) & (by_name != by_word)
    return np.where(side, by_name, by_word), contradiction


def _meaning(
    word: str, sides: tuple[str, str], means: OutcomeMeans | None, letters: Mapping[str, float],
    scale: tuple[float, float] | None,
) -> float:  # fmt: skip
    """Give what a word says: as the user said, as words usually do, or as the name of a side's column."""
    score = letters.get(word.strip().lower())
    if score is None:
        score = outcome_score(word) if means is None else coded_score(word, means, scale)
    if score is None:
        score = side_of(plain(word), sides)
    return np.nan if score is None else score


def _sifted(
    rows: _Coded, score: FloatArray, contradiction: npt.NDArray[np.bool_], on_error: OnError, name: str
) -> tuple[npt.NDArray[np.bool_], tuple[Diagnostic, ...], dict[str, int]]:
    """Give which rows are good; rows are spelt out only if one is not."""
    bad = (rows.first < 0) | (rows.second < 0) | (rows.first == rows.second) | np.isnan(score)
    bad |= contradiction | rows.unfair
    group = rows.frame["group"].is_null() if "group" in rows.frame.columns else pl.Series([False])
    beside = [name for name in rows.frame.columns if name.startswith("covariate ")]
    unknown = rows.frame.select(pl.any_horizontal(~pl.col(beside).is_finite().fill_null(False))) if beside else None
    uncontrolled = pl.Series([False]) if unknown is None else unknown.to_series()
    if not bad.any() and not group.any() and not uncontrolled.any():
        return ~bad, (), {}
    spelt = {key: rows.texts.gather(_or_none(getattr(rows, key))) for key in TEXTS}
    frame = pl.DataFrame(
        {
            "row": rows.place, "n": rows.count, "at": np.arange(len(bad)), **spelt, "unfair": rows.unfair,
            "contradiction": contradiction, "score": pl.Series(score).fill_nan(None),
        }
    ).with_columns(
        nowhere=group if group.len() == len(bad) else pl.lit(False),
        uncontrolled=uncontrolled if uncontrolled.len() == len(bad) else pl.lit(False),
    )  # fmt: skip
    frame = frame.sort("row")
    usable, notes, dropped = sift(frame, _reasons(), on_error, name, *_hint(frame))
    good = np.zeros(len(bad), dtype=bool)
    good[usable["at"].to_numpy()] = True
    return good, notes, dropped


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
        Reason(pl.col("uncontrolled"), "no number of 0 or more for a covariate"),
    ]


def _hint(frame: pl.DataFrame) -> tuple[str, tuple[Advice, ...]]:
    unknown = frame.filter(pl.col("score").is_null() & pl.col("outcome").is_not_null())
    if unknown.is_empty():
        return "", ()
    word = unknown["outcome"][0]
    if as_number(word) is not None:
        codes = Advice("say what numbers mean with ", Option("score_means"))
        return " (a number from 0 to 1 is the first side's score)", (codes, *COUNTED)
    hint = did_you_mean(word, [known for known in OUTCOME_WORDS if known.isalpha()]) if word.isalpha() else ""
    distinct = unknown["outcome"].unique(maintain_order=True).to_list()
    words = [word for word in distinct if not set(",=") & set(word) and len(word) <= LONGEST_WORD]
    means = ",".join(f"{word}=NUMBER" for word in words[:8])
    explained = Advice("say what words count for the first side with ", Option("score_means", means or None))
    return hint or " (use 1, 0.5, 0, or words such as a, b, tie, or the winner's name)", (explained,)


def _agents(rows: _Coded) -> tuple[tuple[str, ...], Codes, Codes]:
    """Number the agents in order of first appearance."""
    place = np.full(len(rows.texts), np.iinfo(np.int64).max)
    for shift, codes in enumerate((rows.first, rows.second)):
        np.minimum.at(place, codes, 2 * rows.place + shift)
    order = np.argsort(place, kind="stable")[: int(np.count_nonzero(place < np.iinfo(np.int64).max))]
    number = np.empty(len(rows.texts), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return tuple(rows.texts.gather(order).to_list()), number[rows.first], number[rows.second]
