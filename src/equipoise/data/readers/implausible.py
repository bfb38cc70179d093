"""Readings that can be made of a table and that nobody meant: asked back in one line, with what to do.

Row numbers and counters are no agents, ``true`` and ``false`` are answers, counts out of a total are no scores, and one
task on which everybody has the same score says nothing about anybody.
"""

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from equipoise.core.errors import ColumnError, DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.columns import ROW_IDS, SCORES, STEPS, TASKS, TRIALS, UNSURE_TASKS, plain
from equipoise.data.readers.task_columns import Cells
from equipoise.data.readers.wide.known_names import is_known_agent, is_known_task
from equipoise.data.readers.wide.orientation import header_role
from equipoise.data.types.scores import Scores

ROW_NAMES = frozenset({"rownames", "row_names", "rowname", "row_name"})
"""Headers that programs write above numbers of rows."""
ROW_NUMBERS = frozenset({"", "row", "row_number", "row_no", "index", "unnamed", "unnamed_0", "no", "nr"})
"""Headers of columns that number the rows where they count from 0 or 1."""
ANSWERS = frozenset({"true", "false", "yes", "no"})
TOTALS = re.compile(
    r"totals?|n_total|total_(instances|count|items|tasks|samples|problems)|attempt(s|ed)|submitted|out_of"
)
"""Headers of columns that say out of how many something was counted."""


RECORDS = frozenset({
    "answer", "response", "output", "outputs", "actual_output", "expected", "expected_output", "prediction",
    "completion", "reference", "reference_answer", "reference_output", "reference_outputs", "ground_truth", "target",
    "contexts", "retrieved_contexts", "retrieval_context", "context", "generation", "generated_text", "model_output",
    "input", "inputs",
})  # fmt: skip
"""Headers of texts that stand beside the scores of single samples."""


def refuse_row_numbers(name: str, label: str, names: pl.Series, columns: Sequence[str]) -> None:
    """Refuse numbers of rows, and counted steps, as names of agents."""
    word = plain(label)
    if word not in ROW_NAMES | ROW_NUMBERS | set(STEPS) or names.is_empty():
        return
    numbers = names.cast(pl.Int64, strict=False)
    if numbers.null_count() or (word in ROW_NUMBERS and not _counts(numbers)):
        return
    what = "counts steps" if word in STEPS else "numbers the rows"
    header = f'column "{label.strip()}"' if label.strip() else "the first column, which has no name,"
    training = [Advice("or, for a log of training, give ", Option("step", label))] if word in STEPS else []
    raise ColumnError(
        f"{name}: {header} {what} and names no agents; found: {some_of(columns, 12)}",
        advice=[
            Advice("name the column of agents with ", Option("agent")),
            *training,
            Advice("or, if each row is an agent, say ", Option("agents_in", "rows")),
        ],
    )


def refuse_scores_as_names(name: str, label: str, names: pl.Series, columns: Sequence[str]) -> None:
    """Refuse numbers as names where nothing says that they are: not all of them whole, or below the name of somebody.

    Numbers below any other header are no names either where there is but one more column.
    """
    numbers = names.cast(pl.Float64, strict=False)
    word = plain(label)
    if not label.strip() or numbers.null_count() or header_role(label) or word in {*UNSURE_TASKS, *ROW_IDS, *TRIALS}:
        return
    whole = bool((numbers == numbers.round()).all())
    if whole and word not in SCORES and len(columns) > 1 and not is_known_agent(label) and not is_known_task(label):
        return
    if whole and word in SCORES:
        return
    what = "scores" if word in SCORES else "numbers"
    raise ColumnError(
        f'{name}: column "{label.strip()}" holds {what} and names no agents',
        advice=[
            Advice("name the column of agents with ", Option("agent")),
            Advice("or, if each row is an agent, say ", Option("agents_in", "rows")),
        ],
    )


def refuse_agents_without_tasks(name: str, columns: Sequence[str]) -> None:
    """Refuse columns that are called after agents where no column names what stands in the rows."""
    known = [column for column in columns if is_known_agent(column)]
    if len(known) > 1 and 2 * len(known) > len(columns):
        raise ColumnError(
            f"{name}: columns are called after agents ({some_of(known)}), and none names tasks or runs in the rows; add"
            " one, such as task or seed",
            advice=[Advice("or, if each row is an agent, say ", Option("agents_in", "rows"))],
        )


def refuse_long(name: str, cells: Cells) -> None:
    """Refuse a table of runs whose tasks stand in a column of their own as one with a task in each column."""
    for place, column in enumerate(cells.columns):
        texts = cells.texts[:, place].tolist()
        called = plain(column) in set(TASKS) - UNSURE_TASKS and np.isnan(cells.values[:, place]).all()
        if called and 1 < len(set(texts)) < len(texts):
            raise ColumnError(
                f'{name}: column "{column}" names tasks, so that no other column is one; found:'
                f" {some_of(cells.columns, 12)}",
                advice=[
                    Advice("name its columns with ", Option("agent"), ", ", Option("task"), " and ", Option("score")),
                    Advice("or, if each row is an agent, choose columns with ", Option("tasks")),
                ],
            )


def holds_records(columns: Sequence[str]) -> bool:
    """Tell whether columns hold what one agent was asked and answered: their rows are samples, not agents' scores."""
    return any(plain(column) in RECORDS for column in columns)


def _counts(numbers: pl.Series) -> bool:
    """Tell whether numbers count from 0 or 1, in any order."""
    in_order = np.sort(numbers.to_numpy())
    return len(in_order) > 1 and in_order[0] in (0, 1) and bool((np.diff(in_order) == 1).all())


def refuse_counts(name: str, cells: Cells, tasks: Sequence[str]) -> None:
    """Refuse counts out of a total that stands beside them as scores."""
    totals = [column for column in cells.columns if TOTALS.fullmatch(plain(column)) and column not in tasks]
    if len(totals) != 1 or not tasks:
        return
    parts, whole = cells.of(tasks).values, cells.of(totals).values
    known = np.isfinite(parts) & np.isfinite(whole)
    counts = known.any() and (parts[known] == np.round(parts[known])).all() and bool((parts[known] >= 0).all())
    if counts and bool((parts <= whole)[known].all()) and float(np.nanmax(whole)) > 1:
        raise ColumnError(
            f'{name}: {some_of(tasks)} count out of "{totals[0]}" and are no scores; give shares, with a column of'
            " agents",
            advice=[Advice("or take them all the same with ", Option("tasks", ",".join(tasks)))],
        )


def refuse_answers(scores: Scores, name: str) -> Scores:
    """Refuse agents that are answers."""
    if {agent.lower() for agent in scores.agents} <= ANSWERS:
        raise DataError(
            f"{name}: its agents would be called {some_of(scores.agents)}, which are answers",
            advice=[Advice("name the columns with ", Option("agent"), ", ", Option("task"), " and ", Option("score"))],
        )
    return scores


def refuse_one_value(name: str, header: str, tasks: Sequence[str], values: FloatArray) -> None:
    """Refuse a single task on which all score the same, unless the header says that these are agents."""
    known = values[~np.isnan(values)]
    if len(tasks) != 1 or len(known) < 2 or header_role(header) == "agents" or not bool((known == known[0]).all()):
        return
    raise DataError(
        f'{name}: its only task would be "{tasks[0]}", on which all {len(values):,} rows score {known[0]:g}: that ranks'
        " nobody",
        advice=[
            Advice("choose tasks with ", Option("tasks")),
            Advice("or name the column of agents with ", Option("agent")),
        ],
    )
