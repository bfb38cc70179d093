"""Options that say which table, rows and agents of a file are wanted: the same in all commands that read tables."""

from typing import Annotated

import typer

from equipoise.data.wanted import Islands

__all__ = [
    "IslandsOption", "MinGamesOption", "SinceOption", "TableOption", "TimeOption", "UntilOption", "WhereOption",
]  # fmt: skip

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
IslandsOption = Annotated[
    Islands | None, typer.Option(help="Keep only the largest group of agents that are joined by games.")
]
