"""``equipoise judges``: whom judges favour, whether verdicts stay, and how far judges agree."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import Distance, OnError
from equipoise.cli.options.reading import (
    AOption,
    BOption,
    DuplicatesOption,
    IslandsOption,
    MinGamesOption,
    OutcomeMeansOption,
    OutcomeOption,
    ReadingOption,
    SinceOption,
    TableOption,
    TimeOption,
    UntilOption,
    VerboseOption,
    WeightOption,
    WhereOption,
    as_reading,
)
from equipoise.cli.output.output import (
    AllOption,
    FileArgument,
    FormOption,
    LevelOption,
    OutputOption,
    ReportOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working

__all__ = ["judges"]


def judges(
    file: FileArgument,
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
    group: Annotated[
        str | None, typer.Option(help="Column of groups (prompts, sessions); errors are clustered by it.")
    ] = None,
    level: LevelOption = 0.95,
    a: AOption = None,
    b: BOption = None,
    outcome: OutcomeOption = None,
    outcome_means: OutcomeMeansOption = None,
    weight: WeightOption = None,
    duplicates: DuplicatesOption = None,
    table: TableOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time: TimeOption = None,
    min_games: MinGamesOption = None,
    islands: IslandsOption = None,
    reading: ReadingOption = None,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad row, or skip and count.")] = "raise",
    verbose: VerboseOption = False,  # noqa: ARG001  # looked at where the answer is printed
    whole: AllOption = False,  # noqa: ARG001  # looked at where the answer is printed
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Say whom judges favour (a side, their own), whether verdicts stay in the other order, and how far judges agree.

    In Python: `equipoise.weigh_judges("votes.csv", judge="voter")`; parts: `equipoise.judges`, `equipoise.agreement`

    Examples
    --------
    - `equipoise judges votes.csv --judge voter --group prompt`

    - `equipoise judges verdicts.csv --item question_id --organisation houses.csv --format json`

    - `equipoise judges votes.csv --judge worker --distance ordinal --report judges.html`
    """
    with working(f"Weighing the judges of {short(file)}"):
        from equipoise.analyses.votes.judging import weigh_judges
        from equipoise.report.views.judges import judges_view

        found = weigh_judges(
            source_of(file), judge=judge, item=item, organisation=organisation, distance=distance, level=level,
            a=a, b=b, outcome=outcome, weight=weight, outcome_means=outcome_means, duplicates=duplicates, group=group,
            table=table, where=where, since=since, until=until, time=time, min_games=min_games, islands=islands,
            reading=as_reading(reading), on_error=on_error,
        )  # fmt: skip
    write_view(judges_view(found), form, output, report)
