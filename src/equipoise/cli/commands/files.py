"""Commands about files and figures: ``report``, ``chart``, ``import`` and ``data``."""

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import typer

from equipoise.cli.options.choices import CHART_NAMES, Gaps, Model, TieModel
from equipoise.cli.options.generated import Intervals, LevelOption, PrintOptions, SeedOption
from equipoise.cli.options.invocation import here
from equipoise.cli.output.output import say_notes, say_written, source_of, write_view
from equipoise.cli.output.waiting import working
from equipoise.core.errors import ParameterError
from equipoise.data.readers.options import ReadOptions


def report(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Logs of other tools, match logs, score tables, payoffs, dealt hands; folders; bundled sets by name."
        ),
    ],
    read: ReadOptions,
    intervals: Intervals,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    title: Annotated[
        str | None, typer.Option(help="Title of the page [default: name of the file or of the tournament].")
    ] = None,
) -> None:
    """Recognise what each file is, run every analysis that applies, and write one page.

    The page is one file that needs no network. Columns of style, categories, voters
    and judges in a log of games get a section each.

    In Python: `equipoise.write_report(["battles.csv"], "report.html")`

    Examples
    --------
    - `equipoise report battles.csv`

    - `equipoise report games.csv scores.csv hands.csv -o all.html`

    - `equipoise report results/ -o all.html` (each file of the folder; logs of one kind are joined)

    - `equipoise report logs/*.eval` (Inspect AI, lm-evaluation-harness, HELM ... are recognised)

    - `equipoise report log.csv --agents p1,p2 --score res`

    - `equipoise report alphago` (a data set that comes with the package)
    """
    with working("Reporting"):
        from equipoise.inference.executors import processes
        from equipoise.report.pages.files import write_report

    with processes(intervals.jobs) as executor:
        written = write_report(
            [source_of(file) for file in files], output,
            level=intervals.level, rng=intervals.seed, spelling=here().shell, working=working,
            command=here().line,
            read=read, executor=executor, title=title,
        )  # fmt: skip
    say_written(written, "a page with words, charts and tables")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """How a picture is to look, as :class:`equipoise.methods.ChartLook` has it."""

    panel: ClassVar[str] = "Output"

    width: Annotated[str | None, typer.Option(help="3.25in, 82mm, column, page, or pixels [default: 720].")] = None
    height: Annotated[str | None, typer.Option(help="Beside --width: exactly so high; alone: at most.")] = None
    font_size: Annotated[float | None, typer.Option(help="Of names and numbers, in points [default: 9].")] = None
    theme: Annotated[
        Literal["screen", "paper", "slides"],
        typer.Option(help="paper has no title and no caption, which stand in its text; slides have larger letters."),
    ] = "screen"
    agents_shown: Annotated[
        str | None, typer.Option(help="Agents to draw, separated by commas; all of them count [default: all].")
    ] = None
    legend: Annotated[Literal["on", "off"], typer.Option(help="Whether a key stands above the plot.")] = "on"
    colours: Annotated[
        str | None, typer.Option(help="Colours of agents: IQN=#b3470b,DQN=gray [default: the chart's own].")
    ] = None
    title: Annotated[str | None, typer.Option(help="In the place of the chart's own title; '' for none.")] = None
    caption: Annotated[str | None, typer.Option(help="In the place of the chart's own caption; '' for none.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """Options of the question that a chart answers, as :class:`equipoise.methods.SectionOptions` has them."""

    normalise: Annotated[str | None, typer.Option(help="What counts as 0 and as 1, as for `equipoise tasks`.")] = None
    missing: Annotated[Gaps | None, typer.Option(help="Gaps in scores, as for `equipoise tasks`.")] = None
    statistic: Annotated[Literal["iqm", "mean", "median"] | None, typer.Option(help="As for `equipoise tasks`.")] = None
    model: Annotated[Model | None, typer.Option(help="Of items, as for `equipoise irt`.")] = None
    control: Annotated[str | None, typer.Option(help="Agent to subtract, as for `equipoise luck`.")] = None
    ties: Annotated[TieModel | None, typer.Option(help="Model of ties, as for `equipoise rank`.")] = None
    position: Annotated[
        bool | None, typer.Option("--position/--no-position", help="First-position advantage, as for `equipoise rank`.")
    ] = None
    threshold: Annotated[float | None, typer.Option(help="What makes a success, as for `equipoise irt`.")] = None
    offset: Annotated[float | None, typer.Option(help="Added to every rating, as for `equipoise rank`.")] = None


def chart(
    name: Annotated[
        str,
        typer.Argument(
            help=f"One of: {', '.join(CHART_NAMES)}; or ranking, pairs, profile, tasks, items, curves.",
            autocompletion=lambda incomplete: [name for name in CHART_NAMES if name.startswith(incomplete)],
        ),
    ],
    file: Annotated[str, typer.Argument(help="A file as for `equipoise report`, or a bundled set by name.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A name that ends in .svg, .pdf, .png, .html, or .json (the spec).")
    ],
    read: ReadOptions,
    picture: PictureOptions,
    asked: QuestionOptions,
    *,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    step: Annotated[str | None, typer.Option(help="Of learning-curves: column of training steps.")] = None,
) -> None:
    """Draw one chart of a file as SVG, PDF or PNG, without a browser.

    In Python: `equipoise.chart("forest", "battles.csv", "ratings.svg")`

    Examples
    --------
    - `equipoise chart forest battles.csv -o ratings.svg`

    - `equipoise chart head-to-head alphago -o alphago.png`

    - `equipoise chart learning-curves training.csv --step frames -o training.svg`

    - `equipoise chart ranking battles.csv --width 3.25in --height 2in --theme paper --font-size 8 -o figure.pdf`
    """
    with working("Drawing"):
        from equipoise.analyses.reports.everything import SectionOptions
        from equipoise.report.charts.drawing.look import ChartLook
        from equipoise.report.pages.files import chart

    written = chart(
        name, file, output, level=level, rng=seed, working=working,
        read=read, step=step, options=SectionOptions(**asdict(asked)), look=ChartLook(**asdict(picture)),
    )  # fmt: skip
    say_written(written, f"the {name} chart of {file}")


def import_(
    source: Annotated[list[str], typer.Argument(help="Logs, folders of them, or globs; those of one kind are joined.")],
    read: ReadOptions,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The table to write: .parquet, .csv, .jsonl or .arrow.")
    ] = Path("table.parquet"),
) -> None:
    """Convert logs of other tools into one table that every command takes.

    In Python: `equipoise.import_logs("logs/", "table.parquet")`

    Examples
    --------
    - `equipoise import logs/ -o table.parquet`

    - `equipoise import runs/*.eval -o samples.csv --read per=sample`

    - `equipoise import results/ --metric acc_norm`
    """
    with working("Reading"):
        from equipoise.logs.read import import_logs

        data = import_logs(source, output, read=read)
    say_notes(data.diagnostics)
    say_written(output, repr(data).strip("<>"))


def data(
    to: PrintOptions,
    *,
    names: Annotated[
        list[str] | None,
        typer.Argument(help="A data set to export, or fetch and public sets [default: list them].", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where fetched tables go [default: the user's cache].", show_default=False)
    ] = None,
    mirror: Annotated[
        str | None, typer.Option(help="A server with the same repositories to fetch from.", show_default=False)
    ] = None,
) -> None:
    """List the bundled data sets, export one, or fetch public ones.

    In Python: `equipoise.load("alphago")`, `equipoise.write_data("alphago", "alphago.csv")`, and
    `equipoise.fetch_data("gvgai")`

    Examples
    --------
    - `equipoise data`

    - `equipoise data alphago --output alphago.csv`

    - `equipoise data lsat --format json`

    - `equipoise data fetch` (the public sets behind `equipoise reproduce`: source, licence, what cannot be fetched)

    - `equipoise data fetch gvgai ale`
    """
    from equipoise.data.datasets import BUNDLED, load
    from equipoise.report.views.listings import bundled_view, data_view, public_view

    first, more = (names[0], names[1:]) if names else (None, [])
    if first == "fetch" and not more:
        write_view(public_view(), to)
    elif first == "fetch":
        _fetch(more, folder, mirror)
    elif more:
        raise ParameterError("one data set is exported at a time; several can be fetched: equipoise data fetch NAMES")
    elif first is None:
        write_view(bundled_view(BUNDLED.values()), to)
    else:
        if to.form is None and to.output is None:
            to = replace(to, form="csv")
        write_view(data_view(first, load(first)), to)


def _fetch(names: list[str], folder: Path | None, mirror: str | None) -> None:
    """Fetch sets one after another, and say what was written and which checksums are new."""
    from equipoise.data.fetch import fetch_data

    for name in names:
        with working(f"Fetching {name}"):
            fetched = fetch_data(name, folder, mirror=mirror)
        for table in fetched.tables:
            say_written(table, f"{name}, licence: {fetched.licence}")
        for address in fetched.pinned:
            print(f"Pinned from now on: SHA-256 {fetched.checksums[address]} of {address}", file=sys.stderr)
