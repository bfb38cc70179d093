"""Wide score tables: a row for each agent and a column for each task, or the reverse."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ColumnError, DataError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.answers import answer_notes, with_answers
from equipoise.data.encode.cells import GAPS, OddCells
from equipoise.data.encode.labels import odd_names, unique_names
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.bad_rows import BLANK, refuse_many, refuse_no_rows
from equipoise.data.readers.columns import SCORES, TASKS, UNSURE_TASKS, OnError, find, plain
from equipoise.data.readers.implausible import (
    holds_records,
    refuse_agents_without_tasks,
    refuse_counts,
    refuse_long,
    refuse_one_value,
    refuse_row_numbers,
    refuse_scores_as_names,
)
from equipoise.data.readers.score_columns import (
    COLUMNS,
    ScoreReading,
    long_columns,
    noting_gaps,
    number_of,
    said_by_words,
    said_columns,
)
from equipoise.data.readers.similar_names import RUNS, similar_names, with_agents_joined
from equipoise.data.readers.task_columns import (
    Cells,
    Choice,
    choose_agents,
    choose_tasks,
    half_digit,
    without_descriptions,
)
from equipoise.data.readers.wide.known_names import is_metric
from equipoise.data.readers.wide.label_columns import (
    FREQUENCIES,
    comes_again,
    label_column,
    repeats_of,
    run_column,
    runs_of_one,
)
from equipoise.data.readers.wide.orientation import (
    SUMMARIES,
    Orientation,
    ask,
    ask_for_agents,
    orient,
)
from equipoise.data.select.filters import chosen_scores
from equipoise.data.types.scores import Scores

MOST_REPEATED = 5_000_000
"""Rows that frequencies may make."""


@dataclass(frozen=True, slots=True)
class _WideRows:
    """The rows of a wide table: the column that names them, their names, their cells, and what became of blank ones."""

    label: str | None
    names: pl.Series | None
    cells: Cells
    notes: tuple[Diagnostic, ...]
    dropped: dict[str, int]
    given: int


def wide_scores(table: Table, how: ScoreReading) -> Scores:
    """Read a wide table, with its agents in rows or in columns."""
    rows = _repeated(_rows(table, how), table, how)
    side = _oriented(rows, table, how)
    how = replace(how, agents_in=side.agents_in)
    again = runs_of_one(rows.label, rows.names, rows.cells, how) or repeats_of(rows.names, rows.cells, how)
    if again is None and how.columns.trial is not None:
        raise ColumnError(Option("trial"), " has no effect: it does not tell rows of one agent apart in a wide table")
    if again is not None:
        rows = replace(rows, names=again.names, cells=again.cells, notes=rows.notes + again.notes,
                       dropped=rows.dropped | again.dropped)  # fmt: skip
    names = _row_names(rows, table, how)
    of_rows = names if again is None else tuple(names[place] for place in again.place)
    choice = _columns_taken(rows.cells, table, how, by_user=side.because is None)
    columns = list(choice.tasks)
    if how.agents_in == "rows" and again is None:
        rows = _without_sums(rows, columns)
        names = of_rows = tuple(rows.names.to_list()) if rows.names is not None else names
    cells = rows.cells.of(columns)
    if rows.label is not None and how.agents_in == "rows" and how.tasks is None and how.columns.agent is None:
        refuse_one_value(table.name, rows.label, columns, cells.values)
    notes = table.diagnostics + rows.notes + side.notes() + choice.notes
    if how.words or cells.flag.any():
        notes += answer_notes(pl.Series(cells.texts[~cells.gap].tolist(), dtype=pl.String), None, how.words)
    notes += _strange_cells(cells, of_rows, how.on_error, table.name) + odd_names((*names, *columns))
    used = [*columns, *([rows.label] if rows.label is not None else [])]
    if again is not None:
        read = again.scores(cells.values, columns, side.agents_in)
    elif how.agents_in == "rows":
        read = Scores.from_matrix(cells.values, names, columns)
    else:
        read = Scores.from_matrix(cells.values.T, columns, names)
    read = replace(read, diagnostics=notes) if how.agents_in == "rows" else _of_transposed(read, how, notes)
    scores, out = chosen_scores(_named_once(read, how), table.selection)
    dropped = rows.dropped | (out if how.agents_in == "rows" else {})
    return noting_gaps(replace(scores, account=table.account(rows.given, dropped, used)))


def _named_once(scores: Scores, how: ScoreReading) -> Scores:
    """Join agents of several spellings where that was asked for, and name those that are left."""
    joined = with_agents_joined(scores, how.merge_names, how.duplicates)
    return replace(joined, diagnostics=(*joined.diagnostics, *similar_names(joined.agents)))


def _rows(table: Table, how: ScoreReading) -> _WideRows:
    """Read all cells, and pass over blank rows."""
    label, notes = label_column(table, how.columns, transpose=how.agents_in == "columns")
    repeated = [column for column in table.columns if "_duplicated_" in column]
    if repeated:
        raise ColumnError(f"{table.name}: {_repeated_header([c.split('_duplicated_')[0] for c in repeated])}")
    columns = [column for column in table.columns if column != label]
    if not columns:
        raise DataError(f"{table.name} has no column of scores")
    raw = collect(table.rows, table.name)
    refuse_no_rows(raw, table.name)
    cells = _cells(table, raw, columns, how.words)
    labels = None if label is None else raw.select(table.text(label)).to_series()
    blank = np.asarray(cells.empty.all(axis=1))
    if labels is not None:
        blank &= labels.is_null().to_numpy()
    dropped: dict[str, int] = {}
    if blank.any() and not blank.all():
        dropped = {BLANK: int(blank.sum())}
        notes += (info("blank-rows", f"{dropped[BLANK]:,} blank rows were passed over."),)
        cells, labels = cells.take(~blank), None if labels is None else labels.filter(~blank)
    return _WideRows(label, labels, cells, notes, dropped, raw.height)


def _repeated_header(repeated: list[str]) -> str:
    """Say what may be wrong with a header in which names come again."""
    if not any(name.strip() for name in repeated):
        return "its first line leaves columns without a name; if it is a title, take out what stands above the header"
    return f"column names appear more than once: {some_of(repeated)}; if the header has two lines, join them into one"


def _repeated(rows: _WideRows, table: Table, how: ScoreReading) -> _WideRows:
    """Repeat rows without names as often as a column of frequencies says: each is a pattern of answers.

    Fails when
        a frequency is no whole number, or negative.
    """
    counted = [column for column in rows.cells.columns if plain(column) in FREQUENCIES]
    if rows.label is not None or len(counted) != 1 or counted[0] in (how.tasks or ()):
        return rows
    often = rows.cells.of(counted).values[:, 0]
    if not (np.isfinite(often).all() and (often >= 0).all() and (often == np.round(often)).all()):
        raise DataError(
            f'{table.name}: column "{counted[0]}" says how often a row happened, in whole numbers from 0 on'
        )
    if not 0 < often.sum() <= MOST_REPEATED:
        raise DataError(f'{table.name}: column "{counted[0]}" makes {often.sum():,.0f} agents of the rows')
    cells = rows.cells.of([column for column in rows.cells.columns if column != counted[0]])
    note = info(
        "repeated-by-weight",
        f'Column "{counted[0]}" says how often each row happened: {len(often):,} rows are {often.sum():,.0f} agents.',
        counted,
        advice=[Advice("take it for a task with ", Option("tasks"))],
    )
    places = np.repeat(np.arange(len(often)), often.astype(np.int64))
    return replace(rows, cells=cells.take(places), notes=(*rows.notes, note))


def _oriented(rows: _WideRows, table: Table, how: ScoreReading) -> Orientation:
    """Say where agents stand: as the user says, or as the table tells; or ask.

    A table without names of rows has no tasks in its rows; nor has one with a single column, or with names that come
    again without a column of runs, unless something tells.
    """
    if how.agents_in is not None or how.columns.agent is not None or how.columns.task is not None:
        return _said(table.name, how)
    names = rows.names
    if rows.label is not None and names is not None:
        refuse_row_numbers(table.name, rows.label, names, rows.cells.columns)
        refuse_scores_as_names(table.name, rows.label, names, rows.cells.columns)
    if rows.label is None:
        refuse_agents_without_tasks(table.name, rows.cells.columns)
    if rows.label is None or names is None or names.null_count():
        return Orientation("rows")
    cells, runs = rows.cells, None
    if again := comes_again(names):
        runs = run_column(cells, how)
        cells = cells.take(names.is_first_distinct().to_numpy()).of([one for one in cells.columns if one != runs])
    here = names.unique(maintain_order=True).to_list()
    chosen = [*(how.tasks or ()), *how.not_tasks]
    if chosen and all(task in cells.columns or task in here for task in chosen):
        return Orientation("rows" if chosen[0] in cells.columns else "columns")
    left, scores = without_descriptions(cells)
    beside = [column for columns in left.values() for column in columns]
    if again and not scores:
        said = said_columns(table, long_columns(table, how.columns))
        raise ColumnError(f"{table.name}: no columns for agent, task and score; {said}", advice=COLUMNS)
    found = orient(rows.label, here, scores, cells.of(scores).values, beside)
    if found is None and (len(scores) < 2 or (again and runs is None)):
        return Orientation("rows")
    if found is None:
        raise ask(table.name, rows.label, here, scores)
    measures = sum(map(is_metric, scores)) * 2 >= len(scores) or scores == [find(scores, SCORES)]
    if found.agents_in == "columns" and (measures or holds_records(beside)):
        raise ask_for_agents(table.name, rows.label, scores)
    return found


def _said(name: str, how: ScoreReading) -> Orientation:
    """Give what the user said; ask where a column that is called after tasks shall name agents."""
    if how.columns.task is not None and how.agents_in == "rows":
        raise ColumnError(Option("task"), " has no effect: a wide table has a column for each task", advice=COLUMNS)
    agent = how.columns.agent
    if agent is not None and how.agents_in is None and plain(agent) in set(TASKS) - UNSURE_TASKS:
        raise ColumnError(
            f'{name}: column "{agent}" names tasks, as it is called',
            advice=[
                Advice("say so with ", Option("task", agent)),
                Advice("or that its rows are agents with ", Option("agents_in", "rows")),
            ],
        )
    return Orientation(how.agents_in or ("rows" if how.columns.task is None else "columns"))


def _columns_taken(cells: Cells, table: Table, how: ScoreReading, *, by_user: bool) -> Choice:
    """Choose the columns that are tasks, or agents; where the user said that columns are agents, all with numbers."""
    if how.agents_in == "rows":
        choice = choose_tasks(cells, table.name, how.tasks, how.not_tasks)
        if how.tasks is None:
            refuse_long(table.name, cells)
            refuse_counts(table.name, cells, choice.tasks)
        return choice
    return choose_agents(cells, table.name, only_text=by_user)


def _of_transposed(scores: Scores, how: ScoreReading, notes: tuple[Diagnostic, ...]) -> Scores:
    """Take the tasks that were asked for; without that, rows that sum up the others are left out."""
    for wanted in (*(how.tasks or ()), *how.not_tasks):
        if wanted not in scores.tasks:
            role = "tasks" if wanted in (how.tasks or ()) else "not_tasks"
            raise ColumnError(
                Option(role),
                f': no task "{wanted}"{did_you_mean(wanted, scores.tasks)}; found: {some_of(scores.tasks, 12)}',
            )
    sums = [] if how.tasks else [task for task in scores.tasks if SUMMARIES.fullmatch(plain(task))]
    if len(sums) == len(scores.tasks):
        sums = []
    if sums:
        message = f"Rows that sum up tasks were left out: {some_of(sums)}."
        notes += (info("rows-left-out", message, sums, advice=[Advice("choose others with ", Option("tasks"))]),)
    out = {*how.not_tasks, *sums}
    chosen = [task in (how.tasks or scores.tasks) and task not in out for task in scores.tasks]
    return replace(scores.take(tasks=np.array(chosen)), diagnostics=notes)


def _cells(table: Table, raw: pl.DataFrame, columns: list[str], words: Mapping[str, float]) -> Cells:
    """Give the cells of these columns, all at once: of thousands of expressions the plan takes longer than the work."""
    kinds = raw.schema  # polars makes it anew for everyone who asks
    nested = [column for column in columns if kinds[column].is_nested()]
    if nested:
        raise DataError(f"{table.name}: columns hold lists or objects, not scores: {some_of(nested)}")
    cell = pl.concat([raw.get_column(column).cast(pl.String).alias("cell") for column in columns], rechunk=True)
    together = replace(table, cells=OddCells())
    frame = pl.DataFrame({"cell": cell}).select(text=table.text("cell"), value=number_of(together, "cell"))
    if together.cells.done:
        for column in columns:
            table.cells.look_at(raw.get_column(column).cast(pl.String), column, decimal_comma=table.decimal_comma)
    word = frame["text"].str.to_lowercase()
    gap = frame["text"].is_null() | word.is_in(GAPS)
    shape = (len(columns), raw.height)

    def by_column(cells: pl.Series) -> np.ndarray:
        return cells.to_numpy().reshape(shape).T

    number = by_column(frame["value"].fill_null(float("nan")).cast(pl.Float64))
    answered = with_answers(frame["value"], frame["text"].set(gap, None), words)
    value, gaps = by_column(answered.fill_null(float("nan")).cast(pl.Float64)), by_column(gap)
    if not words and (strange := (np.isnan(value) & ~gaps).any(axis=0)).any():
        value = np.where(strange, number, value)  # a column of texts, some of which may be words of success
    flag = by_column(word.is_in(["true", "false"]).fill_null(value=False))
    flag |= np.isnan(number) & ~np.isnan(value) & ~by_column(word.is_in(list(words)).fill_null(value=False))
    empty = by_column(frame["text"].is_null())
    return Cells(tuple(columns), by_column(frame["text"]), value, empty, gaps, flag)


def _without_sums(rows: _WideRows, columns: list[str]) -> _WideRows:
    """Leave out a row that is called the mean, the median or the sum of the others, and is."""
    if rows.names is None or len(rows.names) < 3:
        return rows
    values = rows.cells.of(columns).values
    for place, name in enumerate(rows.names.to_list()):
        if not SUMMARIES.fullmatch(plain(name)) or not np.isfinite(values).all():
            continue
        others = np.delete(values, place, axis=0)
        exact = 1e-9 * np.abs(values).max()
        sums = (others.mean(axis=0), np.median(others, axis=0), others.sum(axis=0))
        if any(np.allclose(values[place], one, rtol=0, atol=half_digit(values[place]) + exact) for one in sums):
            keep = np.arange(len(values)) != place
            note = info("rows-left-out", f'Row "{name}" sums up the others and was left out.', [name])
            return replace(rows, names=rows.names.filter(keep), cells=rows.cells.take(keep),
                           notes=(*rows.notes, note), dropped={**rows.dropped, "that sum up others": 1})  # fmt: skip
    return rows


def _row_names(rows: _WideRows, table: Table, how: ScoreReading) -> tuple[str, ...]:
    names = rows.names
    if names is None:
        return tuple(f"agent {index + 1}" for index in range(len(rows.cells.values)))
    if names.null_count():
        two = names[0] is None and np.isnan(rows.cells.values[0]).all()
        hint = "; if the header has two lines, join them into one" if two else ""
        raise DataError(
            f'{table.name}: {names.null_count():,} rows have no name in the first column ("{rows.label}"){hint}'
        )
    if comes_again(names):
        _refuse_repeated_names(str(rows.label), names, rows.cells, table, how)
    return unique_names(names.to_list(), "agent" if how.agents_in == "rows" else "task")


def _refuse_repeated_names(label: str, names: pl.Series, cells: Cells, table: Table, how: ScoreReading) -> None:
    """Ask: where most names repeat the table is a long one, where few do another column may tell rows apart."""
    counts = names.value_counts(sort=True)
    repeated = counts.filter(pl.col("count") > 1)
    kind: Literal["agent", "task"] = "agent" if how.agents_in == "rows" else "task"
    text = (
        f'{table.name}: column "{label}" names {kind}s more than once: {some_of([counts[0, 0]])} {counts[0, 1]:,} times'
    )
    runs = [*RUNS, Advice("or name the column of runs with ", Option("trial"))]
    if kind == "agent" and repeated.height > counts.height / 2:
        said = said_columns(table, long_columns(table, how.columns))
        raise ColumnError(f"{text}; if this is a long table, {said}", advice=[*COLUMNS, *runs])
    others = [column for place, column in enumerate(cells.columns) if cells.tells_apart(place)]
    advice = [Advice("name another column with ", Option(kind, others[0]))] if others else []
    beside = cells.tells_apart_beside(names) if kind == "task" else None
    if beside is not None:
        advice = [Advice("make one name of two columns with ", Option(kind, f"{label},{beside}"))]
    raise ColumnError(f"{text} ({repeated.height:,} such names)", advice=[*advice, *runs])


def _strange_cells(cells: Cells, names: tuple[str, ...], on_error: OnError, name: str) -> tuple[Diagnostic, ...]:
    strange = np.argwhere(~cells.gap & np.isnan(cells.values))
    if not len(strange):
        return ()
    where = some_of(f'"{cells.texts[i, j]}" ({names[i]} on {cells.columns[j]})' for i, j in strange)
    if on_error == "raise":
        advice = [
            *said_by_words(cells.texts[i, j] for i, j in strange),
            Advice("or take such cells for empty with ", Option("on_error", "skip")),
            Advice("or leave the column out with ", Option("not_tasks", cells.columns[int(strange[0][1])])),
        ]
        raise DataError(f"{name}: not a number: {where}; leave a cell empty where there is no score", advice=advice)
    refuse_many(len(strange), int((~cells.gap).sum()), on_error, name, f"cells that are not numbers: {where}")
    return (warning("cells-skipped", f"{len(strange):,} cells are not numbers and count as missing: {where}."),)
