"""``equipoise rank``: from a match log to an honest leaderboard."""

import inspect
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equipoise.cli.commands.rank_questions import question_of
from equipoise.cli.options.choices import OnError, Pairing, TieModel
from equipoise.cli.options.reading import (
    AOption,
    BOption,
    CleanOption,
    DuplicatesOption,
    GamesOption,
    LossesOption,
    MetricOption,
    MinGamesOption,
    OutcomeMeansOption,
    OutcomeOption,
    ReadingOption,
    SinceOption,
    TableOption,
    UntilOption,
    VerboseOption,
    WeightOption,
    WhereOption,
    WinsOption,
    as_reading,
)
from equipoise.cli.output.output import (
    AllOption,
    FileArgument,
    FormOption,
    LevelOption,
    OutputOption,
    ReportOption,
    SeedOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import JobsOption, short, working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option

if TYPE_CHECKING:
    from equipoise.analyses.boards.standings import Standings

__all__ = ["rank"]

ScaleName = Literal["elo", "logit"]
"""Scales to show ratings on."""
Islands = Literal["refuse", "separate", "largest"]
"""What to do with agents that never met."""


def rank(
    file: FileArgument,
    method: Annotated[
        str, typer.Option(help="How to rate: bradley-terry, elo, melo, or a method that an installed package brings.")
    ] = "bradley-terry",
    ties: Annotated[TieModel, typer.Option(help="A tie is half a win, or has a parameter.")] = "half",
    side: Annotated[bool, typer.Option("--side", help="Estimate the first side's advantage.")] = False,
    group: Annotated[
        str | None, typer.Option(help="Column of groups (voters, sessions); errors are clustered by it.")
    ] = None,
    prior: Annotated[float | None, typer.Option(help="Standard deviation of a normal prior, in log-odds.")] = None,
    islands: Annotated[
        Islands, typer.Option(help="Refuse agents that never met, rate islands apart, or keep the largest.")
    ] = "refuse",
    pairing: Annotated[
        Pairing | None,
        typer.Option(help="Whether pairs may have followed results (Swiss). With --time that is looked at by itself."),
    ] = None,
    covariates: Annotated[
        str | None,
        typer.Option("--control", help="Control for style: length,bold ... (columns length_a, length_b); both boards."),
    ] = None,
    covariate_prior: Annotated[
        float | None,
        typer.Option("--control-prior", help="Standard deviation of a normal prior on what each is worth."),
    ] = None,
    n: Annotated[int, typer.Option("--bootstrap", help="Take intervals from so many bootstrap replicates.")] = 0,
    k: Annotated[
        str | None, typer.Option("--k", help="Step of online Elo in points [16]; discs of melo, or auto [1].")
    ] = None,
    versus: Annotated[
        str | None, typer.Option(help="Compare two agents (A,B): how likely is the first better, and by what?")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Column of categories (language, topic, turn): a board for each, and who is special where."),
    ] = None,
    tau: Annotated[
        float | None,
        typer.Option(
            help="With --by: how far categories move ratings (log-odds); 0 is one board. Estimated if left out."
        ),
    ] = None,
    since_board: Annotated[
        Path | None,
        typer.Option(
            help="A board of before (rank --format json), or its games: also say who rose and who fell beyond noise."
        ),
    ] = None,
    length_controlled: Annotated[
        bool,
        typer.Option("--length-controlled", help="Win rates against one baseline, as if answers were equally long."),
    ] = False,
    baseline: Annotated[
        str | None, typer.Option(help="With --length-controlled: the baseline [the agent that is in every match].")
    ] = None,
    length: Annotated[
        str | None, typer.Option(help="With --length-controlled: the columns of lengths, without their sides [length].")
    ] = None,
    difficulty: Annotated[
        str | None,
        typer.Option(
            help="With --length-controlled: column of difficulties, a file of questions and theirs, or estimated."
        ),
    ] = None,
    shared: Annotated[
        Literal["old", "none"] | None,
        typer.Option(help="Whether the games hold all (old) or none of those behind --since-board, which are given."),
    ] = None,
    hold: Annotated[
        Path | None,
        typer.Option(help="A board whose ratings stay as published: only new agents are placed, and the board tested."),
    ] = None,
    least_p: Annotated[
        float, typer.Option(help="Refuse to --hold a board that games contradict with a smaller p-value; 0 never does.")
    ] = 0.001,
    sensitivity: Annotated[
        bool,
        typer.Option("--sensitivity", help="What each step of --clean changes: rows, ratings, ranks, the leader."),
    ] = False,
    anchor: Annotated[str | None, typer.Option(help="Agent whose rating is 0; others are differences to it.")] = None,
    reference: Annotated[
        str | None, typer.Option(help="Agents (A,B,C) whose mean rating is 0; others are differences to that mean.")
    ] = None,
    scale: Annotated[ScaleName, typer.Option(help="Elo points or log-odds.")] = "elo",
    offset: Annotated[float, typer.Option(help="Added to every rating shown.")] = 0.0,
    level: LevelOption = 0.95,
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
    time: Annotated[
        str | None,
        typer.Option(
            help="Column of times or rounds (online Elo, --since, --until, and whether pairs followed results)."
        ),
    ] = None,
    table: TableOption = None,
    where: WhereOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    min_games: MinGamesOption = None,
    clean: CleanOption = None,
    metric: MetricOption = None,
    reading: ReadingOption = None,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad row, or skip and count.")] = "raise",
    jobs: JobsOption = 1,
    verbose: VerboseOption = False,  # looked at where the answer is printed
    whole: AllOption = False,  # looked at where the answer is printed
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Rank agents from a match log: ratings, intervals, ranks that hold together, and what to beware of.

    Columns are found by their usual names: model_a/model_b/winner, white/black/result, player/opponent/wins/games ...

    In Python: `equipoise.rank_agents("battles.csv")`; two agents: `equipoise.compare_agents("battles.csv", "A", "B")`;
    two boards: `equipoise.compare_boards("old.json", "new.json")`; a board a category:
    `equipoise.rank_by_category("battles.csv", "language")`;
    at equal length: `equipoise.control_length("battles.csv")`;
    what cleaning changes: `equipoise.cleaning_sensitivity("battles.csv", clean="anonymous,no-both-bad")`;
    newcomers on a board that stays: `equipoise.place_agents("new.csv", "board.json")`

    Examples
    --------
    - `equipoise rank battles.csv`

    - `equipoise rank games.csv.gz --side --ties davidson --level 0.9`

    - `equipoise rank games.csv --method melo --k auto`

    - `equipoise rank swiss.csv --pairing adaptive`

    - `equipoise rank battles.csv --versus gpt-4,claude-1`

    - `equipoise rank battles.csv --by language --group voter --report boards.html`

    - `equipoise rank votes.parquet --group voter --anchor gpt-4 --format json -o board.json`

    - `equipoise rank battles.csv --control length,bold --group prompt`

    - `equipoise rank judged.csv --length-controlled --group question --outcome p_a --difficulty estimated`

    - `equipoise rank june.csv --since-board may.json --format json -o june.json`

    - `equipoise rank june.csv --since-board may.csv --shared old --reference gpt-4,claude-1,llama-2`

    - `equipoise rank june.csv --hold may.json --format json -o june.json`

    - `equipoise rank battles.csv --clean anonymous,no-both-bad,most-per-voter:100 --sensitivity`

    - `zcat log.csv.gz | equipoise rank - --a p1 --b p2 --outcome res`
    """
    given = dict(locals())
    if not math.isfinite(offset):
        raise ParameterError(Option("offset"), f" is a finite number, not {offset}")
    question = question_of(given, {name: each.default for name, each in inspect.signature(rank).parameters.items()})
    if question is not None:
        write_view(question.answer(given), form, output, report)
        return
    with working(f"Ranking {short(file)}"):
        from equipoise.analyses.boards.standings import rank_agents
        from equipoise.inference.executors import processes
        from equipoise.report.views.leaderboard import Scale, leaderboard

        with processes(jobs) as executor:
            rate = partial(
                rank_agents, method=method, ties=ties, side=side, prior=prior, islands=islands, pairing=pairing,
                covariates=covariates, covariate_prior=covariate_prior,
                n=n, k=_number(k), anchor=anchor, reference=reference, level=level, rng=seed,
                a=a, b=b, outcome=outcome, weight=weight,
                wins=wins, losses=losses, games=games, outcome_means=outcome_means, duplicates=duplicates,
                group=group,
                time=time, table=table, where=where, since=since, until=until, min_games=min_games,
                clean=clean, metric=metric, reading=as_reading(reading), on_error=on_error,
                executor=executor,
            )  # fmt: skip
            standings = rate(source_of(file))
            old = _as_board(since_board, rate)
    view = leaderboard(standings, Scale(scale, offset))
    if old is not None:
        from equipoise.analyses.boards.changes import compare_boards
        from equipoise.report.views.changes import with_changes

        view = with_changes(view, compare_boards(old, standings, shared=shared, scale=scale, level=level))
    write_view(view, form, output, report)


def _as_board(path: Path | None, rate: Callable[[str], "Standings"]) -> "Standings | Path | None":
    """Give a board of before as it is, and rate the games of one."""
    if path is None:
        return None
    from equipoise.analyses.boards.board_sources import is_board

    return path if is_board(path) else rate(str(path))


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
