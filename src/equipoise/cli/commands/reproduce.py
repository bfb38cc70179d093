"""``equipoise reproduce``: the figures of papers, ours beside theirs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import PAPER_NAMES
from equipoise.cli.options.generated import PrintOptions
from equipoise.cli.output.output import say_written, write_view
from equipoise.cli.output.waiting import JobsOption, working
from equipoise.core.errors import ParameterError

__all__ = ["reproduce"]


def reproduce(
    to: PrintOptions,
    *,
    papers: Annotated[
        list[str] | None, typer.Argument(help=f"Some of {', '.join(PAPER_NAMES)} [default: all].", show_default=False)
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write the page of the docs to this file, too.", show_default=False)
    ] = None,
    jobs: JobsOption = 1,
) -> None:
    """Recompute the tables and figures of a paper, and print ours beside theirs with a verdict on each.

    Bundled data are always there; set EQUIPOISE_DATA to the folder of the public data sets for the rest.

    In Python: `equipoise.reproduce_papers("evaluation")`

    Examples
    --------
    - `equipoise reproduce evaluation`

    - `EQUIPOISE_DATA=~/data equipoise reproduce --format json --output figures.json`
    """
    with working("Recomputing"):
        from equipoise.inference.executors import processes
        from equipoise.report.views.reproduction import reproduction_page, reproduction_view
        from equipoise.reproduce.papers import reproduce_papers

        with processes(jobs) as executor:
            reproduced = reproduce_papers(
                papers or None, data=os.environ.get("EQUIPOISE_DATA") or None, executor=executor
            )
    write_view(reproduction_view(reproduced), to.unshortened)
    if page is not None:
        try:
            page.write_text(reproduction_page(reproduced), encoding="utf-8")
        except OSError as error:
            raise ParameterError(f"cannot write {page}: {error.strerror}") from error
        say_written(page, "ours beside theirs")
