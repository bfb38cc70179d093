"""Options that say how a file is read, and which of its rows and agents are wanted: the same in all commands."""

from typing import Annotated

import typer

from equipoise.cli.options.choices import Duplicates, OnlyLargest, OutcomeMeans
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option

__all__ = [
    "AOption", "AgentOption", "BOption", "CleanOption", "DuplicateCellsOption", "DuplicatesOption", "GamesOption",
    "IslandsOption", "LossesOption", "MetricOption", "MinGamesOption", "NotTasksOption", "OutcomeMeansOption",
    "OutcomeOption", "ReadingOption", "ScoreOption", "SinceOption", "TableOption", "TaskOption", "TasksOption",
    "TimeOption", "TrialOption", "UntilOption", "VerboseOption", "WeightOption", "WhereOption", "WinsOption",
    "as_reading",
]  # fmt: skip

AOption = Annotated[str | None, typer.Option("--a", help="Column of the first side.")]
BOption = Annotated[str | None, typer.Option("--b", help="Column of the second side.")]
OutcomeOption = Annotated[str | None, typer.Option(help="Column of the outcome.")]
OutcomeMeansOption = Annotated[
    OutcomeMeans | None,
    typer.Option(
        help="What numbers in the outcome column say: a side's score, which side won (from 0 or 1), a sign;"
        " or graded: A>>B counts for more than A>B."
    ),
]
WinsOption = Annotated[str | None, typer.Option(help="Column that counts wins of the first side.")]
LossesOption = Annotated[str | None, typer.Option(help="Column that counts its losses.")]
GamesOption = Annotated[str | None, typer.Option(help="Column that counts games.")]
WeightOption = Annotated[
    str | None, typer.Option(help="Column that says how often a row happened; none counts every row once.")
]
DuplicatesOption = Annotated[
    Duplicates | None, typer.Option(help="Rows that repeat an earlier one [default: keep, and say how many].")
]
AgentOption = Annotated[str | None, typer.Option(help="Column of agents.")]
TaskOption = Annotated[str | None, typer.Option(help="Column of tasks (long tables).")]
ScoreOption = Annotated[str | None, typer.Option(help="Column of scores (long tables).")]
TrialOption = Annotated[str | None, typer.Option(help="Column of trials: seeds, runs (long tables).")]
TasksOption = Annotated[
    str | None, typer.Option(help="Tasks to take, separated by commas [default: all that are tasks].")
]
NotTasksOption = Annotated[str | None, typer.Option(help="Tasks to leave out, separated by commas.")]
DuplicateCellsOption = Annotated[
    Duplicates | None,
    typer.Option(help="Rows with the same agent and task: runs (keep), or the first only [default: error]."),
]
ReadingOption = Annotated[
    list[str] | None,
    typer.Option("--read", help="OPTION=VALUE of the reader, such as outcome=res or tasks=a,b. Can be repeated."),
]
MetricOption = Annotated[str | None, typer.Option(help="Which metric is taken where a log holds several.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", help="Say what became of every row and column of the file.")]

TableOption = Annotated[
    str | None, typer.Option("--table", help="Table of a database, or sheet of a workbook, where there are several.")
]
WhereOption = Annotated[
    str | None, typer.Option(help="Only rows that meet a condition, such as 'language == \"English\" and turn <= 3'.")
]
SinceOption = Annotated[str | None, typer.Option(help="Only rows from this date, time, month or year on.")]
UntilOption = Annotated[str | None, typer.Option(help="Only rows up to this date, time, month or year.")]
TimeOption = Annotated[
    str | None, typer.Option(help="Column of times for --since and --until [default: the only one that holds dates].")
]
MinGamesOption = Annotated[
    int | None,
    typer.Option(help="Leave out agents with fewer games (scores, hands), until all that are left have so many."),
]
CleanOption = Annotated[
    str | None,
    typer.Option(
        help="Steps of cleaning, such as anonymous,no-both-bad,once-per-prompt,most-per-voter:100; also once-per-vote,"
        " most-per-prompt:N, no-reveal, no-leaks:WORD+WORD. Each says how many rows it left out."
    ),
]
IslandsOption = Annotated[
    OnlyLargest | None, typer.Option(help="Keep only the largest group of agents that are joined by games.")
]


def as_reading(given: list[str] | None) -> dict[str, object] | None:
    """Give OPTION=VALUE entries as options of a reader."""
    if not given:
        return None
    entries = [entry.partition("=") for entry in given]
    bad = [entry for entry, (name, _, value) in zip(given, entries, strict=True) if not name or not value]
    if bad:
        raise ParameterError(Option("reading"), f' "{bad[0]}" is not of the form OPTION=VALUE')
    return {name.strip().replace("-", "_"): value for name, _, value in entries}
