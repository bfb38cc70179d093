"""Score tables, wide or long, into Scores."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ColumnError, DataError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.answers import answer_notes, with_answers
from equipoise.data.encode.cells import GAPS
from equipoise.data.encode.labels import Codes, odd_names
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.bad_rows import Reason, open_rows, refuse_no_rows, sift, without_blank
from equipoise.data.readers.columns import (
    STEPS,
    TESTLETS,
    UNSURE_TASKS,
    ScoreColumns,
    find,
    plain,
)
from equipoise.data.readers.implausible import refuse_answers
from equipoise.data.readers.less_is_better import turned_round
from equipoise.data.readers.orders import refuse_orders
from equipoise.data.readers.score_columns import (
    COLUMNS,
    ScoreReading,
    long_columns,
    noting_gaps,
    number_of,
    said_by_words,
    said_columns,
    with_combined,
)
from equipoise.data.readers.similar_names import similar_names, with_names_joined
from equipoise.data.readers.wide.scores import wide_scores
from equipoise.data.select.filters import kept_rows
from equipoise.data.types.scores import Scores

REPEATED, NOT_CHOSEN = "that repeat an agent and task", "of tasks that were not chosen"
"""Reasons for which rows are dropped."""
NOT_A_NUMBER = "a score that is not a number"


MOST_LOOKED_AT, MOST_KINDS = 12, 50
"""Columns that are looked at for what tells rows apart, and values that such a column may have."""
MOST_EMPTY, EMPTY_PER_ROW = 20_000_000, 500
"""Cells that a table may have, however few of them are filled; and cells for each score where there are more."""


def scores_from(source: Any, how: ScoreReading) -> Scores:
    """Read scores in either layout."""
    table = with_combined(open_rows(source, how.on_error), agent=how.columns.agent, task=how.columns.task)
    if how.columns == ScoreColumns():
        refuse_orders(table)
    long = long_columns(table, how.columns)
    if how.layout == "wide" or (how.layout == "auto" and not _is_long(table, long, how)):
        wanted = how.columns
        if how.layout == "auto" and (wanted.score or (wanted.task and wanted.agent)):
            raise ColumnError(
                f"a long table needs columns for agent, task and score; {said_columns(table, long)}", advice=COLUMNS
            )  # fmt: skip
        if wanted.score is not None:
            raise ColumnError(Option("score"), " has no effect: a wide table has many", advice=COLUMNS)
        return turned_round(refuse_answers(wide_scores(table, how), table.name), how.lower, None, table.name)
    if not (long.agent and long.task and long.score):
        raise ColumnError(f"no columns for agent, task and score; {said_columns(table, long)}", advice=COLUMNS)
    if how.agents_in == "columns":
        raise ColumnError(Option("transpose"), " is for wide tables; this one has a row for each agent and task")
    table = with_names_joined(table, [long.agent], how.merge_names)
    return turned_round(refuse_answers(_long(table, long, how), table.name), how.lower, long.score, table.name)


def _is_long(table: Table, columns: ScoreColumns, how: ScoreReading) -> bool:
    """Tell whether the columns make a long table; names that may mean tasks only count where agents repeat."""
    if not (columns.agent and columns.task and columns.score):
        return False
    if how.columns.task or plain(columns.task) not in UNSURE_TASKS:
        return True
    names = collect(table.rows.select(table.text(columns.agent)), table.name).to_series().drop_nulls()
    return bool(names.is_duplicated().any())


def _long(table: Table, columns: ScoreColumns, how: ScoreReading) -> Scores:
    assert columns.agent
    assert columns.task
    assert columns.score
    shape = {"agent": table.text(columns.agent), "task": table.text(columns.task)}
    written = table.text(columns.score)
    shape |= {
        "score": number_of(table, columns.score),
        "written": written,
        "gap": written.is_null() | written.str.to_lowercase().is_in(GAPS),
    }
    if columns.trial:
        shape["trial"] = table.text(columns.trial)
    used = {columns.agent, columns.task, columns.score, columns.trial} - {None}
    testlet = find([column for column in table.columns if column not in used], TESTLETS)
    if testlet:
        shape["testlet"] = table.text(testlet)
    rows = collect(table.rows.select(**shape).with_row_index("row"), table.name)
    answered = with_answers(rows["score"], rows["written"], how.words)
    spelt = rows["written"].filter(~answered.eq_missing(rows["score"]))
    rows = rows.with_columns(answered, n=pl.lit(1))
    refuse_no_rows(rows, table.name)
    given = rows.height
    rows, blank, dropped = without_blank(rows, ["agent", "task", "written"])
    reasons = [
        Reason(pl.col("agent").is_null() | pl.col("task").is_null(), "no agent's or task's name"),
        Reason(pl.col("score").is_null() & ~pl.col("gap"), NOT_A_NUMBER, pl.col("written")),
        Reason(pl.col("score").is_infinite().fill_null(False), "an infinite score"),
    ]
    strange = rows.filter(pl.col("score").is_null() & ~pl.col("gap"))["written"]
    rows, notes, bad = sift(rows, reasons, how.on_error, table.name, "", said_by_words(strange.to_list()))
    notes += answer_notes(spelt, columns.score, how.words)
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
    notes = table.diagnostics + blank + notes + again + odd_names((*agents, *tasks)) + similar_names(agents)
    run = rows["trial"].to_numpy() if columns.trial else None
    names = tuple(agents.to_list()), tuple(tasks.to_list())
    result = _in_testlets(Scores.from_long(*names, codes[0], codes[1], scores, notes, run), rows)
    used |= {testlet} if result.testlets else set()
    account = table.account(given, dropped | bad | chosen | repeated, used)
    return noting_gaps(replace(result, account=account))


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
        f" there are only {rows:,} scores for {cells:,} cells; {said_columns(table, columns)}",
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
            raise ColumnError(
                Option(role), f': {name} has no task "{strange[0]}"{hint}; found: {some_of(there.sort().to_list(), 12)}'
            )
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
    where = f"{first['agent']} on {first['task']}" + (f", run {first['trial']}," if columns.trial else "")
    if how.duplicates == "drop":
        note = info("repeated-rows", f"{extra:,} rows repeat {' and '.join(key)}; the first of each was taken.")
        return rows.unique(key, keep="first", maintain_order=True), (note,), {REPEATED: extra}
    if how.duplicates == "keep":
        note = info("repeated-rows", f"{extra:,} rows repeat {' and '.join(key)}; they are taken for repeated runs.")
        return rows, (note,), {}
    steps = find([column for column in table.columns if column != columns.trial], STEPS)
    apart = _telling_apart(again, key, {columns.agent, columns.task, columns.score, columns.trial, steps}, table)
    if apart:
        called, advice = _named_apart(apart, columns)
        alike = again.filter(pl.all_horizontal(pl.col(name).eq_missing(pl.lit(first[name])) for name in key)).height
        raise DataError(f"{table.name}: {where} has {alike:,} scores that differ in {called}", advice=advice)
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


def _telling_apart(again: pl.DataFrame, key: list[str], used: set[str | None], table: Table) -> dict[str, list[str]]:
    """Find the column, or the two, of few values by which rows with the same key differ, with their values."""
    names = [name for name in table.columns if name not in used][:MOST_LOOKED_AT]
    texts = {f"column {k}": table.text(name) for k, name in enumerate(names)}
    values = collect(table.rows.select(**texts), table.name)[again["row"].to_list()] if texts else pl.DataFrame()
    few = [name for name in values.columns if 1 < values[name].n_unique() <= MOST_KINDS]
    keyed = pl.concat([again.select(key), values], how="horizontal")
    for group in (*combinations(few, 1), *combinations(few, 2)):
        if not keyed.select(pl.struct(*key, *group).is_duplicated().any()).item():
            called = dict(zip(values.columns, names, strict=True))
            return {called[name]: values[name].drop_nulls().unique().sort().to_list() for name in group}
    return {}


def _named_apart(apart: dict[str, list[str]], columns: ScoreColumns) -> tuple[str, list[Advice]]:
    """Name the columns that tell rows apart, and say what they may be."""
    name, *others = apart
    if others:
        part = Option("task", f"{columns.task},{name}")
        advice = [Advice("count the first as part of the task, and the other as runs, with ", part, " ",
                         Option("run", others[0]))]  # fmt: skip
        return f'columns "{name}" and "{others[0]}"', advice
    if all(value.lstrip("-").isdecimal() for value in apart[name]):
        return f'column "{name}"', [Advice("name it with ", Option("run", name))]
    one = Option("where", f'{name} == "{apart[name][0]}"')
    return f'column "{name}" ({some_of(apart[name])})', [
        Advice("take one with ", one),
        Advice("or count each as an agent with ", Option("agent", f"{columns.agent},{name}")),
    ]
