"""``equipoise plan``: what to play next, and how many games are enough."""

from typing import Annotated

import typer

from equipoise.cli.options.choices import Goal
from equipoise.cli.options.generated import OutputOptions
from equipoise.cli.output.output import (
    FileArgument,
    SeedOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

__all__ = ["plan"]


def plan(
    file: FileArgument,
    read: ReadOptions,
    to: OutputOptions,
    *,
    budget: Annotated[int, typer.Option(help="Games to hand out.")] = 100,
    goal: Annotated[Goal, typer.Option(help="Order all agents, or learn who beats whom.")] = "ranking",
    delta: Annotated[
        float, typer.Option(help="Probability of any wrong verdict, all pairs and looks together.")
    ] = 0.05,
    epsilon: Annotated[float, typer.Option(help="Accuracy of expected scores in the sample size for a ranking.")] = 0.1,
    gap: Annotated[float, typer.Option(help="Difference in win rates that the sample size should resolve.")] = 0.1,
    alpha: Annotated[float, typer.Option(help="Selection strength in the sample size for finite alpha.")] = 1.0,
    margin: Annotated[float | None, typer.Option(help="Scores within 1/2 +- margin count as equal.")] = None,
    seed: SeedOption = 0,
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
            margin=margin, rng=seed, read=read,
        )  # fmt: skip
    write_view(plan_view(planned, to.rows == "all"), to)
