"""Column names: those a user gives, and every name that readers recognise by themselves.

This is the one place that holds recognised names. A name stands here in its plainest form (:func:`plain`), so
``Home.Team``, ``home team`` and ``home_team`` are one entry; earlier entries win over later ones.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from equipoise.errors import ColumnError, did_you_mean, some_of

__all__ = ["EpisodeColumns", "MatchColumns", "OnError", "ScoreColumns", "find", "find_set", "named", "plain"]

PAIRS = [
    ("model_a", "model_b"), ("left", "right"), ("white", "black"), ("home_team", "away_team"), ("hometeam", "awayteam"),
    ("home", "away"),
    ("player_a", "player_b"), ("agent_a", "agent_b"), ("team_a", "team_b"), ("player1", "player2"),
    ("player_1", "player_2"), ("agent1", "agent2"), ("agent_1", "agent_2"), ("model1", "model2"),
    ("model_1", "model_2"), ("team1", "team2"), ("team_1", "team_2"), ("bot1", "bot2"), ("bot_1", "bot_2"),
    ("school1", "school2"), ("p1", "p2"), ("player", "opponent"), ("agent", "opponent"), ("model", "opponent"),
    ("team", "opponent"), ("visitor", "opponent"), ("first", "second"), ("a", "b"),
]  # fmt: skip
"""The two sides of a match."""
WINNER_AND_LOSER = [("winner", "loser")]
"""The two sides where the columns themselves say who won."""
SIDED = {"white", "home_team", "hometeam", "home", "visitor", "first"}
"""First-column names that say which side it was: rows (a, b) and (b, a) are then different games."""
OUTCOMES = ["outcome", "winner", "result", "score", "preference", "vote", "label"]
POINTS = [
    ("score_a", "score_b"), ("home_score", "away_score"), ("home_goals", "away_goals"), ("score1", "score2"),
    ("points_a", "points_b"), ("v_goals", "o_goals"),
]  # fmt: skip
"""What each side scored; more wins."""
WIN_COUNTS = [
    ("wins_a", "wins_b"), ("win_a", "win_b"), ("home_wins", "away_wins"), ("wins1", "wins2"), ("win1", "win2"),
    ("white_wins", "black_wins"), ("a_wins", "b_wins"),
    ("wins_1", "wins_2"), ("winner_model_a", "winner_model_b"), ("wins", "losses"), ("won", "lost"),
]  # fmt: skip
"""How often each side won."""
GAMES = [("wins", "games"), ("wins", "n"), ("wins", "total"), ("won", "played")]
"""How often the first side won, of how many games."""
WINS_AS, GAMES_AS = "wins_as_", "games_as_"
"""Beginnings of the names of columns that count wins and games by side, such as wins_as_white."""
LOSSES = ["losses", "lost", "loss"]
TIES = ["ties", "draws", "tied", "drawn", "tie", "draw", "winner_tie"]
WEIGHTS = ["weight", "weights"]
LIKE_WEIGHTS = ["count", "counts", "freq", "frequency", "n", "times"]
"""Names of columns that may be weights; they are not taken by themselves, but pointed out."""

AGENTS = ["agent", "model", "system", "player", "algorithm", "method", "technique", "classifier", "bot", "name"]
TASKS = [
    "task", "game", "item", "dataset", "data_set", "env", "environment", "benchmark", "problem", "question", "level",
]  # fmt: skip
SCORES = ["score", "value", "result", "return", "reward", "accuracy", "performance", "correct"]
TRIALS = ["trial", "seed", "run", "repeat", "rep", "fold"]

EPISODES = ("deal", "agent", "utility")
"""What every table of dealt hands has."""
SEATS = ["seat"]
HANDS = ["hand"]

OnError = Literal["raise", "skip"]
"""What to do with bad rows."""


@dataclass(frozen=True, slots=True)
class MatchColumns:
    """The columns of a match log that a user named; None for those to be recognised."""

    a: str | None = None
    b: str | None = None
    outcome: str | None = None
    wins: str | None = None
    losses: str | None = None
    games: str | None = None
    ties: str | None = None
    weight: str | None = None
    task: str | None = None
    group: str | None = None
    time: str | None = None

    def checked(self, columns: Sequence[str]) -> "MatchColumns":
        """Refuse names that are not there."""
        for role in self.__slots__:
            given = getattr(self, role)
            if given is not None:
                named(columns, given, role)
        return self


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The columns of a score table that a user named; None for those to be recognised."""

    agent: str | None = None
    task: str | None = None
    score: str | None = None
    trial: str | None = None


@dataclass(frozen=True, slots=True)
class EpisodeColumns:
    """The columns of dealt hands; None for those to be recognised."""

    agent: str
    deals: tuple[str, ...]
    utility: str
    seat: str | None = None
    hand: str | None = None
    controls: tuple[str, ...] = ()

    def checked(self, columns: Sequence[str]) -> "EpisodeColumns":
        """Refuse names that are not there."""
        single = {role: getattr(self, role) for role in ("agent", "utility", "seat", "hand")}
        several = [("deal", name) for name in self.deals] + [("control", name) for name in self.controls]
        for role, name in [*single.items(), *several]:
            if name is not None:
                named(columns, name, role)
        return self


def plain(name: str) -> str:
    """Give a column's name in its plainest form.

    >>> plain("Home.Team"), plain("model A")
    ('home_team', 'model_a')
    """
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")


def named(columns: Sequence[str], name: str, role: str) -> str:
    """Give the column the user named, or say which there are."""
    if name in columns:
        return name
    hint = did_you_mean(str(name), columns)
    raise ColumnError(f'no column "{name}" for {role}{hint}; found: {some_of(columns, most=12)}')


def find(columns: Sequence[str], usual: Sequence[str]) -> str | None:
    """Give the first column that has one of the usual names, the earlier name first."""
    by_name = {plain(column): column for column in reversed(columns)}
    return next((by_name[name] for name in usual if name in by_name), None)


def find_set(columns: Sequence[str], usual: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Give the first of the usual sets of columns of which all are there."""
    by_name = {plain(column): column for column in reversed(columns)}
    for names in usual:
        if all(name in by_name for name in names):
            return tuple(by_name[name] for name in names)
    return None
