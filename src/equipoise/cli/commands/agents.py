"""Commands about agents: ``rank``, and questions beside the board.

``compare``, ``categories``, ``length``, ``place``, ``changes`` and ``clean``.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from equipoise.cli.options.choices import Pairing, Period, TieModel
from equipoise.cli.options.generated import Intervals, LevelOption, OutputOptions, SeedOption
from equipoise.cli.options.values import named_values
from equipoise.cli.output.output import FileArgument, source_of, write_view
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions

ScaleName = Literal["elo", "logit"]
"""Scales to show ratings on."""
ScaleOption = Annotated[ScaleName, typer.Option(help="Elo points or log-odds.")]
OffsetOption = Annotated[float, typer.Option(hidden=True, help="Added to every rating shown.")]
SideOption = Annotated[bool, typer.Option("--position", help="Estimate the advantage of the first position.")]
PriorOption = Annotated[
    float | None, typer.Option(hidden=True, help="Standard deviation of a normal prior, in log-odds.")
]


def compare(
    file: FileArgument,
    first: Annotated[str, typer.Argument(help="An agent.")],
    second: Annotated[str, typer.Argument(help="Another agent.")],
    read: ReadOptions,
    to: OutputOptions,
    *,
    side: SideOption = False,
    pairing: Annotated[
        Pairing, typer.Option(help="Adaptive pairing: pairs may depend on earlier results (Swiss).")
    ] = "fixed",
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Compare two agents of a match log: how likely is the first better, and by what?

    In Python: `equipoise.compare("battles.csv", "A", "B")`

    Examples
    --------
    - `equipoise compare battles.csv gpt-4 claude-1`
    """
    with working(f"Comparing {first} and {second}"):
        from equipoise.analyses.boards.questions import compare
        from equipoise.report.views.boards import comparison_view

        found = compare(
            source_of(file), first, second, position=side, pairing=pairing, level=level, rng=seed, read=read
        )
    write_view(comparison_view(found), to)


