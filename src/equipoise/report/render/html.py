"""Views as one page that needs nothing else: the answer, the questions behind it, and how it was all computed.

A view as questions: each with the chart and the table that answer it, in the order of reading.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any

from equipoise.catalogue import references
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import MissingDependencyError
from equipoise.core.progress import counted
from equipoise.core.wording import PYTHON, Spelling
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.render.figures import LONGEST_CELL, LONGEST_PROSE, figure, table
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import Card, TableView, View

LEADERBOARD = "Leaderboard"


@dataclass(slots=True)
class PageQuestion:
    """A heading with what answers it; ``table_first`` where the table is the answer and the chart its picture."""

    title: str
    tables: list[TableView] = field(default_factory=list)
    charts: list[ChartView] = field(default_factory=list)
    table_first: bool = False


def questions(view: View, *, first: bool) -> list[PageQuestion]:
    """Put charts and tables that belong together under one heading; of the ``first`` view the main table leads."""
    charts = [chart for chart in view.charts() if not chart.aside]
    tables = [table for table in view.tables if table.rows]
    asked = {
        table.name: PageQuestion(_table_title(table, view, first and k == 0), [table]) for k, table in enumerate(tables)
    }
    alone = []
    for chart in charts:
        owner = asked.get(_table_of(chart, view, tables, charts))
        if owner is None:
            alone.append(PageQuestion(chart.heading(), charts=[chart]))
        else:
            owner.charts.append(chart)
    listed = list(asked.values())
    if first and listed:
        listed[0].table_first = True
    elif listed and len(listed[0].charts) == 1:
        listed[0].title = listed[0].charts[0].heading()
    return [*listed, *alone]


def _table_of(chart: ChartView, view: View, tables: Sequence[TableView], charts: Sequence[ChartView]) -> str:
    """The table that a chart is a picture of: as the view says; of a view that says nothing, the main one's first."""
    if not view.together and tables and chart is charts[0]:
        return tables[0].name
    return view.together.get(chart.name, "")


def _table_title(table: TableView, view: View, leads: bool) -> str:
    if table.title:
        return table.title
    return (
        LEADERBOARD if leads and table.name == "agents" else f"{view.title}: {table.name}" if view.title else table.name
    )


MOST_SENTENCES, MOST_NAMES, MOST_ALIKE = 3, 6, 3
"""Of a card: sentences and names; notes of one kind that are shown before the rest is folded away."""
SCRIPTS = ("page.js", "tables.js", "marks.js", "agents.js")


@dataclass(frozen=True, slots=True)
class Part:
    """What one file, or one command, has to say.

    Attributes
    ----------
    title
        The file's name, or the command's question.
    views
        Views in the order in which they are shown.
    subtitle
        What the file was taken for.
    seed
        Seed behind the results; None where nothing is random.
    command
        The command that makes this page again; empty where there was none.
    facts
        What identifies the data, where the views do not say it: file, rows, a hash.
    """

    title: str
    views: Sequence[View]
    subtitle: str = ""
    seed: object = None
    command: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)


def to_html(title: str, parts: Sequence[Part], *, version: str, subtitle: str = "", spelling: Spelling = PYTHON) -> str:
    """Render the page; messages name options as ``spelling`` writes them."""
    script = "".join(map(_asset, SCRIPTS))
    asked = [[questions(view, first=k == 0) for k, view in enumerate(part.views)] for part in parts]
    figures = iter([*_figures(asked)])
    shown = [
        _part(part, f"{p}", version, spelling, of_part, figures)
        for p, (part, of_part) in enumerate(zip(parts, asked, strict=True), 1)
    ]
    page = {
        "title": harmless(title, LONGEST_CELL),
        "subtitle": subtitle,
        "version": version,
        "parts": shown,
        "contents": [entry for part in shown for entry in _contents(part, len(shown) > 1)],
    }
    rendered: str = _template().render(
        page=page, css=_trusted(_asset("page.css")), script=_trusted(script), script_hash=_hash(script)
    )
    return rendered


def _figures(asked: Sequence[Sequence[Sequence[PageQuestion]]]) -> Iterator[dict[str, Any]]:
    """Draw the charts of all parts one after the other, and report how far that is."""
    charts = [
        (chart, f"{p}-{k}")
        for p, of_part in enumerate(asked, 1)
        for k, chart in enumerate((chart for view in of_part for one in view for chart in one.charts), 1)
    ]
    for chart, key in counted(charts, "charts", [1] * len(charts)):
        drawn = figure(chart, key)
        yield drawn | {"wide": _trusted(drawn["wide"]), "narrow": _trusted(drawn["narrow"])}


