"""``equipoise import``: logs of other tools as one table."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.output.output import say_notes, say_written
from equipoise.cli.output.waiting import working
from equipoise.data.readers.options import ReadOptions

__all__ = ["import_"]


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
