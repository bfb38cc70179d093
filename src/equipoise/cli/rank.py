"""``equipoise rank``: from a match log to an honest leaderboard."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.progress import Progress

import equipoise
from equipoise.cli.output import (
    FormOption,
    LevelOption,
    OutputOption,
    ReportOption,
    SeedOption,
    source_of,
    working,
    write_view,
)
from equipoise.data.matches import Matches
from equipoise.data.pairs import PairTable
from equipoise.data.read import OnError, read_matches, read_pairs
from equipoise.errors import ParameterError
from equipoise.inference.bootstrap import Bootstrap, Unit, bootstrap
from equipoise.ratings.bradley_terry import BradleyTerry, bradley_terry
from equipoise.ratings.elo import Elo, elo
from equipoise.ratings.melo import Melo, melo
from equipoise.ratings.tie_models import TieModel
from equipoise.ratings.transitivity import Transitivity, simulated_tables, transitivity
from equipoise.report.evolution import alpha_rank_column
from equipoise.report.leaderboard import Rating, Scale, leaderboard
from equipoise.report.nash_columns import nash_columns

__all__ = ["rank"]


RatingMethod = Literal["bradley-terry", "elo", "melo"]
"""Rating methods."""
ScaleName = Literal["elo", "logit"]
"""Scales to show ratings on."""
Islands = Literal["refuse", "separate"]
"""What to do with agents that never met."""


def rank(
    file: Annotated[
        str, typer.Argument(help="CSV, TSV, JSON lines or Parquet, also compressed; - for standard input.")
    ],
    method: Annotated[RatingMethod, typer.Option(help="How to rate.")] = "bradley-terry",
    ties: Annotated[TieModel, typer.Option(help="A tie is half a win, or has a parameter.")] = "half",
    side: Annotated[bool, typer.Option("--side", help="Estimate the first side's advantage.")] = False,
    group: Annotated[
        str | None, typer.Option(help="Column of groups (voters, sessions); errors are clustered by it.")
    ] = None,
    prior: Annotated[float | None, typer.Option(help="Standard deviation of a normal prior, in log-odds.")] = None,
    islands: Annotated[Islands, typer.Option(help="Refuse agents that never met, or rate islands apart.")] = "refuse",
    bootstraps: Annotated[
        int, typer.Option("--bootstrap", help="Take intervals from so many bootstrap replicates.")
    ] = 0,
    k: Annotated[
        str | None, typer.Option("--k", help="Step of online Elo in points [16]; discs of melo, or auto [1].")
    ] = None,
    anchor: Annotated[str | None, typer.Option(help="Agent whose rating is 0; others are differences to it.")] = None,
    scale: Annotated[ScaleName, typer.Option(help="Elo points or log-odds.")] = "elo",
    offset: Annotated[float, typer.Option(help="Added to every rating shown.")] = 0.0,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    a: Annotated[str | None, typer.Option("--a", help="Column of the first side.")] = None,
    b: Annotated[str | None, typer.Option("--b", help="Column of the second side.")] = None,
    outcome: Annotated[str | None, typer.Option(help="Column of the outcome.")] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights (frequencies).")] = None,
    time: Annotated[str | None, typer.Option(help="Column of times (for online Elo).")] = None,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad row, or skip and count.")] = "raise",
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Rank agents from a match log: ratings, intervals, ranks that hold together, and what to beware of.

    Columns are found by their usual names: model_a/model_b/winner, white/black/result, player/opponent/wins/games ...

    Examples
    --------
    - `equipoise rank battles.csv`

    - `equipoise rank games.csv.gz --side --ties davidson --level 0.9`

    - `equipoise rank games.csv --method melo --k auto`

    - `equipoise rank votes.parquet --group voter --anchor gpt-4 --format json -o board.json`

    - `zcat log.csv.gz | equipoise rank - --a p1 --b p2 --outcome res`
    """
    if not math.isfinite(offset):
        raise ParameterError(f"--offset is a finite number, not {offset}")
    columns = _Columns(a, b, outcome, weight, group, time)
    with working(f"Reading {file}"):
        data = _read(file, columns, method, on_error)
    with working("Rating"):
        result: Rating
        if method == "bradley-terry":
            _refuse(k is not None, "--k", method)
            result = bradley_terry(data, ties=ties, side=side, prior=prior, islands=islands, level=level, rng=seed)
        else:
            _refuse(side, "--side", method)
            _refuse(anchor is not None, "--anchor", method)
            _refuse(ties != "half", "--ties", method)
            _refuse(islands != "refuse", "--islands", method)
            if isinstance(data, Matches):
                _refuse(prior is not None, "--prior", method)
                result = elo(data, k=_step(k))
            else:
                result = melo(data, k=_discs(k), prior=prior, n=bootstraps, level=level, rng=seed)
    replicates = None
    if bootstraps and not isinstance(result, Melo):
        replicates = _replicates(result, data, bootstraps, group, level, seed)
    if anchor is not None and isinstance(result, BradleyTerry):
        if replicates is not None:
            raise ParameterError("--anchor and --bootstrap do not go together; leave one out")
        result = result.relative_to(anchor)
    facts = {"seed": seed, "version": equipoise.__version__}
    table = data.pairs() if isinstance(data, Matches) else data
    with working("Looking for cycles"):
        more = (*nash_columns(table), alpha_rank_column(table))
        verdict = _verdict(table, side, level, seed)
    view = leaderboard(
        result,
        Scale(scale, offset),
        replicates=replicates,
        verdict=verdict,
        facts=facts,
        more=more,
        table=table,
    )
    write_view(view, form, output, report, about=file)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns a user named."""

    a: str | None
    b: str | None
    outcome: str | None
    weight: str | None
    group: str | None
    time: str | None


def _read(file: str, columns: _Columns, method: RatingMethod, on_error: OnError) -> Matches | PairTable:
    """Read pair counts, which fit in memory whatever the file's size, unless the rows themselves are needed."""
    names = {"a": columns.a, "b": columns.b, "outcome": columns.outcome, "weight": columns.weight}
    if method == "elo":
        return read_matches(source_of(file), **names, group=columns.group, time=columns.time, on_error=on_error)
    return read_pairs(source_of(file), **names, group=columns.group, on_error=on_error)


