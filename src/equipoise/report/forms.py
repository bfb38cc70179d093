"""Forms of a result that its own methods give: a chart, a table for a paper, a file by its suffix."""

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.results import Result
from equipoise.core.wording import Option
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.images import USUAL, Size, to_svg, write_chart
from equipoise.report.charts.names import ASKED
from equipoise.report.render import export, paper
from equipoise.report.views.registry import view_of
from equipoise.report.views.view import View, account_words

LENGTHS: Mapping[str, float] = {"px": 1.0, "in": 96.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "pt": 96 / 72}
"""Pixels in each unit of length."""
NAMED: Mapping[str, float] = {"column": 3.25 * 96, "page": 6.75 * 96}
"""Usual widths in papers: of one of two columns, and of both."""
SHORTEST = 72.0
THEMES: Mapping[str, Size] = {
    "screen": USUAL, "paper": replace(USUAL, titled=False), "slides": replace(USUAL, zoom=1.5, width=960)
}  # fmt: skip
"""On a screen title and caption stand above; in a paper they stand in its text; on slides all is larger."""
PICTURES = (".svg", ".png", ".pdf")
TEXT_WIDTH = 160
COMMANDS: Mapping[str, str] = {
    "Standings": "rank", "Benchmark": "tasks", "CategoryBoards": "categories", "PairComparison": "compare",
    "LengthControlled": "length", "BoardChanges": "changes", "IRT": "irt", "Scored": "irt", "Predicted": "predict",
    "Judges": "judges", "Plan": "plan", "HandsWithoutLuck": "luck", "WeighedGame": "metagame",
}  # fmt: skip
"""Whose documents are those of a command; others are named for their method."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart of a result in its size: ``save`` writes it, and notebooks show it."""

    chart: ChartView
    size: Size = USUAL

    @property
    def name(self) -> str:
        """What the chart is called."""
        return self.chart.name

    def save(self, path: str | Path, *, title: str | None = None, caption: str | None = None) -> Path:
        """Write the chart as .svg, .pdf, .png, or .json (its Vega-Lite spec)."""
        write_chart(self.chart, Path(path), title=title, caption=caption, size=self.size)
        return Path(path)

    def _repr_html_(self) -> str:
        return to_svg(self.chart, self.size)


def plot(
    result: Result, name: str | None, *, width: float | str | None, height: float | str | None, theme: str | None
) -> Plot:
    """Give the chart of that name, or the main one; see :meth:`Result.plot`.

    Fails when
        there is no such chart, or a size or theme makes no sense.
    """
    size = THEMES.get("screen" if theme is None else theme)
    if size is None:
        raise ParameterError(Option("theme"), f" is one of {', '.join(THEMES)}, not {theme!r}")
    if width is not None:
        size = replace(size, width=_pixels("width", width))
    if height is not None:
        size = replace(size, height=_pixels("height", height))
    return Plot(_chart(result, name), size)


def _chart(result: Result, name: str | None) -> ChartView:
    charts = {chart.name: chart for chart in reversed(view_of(result, whole=True).charts())}
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


def _pixels(option: str, given: float | str) -> float:
    """Read a length: a number of pixels, a number with its unit, or a name.

    >>> _pixels("width", "3.25in"), _pixels("width", 400), _pixels("width", "column")
    (312.0, 400.0, 312.0)
    """
    found = re.fullmatch(rf"(\d+\.?\d*|\.\d+)\s*({'|'.join(LENGTHS)})?", str(given).strip())
    value = float(found[1]) * LENGTHS[found[2] or "px"] if found else NAMED.get(str(given), 0.0)
    if value < SHORTEST:
        units = ", ".join(LENGTHS)
        names = " or ".join(NAMED)
        raise ParameterError(
            Option(option), f" is {SHORTEST:g} pixels or more: a number, a length ({units}), or {names}; not {given!r}"
        )
    return value


def to_latex(result: Result, *, title: str | None = None, caption: str | None = None) -> str:
    """Give the main table as a booktabs ``tabular``."""
    return paper.to_latex(_main(view_of(result)), title=title, caption=caption)


def to_markdown(result: Result, *, title: str | None = None, caption: str | None = None) -> str:
    """Give the main table in Markdown."""
    return paper.to_markdown(_main(view_of(result)), title=title, caption=caption)


def _main(view: View) -> View:
    return replace(view, tables=view.tables[:1])


def save(result: Result, path: str | Path, *, title: str | None, caption: str | None) -> Path:
    """Write the result in the form that the file's name asks for; see :meth:`Result.save`.

    Fails when
        the suffix is none of these, or the file cannot be written.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix in PICTURES:
        return Plot(_chart(result, None)).save(target, title=title, caption=caption)
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
