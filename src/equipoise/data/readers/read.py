"""Reading what users bring: files (delimited text, JSON, Parquet, Arrow, workbooks, databases) and data frames.

The functions here say what may be read; the work is done in modules that load when it is asked for. How a file is read
beyond the columns of a kind of data is a :class:`~equipoise.data.readers.options.ReadOptions`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Literal

from equipoise.core.errors import ParameterError
from equipoise.core.options import checked
from equipoise.core.wording import Option
from equipoise.data.readers.columns import EpisodeColumns, MatchColumns, ScoreColumns, listed
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.types.episodes import Episodes
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.orders import Ballots, Rankings, Unnamed
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

Source = str | Path | IO[bytes] | Any


@former_reading
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
    read: ReadOptions | None = None,
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
    read
        Which rows and agents are taken, and everything else about reading; its ``score`` is the outcome.

    Fails when
        the file is missing, empty or no table; a row has more or fewer fields than the header; a column is missing,
        looks like a count and has no place, or holds codes that nobody explained; a row has no name, an unknown
        outcome, an agent against itself, or a negative or missing weight. The error names the place.
    """
    from equipoise.data.readers.matches import MatchReading, matches_from

    how = (read or ReadOptions()).also(
        a=a, b=b, score=outcome, wins=wins, losses=losses, games=games, ties=ties, weight=weight, group=group, time=time
    )
    beside = (listed(covariates) or (), listed(labels) or ())
    wanted = how.of("games", ("task",)).selection.of(source)
    columns = match_columns(how, task=task or how.task, covariates=beside[0], labels=beside[1])
    reading = MatchReading(columns, how.on_error, how.duplicates, how.score_means, how.merge_names)
    return wanted.noted(matches_from(wanted, reading))


@former_reading
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
    read: ReadOptions | None = None,
) -> PairTable:
    """Read a match log of any length straight into pair counts, without holding its rows in memory.

    Parameters and failures are those of :func:`read_matches`. A square cross-table (first column = the names of the
    other columns) is read as win probabilities or win counts.
    """
    from equipoise.data.readers.matches import MatchReading, pairs_from

    how = (read or ReadOptions()).also(
        a=a, b=b, score=outcome, wins=wins, losses=losses, games=games, ties=ties, weight=weight, group=group
    )
    wanted = how.of("games").by_limits.of(source)
    columns = match_columns(how, time=False)
    reading = MatchReading(columns, how.on_error, how.duplicates, how.score_means, how.merge_names)
    return wanted.noted(pairs_from(wanted, reading))


def match_columns(
    how: ReadOptions,
    *,
    task: str | None = None,
    time: bool = True,
    covariates: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
) -> MatchColumns:
    """Give the columns of a match log that options of reading name, and further ones."""
    counts = (how.wins, how.losses, how.games, how.ties)
    at = how.time if time else None
    return MatchColumns(how.a, how.b, how.score, *counts, how.weight, task, how.group, at, covariates, labels)


