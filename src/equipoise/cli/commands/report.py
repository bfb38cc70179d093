"""``equipoise report``: one page with all that fits the files given."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.generated import Intervals
from equipoise.cli.options.invocation import here
from equipoise.cli.output.output import say_written
from equipoise.cli.output.waiting import working
from equipoise.data.readers.options import ReadOptions

__all__ = ["report"]


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
) -> None:
    """Recognise what each file is, run all that fits, and write one page with words, charts and tables.

    The page holds everything it shows: it opens from disk with the network off. Columns of style, categories, voters
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
            files, output, level=intervals.level, rng=intervals.seed, spelling=here().shell, working=working,
            command=here().line,
            read=read, executor=executor,
        )  # fmt: skip
    say_written(written, "a page with words, charts and tables")
