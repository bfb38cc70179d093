"""``equipoise data``: the data sets that come with the package."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.generated import PrintOptions
from equipoise.cli.output.output import write_view

__all__ = ["data"]


def data(
    to: PrintOptions,
    *,
    name: Annotated[str | None, typer.Argument(help="A data set to export; without it they are listed.")] = None,
) -> None:
    """List the bundled data sets, or export one.

    In Python: `equipoise.load("alphago")`, and `equipoise.write_data("alphago", "alphago.csv")`

    Examples
    --------
    - `equipoise data`

    - `equipoise data alphago --output alphago.csv`

    - `equipoise data lsat --format json`
    """
    from equipoise.data.datasets import BUNDLED, load
    from equipoise.report.views.listings import bundled_view, data_view

    if name is None:
        write_view(bundled_view(BUNDLED.values()), to)
        return
    if to.form is None and not _says_form(to.output):
        to = replace(to, form="csv")
    write_view(data_view(name, load(name)), to)


def _says_form(output: Path | None) -> bool:
    return output is not None and output.suffix.lower() in (".json", ".csv")
