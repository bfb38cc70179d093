"""``equipoise rank``: from a match log to an honest leaderboard."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from equipoise.cli.commands.boards import OffsetOption, ScaleOption
from equipoise.cli.options.choices import Pairing, TieModel
from equipoise.cli.options.generated import Intervals, OutputOptions
from equipoise.cli.output.output import FileArgument, source_of, write_view
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

__all__ = ["rank"]

Islands = Literal["refuse", "separate", "largest"]
"""What to do with agents that never met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingOptions:
    """How agents are rated."""

    method: Annotated[
        str, typer.Option(help="How to rate: bradley-terry, elo, melo, or a method that an installed package brings.")
    ] = "bradley-terry"
    ties: Annotated[TieModel, typer.Option(help="A tie is half a win, or has a parameter.")] = "half"
    side: Annotated[bool, typer.Option("--position", help="Estimate the advantage of the first position.")] = False
    prior: Annotated[float | None, typer.Option(help="Standard deviation of a normal prior, in log-odds.")] = None
    islands: Annotated[
        Islands,
        typer.Option("--components", help="Refuse agents that never met, rate islands apart, or keep the largest."),
    ] = "refuse"
    pairing: Annotated[
        Pairing | None,
        typer.Option(help="Whether pairs may have followed results (Swiss). With --time that is looked at by itself."),
    ] = None
    covariates: Annotated[
        str | None,
        typer.Option("--adjust", help="Adjust for style: length,bold ... (columns length_a, length_b); both boards."),
    ] = None
    covariate_prior: Annotated[
        float | None,
        typer.Option("--adjust-prior", help="Standard deviation of a normal prior on what each is worth."),
    ] = None
    n: Annotated[int, typer.Option("--bootstrap", help="Take intervals from so many bootstrap replicates.")] = 0
    k: Annotated[
        str | None, typer.Option("--k", help="Step of online Elo in points [16]; discs of melo, or auto [1].")
    ] = None
    anchor: Annotated[str | None, typer.Option(help="Agent whose rating is 0; others are differences to it.")] = None
    reference: Annotated[
        str | None, typer.Option(help="Agents (A,B,C) whose mean rating is 0; others are differences to that mean.")
    ] = None


def rank(
    file: FileArgument,
    how: RatingOptions,
    read: ReadOptions,
    intervals: Intervals,
    to: OutputOptions,
    *,
    scale: ScaleOption = "elo",
    offset: OffsetOption = 0.0,
) -> None:
    """Rank agents from a match log: ratings, intervals, ranks that hold together, and what to beware of.

    Columns are found by their usual names: model_a/model_b/winner, white/black/result, player/opponent/wins/games ...

    In Python: `equipoise.rank_agents("battles.csv")`

    Examples
    --------
    - `equipoise rank battles.csv`

    - `equipoise rank games.csv.gz --position --ties davidson --level 0.9`

    - `equipoise rank games.csv --method melo --k auto`

    - `equipoise rank swiss.csv --pairing adaptive`

    - `equipoise rank votes.parquet --cluster voter --anchor gpt-4 --format json -o board.json`

    - `equipoise rank battles.csv --adjust length,bold --cluster prompt`

    - `zcat log.csv.gz | equipoise rank - --agents p1,p2 --score res`
    """
    with working(f"Ranking {short(file)}"):
        from equipoise.analyses.boards.standings import RankOptions, rank_agents
        from equipoise.inference.executors import processes
        from equipoise.report.views.leaderboard import leaderboard
        from equipoise.report.views.scale import Scale

        shown = Scale(scale, offset)
        with processes(intervals.jobs) as executor:
            standings = rank_agents(
                source_of(file), method=how.method, ties=how.ties, side=how.side, islands=how.islands,
                pairing=how.pairing, covariates=how.covariates, anchor=how.anchor, reference=how.reference,
                level=intervals.level, rng=intervals.seed, read=read, executor=executor,
                options=RankOptions(prior=how.prior, covariate_prior=how.covariate_prior, n=how.n, k=_number(how.k)),
            )  # fmt: skip
    write_view(leaderboard(standings, shown), to)


def _number(k: str | None) -> float | str | None:
    """Read a number where it is one; which words make sense depends on the method."""
    if k is None:
        return None
    try:
        return int(k)
    except ValueError:
        try:
            return float(k)
        except ValueError:
            return k
