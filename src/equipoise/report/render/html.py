"""Views as one page that needs nothing else: the answer, one board, what it rests on, and the rest folded away."""

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
from equipoise.report.render.figures import figure
from equipoise.report.render.page_questions import PageQuestion, questions
from equipoise.report.render.safe_text import harmless
from equipoise.report.render.sheets import LONGEST_CELL, LONGEST_PROSE, sheet
from equipoise.report.views.view import Card, View

MOST_SENTENCES, MOST_WARNINGS, MOST_ALIKE = 3, 3, 3
"""Sentences of the answer, and warnings and notes of one kind that are shown before the rest is folded away."""
LONG_HEADLINE, SHORT_HEADLINE = 80, 25
"""Letters from which on a headline ends at its colon, and which it must then have before that."""
SCRIPTS = ("page.js", "tables.js", "marks.js", "agents.js", "opponents.js")


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
        (chart, f"{p}-{k}", one.folded)
        for p, of_part in enumerate(asked, 1)
        for k, (one, chart) in enumerate(((one, chart) for view in of_part for one in view for chart in one.charts), 1)
    ]
    for chart, key, folded in counted(charts, "charts", [1] * len(charts)):
        drawn = figure(chart, key, folded=folded)
        yield drawn | {"wide": _trusted(drawn["wide"]), "narrow": _trusted(drawn["narrow"])}


