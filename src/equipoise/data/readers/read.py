"""Reading what users bring: files (delimited text, JSON, Parquet, Arrow, workbooks, databases) and data frames.

The functions here say what may be read; the work is done in modules that load when it is asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Literal

from equipoise.core.options import checked
from equipoise.data.readers.columns import (
    Duplicates,
    EpisodeColumns,
    MatchColumns,
    OnError,
    OutcomeMeans,
    ScoreColumns,
    listed,
)
from equipoise.data.select.selection import Choice, Islands, Moment
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

__all__ = [
    "Duplicates", "OnError", "OutcomeMeans", "Source", "read_episodes", "read_matches", "read_metagame", "read_pairs",
    "read_scores",
]  # fmt: skip

Source = str | Path | IO[bytes] | Any


@checked()
def read_matches(
    source: Source,
    *,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
    wins: str | None = None,
    losses: str | None = None,
    games: str | None = None,
    ties: str | None = None,
    weight: str | None = None,
    task: str | None = None,
    group: str | None = None,
    time: str | None = None,
    covariates: str | Sequence[str] | None = None,
    labels: str | Sequence[str] | None = None,
    outcome_means: OutcomeMeans | None = None,
    duplicates: Duplicates | None = None,
    on_error: OnError = "raise",
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
    clean: str | Sequence[str] | None = None,
) -> Matches:
    """Read a match log, or counted results, with all its rows.

    Parameters
    ----------
    source
        A path, a binary stream of CSV, or a pandas, polars or Arrow frame.
    a, b, outcome
        Columns of the two sides and of the result; recognised by their usual names (model_a/model_b/winner,
        left/right/winner, white/black/result, player/opponent/wins/games, winner/loser ...) if not given.
        An outcome is a number in [0, 1] (score of ``a``), a word, or the winner's name.
    wins, losses, games, ties
        Columns of counts, where a row counts the results of a pair.
    weight
        Column that says how often a row happened. Columns called weight, games, count, n, votes ... are taken by
        themselves, which is said; ``"none"`` counts every row once. With a count an outcome is the mean of so many
        games.
    task, group, time
        Columns to keep with each match.
    covariates
        What else may have decided, to be controlled for: ``length`` stands for the columns length_a and length_b (or
        len_a and len_b ...), which become the relative difference (a - b) / (a + b + 1); a column of that very name is
        a difference already.
    labels
        Further columns to keep, by name.
    outcome_means
        What numbers in the outcome column say: ``first-score`` or ``second-score`` (that side's score), ``index`` (0
        the first side, 1 the second, 2 a tie), ``index-from-1`` (1 and 2; 0 or 1.5 a tie), ``sign`` (1, -1, 0). In a
        column that says who won (winner, preference, vote ...) bare numbers are asked back. ``graded``: A>>B, A>B,
        A=B, B>A and B>>A are one vote each, with its strength kept (1, 0.75, 0.5, 0.25, 0).
    duplicates
        Rows that repeat an earlier one (the same id and time, or all columns where there is a time): ``keep``, ``drop``
        or ``error``; None keeps and counts them in a diagnostic.
    on_error
        ``raise`` on the first kind of bad row, or ``skip`` bad rows, counting them in a diagnostic.
    table
        Table of a database (SQLite, DuckDB) or sheet of a workbook; needed where there are several.
    where
        Condition that rows must meet, such as ``language == "English" and turn <= 3``.
    since, until
        First and last moment: a date, a time, a month (2024-05), a year, or a number where times are numbers.
    min_games
        Leave out agents with fewer games, until all that are left have so many against each other.
    islands
        ``largest`` keeps the largest group of agents that are joined by games.
    clean
        Steps of cleaning, each of which leaves votes out and counts them in the account: ``anonymous``, ``no-reveal``,
        ``no-leaks`` (or ``no-leaks:openai+claude``), ``no-both-bad``, ``once-per-vote`` (the first of a voter on a
        prompt and pair), ``once-per-prompt`` (the first on a prompt and pair), ``most-per-voter:100``,
        ``most-per-prompt:100``. They are taken in this order. Columns have usual names (voter, judge, user ...; prompt,
        question_id ...; anony ...), or are named: ``most-per-voter:100@rater``.

    Fails when
        the file is missing, empty or no table; a row has more or fewer fields than the header; a column is missing,
        looks like a count and has no place, or holds codes that nobody explained; a row has no name, an unknown
        outcome, an agent against itself, or a negative or missing weight. The error names the place.
    """
    from equipoise.data.readers.matches import MatchReading, matches_from

    beside = (listed(covariates) or (), listed(labels) or ())
    columns = MatchColumns(a, b, outcome, wins, losses, games, ties, weight, task, group, time, *beside)
    limited = since is not None or until is not None
    wanted = Choice(table, where, since, until, time if limited else None, min_games, islands, clean).of(source)
    return wanted.noted(matches_from(wanted, MatchReading(columns, on_error, duplicates, outcome_means)))


@checked()
def read_pairs(
    source: Source,
    *,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
    wins: str | None = None,
    losses: str | None = None,
    games: str | None = None,
    ties: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    outcome_means: OutcomeMeans | None = None,
    duplicates: Duplicates | None = None,
    on_error: OnError = "raise",
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    time: str | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
    clean: str | Sequence[str] | None = None,
) -> PairTable:
    """Read a match log of any length straight into pair counts, without holding its rows in memory.

    Parameters and failures are those of :func:`read_matches`; ``time`` is the column that ``since`` and ``until`` look
    at, else one that is called so, or the only one that holds dates. A square cross-table (first column = the names
    of the other columns) is read as win probabilities or win counts.
    """
    from equipoise.data.readers.matches import MatchReading, pairs_from

    columns = MatchColumns(a, b, outcome, wins, losses, games, ties, weight, None, group, None)
    wanted = Choice(table, where, since, until, time, min_games, islands, clean).of(source)
    return wanted.noted(pairs_from(wanted, MatchReading(columns, on_error, duplicates, outcome_means)))


@checked()
def read_scores(
    source: Source,
    *,
    agent: str | None = None,
    task: str | None = None,
    score: str | None = None,
    trial: str | None = None,
    tasks: str | Sequence[str] | None = None,
    not_tasks: str | Sequence[str] | None = None,
    layout: Literal["auto", "wide", "long"] = "auto",
    transpose: bool = False,
    duplicates: Duplicates | None = None,
    on_error: OnError = "raise",
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    time: str | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
) -> Scores:
    """Read scores of agents on tasks, wide (first column names the agents) or long (agent, task, score[, trial]).

    Parameters
    ----------
    agent, task, score, trial
        Columns of a long table; recognised by their usual names (model, game, value, seed ...) if not given.
        ``agent`` alone names the column of agents in a wide table.
    tasks, not_tasks
        Tasks to take, or to leave out (names, or one text with commas). By default a wide table gives those columns
        that are tasks: text, averages of other columns, sizes, dates, counts and errors are left out and named.
    layout
        ``wide``, ``long``, or recognised by the columns.
    transpose
        The wide table has a row for each task and a column for each agent.
    duplicates
        Rows of a long table with the same agent and task, where no column of trials tells them apart: ``keep`` takes
        them for repeated runs, ``drop`` the first only; by default they are asked back.
    on_error
        ``raise`` on a cell that is not a number, or ``skip`` it as missing, counting such cells.
    table
        Table of a database (SQLite, DuckDB) or sheet of a workbook; needed where there are several.
    where
        Condition that rows must meet, such as ``language == "English" and turn <= 3``.
    since, until
        First and last moment: a date, a time, a month (2024-05), a year, or a number where times are numbers.
    time
        Column of times for ``since`` and ``until``; else one that is called so, or the only one that holds dates.
    min_games
        Leave out agents with fewer scores.
    islands
        ``largest`` keeps the largest group of agents that are joined by tasks they share.

    Fails when
        there is no number, an agent's or task's name is missing or repeated, a score is infinite, a row has more or
        fewer fields than the header.
    """
    from equipoise.data.readers.scores import ScoreReading, scores_from

    columns = ScoreColumns(agent, task, score, trial)
    how = ScoreReading(columns, layout, transpose, on_error, listed(tasks), listed(not_tasks) or (), duplicates)
    wanted = Choice(table, where, since, until, time, min_games, islands).of(source)
    return wanted.noted(scores_from(wanted, how))


@checked()
def read_episodes(
    source: Source,
    *,
    deal: str | Sequence[str] | None = None,
    agent: str | None = None,
    utility: str | None = None,
    seat: str | None = None,
    hand: str | None = None,
    controls: Sequence[str] = (),
    duplicates: Duplicates | None = None,
    on_error: OnError = "raise",
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    time: str | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
) -> Episodes:
    """Read one row per agent, deal and seat.

    Parameters
    ----------
    deal
        Column (or columns, taken together) that says which rows saw the same luck.
    agent, utility, seat, hand
        Columns of the name, of what was won, of the seat, and of the hand (one play of a deal by everybody at the
        table). Recognised by their usual names (agent, player; utility, winnings, payoff; seat; hand) if not given.
    controls
        Columns of control values.
    duplicates
        Rows that are equal in all columns: ``keep``, ``drop`` or ``error``; None keeps and counts them in a diagnostic.
    table
        Table of a database (SQLite, DuckDB) or sheet of a workbook; needed where there are several.
    where
        Condition that rows must meet, such as ``language == "English" and turn <= 3``.
    since, until
        First and last moment: a date, a time, a month (2024-05), a year, or a number where times are numbers.
    time
        Column of times for ``since`` and ``until``; else one that is called so, or the only one that holds dates.
    min_games
        Leave out agents with fewer hands.
    islands
        ``largest`` keeps the largest group of agents that are joined by deals they share.

    Fails when
        a column is missing; a name, deal or utility is missing or not a number.
    """
    from equipoise.data.readers.episodes import episodes_from

    deals = () if deal is None else (deal,) if isinstance(deal, str) else tuple(deal)
    columns = EpisodeColumns(agent, deals, utility, seat, hand, tuple(controls))
    wanted = Choice(table, where, since, until, time, min_games, islands).of(source)
    return wanted.noted(episodes_from(wanted, columns, on_error, duplicates))


def read_metagame(source: Source, *, table: str | None = None) -> MetaGame:
    """Read payoffs: JSON with K nested lists (``payoffs``, and ``strategies`` if they have names), or a square CSV.

    Fails when
        the shapes disagree, a payoff is missing, or the file is neither of these.
    """
    from equipoise.data.readers.cross_tables import metagame_from

    wanted = Choice(table).of(source)
    return wanted.noted(metagame_from(wanted))
