"""Pages of an arena as text: the documents of :mod:`equipoise.web.documents`, arranged and drawn."""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2

from equipoise.arena.spec.names import escaped
from equipoise.inference.confidence import clopper_pearson_interval
from equipoise.report.render.safe_text import harmless
from equipoise.web.documents import Documents
from equipoise.web.pages.transcripts import draw_board, read_transcript

PARTS = ("answer", "standings", "decisions", "play", "pairs", "games", "players", "workers", "interventions")
"""Parts of the page that change, in its order."""
TITLES: Mapping[str, str] = {
    "standings": "Standings", "decisions": "Decisions", "play": "In play", "pairs": "Head to head", "games": "Games",
    "players": "Players", "workers": "Workers", "interventions": "Interventions",
}  # fmt: skip
MOST_TEXT = 200_000
SHOWN_GAMES, LONGEST_NAME, MOST_IN_MATRIX = 12, 200, 24
LEVEL, BAR = 0.95, 240
"""Of what a cell's colour says; and the width of the drawing of an interval."""
CHART, HIGHEST = (400.0, 160.0), 1.5
"""Width and height of the drawing of evidence, and the most of what decides that it shows."""


@dataclass(frozen=True, slots=True)
class Stand:
    """What is drawn: an arena at an event, for somebody.

    Attributes
    ----------
    base
        Address of its page.
    documents
        What there is to show.
    seq, at
        The end of the journal, and the event that was asked for; None for the present.
    organises, form_token
        Whether forms are shown, and what they carry.
    wall
        Whether only what is read from afar is shown.
    stood
        Events at which the documents stood that were shown: while games come in, some are half a second old or more.
    """

    base: str
    documents: Documents
    seq: int
    at: int | None
    organises: bool
    form_token: str
    wall: bool = False
    stood: list[int] = field(default_factory=list)

    def document(self, name: str) -> Any:
        """Give a document as it stands."""
        if self.at is not None:
            return self.documents.at(name, self.at)
        at, document = self.documents.now(name, self.seq)
        self.stood.append(at)
        return document


@cache
def _templates() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("equipoise.web", "assets"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    found.filters |= {
        "name": lambda text: harmless(str(text), LONGEST_NAME),
        "count": lambda number: f"{number:,}",
        "signed": lambda number: "" if number is None else f"{number:+,.0f}".replace("-", "−"),
        "percent": lambda share: "" if share is None else f"{share:.0%}",
        "score": lambda number: f"{number:g}".replace("-", "−"),
        "clock": lambda seconds: time.strftime("%H:%M:%S", time.gmtime(seconds)),
        "date": lambda seconds: time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds)),
        "ago": _ago,
        "transcript": lambda text: escaped(text, lines=True)[:MOST_TEXT],
    }
    return found


