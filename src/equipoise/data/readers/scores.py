"""Score tables, wide or long, into Scores."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ColumnError, DataError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.cells import GAPS, OddCells
from equipoise.data.encode.labels import Codes, odd_names, unique_names
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.bad_rows import BLANK, Reason, open_rows, refuse_no_rows, sift, without_blank
from equipoise.data.readers.columns import (
    AGENTS,
    SCORES,
    STEPS,
    TASKS,
    TESTLETS,
    TRIALS,
    UNSURE_TASKS,
    Duplicates,
    OnError,
    ScoreColumns,
    find,
    named,
    plain,
)
from equipoise.data.readers.label_columns import label_column
from equipoise.data.readers.places import refuse_places
from equipoise.data.readers.task_columns import Cells, choose_tasks
from equipoise.data.select.filters import chosen_scores, kept_rows
from equipoise.data.types.scores import Scores

SAMPLE = 1000
"""Rows that are looked at to tell what a column holds."""
COLUMNS = (Advice("name its columns with ", Option("agent"), ", ", Option("task"), " and ", Option("score")),)
REPEATED, NOT_CHOSEN = "that repeat an agent and task", "of tasks that were not chosen"
"""Reasons for which rows are dropped."""


MOST_EMPTY, EMPTY_PER_ROW = 20_000_000, 500
"""Cells that a table may have, however few of them are filled; and cells for each score where there are more."""


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """How to read scores: what a user said of columns, tasks, bad cells and repeated rows."""

    columns: ScoreColumns
    layout: Literal["auto", "wide", "long"] = "auto"
    transpose: bool = False
    on_error: OnError = "raise"
    tasks: tuple[str, ...] | None = None
    not_tasks: tuple[str, ...] = ()
    duplicates: Duplicates | None = None


def scores_from(source: Any, how: ScoreReading) -> Scores:
    """Read scores in either layout."""
    table = open_rows(source, how.on_error)
    if how.columns == ScoreColumns():
        refuse_places(table)
    long = _long_columns(table, how.columns)
    if how.layout == "wide" or (how.layout == "auto" and not _is_long(table, long, how)):
        if how.layout == "auto" and (how.columns.task or how.columns.score):
            raise ColumnError(
                f"a long table needs columns for agent, task and score; {_said(table, long)}", advice=COLUMNS
            )  # fmt: skip
        for role in ("task", "score", "trial"):
            if getattr(how.columns, role) is not None:
                raise ColumnError(
                    Option(role), " has no effect: a wide table has a column for each task", advice=COLUMNS
                )
        return _wide(table, how)
    if not (long.agent and long.task and long.score):
        raise ColumnError(f"no columns for agent, task and score; {_said(table, long)}", advice=COLUMNS)
    if how.transpose:
        raise ColumnError(Option("transpose"), " is for wide tables; this one has a row for each agent and task")
    return _long(table, long, how)


def _long_columns(table: Table, given: ScoreColumns) -> ScoreColumns:
    """Find the columns of a long table; None for those that are not there."""
    taken = [name for name in (given.agent, given.task, given.score, given.trial) if name]
    columns: dict[str, str | None] = {}
    for role, usual in {"agent": AGENTS, "task": TASKS, "score": SCORES, "trial": TRIALS}.items():
        name = getattr(given, role)
        free = [column for column in table.columns if column not in (*taken, *columns.values())]
        if name:
            columns[role] = named(table.columns, name, role)
        elif role == "score":
            columns[role] = _numeric(table, [column for word in usual if (column := find(free, [word]))])
        else:
            columns[role] = find(free, usual)
    return ScoreColumns(**columns)


def _numeric(table: Table, candidates: list[str]) -> str | None:
    """Give the first column that holds numbers, else the first."""
    for column in candidates:
        sample = collect(
            table.rows.select(text=table.text(column), number=_number(table, column)).head(SAMPLE), table.name
        )
        written = sample.filter(pl.col("text").is_not_null())
        if written.is_empty() or written["number"].null_count() <= written.height / 2:
            return column
    return candidates[0] if candidates else None


def _is_long(table: Table, columns: ScoreColumns, how: ScoreReading) -> bool:
    """Tell whether the columns make a long table; names that may mean tasks only count where agents repeat."""
    if not (columns.agent and columns.task and columns.score):
        return False
    if how.columns.task or plain(columns.task) not in UNSURE_TASKS:
        return True
    names = collect(table.rows.select(table.text(columns.agent)), table.name).to_series().drop_nulls()
    return bool(names.is_duplicated().any())


def _said(table: Table, columns: ScoreColumns) -> str:
    known = [f'{role} "{name}"' for role in ("agent", "task", "score") if (name := getattr(columns, role))]
    said = f"known: {', '.join(known)}; " if known else ""
    return f"{said}found: {some_of(table.columns, 12)}"


def _long(table: Table, columns: ScoreColumns, how: ScoreReading) -> Scores:
    assert columns.agent
    assert columns.task
    assert columns.score
    shape = {"agent": table.text(columns.agent), "task": table.text(columns.task)}
    written = table.text(columns.score)
    shape |= {
        "score": _number(table, columns.score),
        "written": written,
        "gap": written.is_null() | written.str.to_lowercase().is_in(GAPS),
    }
    if columns.trial:
        shape["trial"] = table.text(columns.trial)
    used = {columns.agent, columns.task, columns.score, columns.trial} - {None}
    testlet = find([column for column in table.columns if column not in used], TESTLETS)
    if testlet:
        shape["testlet"] = table.text(testlet)
    rows = collect(table.rows.select(**shape).with_row_index("row"), table.name).with_columns(n=pl.lit(1))
    refuse_no_rows(rows, table.name)
    given = rows.height
    rows, blank, dropped = without_blank(rows, ["agent", "task", "written"])
    reasons = [
        Reason(pl.col("agent").is_null() | pl.col("task").is_null(), "no agent's or task's name"),
        Reason(pl.col("score").is_null() & ~pl.col("gap"), "a score that is not a number", pl.col("written")),
        Reason(pl.col("score").is_infinite().fill_null(False), "an infinite score"),
    ]
    rows, notes, bad = sift(rows, reasons, how.on_error, table.name)
    rows, chosen = _chosen(rows, how, table.name)
    rows, again, repeated = _settled(rows, columns, how, table)
    agents, tasks, codes = _coded(rows)
    kept = kept_rows(
        table.selection, (*agents, *tasks), codes[0], codes[1] + np.int32(len(agents)),
        rows["score"].is_not_null().to_numpy().astype(float), agents=len(agents), unit="scores",
    )  # fmt: skip
    if kept is not None:
        rows, again, repeated = rows.filter(pl.Series(kept.mask)), again + kept.notes, repeated | dict(kept.dropped)
        agents, tasks, codes = _coded(rows)
    _refuse_mostly_empty(table, columns, len(agents), len(tasks), rows.height)
    scores = rows["score"].fill_null(float("nan")).to_numpy()
    notes = table.diagnostics + blank + notes + again + odd_names((*agents, *tasks))
    run = rows["trial"].to_numpy() if columns.trial else None
    names = tuple(agents.to_list()), tuple(tasks.to_list())
    result = _in_testlets(Scores.from_long(*names, codes[0], codes[1], scores, notes, run), rows)
    used |= {testlet} if result.testlets else set()
    account = table.account(given, dropped | bad | chosen | repeated, used)
    return _noting_gaps(replace(result, account=account))


def _in_testlets(scores: Scores, rows: pl.DataFrame) -> Scores:
    """Give each task its group of items, where a column names one for each and tells tasks apart."""
    if "testlet" not in rows.columns:
        return scores
    names = rows.group_by("task", maintain_order=True).agg(pl.col("testlet").unique())
    if names["testlet"].list.len().max() != 1 or names["testlet"].list.first().null_count():
        return scores
    group = dict(zip(names["task"].to_list(), names["testlet"].list.first().to_list(), strict=True))
    several = 1 < len(set(group.values())) < len(group)
    return scores.in_testlets(group[task] for task in scores.tasks) if several else scores


def _refuse_mostly_empty(table: Table, columns: ScoreColumns, agents: int, tasks: int, rows: int) -> None:
    """Refuse rows that hardly share an agent or a task: a wrong column, and a table that no memory holds."""
    cells = agents * tasks
    if cells <= max(MOST_EMPTY, EMPTY_PER_ROW * rows):
        return
    raise ColumnError(
        f'{table.name}: column "{columns.agent}" has {agents:,} agents and column "{columns.task}" {tasks:,} tasks, but'
        f" there are only {rows:,} scores for {cells:,} cells; {_said(table, columns)}",
        advice=(Advice("name its columns with ", Option("agent"), ", ", Option("task"), " and ", Option("score")),),
    )


def _coded(rows: pl.DataFrame) -> tuple[pl.Series, pl.Series, list[Codes]]:
    """Give the agents, the tasks, and codes of both."""
    agents, tasks = (rows[name].unique(maintain_order=True) for name in ("agent", "task"))
    codes = [
        rows[name].cast(pl.Enum(labels)).to_physical().cast(pl.Int32).to_numpy()
        for name, labels in (("agent", agents), ("task", tasks))
    ]
    return agents, tasks, codes


def _chosen(rows: pl.DataFrame, how: ScoreReading, name: str) -> tuple[pl.DataFrame, dict[str, int]]:
    """Keep the tasks that were asked for."""
    there = rows["task"].unique()
    for role, wanted in (("tasks", how.tasks or ()), ("not_tasks", how.not_tasks)):
        strange = [task for task in wanted if task not in there]
        if strange:
            hint = did_you_mean(strange[0], there.to_list())
            raise ColumnError(Option(role), f': {name} has no task "{strange[0]}"{hint}')
    kept = rows if how.tasks is None else rows.filter(pl.col("task").is_in(list(how.tasks)))
    kept = kept.filter(~pl.col("task").is_in(list(how.not_tasks)))
    if kept.is_empty():
        raise DataError(f"{name}: no task is left")
    return kept, {NOT_CHOSEN: rows.height - kept.height}


def _settled(
    rows: pl.DataFrame, columns: ScoreColumns, how: ScoreReading, table: Table
) -> tuple[pl.DataFrame, tuple[Diagnostic, ...], dict[str, int]]:
    """Say what rows with the same agent and task are: trials that a column tells apart, or what the user says."""
    key = ["agent", "task", *(["trial"] if columns.trial else [])]
    again = rows.filter(pl.struct(key).is_duplicated())
    if again.is_empty():
        return rows, (), {}
    extra = rows.height - rows.select(pl.struct(key).n_unique()).item()
    first = again.row(0, named=True)
    where = f"{first['agent']} on {first['task']}" + (f", trial {first['trial']}," if columns.trial else "")
    if how.duplicates == "drop":
        note = info("repeated-rows", f"{extra:,} rows repeat {' and '.join(key)}; the first of each was taken.")
        return rows.unique(key, keep="first", maintain_order=True), (note,), {REPEATED: extra}
    if how.duplicates == "keep":
        note = info("repeated-rows", f"{extra:,} rows repeat {' and '.join(key)}; they are taken for repeated runs.")
        return rows, (note,), {}
    steps = find([column for column in table.columns if column != columns.trial], STEPS)
    training = (
        [Advice(f'or, as "{steps}" counts training steps, evaluate tasks with ', Option("step", steps))]
        if steps
        else []
    )
    other = "another column must distinguish them" if columns.trial else "no column of runs distinguishes them"
    raise DataError(
        f"{table.name}: {where} appears more than once ({again.height:,} such rows), and {other}",
        advice=[
            Advice("name it with ", Option("trial")),
            *training,
            Advice("or take them for repeated runs with ", Option("duplicates", "keep")),
            Advice("or take the first of each with ", Option("duplicates", "drop")),
        ],
    )


def _wide(table: Table, how: ScoreReading) -> Scores:
    label, notes = label_column(table, how.columns.agent, transpose=how.transpose)
    repeated = [column for column in table.columns if "_duplicated_" in column]
    if repeated:
        raise ColumnError(
            f"{table.name}: column names appear more than once: {some_of(c.split('_duplicated_')[0] for c in repeated)}"
        )
    columns = [column for column in table.columns if column != label]
    if not columns:
        raise DataError(f"{table.name} has no column of scores")
    raw = collect(table.rows, table.name)
    refuse_no_rows(raw, table.name)
    cells = _cells(table, raw, columns)
    labels = None if label is None else raw.select(table.text(label)).to_series()
    blank = np.asarray(cells.empty.all(axis=1))
    if labels is not None:
        blank &= labels.is_null().to_numpy()
    dropped: dict[str, int] = {}
    if blank.any() and not blank.all():
        dropped = {BLANK: int(blank.sum())}
        notes += (info("blank-rows", f"{dropped[BLANK]:,} blank rows were passed over."),)
        cells, labels = cells.take(~blank), None if labels is None else labels.filter(~blank)
    names = _agent_names(labels, label, cells, table, how)
    tasks: list[str] = columns
    if not how.transpose:
        choice = choose_tasks(cells, table.name, how.tasks, how.not_tasks)
        tasks, notes = list(choice.tasks), notes + choice.notes
    cells = cells.of(tasks)
    notes += _strange_cells(cells, names, how.on_error, table.name)
    used = [*tasks, *([label] if label is not None else [])]
    notes = table.diagnostics + notes + odd_names((*names, *tasks))
    if how.transpose:
        scores = _of_transposed(Scores.from_matrix(cells.values.T, tasks, names), how, notes)
        scores, _ = chosen_scores(scores, table.selection)
        return _noting_gaps(replace(scores, account=table.account(raw.height, dropped, used)))
    read = replace(Scores.from_matrix(cells.values, names, tasks), diagnostics=notes)
    scores, out = chosen_scores(read, table.selection)
    return _noting_gaps(replace(scores, account=table.account(raw.height, dropped | out, used)))


def _of_transposed(scores: Scores, how: ScoreReading, notes: tuple[Diagnostic, ...]) -> Scores:
    for wanted in (*(how.tasks or ()), *how.not_tasks):
        if wanted not in scores.tasks:
            role = "tasks" if wanted in (how.tasks or ()) else "not_tasks"
            raise ColumnError(Option(role), f': no task "{wanted}"{did_you_mean(wanted, scores.tasks)}')
    chosen = [task in (how.tasks or scores.tasks) and task not in how.not_tasks for task in scores.tasks]
    return replace(scores.take(tasks=np.array(chosen)), diagnostics=notes)


def _cells(table: Table, raw: pl.DataFrame, columns: list[str]) -> Cells:
    """Give the cells of these columns, all at once: of thousands of expressions the plan takes longer than the work."""
    kinds = raw.schema  # polars makes it anew for everyone who asks
    nested = [column for column in columns if kinds[column].is_nested()]
    if nested:
        raise DataError(f"{table.name}: columns hold lists or objects, not scores: {some_of(nested)}")
    cell = pl.concat([raw.get_column(column).cast(pl.String).alias("cell") for column in columns], rechunk=True)
    together = replace(table, cells=OddCells())
    frame = pl.DataFrame({"cell": cell}).select(text=table.text("cell"), value=_number(together, "cell"))
    if together.cells.done:
        for column in columns:
            table.cells.look_at(raw.get_column(column).cast(pl.String), column, decimal_comma=table.decimal_comma)
    word = frame["text"].str.to_lowercase()
    shape = (len(columns), raw.height)
    return Cells(
        tuple(columns),
        frame["text"].to_numpy().reshape(shape).T,
        frame["value"].fill_null(float("nan")).to_numpy().astype(float).reshape(shape).T,
        frame["text"].is_null().to_numpy().reshape(shape).T,
        (frame["text"].is_null() | word.is_in(GAPS)).to_numpy().reshape(shape).T,
        word.is_in(["true", "false"]).fill_null(value=False).to_numpy().reshape(shape).T,
    )


def _agent_names(
    names: pl.Series | None, label: str | None, cells: Cells, table: Table, how: ScoreReading
) -> tuple[str, ...]:
    if names is None:
        return tuple(f"agent {index + 1}" for index in range(len(cells.values)))
    if names.null_count():
        raise DataError(f'{table.name}: {names.null_count():,} rows have no name in the first column ("{label}")')
    counts = names.value_counts(sort=True)
    most, count = counts.row(0)
    if count > 1 and not how.transpose:
        _refuse_repeated_names(str(label), str(most), counts, cells, table, how)
    return unique_names(names.to_list(), "task" if how.transpose else "agent")


def _refuse_repeated_names(
    label: str, most: str, counts: pl.DataFrame, cells: Cells, table: Table, how: ScoreReading
) -> None:
    """Ask: where most names repeat the table is a long one, where few do another column may tell rows apart."""
    repeated = counts.filter(pl.col("count") > 1)
    text = f'{table.name}: column "{label}" names agents more than once: {some_of([most])} {counts["count"][0]:,} times'
    if repeated.height > counts.height / 2:
        said = _said(table, _long_columns(table, how.columns))
        raise ColumnError(f"{text}; if this is a long table, {said}", advice=COLUMNS)
    others = [column for place, column in enumerate(cells.columns) if cells.tells_apart(place)]
    advice = Advice("name another column with ", Option("agent", others[0] if others else None))
    raise ColumnError(f"{text} ({repeated.height:,} such names)", advice=[advice])


def _number(table: Table, column: str) -> pl.Expr:
    """Give a column as numbers; true and false are 1 and 0."""
    number = table.number(column)
    word = table.text(column).str.to_lowercase()
    return pl.when(word == "true").then(1.0).when(word == "false").then(0.0).otherwise(number.fill_nan(None))


def _strange_cells(cells: Cells, names: tuple[str, ...], on_error: OnError, name: str) -> tuple[Diagnostic, ...]:
    strange = np.argwhere(~cells.gap & np.isnan(cells.values))
    if not len(strange):
        return ()
    where = some_of(f'"{cells.texts[i, j]}" ({names[i]} on {cells.columns[j]})' for i, j in strange)
    if on_error == "raise":
        advice = [
            Advice("or take such cells for empty with ", Option("on_error", "skip")),
            Advice("or leave the column out with ", Option("not_tasks", cells.columns[int(strange[0][1])])),
        ]
        raise DataError(f"{name}: not a number: {where}; leave a cell empty where there is no score", advice=advice)
    return (warning("cells-skipped", f"{len(strange):,} cells are not numbers and count as missing: {where}."),)


def _noting_gaps(scores: Scores) -> Scores:
    gaps = int(scores.missing.sum())
    if not gaps:
        return scores
    i, j = np.nonzero(scores.missing)
    where = some_of(f"{scores.agents[a]} on {scores.tasks[t]}" for a, t in zip(i[:3], j[:3], strict=True))
    where += f" and {gaps - 3:,} more" if gaps > 3 else ""
    note = info("missing-cells", f"{gaps:,} of {scores.values.size:,} cells have no score: {where}.")
    return replace(scores, diagnostics=(*scores.diagnostics, note))
