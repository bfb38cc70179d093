"""Views of what there is: the methods, the bundled data sets, each set as a table, and the runs in logs.

Runs of logs are shown even where nothing can be compared.
"""

from collections.abc import Iterable
from functools import partial, singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.analyses.analysis import AnyData, Origin
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import ParameterError
from equipoise.core.results import FloatArray
from equipoise.core.wording import counted
from equipoise.data.datasets import BundledSet, load
from equipoise.data.public_sets import PUBLIC
from equipoise.data.readers.recognise import Recognised
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores
from equipoise.report.render.export import to_csv, to_json
from equipoise.report.views import cells
from equipoise.report.views.view import Column, TableView, View

if TYPE_CHECKING:
    from equipoise.analyses.catalogued import MethodList


def methods_view(listed: "MethodList") -> View:
    """List methods with the question each answers, the data it takes, its reference and package; and what is broken."""
    rows = listed.frame().to_dicts()
    columns = [
        Column(name, cells.text(name), right=False, prose=name in ("takes", "answers", "reference")) for name in rows[0]
    ]
    return View((TableView("methods", rows, columns),), diagnostics=listed.diagnostics)


def bundled_view(sets: Iterable[BundledSet]) -> View:
    """List the bundled data sets."""
    rows = [{"name": s.name, "kind": s.kind, "about": s.about, "source": s.source} for s in sets]
    columns = [Column(name, cells.text(name), right=False, prose=name in ("about", "source")) for name in rows[0]]
    return View((TableView("sets", rows, columns),), method="Export one with: equipoise data NAME --output FILE.csv")


def public_view() -> View:
    """List the public data sets: which can be fetched, and why others cannot."""
    rows = [
        {"name": each.name, "about": each.about, "source": f"{each.repository} {each.commit[:7]}".strip(),
         "licence": each.licence, "fetch": each.reason or "yes"}
        for each in PUBLIC.values()
    ]  # fmt: skip
    columns = [Column(name, cells.text(name), right=False, prose=name != "name") for name in rows[0]]
    return View((TableView("public", rows, columns),), method="Fetch some with: equipoise data fetch NAMES")


def data_view(name: str, data: Any) -> View:
    """Show a data set in the form that its reader takes."""
    rows = _rows(data)
    columns = [Column(key, cells.text(key), right=False) for key in rows[0]]
    return View((TableView(name, rows, columns),), data=partial(Origin(name).facts, data))


def write_data(data: AnyData | str, path: str | Path) -> None:
    """Write a data set, or a bundled one by its name, as a file that the readers take back: .csv, or .json.

    Fails when
        the name says neither, or the file cannot be written.
    """
    target = Path(path)
    view = data_view(data if isinstance(data, str) else "rows", load(data) if isinstance(data, str) else data)
    if target.suffix.lower() == ".csv":
        written = to_csv(view)
    elif target.suffix.lower() == ".json":
        written = to_json(view, command="data", parameters={"name": data if isinstance(data, str) else None}) + "\n"
    else:
        raise ParameterError(f"{target}: data are written as .csv or .json")
    try:
        target.write_text(written, encoding="utf-8", newline="")
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror}") from error


def _wide_row(name: str, columns: tuple[str, ...], cells: FloatArray) -> dict[str, Any]:
    """A row of a wide table; an empty cell where there is no value."""
    return {"agent": name} | {
        column: None if np.isnan(v) else float(v) for column, v in zip(columns, cells, strict=True)
    }


@singledispatch
def _rows(data: Any) -> list[dict[str, Any]]:
    raise TypeError(f"no table form for {type(data).__name__}")


@_rows.register
def _(data: PairTable) -> list[dict[str, Any]]:
    if not data.counted:
        square = data.probabilities()
        return [_wide_row(name, data.agents, row.round(12)) for name, row in zip(data.agents, square, strict=True)]
    columns = zip(data.first, data.second, data.wins, data.losses, data.ties, strict=True)
    return [
        {"a": data.agents[i], "b": data.agents[j], "wins_a": float(w), "wins_b": float(l), "ties": float(t)}
        for i, j, w, l, t in columns
    ]


@_rows.register
def _(data: Matches) -> list[dict[str, Any]]:
    columns = zip(data.a, data.b, data.outcome, data.weights, strict=True)
    return [
        {"a": data.agents[i], "b": data.agents[j], "outcome": float(s), "weight": float(w)} for i, j, s, w in columns
    ]


@_rows.register
def _(data: Scores) -> list[dict[str, Any]]:
    if data.repeats is None:
        return [_wide_row(name, data.tasks, row) for name, row in zip(data.agents, data.values, strict=True)]
    return [
        {"agent": data.agents[i], "task": data.tasks[j], "trial": int(k), "score": float(data.repeats[i, j, k])}
        for i, j, k in np.argwhere(~np.isnan(data.repeats))
    ]


@_rows.register
def _(data: Episodes) -> list[dict[str, Any]]:
    rows = []
    for k in range(len(data)):
        row: dict[str, Any] = {"deal": data.deal.labels[data.deal.codes[k]]}
        if data.hand is not None:
            row["hand"] = data.hand.labels[data.hand.codes[k]]
        if data.seat is not None:
            row["seat"] = data.seat.labels[data.seat.codes[k]]
        row |= {"agent": data.agents[data.agent.codes[k]], "utility": float(data.utility[k])}
        row |= {name: None if np.isnan(values[k]) else float(values[k]) for name, values in data.controls.items()}
        rows.append(row)
    return rows


MOST = 500
"""Runs that a page lists."""


def runs_view(recognised: Recognised, *notes: Diagnostic) -> list[View]:
    """List the mean of each agent in each evaluation, best first, with what the readers had to say."""
    runs = sorted(recognised.runs, key=lambda run: -run.mean)
    if not runs:
        return []
    order = {name: place for place, name in enumerate(dict.fromkeys(run.evaluation for run in recognised.runs))}
    runs.sort(key=lambda run: order[run.evaluation])
    rows = [
        {"evaluation": run.evaluation, "agent": run.agent, "mean": run.mean, "samples": run.samples or None}
        for run in runs[:MOST]
    ]
    columns = [
        Column("evaluation", cells.text("evaluation"), right=False),
        Column("agent", cells.text("agent"), right=False),
        Column("mean", cells.decimal("mean", 4)),
        Column("samples", cells.count("samples")),
    ]
    counts = (
        f"{counted(len(runs), 'run')}: {counted(len({run.agent for run in runs}), 'agent')}"
        f" in {counted(len(order), 'evaluation')}."
    )
    more = f" The first {MOST:,} are listed." if len(runs) > MOST else ""
    table = TableView("runs", rows, columns)
    said = tuple(note.message for note in notes)
    return [View((table,), (counts + more, *said), recognised.data.diagnostics, title="Contents of the logs")]


VIEWS = {"MethodList": methods_view}
"""Who shows which class of results."""
