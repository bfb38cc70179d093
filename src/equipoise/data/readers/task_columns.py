"""Which columns of a wide table are tasks: a real leaderboard has names, sizes, dates and averages beside its scores.

What is left out is named with its reason, and a user can choose otherwise.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ColumnError, did_you_mean, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.columns import plain

Mask = npt.NDArray[np.bool_]

AVERAGES = re.compile(
    r"(overall|total|global|macro|grand)?_?(average|avg|mean)(_.*)?|overall(_score|_acc(uracy)?)?|.*_(average|avg|mean)"
)
"""Names of columns that hold an average; other columns are tested for being one."""
OVERALL = re.compile(r"((overall|total|global|macro)_)?(average|avg|mean)(_score|_acc(uracy)?)?|overall(_score)?")
"""Names of columns that hold the average of a whole leaderboard."""
NO_TASKS = re.compile(
    r"rank(ing)?|place|position|index|id|no|unnamed(_\d+)?|row|.*_id"
    r"|.*params?(_\w+)?|parameters|parameter_count|(model_)?size(_\w+)?"
    r"|(\w+_)?(date|year|month|day|timestamp|tstamp|datetime)|created_at|updated_at|knowledge_cutoff"
    r"|hub|likes|downloads|stars|votes|n|count|n_\w+|num_\w+|number_of_\w+|games(_played)?|matches(_played)?"
    r"|sigma|rd|rating_deviation|deviation|volatility|uncertainty"
    r"|(\w+_)?cost(_\w+)?|price(_\w+)?|latency(_\w+)?|(\w+_)?tokens|context(_length|_window)?"
    r"|generations?|((global|env|training)_)?(time)?steps?|iterations?|epochs?|episodes?|seed|runtime|totals?"
    r"|total_(instances|count|items|tasks|samples|problems)|freq(uency)?|weights?"
    r"|(\w+_)?(std|sd|se|stderr|std_err|standard_error|std_error|ci|ci_low|ci_high|lower|upper)|\w+_q\d+|variance"
)
"""Names of columns that describe an agent or the precision of a score, whatever their numbers."""
TWINS = re.compile(r"^(raw_)|(_raw|_unnormali[sz]ed)$")
"""What marks a column as another one in other units."""
FEWEST_ROWS, MOST_COLUMNS = 8, 100
"""Rows from which a column that happens to be a mean of others is no chance, and columns up to which that is tested."""
DEPENDENT = 1e-3
"""Share of a column's square that others may leave for it to be tested."""
MOST_OFF = 0.02
"""How far a rounded mean may be off, in standard deviations between the agents."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells of a wide table, rows x columns.

    Attributes
    ----------
    texts, values
        As they are written, and as numbers (NaN where there is none; true and false are 1 and 0).
    empty, gap, flag
        Where nothing is written; where that or a sign for it is; where true or false is.
    """

    columns: tuple[str, ...]
    texts: npt.NDArray[Any]
    values: FloatArray
    empty: Mask
    gap: Mask
    flag: Mask

    def take(self, rows: "Mask | npt.NDArray[np.int64]") -> "Cells":
        """Give some of the rows, by a mask or by places."""
        return self._like(self.columns, (rows, slice(None)))

    def of(self, columns: Sequence[str]) -> "Cells":
        """Give some of the columns."""
        place = {column: index for index, column in enumerate(self.columns)}
        at = [place[column] for column in columns]
        return self._like(tuple(columns), (slice(None), at))

    def _like(self, columns: tuple[str, ...], at: Any) -> "Cells":
        return Cells(columns, self.texts[at], self.values[at], self.empty[at], self.gap[at], self.flag[at])

    def tells_apart(self, column: int) -> bool:
        """Tell whether a column holds texts of which no two are equal."""
        texts = self.texts[:, column]
        return bool(np.isnan(self.values[:, column]).all() and not self.gap[:, column].any()) and len(
            set(texts)
        ) == len(texts)

    def tells_apart_beside(self, names: Iterable[str]) -> str | None:
        """Give the first column of texts that makes names unique which come again; None where there is none."""
        called = list(names)
        for place, column in enumerate(self.columns):
            texts = self.texts[:, place].tolist()
            written = np.isnan(self.values[:, place]).all() and not self.gap[:, place].any()
            if written and len(set(zip(called, texts, strict=True))) == len(called):
                return column
        return None


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns that are tasks, and what was left out."""

    tasks: tuple[str, ...]
    notes: tuple[Diagnostic, ...] = ()


def choose_tasks(cells: Cells, name: str, tasks: Sequence[str] | None, not_tasks: Sequence[str]) -> Choice:
    """Choose the tasks among the columns of a wide table."""
    for wanted in (*(tasks or ()), *not_tasks):
        if wanted not in cells.columns:
            role = "tasks" if wanted in (tasks or ()) else "not_tasks"
            hint = did_you_mean(wanted, cells.columns)
            raise ColumnError(Option(role), f': no column "{wanted}"{hint}; found: {some_of(cells.columns, 12)}')
    if tasks is not None:
        chosen = tuple(column for column in tasks if column not in not_tasks)
        if not chosen:
            raise ColumnError(f"{name}: no task is left")
        return Choice(chosen)
    rest = cells.of([column for column in cells.columns if column not in not_tasks])
    left, scores = without_descriptions(rest)
    left, scores = _without_averages(cells, scores, left)
    if not scores:
        listed = "; ".join(f"{reason}: {some_of(columns)}" for reason, columns in left.items())
        raise ColumnError(f"{name}: no column is left that is a task ({listed})", advice=[_choose()])
    return Choice(tuple(scores), _notes(left))


def choose_agents(cells: Cells, name: str, *, only_text: bool) -> Choice:
    """Choose the agents among the columns of a table with tasks in rows; with ``only_text`` all that hold numbers."""
    left, scores = without_descriptions(cells)
    if only_text:
        left = {reason: columns for reason, columns in left.items() if reason == "text"}
        scores = [column for column in cells.columns if column not in left.get("text", ())]
    averages = [] if only_text else [column for column in scores if AVERAGES.fullmatch(plain(column))]
    if averages and len(averages) < len(scores):
        left, scores = {**left, "averages": averages}, [column for column in scores if column not in averages]
    if not scores:
        listed = "; ".join(f"{reason}: {some_of(columns)}" for reason, columns in left.items())
        raise ColumnError(f"{name}: no column is left that is an agent ({listed})")
    return Choice(tuple(scores), _notes(left, "agents"))


def without_descriptions(cells: Cells) -> tuple[dict[str, list[str]], list[str]]:
    """Leave out text, flags, and numbers that are no scores."""
    left: dict[str, list[str]] = {}
    scores = []
    known = ~np.isnan(cells.values)
    written = ~cells.gap
    words = {plain(column) for column in cells.columns}
    flags = np.asarray((cells.flag == written).all(axis=0) & written.any(axis=0))
    numeric = np.asarray(known.any(axis=0))
    for place, column in enumerate(cells.columns):
        word = plain(column)
        reason = None
        if not numeric[place] and written[:, place].any() and numeric.any():
            reason = "text"
        elif flags[place] and (numeric & ~flags).any():
            reason = "flags"
        elif not column.strip() or NO_TASKS.fullmatch(word) or _all_dates(cells.values[:, place]):
            reason = "sizes, dates, counts and errors"
        elif TWINS.search(word) and TWINS.sub("", word) in words:
            reason = "the same scores in other units"
        if reason is None:
            scores.append(column)
        else:
            left.setdefault(reason, []).append(column)
    return left, scores


def _all_dates(values: FloatArray) -> bool:
    """Tell whether all numbers are dates written as 20241231."""
    seen = values[~np.isnan(values)]
    if len(seen) < 2 or not ((seen > 19_000_000) & (seen < 21_000_000)).all():
        return False
    day = seen % 100
    return bool(((day <= 31) & (day > 0)).all())


def _without_averages(
    cells: Cells, scores: list[str], left: dict[str, list[str]]
) -> tuple[dict[str, list[str]], list[str]]:
    """Leave out averages: columns called so, and those that are the mean of others.

    Where the average of the whole leaderboard is the mean of some columns, these are its tasks.
    """
    called = [column for column in scores if AVERAGES.fullmatch(plain(column))]
    rest = [column for column in scores if column not in called]
    if not rest:
        return left, scores
    for column in called:
        parts = _parts_of_mean(cells, column, rest)
        if parts and OVERALL.fullmatch(plain(column)) and len(parts) < len(rest):
            others = [each for each in rest if each not in parts]
            left.setdefault(f"not in the mean that is {column}", []).extend(others)
            rest = parts
            break
    if len(cells.values) >= FEWEST_ROWS and len(rest) <= MOST_COLUMNS:
        for column in _dependent(cells, rest):
            if _parts_of_mean(cells, column, [each for each in rest if each != column]):
                called.append(column)
                rest.remove(column)
    if called:
        left["averages"] = called
    return left, rest


def _dependent(cells: Cells, columns: list[str]) -> list[str]:
    """Give the columns that are nearly a sum of multiples of the others: no other can be a mean of them.

    The reciprocal diagonal of the inverse Gram matrix is what the others leave of each column.
    """
    table = cells.of(columns).values
    table = table[np.isfinite(table).all(axis=1)]
    length = np.sqrt((table**2).sum(axis=0))
    if len(table) < FEWEST_ROWS or not length.all():
        return columns
    unit = table / length
    left = 1 / np.diag(np.linalg.inv(unit.T @ unit + 1e-9 * np.eye(len(columns))))
    return [column for column, rest in zip(columns, left, strict=True) if rest < DEPENDENT]


def _parts_of_mean(cells: Cells, column: str, others: list[str]) -> list[str]:
    """Give the columns of which a column is the mean, as far as its digits tell; none where it is no mean."""
    if len(others) < 2 or len(others) > MOST_COLUMNS:
        return []
    table = cells.of([column, *others]).values
    table = table[np.isfinite(table).all(axis=1)]
    if len(table) < 3:
        return []
    mean, rest = table[:, 0], table[:, 1:]
    exact = 1e-9 * float(np.abs(mean).max())
    for parts in _proposals(mean, rest):
        if len(parts) < 2:
            continue
        rounding = half_digit(mean) + half_digit(rest[:, parts])
        off = np.abs(rest[:, parts].mean(axis=1) - mean).max()
        # Copies of a task are means of each other; a mean differs from each of its parts.
        apart = (np.abs(rest[:, parts] - mean[:, None]) > exact).any(axis=0).all()
        if apart and off <= min(rounding, MOST_OFF * mean.std()) + exact:
            return [others[part] for part in parts]
    return []


def _proposals(mean: FloatArray, rest: FloatArray) -> list[np.ndarray]:
    """Propose parts: all columns, then those with a weight of their own in a fit of non-negative weights."""
    from scipy.optimize import nnls

    proposals = [np.arange(rest.shape[1])]
    between = (rest.min(axis=1) <= mean) & (mean <= rest.max(axis=1))
    if rest.shape[0] <= rest.shape[1] or not between.all():
        return proposals
    try:
        weights, _ = nnls(rest, mean)
    except RuntimeError:
        return proposals
    return [*proposals, np.flatnonzero(weights > weights.max() / 2)]


def half_digit(values: FloatArray) -> float:
    """Half a unit of the last digit written."""
    for digits in range(7):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=1e-9 * max(1.0, float(np.abs(values).max()))):
            return float(0.5 * 10.0**-digits) * 1.01
    return 0.0


def _notes(left: Mapping[str, list[str]], wanted: str = "tasks") -> tuple[Diagnostic, ...]:
    if not left:
        return ()
    listed = "; ".join(f"{reason}: {some_of(columns, 12)}" for reason, columns in left.items())
    names = [column for columns in left.values() for column in columns]
    advice = [_choose()] if wanted == "tasks" else []
    return (info("columns-left-out", f"Columns that are no {wanted} were left out ({listed}).", names, advice=advice),)


def _choose() -> Advice:
    return Advice("choose others with ", Option("tasks"), " or ", Option("not_tasks"))
