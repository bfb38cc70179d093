"""``equipoise metagame``: alpha-Rank of a payoff table, and all that goes with it."""

import math
from typing import Annotated, Literal

import numpy as np
import typer

from equipoise.alpharank.alpha_rank import alpha_rank
from equipoise.alpharank.alpha_sweep import alpha_sweep
from equipoise.alpharank.bounds import alpha_rank_bounds
from equipoise.alpharank.response_graph import response_graph
from equipoise.cli.output import FormOption, OutputOption, ReportOption, SeedOption, source_of, working, write_view
from equipoise.data.metagame import MetaGame
from equipoise.data.read import read_metagame
from equipoise.errors import DataError, ParameterError
from equipoise.report.metagame import bounds_view, graph_view, masses_view, next_view, sweep_view
from equipoise.report.view import View
from equipoise.schedule.response_graph_ucb import ResponseGraphUCB
from equipoise.schedule.ucb_options import Sampling

__all__ = ["metagame"]


Show = Literal["masses", "graph", "sweep", "bounds", "next"]
"""What to show of a meta-game."""


def metagame(
    file: Annotated[
        str,
        typer.Argument(help="JSON with strategies and K nested lists of payoffs, or a square table of one population."),
    ],
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
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Rank the profiles of a game by evolution: alpha-Rank, its response graph, its bounds, and what to play next.

    Examples
    --------
    - `equipoise metagame payoffs.json`

    - `equipoise metagame winrates.csv --alpha 10 --top 5`

    - `equipoise metagame payoffs.json --show bounds --width 0.05`

    - `equipoise metagame counted.json --show next --budget 50`
    """
    with working(f"Reading {file}"):
        game = read_metagame(source_of(file))
    with working("Ranking"):
        if show == "masses":
            view = masses_view(alpha_rank(game, alpha=alpha, m=m, perturbation=_perturbation(perturbation)), top)  # type: ignore[arg-type]  # a word or a number, checked there
        elif show == "graph":
            view = graph_view(response_graph(game))
        elif show == "sweep":
            view = sweep_view(alpha_sweep(game, m=m), top)
        elif show == "bounds":
            view = _bounds(game, width, m, perturbation, top)
        else:
            view = _next(game, budget, delta, sampling, payoff_range, seed)
    write_view(view, form, output, report, about=file)


def _perturbation(given: str) -> str | float:
    if given in ("auto", "limit"):
        return given
    try:
        return float(given)
    except ValueError as error:
        raise ParameterError(f'--perturbation is auto, limit or a number, not "{given}"') from error


def _bounds(game: MetaGame, width: float | None, m: int, perturbation: str, top: int | None) -> View:
    if width is not None:
        if not (math.isfinite(width) and width >= 0):
            raise ParameterError(f"--width is at least 0, not {width}")
        low, high = [p - width for p in game.payoffs], [p + width for p in game.payoffs]
    elif game.low is not None and game.high is not None:
        low, high = list(game.low), list(game.high)
    else:
        raise DataError('the file has no "low" and "high"; give --width')
    given = _perturbation(perturbation)
    names = game.strategies[0] if game.single else game.strategies
    mistakes = None if isinstance(given, str) else given
    return bounds_view(alpha_rank_bounds(low, high, m=m, perturbation=mistakes, strategies=names), top)


def _next(
    game: MetaGame, budget: int, delta: float, sampling: Sampling, payoff_range: tuple[float, float], seed: int
) -> View:
    """Tell the learner what the file counts, then ask."""
    if game.counts is None:
        raise DataError('what to play next depends on what was played: the file needs "counts" beside "payoffs"')
    ucb = ResponseGraphUCB(
        list(game.strategies[0]) if game.single else [list(names) for names in game.strategies],
        delta=delta, sampling=sampling, payoff_range=payoff_range, rng=seed,
    )  # fmt: skip
    for profile, payoffs, games in _played(game):
        ucb.tell(profile, payoffs, games=games)
    return next_view(() if ucb.done else ucb.ask(budget), ucb.graph())


def _played(game: MetaGame) -> list[tuple[tuple[int, ...], tuple[float, ...], int]]:
    assert game.counts is not None
    counts = game.counts[0]
    if game.single:
        n, table = game.shape[0], game.payoffs[0]
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        return [
            ((i, j), (float(table[i, j]), float(table[j, i])), int(counts[i, j])) for i, j in pairs if counts[i, j] > 0
        ]
    return [
        (profile, tuple(float(p[profile]) for p in game.payoffs), int(counts[profile]))
        for profile in np.ndindex(*game.shape)
        if counts[profile] > 0
    ]