def _part(
    part: Part, p: str, version: str, spelling: Spelling, asked: Sequence[Sequence[PageQuestion]],
    figures: Iterator[dict[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    card = _card(part)
    shown = [view for k, view in enumerate(part.views) if k == 0 or view.stands_open]
    notes = dict.fromkeys(note for view in shown for note in view.diagnostics if not _concerns(view, note))
    several = len(part.views) > 1
    tables = count(1)
    warnings = _folded([note for note in notes if note.severity == "warning"], spelling)
    sections = [
        _section(
            view, f"{p}-{k}", card, first=k == 1, notes=[] if k == 1 or view.stands_open else _about(view, spelling)
        )
        | {
            "questions": [
                _question(one, f"{p}-{k}-{q}", p, figures, tables, _beside(view, one, spelling))
                for q, one in enumerate(of_view, 1)
            ]
        }
        for k, (view, of_view) in enumerate(zip(part.views, asked, strict=True), 1)
    ]
    return {
        "id": f"part-{p}",
        "title": harmless(part.title, LONGEST_CELL),
        "card": card,
        "warnings": warnings[:MOST_WARNINGS],
        "more_warnings": warnings[MOST_WARNINGS:],
        "notes": _folded([note for note in notes if note.severity != "warning"], spelling),
        "rest": [said for section in sections[:1] if section["questions"] for said in section["sentences"]],
        "open": [one for section in sections for one in _open(section)],
        "folded": [one for section in sections for one in _closed(section)],
        "details": [_trusted(block) for block in _details(part.views)],
        "data": _data(part, version),
        "methods": [_provenance(view, several) for view in part.views],
    }


def _concerns(view: View, note: Diagnostic) -> bool:
    """Whether a note is about one table that is not the first, and is said there."""
    return any(note.code in table.concerns for table in view.tables[1:])


def _beside(view: View, asked: PageQuestion, spelling: Spelling) -> list[dict[str, Any]]:
    """Give the notes that are about the tables of a question."""
    about = {code for table in asked.tables for code in table.concerns if table is not view.tables[0]}
    return _folded([note for note in view.diagnostics if note.code in about], spelling)


def _open(section: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give what stands open: of a first view its questions, of another that stands open itself with these."""
    shown = [one for one in section["questions"] if not one["folded"]]
    if section["first"]:
        if section["sentences"] and not shown:
            yield {**section, "questions": [], "hint": ""}
        yield from shown
    elif section["open"]:
        yield {**section, "questions": shown}


def _closed(section: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give what is folded: of a first view each question that does not lead, of another all of it."""
    if section["first"] or section["open"]:
        yield from (one for one in section["questions"] if one["folded"])
    else:
        yield section


def _card(part: Part) -> dict[str, Any]:
    """What stands first: the card of the first view, else its sentences."""
    view = part.views[0] if part.views else View(())
    card = view.card() if view.card is not None else Card(view.title, view.sentences)
    headline, *others = card.sentences[:MOST_SENTENCES] or [""]
    short, _, reason = headline.partition(": ")
    if len(headline) > LONG_HEADLINE and len(short) > SHORT_HEADLINE and reason:
        word = reason.partition(" ")[0]  # a name that the headline has, too, stays as it is written
        begun = reason if word in short.split() else f"{reason[:1].upper()}{reason[1:]}"
        headline, others = f"{short}.", [begun, *others]
    return {
        "question": harmless(card.question, LONGEST_CELL),
        "sentences": [harmless(sentence, LONGEST_PROSE) for sentence in (headline, *others) if sentence],
        "said": {harmless(sentence, LONGEST_PROSE) for sentence in card.sentences[:MOST_SENTENCES]},
        "against": [harmless(sentence, LONGEST_PROSE) for sentence in card.against],
        "counts": [
            harmless(value, LONGEST_CELL) if isinstance(value, str) else f"{_count(value)} {name}"
            for name, value in card.counts.items()
        ],
    }


def _count(value: object) -> str:
    if isinstance(value, int | float):
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    return harmless(str(value), LONGEST_CELL)


def _about(view: View, spelling: Spelling) -> list[dict[str, Any]]:
    """Give the notes of a view that is folded, but for those that are said beside a table."""
    return _folded([note for note in view.diagnostics if not _concerns(view, note)], spelling)


def _section(
    view: View, key: str, card: Mapping[str, Any], *, first: bool, notes: list[dict[str, Any]]
) -> dict[str, Any]:  # fmt: skip
    said = {*card["said"], *card["against"]} if first else set()
    sentences = [harmless(sentence, LONGEST_PROSE) for sentence in view.whole_answer]
    return {
        "id": f"section-{key}",
        "first": first,
        "open": view.stands_open,
        "title": harmless(view.title, LONGEST_CELL),
        "hint": sentences[0] if sentences else "",
        "sentences": [sentence for sentence in sentences if sentence not in said],
        "figures": [], "tables": [], "notes": notes, "table_first": True,
    }  # fmt: skip


def _question(
    asked: PageQuestion, key: str, p: str, figures: Iterator[dict[str, Any]], tables: Iterator[int],
    notes: list[dict[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    title = harmless(asked.title, LONGEST_CELL)
    sentences = [harmless(said, LONGEST_PROSE) for each in asked.tables for said in each.sentences]
    return {
        "id": f"question-{key}",
        "title": title,
        "table_first": asked.table_first,
        "folded": asked.folded,
        "sentences": sentences,
        "hint": sentences[0] if sentences else "",
        "notes": notes,
        "figures": [next(figures) for _ in asked.charts],
        "tables": [
            sheet(each, f"table-{p}-{next(tables)}", each.title or title, main=asked.table_first)
            for each in asked.tables
        ],
        "questions": [],
    }


def _contents(part: Mapping[str, Any], several: bool) -> Iterator[tuple[str, str]]:
    """What the list of contents shows: address and title."""
    if several:
        yield part["id"], part["title"]
        return
    for one in part["open"]:
        yield one["id"], one["title"].partition(",")[0].partition(":")[0]
    yield f"{part['id']}-more", "More"


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
    """Read a part of the page, without the margins and remarks of its lines."""
    lines = (files("equipoise.report") / "assets" / name).read_text(encoding="utf-8").splitlines()
    return "".join(f"{line}\n" for line in map(str.strip, lines) if not line.startswith(("//", "/*")))


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
