"""Which columns of a wide table are tasks: a real leaderboard has names, sizes, dates and averages beside its scores.

What is left out is named with its reason, and a user can choose otherwise.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from equipoise.data.columns import plain
from equipoise.diagnostics import Diagnostic, info
from equipoise.errors import ColumnError, did_you_mean, some_of
from equipoise.results import FloatArray
from equipoise.wording import Advice, Option

__all__ = ["AVERAGES", "NO_TASKS", "choose_tasks"]

AVERAGES = re.compile(
    r"(overall|total|global|macro|grand)?_?(average|avg|mean)(_.*)?|overall(_score)?|.*_(average|avg|mean)"
)
"""Names of columns that hold an average; other columns are tested for being one."""
OVERALL = re.compile(r"((overall|total|global|macro)_)?(average|avg|mean)(_score|_acc(uracy)?)?|overall(_score)?")
"""Names of columns that hold the average of a whole leaderboard."""
NO_TASKS = re.compile(
    r"rank(ing)?|place|position|index|id|no|unnamed(_\d+)?|row|.*_id"
    r"|.*params?(_\w+)?|parameters|parameter_count|(model_)?size(_\w+)?"
    r"|(\w+_)?(date|year|month|day|timestamp|tstamp|datetime)|created_at|updated_at|knowledge_cutoff"
    r"|hub|likes|downloads|stars|votes|n|count|n_\w+|num_\w+|number_of_\w+"
    r"|(\w+_)?cost(_\w+)?|price(_\w+)?|latency(_\w+)?|(\w+_)?tokens|context(_length|_window)?|generation"
    r"|(\w+_)?(std|sd|se|stderr|std_err|standard_error|std_error|ci|ci_low|ci_high|lower|upper|q\d+)|variance"
)
"""Names of columns that describe an agent or the precision of a score, whatever their numbers."""
TWINS = re.compile(r"^(raw_)|(_raw|_unnormali[sz]ed)$")
"""What marks a column as another one in other units."""
FEWEST_ROWS, MOST_COLUMNS = 8, 300
"""Rows from which a column that happens to be a mean of others is no chance, and columns up to which that is tested."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns that are tasks, and what was left out."""

    tasks: tuple[str, ...]
    notes: tuple[Diagnostic, ...] = ()


def choose_tasks(
    texts: pl.DataFrame, numbers: pl.DataFrame, name: str, tasks: Sequence[str] | None, not_tasks: Sequence[str]
) -> Choice:
    """Choose the tasks among the columns of a wide table, given as text and as numbers (null where there is none)."""
    for wanted in (*(tasks or ()), *not_tasks):
        if wanted not in texts.columns:
            role = "tasks" if wanted in (tasks or ()) else "not_tasks"
            raise ColumnError(
                Option(role), f': no column "{wanted}"{did_you_mean(wanted, texts.columns)}; found:'
                f" {some_of(texts.columns, 12)}"
            )  # fmt: skip
    if tasks is not None:
        return Choice(tuple(column for column in tasks if column not in not_tasks))
    rest = [column for column in texts.columns if column not in not_tasks]
    left, scores = _without_descriptions(texts, numbers, rest)
    left, scores = _without_averages(numbers, scores, left)
    if not scores:
        listed = "; ".join(f"{reason}: {some_of(columns)}" for reason, columns in left.items())
        raise ColumnError(f"{name}: no column is left that is a task ({listed})", advice=[_choose()])
    return Choice(tuple(scores), _notes(left))