def _refuse(given: bool, option: str, method: RatingMethod) -> None:
    if given:
        others = {"--k": "elo or melo", "--prior": "bradley-terry or melo"}
        raise ParameterError(
            f"{option} does not go with --method {method}; use --method {others.get(option, 'bradley-terry')}"
        )


def _step(k: str | None) -> float:
    """Read the step of online Elo."""
    try:
        return 16.0 if k is None else float(k)
    except ValueError:
        raise ParameterError(f'--k is a number of Elo points with --method elo, not "{k}"') from None


def _discs(k: str | None) -> int | Literal["auto"]:
    """Read the number of discs."""
    if k == "auto":
        return "auto"
    try:
        return 1 if k is None else int(k)
    except ValueError:
        raise ParameterError(f'--k is a whole number of discs or auto with --method melo, not "{k}"') from None


def _verdict(table: PairTable, side: bool, level: float, seed: int) -> Transitivity:
    """Ask whether one number is honest, with as many simulated tables as take a few seconds."""
    return transitivity(table, side=side, n=simulated_tables(table), level=level, rng=seed)


def _replicates(
    result: BradleyTerry | Elo, data: Matches | PairTable, n: int, group: str | None, level: float, seed: int
) -> Bootstrap:
    unit: Unit = "group" if group else "match"
    with Progress(console=Console(stderr=True), transient=True, disable=not Console(stderr=True).is_terminal) as bar:
        task = bar.add_task("Bootstrap", total=n)

        def progress(done: int) -> None:
            bar.update(task, completed=done)

        if isinstance(result, Elo):

            def method(sample: Matches) -> Elo:
                return elo(sample, k=_step(str(result.params["k"])))

            return bootstrap(method, data, n=n, unit=unit, level=level, rng=seed, progress=progress)

        def fitted(_: PairTable) -> BradleyTerry:
            """Give the fit at hand; the replicates come from its own ``refit``."""
            return result

        return bootstrap(fitted, data, n=n, unit=unit, level=level, rng=seed, progress=progress)
