"""The view of a gate: the tasks that changed, the largest loss first, under the decision."""

from functools import partial

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.gate.parts import JointGate
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
    if gate.answers:
        columns += [
            Column(f"{gate.base} answered", cells.text("base_answer"), right=False, prose=True, drop=2),
            Column(f"{gate.new} answered", cells.text("new_answer"), right=False, prose=True, drop=1),
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


def joint_view(joint: JointGate) -> View:
    """Make the view of a decision by several metrics, or on several slices."""
    rows = joint.frame().to_dicts()
    digits = max(2, digits_for([part.stderr for part in joint.parts]))
    numbers = [Column(name, cells.signed(name, digits)) for name in ("difference", "low", "high")]
    columns = [
        Column(joint.kind, cells.text("part"), right=False, prose=True), Column("decision", cells.text("verdict")),
        *numbers, Column("tasks", cells.count("tasks")),
    ]  # fmt: skip
    return View(
        tables=(TableView("parts", rows, columns, units=dict.fromkeys(("difference", "low", "high"), "score")),),
        **answer_of(joint, "gate"),
        method=f"Paired mean differences; {100 * joint.level:g}% intervals, stricter where a part fails (Holm).",
        charts=partial(_joint_charts, joint),
        title=f"{joint.new} against {joint.base}",
        data=partial(joint.origin.facts, joint.data),
        card=lambda: Card("Did it get better?", joint.answer, counts=counts_of(joint.data)),
    )


def _joint_charts(joint: JointGate) -> tuple[Forest, ...]:
    spans = [Span(name, part.difference, part.low, part.high) for name, part in joined_parts(joint)]
    return (Forest(spans, "difference of mean scores", f"{100 * joint.level:g}% interval", 3),)


def joined_parts(joint: JointGate) -> list[tuple[str, GateResult]]:
    """Give the parts with their names."""
    return list(zip(joint.names, joint.parts, strict=True))


def _charts(gate: GateResult) -> tuple[Forest, ...]:
    span = Span(f"{gate.new} less {gate.base}", gate.difference, gate.low, gate.high)
    return (Forest([span], "difference of mean scores", f"{100 * gate.level:g}% interval", 3),)
