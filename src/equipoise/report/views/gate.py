"""The view of a gate: the tasks that changed, the largest loss first, under the decision."""

from functools import partial

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.gate.result import GateResult
from equipoise.core.wording import digits_for
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.views import cells
from equipoise.report.views.view import Card, Column, TableView, View, answer_of

UNITS = dict.fromkeys(("base", "new", "difference"), "score")


def gate_view(gate: GateResult) -> View:
    """Make the view."""
    rows = gate.frame().to_dicts()
    digits = max(2, digits_for([gate.stderr]))
    columns = [
        Column("task", cells.text("task"), right=False, prose=True),
        Column(gate.base, cells.decimal("base", digits)),
        Column(gate.new, cells.decimal("new", digits)),
        Column("difference", cells.signed("difference", digits)),
    ]
    changed = [row for row in rows if row["difference"] != 0.0]
    tables = [TableView("changed", changed, columns, units=UNITS, first=10)] if changed else []
    tables.append(TableView("tasks", rows, columns, "All tasks", UNITS, aside=bool(changed), first=10))
    method = {
        "sample": "interval over tasks", "fixed": "interval over runs", "schedule": "confidence sequence of bets",
    }[gate.over]  # fmt: skip
    return View(
        tables=tuple(tables),
        **answer_of(gate, "gate"),
        method=f"Paired mean difference; {100 * gate.level:g}% {method}.",
        charts=partial(_charts, gate),
        title=f"{gate.new} against {gate.base}",
        data=partial(gate.origin.facts, gate.data),
        card=lambda: Card("Did it get better?", gate.answer, counts=counts_of(gate.data)),
    )


def _charts(gate: GateResult) -> tuple[Forest, ...]:
    span = Span(f"{gate.new} less {gate.base}", gate.difference, gate.low, gate.high)
    return (Forest([span], "difference of mean scores", f"{100 * gate.level:g}% interval", 3),)