def _ago(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{max(seconds, 0.0):.0f} s ago"


def draw_template(name: str, **shown: Any) -> str:
    """Draw a template."""
    return _templates().get_template(name).render(**shown)


def draw_page(stand: Stand, *, alone: bool = False) -> str:
    """Draw the whole page; ``alone`` as one file that needs no server."""
    parts = {name: draw_part(stand, name) for name in PARTS}
    summary = stand.document("summary")
    styles = "\n".join(_style(*one) for one in (("equipoise.report", "page.css"), ("equipoise.web", "live.css")))
    decided = [row for row in stand.document("decisions")["decisions"] if row["status"] == "holds"]
    text = draw_template(
        "live.html.jinja", stand=stand, summary=summary, parts=parts, titles=TITLES, alone=alone,
        styles=styles if alone else "", decided=decided[-8:], workers=stand.document("workers")["workers"],
    )  # fmt: skip
    return _without_links(text, stand.base) if alone else text


def _without_links(text: str, base: str) -> str:
    """Leave the words of links to other pages of the server: from a file they lead nowhere."""
    return re.sub(rf'<a href="{re.escape(base)}[^"]*"[^>]*>(.*?)</a>', r"\1", text, flags=re.DOTALL)


def _style(package: str, name: str) -> str:
    return files(package).joinpath("assets", name).read_text(encoding="utf-8")


def draw_part(stand: Stand, name: str) -> str:
    """Draw one part of the page."""
    return draw_template(f"part_{name}.html.jinja", stand=stand, **ARRANGED[name](stand))


def _answer(stand: Stand) -> dict[str, Any]:
    summary, standings = stand.document("summary"), stand.document("standings")
    headline, *said = standings["answer"]
    forecast = summary["progress"]["forecast"]
    return {
        "summary": summary, "asked": standings["question"], "headline": headline,
        "sentences": said, "guarantee": summary["progress"]["guarantee"], "notes": standings["notes"],
        "bar": _budget_bar(summary, forecast),
    }  # fmt: skip


def _budget_bar(summary: Mapping[str, Any], forecast: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Draw how much of the budget is used, and where the answer is expected."""
    budget = summary["budget"]
    if not budget:
        return None
    used = min(summary["counted"] / budget, 1.0) * 1000
    bar: dict[str, Any] = {"used": round(used, 1), "expected": None}
    if forecast is not None and forecast.get("low") is not None:
        low = min((summary["counted"] + forecast["low"]) / budget, 1.0) * 1000
        high = min((summary["counted"] + (forecast.get("high") or forecast["low"])) / budget, 1.0) * 1000
        bar["expected"] = {"x": round(low, 1), "width": round(max(high - low, 4.0), 1)}
    return bar


def _standings(stand: Stand) -> dict[str, Any]:
    standings = stand.document("standings")
    rows = standings["players"]
    decided = {
        frozenset((row["first"], row["second"])): row
        for row in stand.document("decisions")["decisions"] if row["second"] is not None and row["status"] == "holds"
    }  # fmt: skip
    met = {frozenset((pair["first"], pair["second"])): pair for pair in stand.document("pairs")["pairs"]}
    ends = [value for row in rows for value in (row["low"], row["high"]) if value is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 0.0)
    shown = []
    for at, row in enumerate(rows):
        below = None
        if at + 1 < len(rows):
            pair = frozenset((row["agent"], rows[at + 1]["agent"]))
            below = {"decision": decided.get(pair), **_between(met.get(pair)), "name": rows[at + 1]["agent"]}
        shown.append({**row, "bar": _bar(row, low, high), "below": below})
    level = None if standings["interval"] is None else standings["interval"]["level"]
    return {"rows": shown, "low": low, "high": high, "rated": bool(ends), "level": level}


def _between(pair: Mapping[str, Any] | None) -> dict[str, Any]:
    """Say how far the evidence about a pair is: logarithms, of which a negative one is none."""
    games = 0 if pair is None else round(pair["games"])
    said = {"games": games, "unit": "game" if games == 1 else "games", "evidence": None, "needs": None, "share": 0}
    if pair is None or pair["evidence"] is None or not games:
        return said
    share = round(100 * min(max(pair["evidence"] / pair["needs"], 0.0), 1.0))
    return {**said, "evidence": max(pair["evidence"], 0.0), "needs": pair["needs"], "share": share}


def _bar(row: Mapping[str, Any], low: float, high: float) -> dict[str, float] | None:
    if row["low"] is None or row["high"] is None or high <= low:
        return None
    scale = BAR / (high - low)
    x, width = (row["low"] - low) * scale, max((row["high"] - row["low"]) * scale, 2.0)
    return {"x": round(x, 1), "width": round(width, 1), "mark": round((row["rating"] - low) * scale, 1)}


def _pairs(stand: Stand) -> dict[str, Any]:
    rows = stand.document("pairs")["pairs"]
    order = [row["agent"] for row in stand.document("standings")["players"]][:MOST_IN_MATRIX]
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        cells[row["first"], row["second"]] = {"score": row["score"], "games": round(row["games"])}
        cells[row["second"], row["first"]] = {"score": 1.0 - row["score"], "games": round(row["games"])}
    matrix = [
        {"name": name, "cells": [None if other == name else _shaded(cells.get((name, other))) for other in order]}
        for name in order
    ]
    return {
        "order": order,
        "matrix": matrix,
        "left_out": max(len(stand.document("summary")["players"]) - len(order), 0),
        "chart": _evidence_chart([row for row in rows if row["first"] in order and row["second"] in order]),
    }


def _evidence_chart(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Place pairs by their games and by the share that they have of the evidence that decides."""
    known = [pair for pair in pairs if None not in (pair["evidence"], pair["needs"]) and pair["games"]]
    if not known:
        return None
    width, height = CHART
    most = max(pair["games"] for pair in known)
    top = min(max(1.1, *(pair["evidence"] / pair["needs"] for pair in known)), HIGHEST)
    dots = [
        {
            "x": round(width * pair["games"] / most, 1),
            "y": round(height * (1.0 - min(max(pair["evidence"] / pair["needs"], 0.0), top) / top), 1),
            "decides": pair["evidence"] >= pair["needs"], "pair": pair,
        }
        for pair in known
    ]  # fmt: skip
    above = sum(dot["decides"] for dot in dots)
    return {"dots": dots, "line": round(height * (1.0 - 1.0 / top), 1), "most": round(most), "above": above}


def _shaded(cell: Mapping[str, Any] | None) -> dict[str, Any]:
    """Say how far a cell is from even, and whether its games show that: a colour only where they do."""
    if cell is None:
        return {"kind": "none", "score": None, "games": 0}
    low, high = clopper_pearson_interval(cell["score"] * cell["games"], cell["games"], 1.0 - LEVEL)
    kind = "won" if low > 0.5 else "lost" if high < 0.5 else "even"
    return {**cell, "kind": kind}


def _decisions(stand: Stand) -> dict[str, Any]:
    return {"rows": stand.document("decisions")["decisions"][::-1]}


def _play(stand: Stand) -> dict[str, Any]:
    return {"games": stand.document("feed")["in_play"][:8], "summary": stand.document("summary")}


def _games(stand: Stand) -> dict[str, Any]:
    games, last = stand.document("feed")["games"], stand.document("feed")["last"]
    played = None if last is None else read_transcript(last["text"], last["players"])
    board = None if played is None or played["kind"] != "chess" else draw_board(played, played["plies"])
    return {
        "last": last,
        "played": played,
        "board": board,
        "games": games[:SHOWN_GAMES],
        "more": len(games) > SHOWN_GAMES,
        "counted": stand.document("summary")["counted"],
    }


def _players(stand: Stand) -> dict[str, Any]:
    return {"players": stand.document("players")["players"]}


def _workers(stand: Stand) -> dict[str, Any]:
    document = stand.document("workers")
    now = stand.document("summary")["time"]
    rows: Sequence[dict[str, Any]] = [
        {**row, "pace": row["games"] / max((row["last"] - row["since"]) / 60.0, 1.0), "ago": now - row["last"]}
        for row in document["workers"]
    ]
    return {"workers": rows, "faults": document["faults"]}


def _interventions(stand: Stand) -> dict[str, Any]:
    rows = stand.document("interventions")["interventions"]
    return {"rows": rows[:SHOWN_GAMES], "more": max(len(rows) - SHOWN_GAMES, 0)}


ARRANGED: Mapping[str, Any] = {
    "answer": _answer, "standings": _standings, "decisions": _decisions, "play": _play, "pairs": _pairs,
    "games": _games, "players": _players, "workers": _workers, "interventions": _interventions,
}  # fmt: skip
"""What each part shows."""