@former_reading
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
    read: ReadOptions | None = None,
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
    read
        Which rows and agents are taken, and everything else about reading; its ``run`` is the trial, and
        ``agents_in="columns"`` transposes.

    Fails when
        there is no number, an agent's or task's name is missing or repeated, a score is infinite, a row has more or
        fewer fields than the header.
    """
    from equipoise.data.readers.score_columns import ScoreReading
    from equipoise.data.readers.scores import scores_from

    how = (read or ReadOptions()).also(
        agent=agent, task=task, score=score, run=trial, tasks=tasks, not_tasks=not_tasks,
        layout=None if layout == "auto" else layout, agents_in="columns" if transpose else None,
    )  # fmt: skip
    wanted = how.of("scores").by_limits.of(source)
    columns = ScoreColumns(how.agent, how.task, how.score, how.run)
    chosen = ScoreReading(
        columns, how.layout, how.agents_in, how.on_error, listed(how.tasks), listed(how.not_tasks) or (),
        how.duplicates, how.merge_names, how.words, listed(how.lower_is_better),
    )  # fmt: skip
    return wanted.noted(scores_from(wanted, chosen))


@former_reading
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
    read: ReadOptions | None = None,
) -> Episodes:
    """Read one row per agent, deal and seat.

    Parameters
    ----------
    deal
        Column (or columns, combined) that says which rows saw the same luck.
    agent, utility, seat, hand
        Columns of the name, of what was won, of the seat, and of the hand (one play of a deal by everybody at the
        table). Recognised by their usual names (agent, player; utility, winnings, payoff; seat; hand) if not given.
    controls
        Columns of control values.
    read
        Which rows and agents are taken, and everything else about reading; its ``score`` is the utility, its ``run``
        the hand.

    Fails when
        a column is missing; a name, deal or utility is missing or not a number.
    """
    from equipoise.data.readers.episodes import episodes_from

    how = (read or ReadOptions()).also(
        deal=deal, agent=agent, score=utility, seat=seat, run=hand, controls=tuple(controls) or None
    )
    wanted = how.of("dealt hands").by_limits.of(source)
    columns = EpisodeColumns(how.agent, how.deals, how.score, how.seat, how.run, how.several_controls)
    return wanted.noted(episodes_from(wanted, columns, how.on_error, how.duplicates, how.merge_names))


@former_reading
def read_metagame(source: Source, *, read: ReadOptions | None = None) -> MetaGame:
    """Read payoffs: JSON with K nested lists (``payoffs``, and ``strategies`` if they have names), or a square CSV.

    Of the options of reading only ``table`` concerns payoffs.

    Fails when
        the shapes disagree, a payoff is missing, or the file is neither of these.
    """
    from equipoise.data.readers.cross_tables import metagame_from

    how = read or ReadOptions()
    for name in how.given:
        if name != "table":
            raise ParameterError(Option(name), " has no effect: the file was taken for payoffs")
    wanted = how.selection.of(source)
    return wanted.noted(metagame_from(wanted))


@former_reading
@checked()
def read_rankings(
    source: Source,
    *,
    game: str | None = None,
    player: str | None = None,
    place: str | None = None,
    read: ReadOptions | None = None,
) -> Rankings:
    """Read games of several players: a row for each player of a game, with its place; equal places tie.

    Parameters
    ----------
    source
        A path, a binary stream of CSV, or a pandas, polars or Arrow frame.
    game, player, place
        Columns of the game (race, lobby, match ...), of who took part, and of the place, 1 the best. Recognised by
        their usual names if not given; ``task``, ``agent`` and ``score`` of ``read`` name them, too.
    read
        Which rows are taken.

    Fails when
        a column is missing, a place is no number, or a game names a player twice.
    """
    from equipoise.data.readers.orders import orders_from, reading_of

    how = (read or ReadOptions()).also(task=game, agent=player, score=place)
    chosen, wanted = reading_of(how), how.selection.of(source)
    made = orders_from(wanted, chosen, ballots=False)
    assert isinstance(made, Rankings)
    return wanted.noted(made)


@former_reading
@checked()
def read_ballots(
    source: Source,
    *,
    voter: str | None = None,
    candidate: str | None = None,
    rank: str | None = None,
    unnamed: Unnamed = "apart",
    read: ReadOptions | None = None,
) -> Ballots:
    """Read ranked ballots: a PrefLib file, a table voter, candidate, rank, or a row a voter with its choices in order.

    Parameters
    ----------
    source
        A path (.soc, .soi, .toc and .toi are PrefLib's), a binary stream of CSV, or a data frame.
    voter, candidate, rank
        Columns of a long table; recognised by their usual names if not given. Equal ranks tie.
    unnamed
        What an agent means that a ballot does not name: ``apart``, it is not compared there, or ``last``, it is below
        all that are named.
    read
        Which rows are taken.

    Fails when
        a column is missing, a rank is no number, or a ballot names somebody twice.
    """
    from equipoise.data.readers.orders import orders_from, reading_of

    how = (read or ReadOptions()).also(task=voter, agent=candidate, score=rank)
    chosen, wanted = reading_of(how), how.selection.of(source)
    made = orders_from(wanted, chosen, unnamed, ballots=True)
    assert isinstance(made, Ballots)
    return wanted.noted(made)
