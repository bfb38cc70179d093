"""``equipoise metagame``: alpha-Rank of a payoff table, and all that goes with it."""

import math
from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import Sampling, Show
from equipoise.cli.options.generated import OutputOptions
from equipoise.cli.output.output import (
    SeedOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions

__all__ = ["metagame"]


def metagame(
    file: Annotated[
        str,
        typer.Argument(help="JSON with strategies and K nested lists of payoffs, or a square table of one population."),
    ],
    read: ReadOptions,
    to: OutputOptions,
    *,
    show: Annotated[
        Show, typer.Option(help="Masses, response graph, sweep over alpha, bounds, or what to play next.")
    ] = "masses",
    alpha: Annotated[float, typer.Option(help="Selection strength; inf for the exact limit.")] = math.inf,
    m: Annotated[int, typer.Option("--m", help="Population size.")] = 50,
    perturbation: Annotated[
        str, typer.Option(help="At infinite alpha: auto, limit, or a mistake probability such as 0.01.")
    ] = "auto",
    width: Annotated[
        float | None,
        typer.Option(help="For bounds: every payoff may be off by so much [default: the file's low and high]."),
    ] = None,
    budget: Annotated[int, typer.Option(help="For next: how many games to propose.")] = 20,
    delta: Annotated[float, typer.Option(help="For next: confidence parameter.")] = 0.1,
    sampling: Annotated[Sampling, typer.Option(help="For next: how profiles are chosen.")] = "valence-weighted",
    payoff_range: Annotated[
        tuple[float, float], typer.Option("--range", help="For next: least and greatest payoff of a single game.")
    ] = (0.0, 1.0),
    top: Annotated[int | None, typer.Option(help="Show only so many profiles.")] = None,
    seed: SeedOption = 0,
) -> None:
    """Rank the profiles of a game by evolution: alpha-Rank, its response graph, its bounds, and what to play next.

    In Python: `equipoise.weigh_metagame("payoffs.json")`

    Examples
    --------
    - `equipoise metagame payoffs.json`

    - `equipoise metagame winrates.csv --alpha 10 --top 5`

    - `equipoise metagame payoffs.json --show bounds --width 0.05`

    - `equipoise metagame counted.json --show next --budget 50`
    """
    with working(f"Ranking {short(file)}"):
        from equipoise.analyses.play.metagame import weigh_metagame
        from equipoise.report.views.games import weighed_view

        weighed = weigh_metagame(
            source_of(file), show=show, alpha=alpha, m=m, perturbation=_perturbation(perturbation), width=width,
            budget=budget, delta=delta, sampling=sampling, payoff_range=payoff_range, rng=seed, read=read,
        )  # fmt: skip
    write_view(weighed_view(weighed, top), to)


def _perturbation(given: str) -> float | Literal["auto", "limit"]:
    if given == "auto":
        return "auto"
    if given == "limit":
        return "limit"
    try:
        return float(given)
    except ValueError as error:
        raise ParameterError(Option("perturbation"), f' is auto, limit or a number, not "{given}"') from error
