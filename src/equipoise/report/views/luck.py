"""The view of luck: what agents win, and how much of the error the control variate removed."""

from functools import partial

from equipoise.analyses.analysis import counts_of
from equipoise.analyses.play.hands import HandsWithoutLuck
from equipoise.core.results import jsonable
from equipoise.core.wording import digits_for
from equipoise.luck.luck_table import LuckTable
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import NOTHING, Card, Cell, Column, Row, TableView, View

NAMES = {"baseline": "Baseline control variates", "duplicate": "Duplicate deals", "plain": "Unadjusted means"}
UNITS = (
    dict.fromkeys(("mean", "mean_stderr", "estimate", "stderr", "low", "high"), "payoff per hand")
    | dict.fromkeys(("hands", "hands_needed"), "hands")
    | {"deals": "deals", "reduction": "percent", "multiplier": "hands per hand"}
)


def luck_view(hands: HandsWithoutLuck) -> View:
    """Make the view."""
    result = hands.means
    rows = hands.frame().to_dicts()
    columns = _columns(str(result.params["by"]), digits_for(result.stderr), hands.half_width, result.interval.level)
    if all(row["mean"] == row["estimate"] for row in rows):
        columns = [column for column in columns if column.heading != "unadjusted"]
    return View(
        tables=(TableView("agents", rows, columns, units=UNITS),),
        sentences=hands.answer,
        diagnostics=hands.diagnostics,
        document={**jsonable(hands.summary()), "params": jsonable(result.params)},
        method=f"{_how(result)}; {result.interval}s.",
        charts=partial(charts_of, result),
        title="Luck",
        data=partial(hands.origin.facts, hands.data),
        card=partial(_card, hands),
        together={"forest": "agents"},
        details=partial(dict, agents=[row["agent"] for row in rows]),
    )


def _card(hands: HandsWithoutLuck) -> Card:
    return Card("Who wins most when luck is removed?", hands.answer, counts=counts_of(hands.data))


def _columns(by: str, digits: int, half_width: float | None, level: float) -> list[Column]:
    needed = [] if half_width is None else [Column(f"hands for ±{half_width:g}", cells.count("hands_needed"))]
    return [
        Column(by, cells.text("agent"), right=False),
        Column("estimate", cells.signed("estimate", digits)),
        Column(
            f"{100 * level:g}% interval",
            cells.ends(cells.signed, "", digits),
            right=False,
            bar=("low", "estimate", "high"),
        ),
        Column("unadjusted", cells.signed("mean", digits), drop=1),
        Column("hands", cells.count("hands"), drop=2),
        Column("deals", cells.count("deals"), drop=5),
        Column("error reduction", _with(cells.decimal("reduction", 1), after="%"), drop=3, aside=True),
        Column("worth", _with(cells.decimal("multiplier", 2), before="×"), drop=4),
        *needed,
    ]


def _with(cell: Cell, before: str = "", after: str = "") -> Cell:
    def shown(row: Row) -> str:
        value = cell(row)
        return value if value == NOTHING else f"{before}{value}{after}"

    return shown


def _how(result: LuckTable) -> str:
    name = NAMES[str(result.params["method"])]
    if result.params["method"] == "duplicate":
        return f"{name}, permutations: {result.params['permutations']}"
    if result.params["method"] == "plain":
        return name
    controls = result.params["control"]
    listed = ", ".join(controls) if isinstance(controls, tuple) else str(controls)
    return f"{name}, control variate: {listed}, coefficient: {result.params['coefficient']}"


VIEWS = {"HandsWithoutLuck": luck_view}
"""Who shows which class of results."""
