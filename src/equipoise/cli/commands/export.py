"""The command ``export``: a ranking where people look."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import Destination, Relationship
from equipoise.cli.output.output import FileArgument, source_of
from equipoise.cli.output.waiting import working
from equipoise.core.errors import some_of
from equipoise.data.readers.options import ReadOptions


def export(
    file: FileArgument,
    *,
    read: ReadOptions,
    to: Annotated[Destination, typer.Option(help="Where to: one of these places.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file of parquet, or the folder; MLflow needs none.")
    ] = None,
    step: Annotated[int, typer.Option(help="Step of metrics and scalars.")] = 0,
    organization: Annotated[
        str | None, typer.Option(help="Who evaluated: every record of Every Eval Ever says so.")
    ] = None,
    relationship: Annotated[
        Relationship, typer.Option(help="What they are to those who made the agents.")
    ] = "third_party",
) -> None:
    """Put a ranking with its intervals where people look: a leaderboard's table, Every Eval Ever, MLflow, TensorBoard.

    Games are ranked as by `rank`, scores as by `tasks`.

    In Python: `equipoise.methods.export_board("scores.csv", "parquet", "board.parquet")`

    Examples
    --------
    - `equipoise export scores.csv --to parquet -o board.parquet`

    - `equipoise export scores.csv --to every-eval-ever -o records --organization "My laboratory"`

    - `equipoise export logs --to tensorboard -o runs/nightly --step 12`
    """
    with working("Ranking"):
        from equipoise.integrations.exports import export_board

        written = export_board(
            source_of(file), to, output, step=step, organization=organization, relationship=relationship, read=read
        )
    typer.echo(f"Written: {len(written):,} ({some_of(written)})", err=True)
