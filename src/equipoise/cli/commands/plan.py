"""``equipoise plan``: what to play next, and how many games are enough."""

from typing import Annotated

import typer

from equipoise.cli.options.choices import Goal, OnError
from equipoise.cli.options.reading import (
    AOption,
    BOption,
    DuplicatesOption,
    GamesOption,
    IslandsOption,
    LossesOption,
    MetricOption,
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
    WinsOption,
    as_reading,
)
from equipoise.cli.output.output import (
    FileArgument,
    FormOption,
    OutputOption,
    ReportOption,
    SeedOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working

__all__ = ["plan"]


def plan(
    file: FileArgument,
    budget: Annotated[int, typer.Option(help="Games to hand out.")] = 100,
    goal: Annotated[Goal, typer.Option(help="Order all agents, or learn who beats whom.")] = "ranking",
    delta: Annotated[
        float, typer.Option(help="Probability of any wrong verdict, all pairs and looks together.")
    ] = 0.05,
    epsilon: Annotated[float, typer.Option(help="Accuracy of expected scores in the sample size for a ranking.")] = 0.1,
    gap: Annotated[float, typer.Option(help="Difference in win rates that the sample size should resolve.")] = 0.1,
    alpha: Annotated[float, typer.Option(help="Selection strength in the sample size for finite alpha.")] = 1.0,
    margin: Annotated[float | None, typer.Option(help="Scores within 1/2 +- margin count as equal.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List all pairs, those that get no game too, not the first 30 only.")
    ] = False,
    seed: SeedOption = 0,
    a: AOption = None,
    b: BOption = None,
    outcome: OutcomeOption = None,
    outcome_means: OutcomeMeansOption = None,
    wins: WinsOption = None,
    losses: LossesOption = None,
    games: GamesOption = None,
    weight: WeightOption = None,
    duplicates: DuplicatesOption = None,
    table: TableOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    time: TimeOption = None,
    min_games: MinGamesOption = None,
    islands: IslandsOption = None,
    metric: MetricOption = None,
    reading: ReadingOption = None,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad row, or skip and count.")] = "raise",
    verbose: VerboseOption = False,  # noqa: ARG001  # looked at where the answer is printed
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Say which pairs to play next, which are decided already, and how many games would be enough.

    In Python: `equipoise.plan_games("matches.csv", budget=500)`

    Examples
    --------
    - `equipoise plan matches.csv --budget 500 --goal ranking`

    - `equipoise plan matches.csv --budget 500 --goal response-graph --margin 0.05`
    """
    with working(f"Planning {short(file)}"):
        from equipoise.analyses.play.next_games import plan_games
        from equipoise.report.views.plan import plan_view

        planned = plan_games(
            source_of(file), budget=budget, goal=goal, delta=delta, epsilon=epsilon, gap=gap, alpha=alpha,
            margin=margin, rng=seed, a=a, b=b, outcome=outcome, weight=weight,
            wins=wins, losses=losses, games=games, outcome_means=outcome_means, duplicates=duplicates,
            on_error=on_error,
            table=table, where=where, since=since, until=until, time=time, min_games=min_games, islands=islands,
            metric=metric, reading=as_reading(reading),
        )  # fmt: skip
    write_view(plan_view(planned, everything), form, output, report)
