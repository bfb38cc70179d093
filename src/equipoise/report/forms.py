"""Forms of a result that its own methods give: a chart, a table for a paper, a file by its suffix."""

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import equipoise
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.results import Result
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.look import ChartLook, Plot
from equipoise.report.charts.names import ASKED
from equipoise.report.render import export, paper
from equipoise.report.views.registry import plain_charts, view_of
from equipoise.report.views.view import View, account_words, data_words, origin_of

PICTURES = (".svg", ".png", ".pdf")
TEXT_WIDTH = 160
COMMANDS: Mapping[str, str] = {
    "Standings": "rank", "Benchmark": "tasks", "CategoryBoards": "categories", "PairComparison": "compare",
    "LengthControlled": "length", "BoardChanges": "changes", "IRT": "irt", "Scored": "irt", "Predicted": "predict",
    "Judges": "judges", "Plan": "plan", "HandsWithoutLuck": "luck", "WeighedGame": "metagame",
}  # fmt: skip
"""Whose documents are those of a command; others are named for their method."""


def plot(result: Result, kind: str | None, look: ChartLook) -> Plot:
    """Give the chart of that kind, or the main one; see :meth:`Result.plot`.

    Fails when
        there is no such chart, or it has no such agents.
    """
    view = view_of(result, whole=True)
    chart = _chart(result, view, kind)
    drawn = Plot(chart, look, origin_of(view, chart))
    look.of(chart)  # agents that are not there are refused at once
    return drawn


def look_of(**given: Any) -> ChartLook:
    """Give the look that was asked for; see :class:`ChartLook`."""
    return ChartLook(**{name: value for name, value in given.items() if value is not None})


def _chart(result: Result, view: View, name: str | None) -> ChartView:
    charts = {chart.name: chart for chart in reversed(view.charts() or plain_charts(result))}
    names = list(charts)[::-1]
    if not charts:
        raise ParameterError(f"{type(result).__name__} has no chart; save it as a table")
    if name is None:
        return charts[names[0]]
    for each in (name, *ASKED.get(name, ())):
        if each in charts:
            return charts[each]
    known = ", ".join(names)
    raise ParameterError(f'{type(result).__name__} has no chart "{name}"{did_you_mean(name, names)}; charts: {known}')


def to_latex(result: Result, *, title: str | None = None, caption: str | None = None) -> str:
    """Give the main table as a booktabs ``tabular``; a comment says of which question and which data."""
    view = view_of(result)
    kind = type(result).__name__
    asked = f"equipoise {equipoise.__version__}: {COMMANDS.get(kind, kind)}. {data_words(view, view.method)}"
    return paper.to_latex(paper.main_table(view), command=asked, title=title, caption=caption)


def to_markdown(result: Result, *, title: str | None = None, caption: str | None = None) -> str:
    """Give the main table in Markdown."""
    return paper.to_markdown(paper.main_table(view_of(result)), title=title, caption=caption)


def save(result: Result, path: str | Path, *, title: str | None, caption: str | None) -> Path:
    """Write the result in the form that the file's name asks for; see :meth:`Result.save`.

    Fails when
        the suffix is none of these, or the file cannot be written.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix in PICTURES:
        return plot(result, None, ChartLook(title=title, caption=caption)).save(target)
    if suffix in (".html", ".htm"):
        return _save_page(result, target, title)
    texts: dict[str, Callable[[], str]] = {
        ".json": lambda: _document(result),
        ".csv": lambda: export.to_csv(view_of(result)),
        ".tex": lambda: to_latex(result, title=title, caption=caption),
        ".md": lambda: to_markdown(result, title=title, caption=caption),
        ".txt": lambda: _text(result),
    }
    if suffix not in texts:
        forms = ", ".join([*texts, ".html", *PICTURES])
        raise ParameterError(f'{target}: a result is saved as {forms}, not "{target.suffix}"')
    content = texts[suffix]()
    try:
        target.write_text(content, encoding="utf-8", newline="")
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror}") from error
    return target


def _document(result: Result) -> str:
    """Give the JSON document that the command behind the result writes, or one in its shape."""
    view = view_of(result)
    kind = type(result).__name__
    command = COMMANDS.get(kind) or str(view.document.get("method") or kind)
    return export.to_json(view, command=command, parameters=result.params) + "\n"


def _text(result: Result) -> str:
    from rich.console import Console

    from equipoise.report.render.terminal import print_view

    written = io.StringIO()
    print_view(view_of(result), Console(file=written, width=TEXT_WIDTH, highlight=False))
    return written.getvalue()


def _save_page(result: Result, target: Path, title: str | None) -> Path:
    from equipoise.report.pages.files import write_page
    from equipoise.report.render.html import Part

    view = view_of(result, whole=True)
    part = Part(title or view.title or target.stem, [view], " ".join(account_words(view)))
    return write_page([part], target, title=title)