def _part(
    part: Part, p: str, version: str, spelling: Spelling, asked: Sequence[Sequence[PageQuestion]],
    figures: Iterator[dict[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    card = _card(part)
    notes = dict.fromkeys(note for view in part.views for note in view.diagnostics)
    several = len(part.views) > 1
    tables = count(1)
    return {
        "id": f"part-{p}",
        "title": harmless(part.title, LONGEST_CELL),
        "card": card,
        "warnings": _folded([note for note in notes if note.severity == "warning"], spelling),
        "notes": _folded([note for note in notes if note.severity != "warning"], spelling),
        "sections": [
            _section(view, f"{p}-{k}", card, first=k == 1)
            | {"questions": [_question(one, f"{p}-{k}-{q}", p, figures, tables) for q, one in enumerate(of_view, 1)]}
            for k, (view, of_view) in enumerate(zip(part.views, asked, strict=True), 1)
        ],
        "details": [_trusted(block) for block in _details(part.views)],
        "data": _data(part, version),
        "methods": [_provenance(view, several) for view in part.views],
    }


def _card(part: Part) -> dict[str, Any]:
    """What stands first: the card of the first view, else its sentences."""
    view = part.views[0] if part.views else View(())
    card = view.card() if view.card is not None else Card(view.title, sentences=view.sentences)
    names = [harmless(name, LONGEST_CELL) for name in card.names[:MOST_NAMES]]
    return {
        "label": card.label,
        "names": names,
        "more": len(card.names) - len(names),
        "sentences": [harmless(sentence, LONGEST_PROSE) for sentence in card.sentences[:MOST_SENTENCES]],
        "against": [harmless(sentence, LONGEST_PROSE) for sentence in card.against],
        "counts": [(name, _count(value)) for name, value in card.counts.items()],
    }


def _count(value: object) -> str:
    if isinstance(value, int | float):
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    return harmless(str(value), LONGEST_CELL)


def _section(view: View, key: str, card: Mapping[str, Any], *, first: bool) -> dict[str, Any]:
    said = {*card["sentences"], *card["against"]} if first else set()
    sentences = [harmless(sentence, LONGEST_PROSE) for sentence in view.whole_answer]
    return {
        "id": f"section-{key}",
        "first": first,
        "title": harmless(view.title, LONGEST_CELL),
        "sentences": [sentence for sentence in sentences if sentence not in said],
    }


def _question(
    asked: PageQuestion, key: str, p: str, figures: Iterator[dict[str, Any]], tables: Iterator[int]
) -> dict[str, Any]:  # fmt: skip
    title = harmless(asked.title, LONGEST_CELL)
    return {
        "id": f"question-{key}",
        "title": title,
        "table_first": asked.table_first,
        "sentences": [harmless(said, LONGEST_PROSE) for each in asked.tables for said in each.sentences],
        "figures": [next(figures) for _ in asked.charts],
        "tables": [table(each, f"table-{p}-{next(tables)}", each.title or title) for each in asked.tables],
    }


def _contents(part: Mapping[str, Any], several: bool) -> Iterator[tuple[str, str, int]]:
    """What the list of contents shows: address, title and depth."""
    yield part["id"], part["title"] if several else "Answer", 0
    for section in part["sections"]:
        for asked in section["questions"]:
            yield asked["id"], asked["title"], 1
    yield f"{part['id']}-how", "Method", 1


def _folded(notes: Sequence[Diagnostic], spelling: Spelling) -> list[dict[str, Any]]:
    """Put notes of one kind together: the first few open, the rest folded away and counted."""
    kinds: dict[str, list[str]] = {}
    for note in notes:
        kinds.setdefault(note.code, []).append(harmless(note.spelled(spelling), LONGEST_PROSE))
    return [
        {"code": code, "messages": messages[:MOST_ALIKE], "more": messages[MOST_ALIKE:]}
        for code, messages in kinds.items()
    ]


def _data(part: Part, version: str) -> list[tuple[str, str]]:
    """The command, what identifies the data, and the version: what it takes to make the page again."""
    known = "sha256" in part.facts  # data are hashed once: what a view would say of them is said already
    views = () if known else part.views
    own: Mapping[str, object] = next((view.data() for view in views if view.data is not None), {})
    facts: dict[str, Any] = {name: value for name, value in {**own, **part.facts}.items() if value is not None}
    account = facts.pop("account", None)
    facts |= {"rows": account["rows"]} if account else {}
    entry = {
        "command": part.command,
        **facts,
        "seed": part.seed,
        "columns and rows used": part.subtitle,
        "Equipoise": version,
    }
    return [(name, harmless(str(value), LONGEST_PROSE)) for name, value in entry.items() if value not in (None, "")]


def _provenance(view: View, several: bool) -> list[tuple[str, str]]:
    """Method, parameters and citation, as far as the view knows them."""
    known = view.document
    entry = [("results", view.title)] if several and view.title else []
    if view.method:
        entry.append(("method", view.method))
    params = known.get("params")
    if isinstance(params, Mapping) and params:
        entry.append(("parameters", ", ".join(f"{name} = {_value(value)}" for name, value in params.items())))
    names = view.cites or ((str(known["method"]).replace("-", "_"),) if "method" in known else ())
    entry += [("citation", reference) for reference in references(names)]
    return [(name, harmless(value, LONGEST_PROSE)) for name, value in entry]


def _details(views: Sequence[View]) -> Iterator[str]:
    """Details of agents and cells: games once and scores once, whichever views ask for them."""
    behind: dict[str, Mapping[str, object]] = {}
    for view in views:
        if view.details is not None:
            details = view.details()
            behind.setdefault("games" if "pairs" in details else "scores", details)
    yield from map(_plain_json, behind.values())


def _plain_json(value: Mapping[str, object]) -> str:
    """Numbers and names for the script; names are as harmless as in the tables, and no name ends the element."""
    named: dict[str, Any] = {key: value[key] for key in ("agents", "tasks") if key in value}
    names = {key: [harmless(str(name), LONGEST_CELL) for name in listed] for key, listed in named.items()}
    text = json.dumps({**value, **names}, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("&", "\\u0026")


def _value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _asset(name: str) -> str:
    return (files("equipoise.report") / "assets" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """Give the name under which the page lets this script, and no other, run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _trusted(text: str) -> Any:
    """Mark what we wrote ourselves (and drawings, whose texts are escaped) as markup."""
    from markupsafe import Markup

    return Markup(text)


@cache
def _template() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise MissingDependencyError(
            'a report needs Jinja and vl-convert; install them with: pip install "equipoise[report]"'
        ) from error
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("page.html.jinja"))
