"""The commands ``choose``, voting rules on tasks, ballots, races and games, and ``explain``: which summary to read."""

from typing import Annotated

import typer

from equipoise.cli.options.choices import Margins, Rule, Unnamed
from equipoise.cli.options.generated import LevelOption, OutputOptions, SeedOption
from equipoise.cli.output.output import source_of, write_view
from equipoise.cli.output.waiting import short, working
from equipoise.data.readers.options import ReadOptions


def choose(
    file: Annotated[
        str, typer.Argument(help="Scores, ballots (also PrefLib's), races or games; or the name of a bundled set.")
    ],
    read: ReadOptions,
    to: OutputOptions,
    *,
    rule: Annotated[
        Rule | None, typer.Option(help="How votes become an order [default: kemeny, or borda for huge cycles].")
    ] = None,
    margins: Annotated[
        Margins | None,
        typer.Option(help="What a margin is [default: count where all pairs have as many votes, else share]."),
    ] = None,
    unnamed: Annotated[
        Unnamed | None,
        typer.Option(
            help="Agents that a ballot does not name: not compared there, or below all named [default: apart]."
        ),
    ] = None,
    approve: Annotated[int, typer.Option(help="For approval: how many first places of a ballot count.")] = 3,
    seconds: Annotated[float, typer.Option(help="Time for the Kemeny order of a large cycle.")] = 30.0,
    n: Annotated[
        int | None,
        typer.Option("--bootstrap", help="Bootstrap samples for bootstrap ranges [default: 200 where that is quick]."),
    ] = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
) -> None:
    """Choose by voting rules on tasks, ballots, races or games, and say where rules agree.

    Each task, voter, race or game is a ballot. Says who beats every other agent (or the smallest set that does), what
    each rule puts first, and how often that comes out again in bootstrap samples. `--show rules` has every order,
    `--show pairs` every duel.

    In Python: `equipoise.choose("scores.csv")`

    Examples
    --------
    - `equipoise choose scores.csv`

    - `equipoise choose ballots.soi --rule schulze --unnamed last`

    - `equipoise choose races.csv --rule borda --show rules,pairs`

    - `equipoise choose votes.csv --task voter --agent candidate --score rank`
    """
    with working(f"Choosing from {short(file)}"):
        from equipoise.analyses.votes.choosing import choose
        from equipoise.report.views.choice import voting_view

        board = choose(
            source_of(file), rule=rule, margins=margins, unnamed=unnamed, approve=approve, seconds=seconds, n=n,
            level=level, rng=seed, read=read,
        )  # fmt: skip
    write_view(voting_view(board), to)


def explain(
    file: Annotated[
        str, typer.Argument(help="Scores, games, ballots, races or payoffs; or the name of a bundled set.")
    ],
    read: ReadOptions,
    to: OutputOptions,
) -> None:
    """Say which summary answers which question, who is first by each, and what disagreements mean.

    In Python: `equipoise.explain("scores.csv")`

    Examples
    --------
    - `equipoise explain scores.csv`

    - `equipoise explain battles.csv --show properties`
    """
    with working(f"Comparing summaries of {short(file)}"):
        from equipoise.analyses.votes.explaining import explain
        from equipoise.report.views.choice import explanation_view

        found = explain(source_of(file), read=read)
    write_view(explanation_view(found), to)
