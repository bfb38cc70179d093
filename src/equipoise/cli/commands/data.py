"""``equipoise data``: the data sets that come with the package."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.output.output import AllOption, FormOption, OutputOption, write_view

__all__ = ["data"]


def data(
    name: Annotated[str | None, typer.Argument(help="A data set to export; without it they are listed.")] = None,
    whole: AllOption = False,  # noqa: ARG001  # looked at where the answer is printed
    form: FormOption = None,
    output: OutputOption = None,
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
        write_view(bundled_view(BUNDLED.values()), form, output)
        return
    if form is None and not _says_form(output):
        form = "csv"
    write_view(data_view(name, load(name)), form, output)


def _says_form(output: Path | None) -> bool:
    return output is not None and output.suffix.lower() in (".json", ".csv")
