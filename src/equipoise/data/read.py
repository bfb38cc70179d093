"""Reading what users bring: files (CSV, TSV, JSON lines, Parquet; plain or compressed) and data frames.

The functions here say what may be read; the work is done in modules that load when it is asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Literal

from equipoise.data.columns import EpisodeColumns, MatchColumns, OnError, ScoreColumns
from equipoise.data.episodes import Episodes
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.scores import Scores
from equipoise.options import checked

__all__ = ["OnError", "Source", "read_episodes", "read_matches", "read_metagame", "read_pairs", "read_scores"]

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
    on_error: OnError = "raise",
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
        Column of frequencies; a column called ``weight`` is taken by itself.
    task, group, time
        Columns to keep with each match.
    on_error
        ``raise`` on the first kind of bad row, or ``skip`` bad rows, counting them in a diagnostic.

    Fails when
        the file is missing, empty or no table; a column is missing; a row has no name, an unknown outcome, an
        agent against itself, or a negative or missing weight. The error names the place.
    """
    from equipoise.data.read_matches import matches_from

    columns = MatchColumns(a, b, outcome, wins, losses, games, ties, weight, task, group, time)
    return matches_from(source, columns, on_error)


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
    on_error: OnError = "raise",
) -> PairTable:
    """Read a match log of any length straight into pair counts, without holding its rows in memory.

    Parameters and failures are those of :func:`read_matches`. A square cross-table (first column = the names
    of the other columns) is read as win probabilities or win counts.
    """
    from equipoise.data.read_matches import pairs_from

    columns = MatchColumns(a, b, outcome, wins, losses, games, ties, weight, None, group, None)
    return pairs_from(source, columns, on_error)


@checked()
def read_scores(
    source: Source,
    *,
    agent: str | None = None,
    task: str | None = None,
    score: str | None = None,
    trial: str | None = None,
    layout: Literal["auto", "wide", "long"] = "auto",
    transpose: bool = False,
    on_error: OnError = "raise",
) -> Scores:
    """Read scores of agents on tasks, wide (first column names the agents) or long (agent, task, score[, trial]).

    Parameters
    ----------
    agent, task, score, trial
        Columns of a long table; recognised by their usual names (model, game, value, seed ...) if not given.
        ``agent`` alone names the column of agents in a wide table.
    layout
        ``wide``, ``long``, or recognised by the columns.
    transpose
        The wide table has a row for each task and a column for each agent.
    on_error
        ``raise`` on a cell that is not a number, or ``skip`` it as missing, counting such cells.

    Fails when
        there is no number, an agent's or task's name is missing or repeated, a score is infinite.
    """
    from equipoise.data.read_scores import scores_from

    return scores_from(source, ScoreColumns(agent, task, score, trial), layout, transpose, on_error)


@checked()
def read_episodes(
    source: Source,
    *,
    deal: str | Sequence[str] = "deal",
    agent: str = "agent",
    utility: str = "utility",
    seat: str | None = None,
    hand: str | None = None,
    controls: Sequence[str] = (),
    on_error: OnError = "raise",
) -> Episodes:
    """Read one row per agent, deal and seat.

    Parameters
    ----------
    deal
        Column (or columns, taken together) that says which rows saw the same luck.
    agent, utility, seat, hand
        Columns of the name, of what was won, of the seat, and of the hand (one play of a deal by everybody at the
        table). Columns called ``seat`` and ``hand`` are taken by themselves.
    controls
        Columns of control values.

    Fails when
        a column is missing; a name, deal or utility is missing or not a number.
    """
    from equipoise.data.read_episodes import episodes_from

    deals = (deal,) if isinstance(deal, str) else tuple(deal)
    columns = EpisodeColumns(agent, deals, utility, seat, hand, tuple(controls))
    return episodes_from(source, columns, on_error)


def read_metagame(source: Source) -> MetaGame:
    """Read payoffs: JSON with K nested lists (``payoffs``, and ``strategies`` if they have names), or a square CSV.

    Fails when
        the shapes disagree, a payoff is missing, or the file is neither of these.
    """
    from equipoise.data.cross_tables import metagame_from

    return metagame_from(source)
