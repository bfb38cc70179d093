"""``equipoise judges``: whom judges favour, whether verdicts stay, and how far judges agree."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import Distance
from equipoise.cli.options.generated import OutputOptions
from equipoise.cli.output.output import (
    FileArgument,
    LevelOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

__all__ = ["judges"]


def judges(
    file: FileArgument,
    read: ReadOptions,
    to: OutputOptions,
    *,
    judge: Annotated[
        str | None, typer.Option(help="Column of judges [default: judge, rater, worker, voter ...].")
    ] = None,
    item: Annotated[
        str | None, typer.Option(help="Column of what was judged [default: item, question_id, prompt ...].")
    ] = None,
    organisation: Annotated[
        Path | None,
        typer.Option(help="Table of agents and judges with their organisations [default: columns organisation_a ...]."),
    ] = None,
    distance: Annotated[
        Distance, typer.Option(help="Disagreement of judges: equal or not, by order, or by how much votes differ.")
    ] = "nominal",
    level: LevelOption = 0.95,
) -> None:
    """Say whom judges favour (a side, their own), whether verdicts stay in the other order, and how far judges agree.

    In Python: `equipoise.weigh_judges("votes.csv", judge="voter")`; parts: `equipoise.judges`, `equipoise.agreement`

    Examples
    --------
    - `equipoise judges votes.csv --judge voter --cluster prompt`

    - `equipoise judges verdicts.csv --item question_id --organisation houses.csv --format json`

    - `equipoise judges votes.csv --judge worker --distance ordinal --page judges.html`
    """
    with working(f"Weighing the judges of {short(file)}"):
        from equipoise.analyses.votes.judging import weigh_judges
        from equipoise.report.views.judges import judges_view

        found = weigh_judges(
            source_of(file), judge=judge, item=item, organisation=organisation, distance=distance, level=level,
            read=read,
        )  # fmt: skip
    write_view(judges_view(found), to)