def _without_descriptions(
    texts: pl.DataFrame, numbers: pl.DataFrame, columns: list[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Leave out text, flags, and numbers that are no scores; nothing where no score would be left."""
    left: dict[str, list[str]] = {}
    scores = []
    known = {column: numbers[column].len() - numbers[column].null_count() for column in columns}
    flags = [column for column in columns if _all_flags(texts[column])]
    mixed = any(known[column] and column not in flags for column in columns)
    for column in columns:
        word = plain(column)
        reason = None
        if known[column] == 0 and texts[column].null_count() < texts.height and any(known.values()):
            reason = "text"
        elif column in flags and mixed:
            reason = "flags"
        elif NO_TASKS.fullmatch(word) or _all_dates(numbers[column]):
            reason = "sizes, dates, counts and errors"
        elif TWINS.search(word) and TWINS.sub("", word) in map(plain, columns):
            reason = "the same scores in other units"
        if reason is None:
            scores.append(column)
        else:
            left.setdefault(reason, []).append(column)
    return left, scores


def _all_flags(texts: pl.Series) -> bool:
    said = set(texts.drop_nulls().str.to_lowercase().unique())
    return bool(said) and said <= {"true", "false"}


def _all_dates(numbers: pl.Series) -> bool:
    """Tell whether all numbers are dates written as 20241231."""
    seen = numbers.drop_nulls()
    return seen.len() > 1 and bool(
        ((seen > 19_000_000) & (seen < 21_000_000) & (seen % 100 <= 31) & (seen % 100 > 0)).all()
    )


def _without_averages(
    numbers: pl.DataFrame, scores: list[str], left: dict[str, list[str]]
) -> tuple[dict[str, list[str]], list[str]]:
    """Leave out averages: columns called so, and those that are the mean of others.

    Where the average of the whole leaderboard is the mean of some columns, these are its tasks.
    """
    called = [column for column in scores if AVERAGES.fullmatch(plain(column))]
    rest = [column for column in scores if column not in called]
    if not rest:
        return left, scores
    for column in called:
        parts = _parts_of_mean(numbers, column, rest)
        if parts and OVERALL.fullmatch(plain(column)) and len(parts) < len(rest):
            others = [each for each in rest if each not in parts]
            left.setdefault(f"not in the mean that is {column}", []).extend(others)
            rest = parts
            break
    if FEWEST_ROWS <= numbers.height and len(rest) <= MOST_COLUMNS:
        for column in list(rest):
            if _parts_of_mean(numbers, column, [each for each in rest if each != column]):
                called.append(column)
                rest.remove(column)
    if called:
        left["averages"] = called
    return left, rest


def _parts_of_mean(numbers: pl.DataFrame, column: str, others: list[str]) -> list[str]:
    """Give the columns of which a column is the mean, as far as its digits tell; none where it is no mean."""
    if len(others) < 2 or len(others) > MOST_COLUMNS:
        return []
    table = numbers.select(pl.col([column, *others]).cast(pl.Float64)).to_numpy()
    table = table[~np.isnan(table).any(axis=1)]
    if len(table) < 3:
        return []
    mean, rest = table[:, 0], table[:, 1:]
    for parts in _proposals(mean, rest):
        tolerance = _half_digit(mean) + _half_digit(rest[:, parts]) + 1e-9 * float(np.abs(mean).max())
        near = np.abs(rest[:, parts].mean(axis=1) - mean).max() <= tolerance
        # Copies of a task are means of each other; a mean differs from each of its parts.
        apart = (np.abs(rest[:, parts] - mean[:, None]) > tolerance).any(axis=0).all()
        if len(parts) >= 2 and near and apart:
            return [others[part] for part in parts]
    return []


def _proposals(mean: FloatArray, rest: FloatArray) -> list[np.ndarray]:
    """Propose parts: all columns, then those with a weight of their own in a fit of non-negative weights."""
    from scipy.optimize import nnls

    proposals = [np.arange(rest.shape[1])]
    try:
        weights, _ = nnls(rest, mean)
    except RuntimeError:
        return proposals
    return [*proposals, np.flatnonzero(weights > weights.max() / 2)]


def _half_digit(values: FloatArray) -> float:
    """Half a unit of the last digit written."""
    for digits in range(7):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=1e-9 * max(1.0, float(np.abs(values).max()))):
            return float(0.5 * 10.0**-digits) * 1.01
    return 0.0


def _notes(left: Mapping[str, list[str]]) -> tuple[Diagnostic, ...]:
    if not left:
        return ()
    listed = "; ".join(f"{reason}: {some_of(columns, 12)}" for reason, columns in left.items())
    names = [column for columns in left.values() for column in columns]
    return (
        info("columns-left-out", f"Columns that are no tasks were left out ({listed}).", names, advice=[_choose()]),
    )


def _choose() -> Advice:
    return Advice("choose others with ", Option("tasks"), " or ", Option("not_tasks"))
