"""What logs of evaluations hold, run by run: shown even where nothing can be compared."""

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.wording import counted
from equipoise.data.readers.recognise import Recognised
from equipoise.report.views.view import Column, TableView, View, count, decimal, text

__all__ = ["runs_view"]

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
        Column("evaluation", text("evaluation"), right=False),
        Column("agent", text("agent"), right=False),
        Column("mean", decimal("mean", 4)),
        Column("samples", count("samples")),
    ]
    told = (
        f"{counted(len(runs), 'run')}: {counted(len({run.agent for run in runs}), 'agent')}"
        f" in {counted(len(order), 'evaluation')}."
    )
    more = f" The first {MOST:,} are listed." if len(runs) > MOST else ""
    table = TableView("runs", rows, columns)
    said = tuple(note.message for note in notes)
    return [View((table,), (told + more, *said), recognised.data.diagnostics, title="What the logs hold")]