def categories(
    file: FileArgument,
    by: Annotated[str, typer.Argument(help="Column of categories: a language, a topic, a turn, a month.")],
    read: ReadOptions,
    to: OutputOptions,
    *,
    side: SideOption = False,
    prior: PriorOption = None,
    tau: Annotated[
        float | None,
        typer.Option("--between-sd", help="How far categories move ratings (log-odds); 0 is one board [estimated]."),
    ] = None,
    scale: ScaleOption = "elo",
    offset: OffsetOption = 0.0,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Rank agents in each category, partially pooled, and say whose category effects are clear.

    In Python: `equipoise.categories("battles.csv", "language")`

    Examples
    --------
    - `equipoise categories battles.csv language --cluster voter --page boards.html`
    """
    with working(f"Ranking {short(file)} by {by}"):
        from equipoise.analyses.boards.questions import categories
        from equipoise.report.views.categories import category_boards_view
        from equipoise.report.views.scale import Scale

        shown = Scale(scale, offset)
        found = categories(
            source_of(file), by, position=side, prior=prior, between_sd=tau, level=level, rng=seed, read=read
        )
    write_view(category_boards_view(found, shown), to)


def length(
    file: FileArgument,
    read: ReadOptions,
    to: OutputOptions,
    *,
    baseline: Annotated[str | None, typer.Option(help="The baseline [the agent that is in every match].")] = None,
    length: Annotated[str, typer.Option(help="The columns of lengths, without their sides.")] = "length",
    difficulty: Annotated[
        str | None, typer.Option(help="Column of difficulties, a file of questions and theirs, or estimated.")
    ] = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Give win rates against one baseline, as if answers were equally long.

    In Python: `equipoise.length_control("battles.csv")`

    Examples
    --------
    - `equipoise length judged.csv --cluster question --score p_a --difficulty estimated`
    """
    known = None if difficulty is None else Path(difficulty) if Path(difficulty).is_file() else difficulty
    with working(f"Rates of {short(file)} at equal length"):
        from equipoise.analyses.boards.questions import length_control
        from equipoise.report.views.boards import controlled_view

        found = length_control(
            source_of(file), baseline=baseline, length=length, difficulty=known, level=level, rng=seed, read=read
        )
    write_view(controlled_view(found), to)


def place(
    file: FileArgument,
    board: Annotated[
        Path, typer.Option("--board", help="The published board (rank --format json); its ratings are fixed.")
    ],
    read: ReadOptions,
    to: OutputOptions,
    *,
    least_p: Annotated[
        float,
        typer.Option("--min-p", help="Refuse a board that games contradict with a smaller p-value; 0 never does."),
    ] = 0.001,
    side: SideOption = False,
    scale: ScaleOption = "elo",
    offset: OffsetOption = 0.0,
    level: LevelOption = 0.95,
) -> None:
    """Rate new agents against the fixed ratings of a published board, and test the board.

    In Python: `equipoise.place("new.csv", "board.json")`

    Examples
    --------
    - `equipoise place june.csv --board may.json --format json -o june.json`
    """
    with working(f"Placing agents of {short(file)}"):
        from equipoise.analyses.boards.placing import place
        from equipoise.report.views.boards import placed_view
        from equipoise.report.views.scale import Scale

        shown = Scale(scale, offset)
        placed = place(source_of(file), board, min_p=least_p, position=side, level=level, read=read)
    write_view(placed_view(placed, shown), to)


def changes(
    old: Annotated[Path, typer.Argument(help="The earlier board (rank --format json), or its games.")],
    file: Annotated[str, typer.Argument(help="The later board, or its games.")],
    read: ReadOptions,
    to: OutputOptions,
    *,
    shared: Annotated[
        Literal["old", "none"] | None,
        typer.Option(help="Whether the later games include all (old) or none of the earlier ones, which are given."),
    ] = None,
    scale: ScaleOption = "elo",
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Say who rose and who fell between two boards beyond noise.

    In Python: `equipoise.changes("may.json", "june.json")`

    Examples
    --------
    - `equipoise changes may.json june.csv`

    - `equipoise changes may.csv june.csv --shared old`
    """
    with working(f"Comparing {short(file)} with {old.name}"):
        from equipoise.analyses.boards.board_sources import is_board
        from equipoise.analyses.boards.changes import changes
        from equipoise.analyses.boards.standings import rank
        from equipoise.data.readers.recognise import bundled
        from equipoise.report.views.boards import board_changes_view

        given = (str(old), file)
        games = [name == "-" or bundled(name) or Path(name).is_dir() or not is_board(Path(name)) for name in given]
        if not any(games):
            read.refuse_all(" has no effect: it says how to read games, and both of these are boards")
        boards = [
            rank(source_of(name), level=level, rng=seed, read=read) if of_games else Path(name)
            for name, of_games in zip(given, games, strict=True)
        ]
        found = changes(boards[0], boards[1], shared=shared, scale=scale, level=level)
    write_view(board_changes_view(found), to)


def clean(
    file: FileArgument,
    steps: Annotated[
        str, typer.Option("--steps", help="Steps of cleaning, such as anonymous,no-both-bad,most-per-voter:100.")
    ],
    read: ReadOptions,
    to: OutputOptions,
    *,
    ties: Annotated[TieModel, typer.Option(help="A tie is half a win, or has a parameter.")] = "half",
    side: SideOption = False,
    prior: PriorOption = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Say what each step of cleaning changes: rows, ratings, ranks, the leader.

    In Python: `equipoise.cleaning("battles.csv", clean="anonymous,no-both-bad")`

    Examples
    --------
    - `equipoise clean battles.csv --steps anonymous,no-both-bad,most-per-voter:100`
    """
    with working(f"Ranking {short(file)} with and without each step"):
        from equipoise.analyses.votes.cleaning import cleaning
        from equipoise.report.views.boards import sensitivity_view

        found = cleaning(
            source_of(file), clean=steps, ties=ties, position=side, prior=prior, level=level, rng=seed, read=read
        )
    write_view(sensitivity_view(found), to)


Components = Literal["refuse", "each", "largest"]
"""What to do with agents that never met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingOptions:
    """How agents are rated."""

    method: Annotated[
        str, typer.Option(help="How to rate: bradley-terry, elo, melo, or a method that an installed package brings.")
    ] = "bradley-terry"
    ties: Annotated[TieModel, typer.Option(help="A tie is half a win, or has a parameter.")] = "half"
    side: Annotated[
        bool | None,
        typer.Option(
            "--position/--no-position",
            help="Advantage of the first position in the model [default: where columns name positions and it shows].",
        ),
    ] = None
    covariates: Annotated[
        str | None,
        typer.Option("--adjust", help="Adjust for style: length,bold ... (columns length_a, length_b); both boards."),
    ] = None
    covariate_prior: Annotated[
        float | None,
        typer.Option("--adjust-prior", hidden=True, help="Standard deviation of a normal prior on each coefficient."),
    ] = None
    anchor: Annotated[str | None, typer.Option(help="Agent whose rating is 0; others are differences to it.")] = None
    reference: Annotated[
        str | None, typer.Option(help="Agents (A,B,C) whose mean rating is 0; others are differences to that mean.")
    ] = None
    scale: ScaleOption = "elo"
    offset: OffsetOption = 0.0
    pairing: Annotated[
        Pairing | None,
        typer.Option(help="Adaptive pairing: pairs may depend on earlier results (Swiss). With --time it is tested."),
    ] = None
    unconnected: Annotated[
        Components,
        typer.Option("--components", help="Agents that never met: refuse, rate each connected component, or keep one."),
    ] = "refuse"
    prior: PriorOption = None
    transitivity: Annotated[
        Literal["auto", "none"],
        typer.Option(hidden=True, help="Test whether a single rating describes the games; none leaves it out."),
    ] = "auto"
    over_time: Annotated[
        Period | None, typer.Option(help="Rate by day, week, month ...: who improved? (number: rounds)")
    ] = None
    releases: Annotated[
        list[str] | None,
        typer.Option(
            "--release", hidden=True, help="AGENT=DATE of a new version, for --over-time. Repeat it for each."
        ),
    ] = None
    n: Annotated[
        int, typer.Option("--bootstrap", hidden=True, help="Take intervals from so many bootstrap samples.")
    ] = 0
    step_size: Annotated[
        str | None, typer.Option("--step-size", hidden=True, help="Step of online Elo, in points [default: 16].")
    ] = None
    dimensions: Annotated[
        str | None, typer.Option("--dimensions", hidden=True, help="Discs of melo: a number, or auto [default: 1].")
    ] = None


def rank(
    file: FileArgument,
    how: RatingOptions,
    read: ReadOptions,
    intervals: Intervals,
    to: OutputOptions,
) -> None:
    """Rank agents from a match log: ratings with intervals, simultaneous rank intervals, and warnings.

    Columns are found by their usual names: model_a/model_b/winner, white/black/result, player/opponent/wins/games ...

    In Python: `equipoise.rank("battles.csv")`

    Examples
    --------
    - `equipoise rank battles.csv`

    - `equipoise rank games.csv.gz --position --ties davidson --level 0.9`

    - `equipoise rank games.csv --method melo --dimensions auto`

    - `equipoise rank swiss.csv --pairing adaptive`

    - `equipoise rank games.csv --over-time month -o strength.svg`

    - `equipoise rank votes.parquet --cluster voter --anchor gpt-4 --format json -o board.json`

    - `equipoise rank battles.csv --adjust length,bold --cluster prompt`

    - `zcat log.csv.gz | equipoise rank - --agents p1,p2 --score res`
    """
    with working(f"Ranking {short(file)}"):
        from equipoise.analyses.boards.rating import RankOptions
        from equipoise.analyses.boards.standings import Standings, rank
        from equipoise.inference.executors import processes
        from equipoise.report.views.leaderboard import leaderboard
        from equipoise.report.views.scale import Scale

        shown = Scale(how.scale, how.offset)
        with processes(intervals.jobs) as executor:
            standings = rank(
                source_of(file), method=how.method, ties=how.ties, position=how.side,
                components=how.unconnected,
                pairing=how.pairing, adjust=how.covariates, anchor=how.anchor, reference=how.reference,
                level=intervals.level, rng=intervals.seed, read=read, executor=executor,
                options=RankOptions(prior=how.prior, covariate_prior=how.covariate_prior, n=how.n,
                                    step_size=_number(how.step_size), dimensions=_number(how.dimensions),
                                    transitivity=how.transitivity, over_time=how.over_time,
                                    releases=named_values(how.releases, "releases", "AGENT=DATE")),
            )  # fmt: skip
    if isinstance(standings, Standings):
        view = leaderboard(standings, shown)
    else:
        from equipoise.report.views.registry import view_of

        view = view_of(standings)
    write_view(view, to)


def _number(given: str | None) -> Any:
    """Read a number; which other words make sense the method says."""
    for kind in (int, float):
        try:
            return None if given is None else kind(given)
        except ValueError:
            continue
    return given
