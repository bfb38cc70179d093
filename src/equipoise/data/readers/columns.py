"""Column names: those a user gives, and every name that readers recognise by themselves.

This is the one place that holds recognised names. A name stands here in its plainest form (:func:`plain`), so
``Home.Team``, ``home team`` and ``home_team`` are one entry; earlier entries win over later ones.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from equipoise.core.errors import ColumnError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option

PAIRS = [
    ("model_a", "model_b"), ("left", "right"), ("white", "black"), ("home_team", "away_team"), ("hometeam", "awayteam"),
    ("home", "away"),
    ("player_a", "player_b"), ("agent_a", "agent_b"), ("team_a", "team_b"), ("player1", "player2"),
    ("player_1", "player_2"), ("agent1", "agent2"), ("agent_1", "agent_2"), ("model1", "model2"),
    ("model_1", "model_2"), ("team1", "team2"), ("team_1", "team_2"), ("bot1", "bot2"), ("bot_1", "bot_2"),
    ("school1", "school2"), ("p1", "p2"), ("player", "opponent"), ("agent", "opponent"), ("model", "opponent"),
    ("team", "opponent"), ("visitor", "opponent"), ("first", "second"), ("generator_1", "generator_2"),
    ("player1_name", "player2_name"), ("model_a_name", "model_b_name"), ("home_name", "away_name"),
    ("white_player", "black_player"), ("home_player", "away_player"), ("system_a", "system_b"),
    ("system_1", "system_2"), ("llm_a", "llm_b"), ("bot_a", "bot_b"), ("engine1", "engine2"), ("engine_1", "engine_2"),
    ("item_a", "item_b"), ("option_a", "option_b"), ("assistant_a", "assistant_b"),
    ("left_model", "right_model"), ("model_left", "model_right"), ("left_name", "right_name"),
    ("left_agent", "right_agent"), ("left_player", "right_player"), ("response_1_model", "response_2_model"),
    ("response_a_model", "response_b_model"), ("response1_model", "response2_model"), ("model_name_a", "model_name_b"),
    ("model_id_a", "model_id_b"), ("model_1_name", "model_2_name"), ("model_name_1", "model_name_2"),
    ("modela", "modelb"), ("system1", "system2"), ("llm1", "llm2"), ("llm_1", "llm_2"), ("bota", "botb"),
    ("player_a_name", "player_b_name"), ("player_1_name", "player_2_name"), ("p1_name", "p2_name"),
    ("player1_id", "player2_id"), ("team1_name", "team2_name"), ("team_1_name", "team_2_name"),
    ("team_a_name", "team_b_name"), ("home_team_name", "away_team_name"), ("home_team", "visitor_team"),
    ("hometeam", "visitorteam"), ("home", "visitor"), ("white_name", "black_name"), ("white_id", "black_id"),
    ("white_username", "black_username"), ("white_engine", "black_engine"), ("opponent1", "opponent2"),
    ("opponent_1", "opponent_2"), ("fighter1", "fighter2"), ("fighter_1", "fighter_2"), ("r_fighter", "b_fighter"),
    ("competitor_1", "competitor_2"), ("contestant_a", "contestant_b"), ("contestant_1", "contestant_2"),
    ("candidate_a", "candidate_b"), ("side_a", "side_b"), ("name_a", "name_b"), ("name_1", "name_2"),
    ("answer_a_model", "answer_b_model"), ("method_a", "method_b"), ("agent_0", "agent_1"), ("agent0", "agent1"),
    ("player_0", "player_1"), ("player0", "player1"), ("blue", "red"), ("red", "blue"), ("a", "b"),
]  # fmt: skip
"""The two sides of a match."""
WINNER_AND_LOSER = [
    ("winner", "loser"), ("winner_name", "loser_name"), ("winning_player", "losing_player"),
    ("winning_team", "losing_team"), ("winning_model", "losing_model"), ("winning_agent", "losing_agent"),
    ("winner_model", "loser_model"), ("winner_id", "loser_id"), ("winner_player", "loser_player"),
    ("winner_team", "loser_team"), ("chosen_model", "rejected_model"), ("preferred_model", "rejected_model"),
    ("w_name", "l_name"), ("wname", "lname"), ("w_team_id", "l_team_id"), ("wteamid", "lteamid"),
]  # fmt: skip
"""The two sides where the columns themselves say who won."""
SIDED = {
    "white", "home_team", "hometeam", "home", "visitor", "first", "white_player", "home_player", "home_name",
    "home_team_name", "white_name", "white_id", "white_username", "white_engine",
}  # fmt: skip
"""First-column names that say which side it was: rows (a, b) and (b, a) are then different games."""
OUTCOMES = [
    "outcome", "winner", "result", "score", "preference", "vote", "label", "winner_name", "winning_player",
    "winning_team", "winning_model", "winner_model", "winner_id", "preferred", "verdict", "choice", "judgment", "grade",
    "ftr", "full_time_result", "res", "match_result", "game_result", "human_preference", "human_vote", "human_winner",
    "preferred_model", "preferred_response", "preferred_answer", "winning_side", "winner_side", "winner_player",
    "winner_team", "winner_agent", "better", "better_model", "annotation",
]  # fmt: skip
WHO_WON = [
    "winner", "preference", "vote", "label", "winner_name", "winning_player", "winning_team", "winning_model",
    "winner_model", "winner_id", "preferred", "verdict", "choice", "judgment", "human_preference", "human_vote",
    "human_winner", "preferred_model", "preferred_response", "preferred_answer", "winning_side", "winner_side",
    "winner_player", "winner_team", "winner_agent", "better", "better_model", "annotation",
]  # fmt: skip
"""Outcome columns that say which side won: bare numbers in them are codes, and nobody can know which."""
JUDGED_TWICE = [("g1_winner", "g2_winner")]
"""Judgments of the same pair in both orders; those that disagree are ties."""
POINTS = [
    ("score_a", "score_b"), ("home_score", "away_score"), ("home_goals", "away_goals"), ("score1", "score2"),
    ("score_1", "score_2"), ("points_a", "points_b"), ("points1", "points2"), ("v_goals", "o_goals"),
    ("fthg", "ftag"), ("hg", "ag"), ("player1_score", "player2_score"), ("player_1_score", "player_2_score"),
    ("player_a_score", "player_b_score"), ("team1_score", "team2_score"), ("team_1_score", "team_2_score"),
    ("team_a_score", "team_b_score"), ("model_a_score", "model_b_score"), ("model_1_score", "model_2_score"),
    ("score_model_a", "score_model_b"), ("agent1_score", "agent2_score"), ("agent_1_score", "agent_2_score"),
    ("left_score", "right_score"), ("score_left", "score_right"), ("response_1_score", "response_2_score"),
    ("response_a_score", "response_b_score"), ("score_response_1", "score_response_2"), ("white_score", "black_score"),
    ("home_team_goal", "away_team_goal"), ("home_team_goals", "away_team_goals"), ("goals_home", "goals_away"),
    ("home_team_score", "away_team_score"), ("score_home", "score_away"), ("home_points", "away_points"),
    ("points_home", "points_away"), ("home_pts", "away_pts"), ("pts_home", "pts_away"), ("home_runs", "away_runs"),
    ("home_score", "visitor_score"), ("home_team_score", "visitor_team_score"), ("goals_a", "goals_b"),
    ("goals1", "goals2"), ("goals_1", "goals_2"), ("points_1", "points_2"), ("p1_score", "p2_score"),
    ("score_p1", "score_p2"), ("first_score", "second_score"), ("score_0", "score_1"), ("reward_0", "reward_1"),
    ("sets_a", "sets_b"), ("reward_a", "reward_b"), ("reward_1", "reward_2"), ("reward1", "reward2"),
]  # fmt: skip
"""What each side scored; more wins."""
WIN_COUNTS = [
    ("wins_a", "wins_b"), ("win_a", "win_b"), ("home_wins", "away_wins"), ("wins1", "wins2"), ("win1", "win2"),
    ("white_wins", "black_wins"), ("a_wins", "b_wins"), ("votes_a", "votes_b"),
    ("wins_1", "wins_2"), ("winner_model_a", "winner_model_b"), ("wins", "losses"), ("won", "lost"),
]  # fmt: skip
"""How often each side won."""
GAMES = [
    ("wins", "games"),
    ("wins", "n"),
    ("wins", "total"),
    ("wins", "played"),
    ("wins", "matches"),
    ("won", "played"),
]
"""How often the first side won, of how many games."""
WINS_AS, GAMES_AS = "wins_as_", "games_as_"
"""Beginnings of the names of columns that count wins and games by side, such as wins_as_white."""
LOSSES = ["losses", "lost", "loss"]
TIES = ["ties", "draws", "tied", "drawn", "tie", "draw", "winner_tie"]
WEIGHTS = ["weight", "weights"]
ROW_COUNTS = [
    "games", "matches", "count", "counts", "n", "votes", "played", "battles", "freq", "frequency", "times",
    "games_played", "num_games", "n_games", "number_of_games", "total_games", "matches_played", "num_matches",
    "n_matches", "number_of_matches", "num_votes", "n_votes", "vote_count", "game_count", "match_count", "comparisons",
    "num_comparisons",
]  # fmt: skip
"""How often a row happened."""
NONE = "none"
"""What a user gives for the column of weights, or of clusters, where there is none, whatever other columns say."""
AUTO = "auto"
"""Columns of clusters are those with usual names."""
UNNAMED = (NONE, AUTO)
"""What may be given for the column of clusters where it names none."""
ROW_WINS = ["wins", "n_wins", "num_wins", "win_count"]
"""How often a row happened, where it names a winner and a loser."""
LIKE_COUNTS = re.compile(
    r"((n|num|number|total)_)?(of_)?(games|matches|votes|battles|wins|losses|ties|draws|comparisons|plays|trials)"
    r"(_(played|won|lost|total|count))?|(game|match|vote|win|loss|tie|draw|row)_counts?|counts?|n|freq(uency)?|times"
    r"|played|weights?"
)
"""Names of columns that look like counts: where they hold numbers and are not used, the reader asks."""

ROW_IDS = [
    "id", "match_id", "game_id", "battle_id", "vote_id", "row_id", "uuid", "annotation_id", "comparison_id",
    "record_id",
]  # fmt: skip
"""Columns that tell one row from all others."""
TIMES = ["time", "timestamp", "tstamp", "datetime", "created_at", "played_at", "date_time", "utc", "date"]
ROUNDS = ["round", "round_number", "round_no", "rnd", "matchday", "match_day"]
"""Columns that number the rounds of a tournament."""
CONTEXT_IDS = ["question_id", "prompt_id", "conversation_id", "session_id", "example_id"]
"""Columns that say when or on what: rows that agree in them and in all else were probably written twice."""
MOVES = [
    "moves", "pgn", "movetext", "move_list", "fen", "opening", "eco", "site", "event", "board", "leg", "game_number",
    "game_no", "match_number", "turn", "ply",
]  # fmt: skip
"""What happened in a game, or which of several it was: games that differ in it are no copies of each other."""
VOTERS = [
    "voter", "voter_id", "voter_hash", "judge", "judge_id", "judge_hash", "user", "user_id", "user_hash", "worker",
    "worker_id", "rater", "rater_id", "annotator", "annotator_id", "evaluator", "evaluator_id", "ip", "ip_hash",
    "judge_ip", "participant", "respondent", "assessor", "reviewer",
]  # fmt: skip
"""Who voted."""
JUDGES = [
    "judge", "judge_model", "judge_name", "judge_id", "annotator_model", "evaluator", "evaluator_id", "evaluator_model",
    "grader", "grader_model",
]  # fmt: skip
"""Who voted, where they may be few, and models."""
PROMPTS = [
    "prompt_id", "prompt_hash", "question_id", "question_hash", "instruction_id", "prompt", "question", "instruction",
]  # fmt: skip
"""What was voted on."""
CATEGORIES = [
    "category", "language", "lang", "topic", "domain", "subject", "task", "task_type", "genre", "intent", "use_case",
    "subset", "turn", "turns", "country", "difficulty", "is_code", "month",
]  # fmt: skip
"""What a vote was about, where there is a board for each."""
ANONYMOUS = ["anony", "anonymous", "is_anonymous", "anonymized", "blind", "blinded", "is_blind"]
"""Whether voters did not know who answered."""
REVEALED = ["is_revealed", "revealed", "reveal", "identity_revealed", "is_leaked", "leaked", "leak", "identity_leak"]
"""Whether an answer gave away who answered."""
VOTED_ON = [
    "prompt", "question", "instruction", "conversation", "full_conversation", "conversation_a", "conversation_b",
    "response_a", "response_b", "answer_a", "answer_b", "output_a", "output_b", "output_1", "output_2", "response_1",
    "response_2", "answer_1", "answer_2", "text_a", "text_b", "messages_a", "messages_b", "completion_a",
    "completion_b",
]  # fmt: skip
"""Texts that voters saw."""

AGENTS = [
    "agent", "model", "system", "player", "algorithm", "method", "technique", "classifier", "bot", "name", "model_name",
    "agent_name", "player_name", "llm", "model_id", "agent_id", "algo", "subject", "student", "user", "respondent",
    "participant", "person", "examinee", "fullname", "team", "solver", "policy", "submission",
]  # fmt: skip
TASKS = [
    "task", "game", "item", "dataset", "data_set", "env", "environment", "benchmark", "problem", "question", "level",
    "task_name", "task_id", "env_id", "question_id", "item_id", "doc_id", "instance_id", "prompt_id", "example_id",
    "problem_id", "sample_id", "instance", "prompt", "example", "test", "test_case", "id",
]  # fmt: skip
TESTLETS = [
    "testlet", "testlet_id", "passage", "passage_id", "stimulus", "stimulus_id", "item_group", "item_bundle", "story",
    "story_id", "paragraph_id", "article_id", "vignette", "scenario_id",
]  # fmt: skip
"""Groups of items that share something, such as a text."""
UNSURE_TASKS = {"example", "test", "id", "prompt"}
"""Names of columns that may just as well be something else in a table with a column for each task."""
SCORES = [
    "score", "value", "result", "return", "reward", "accuracy", "performance", "correct", "acc", "win", "won",
    "success", "passed", "pass", "is_correct", "exact_match", "solved", "resolved", "rating", "metric_value",
    "outcome", "response", "mean_reward", "mean_return", "mean_score", "average_reward", "average_return",
    "average_score", "avg_reward", "avg_score", "episode_reward", "episode_return", "eval_score", "final_score",
    "is_resolved", "is_solved", "pass_rate", "success_rate", "main_score", "resp", "grade", "mark",
]  # fmt: skip
TRIALS = [
    "trial", "seed", "run", "repeat", "rep", "fold", "epoch", "attempt", "trial_id", "run_id", "replicate",
    "repetition",
]  # fmt: skip
STEPS = [
    "step", "steps", "iteration", "frame", "frames", "timestep", "timesteps", "env_step", "env_steps", "global_step",
    "epoch", "checkpoint",
]  # fmt: skip

EPISODES = {
    "agent": ["agent", "player", "bot", "player_name", "agent_name", "model"],
    "deal": ["deal", "deal_id"],
    "utility": ["utility", "winnings", "payoff", "profit", "net", "net_chips", "chips_won", "amount_won", "reward"],
}
"""What every table of dealt hands has."""
SEATS = ["seat"]
HANDS = ["hand"]
SESSIONS = ["session", "session_id", "match", "match_id", "tournament", "tournament_id", "table", "table_id"]
"""What a hand is numbered in: every session may begin with its hand 1."""

OnError = Literal["raise", "skip", "skip-all"]
"""What to do with bad rows; ``skip`` stops where they are more than a tenth, ``skip-all`` does not."""
Duplicates = Literal["keep", "drop", "error"]
"""What to do with rows that come again."""
MergeNames = Literal["spelling", "versions"]
"""Which names are joined: those that differ in their spelling, or also those of which one has a version at its end."""
OutcomeMeans = Literal["first-score", "second-score", "index", "index-from-1", "sign", "graded", "graded-reversed"]
"""What numbers in an outcome column say; ``graded``: words such as A>>B keep their strength,
and of numbers 1 to 5 the first is for the first side, the middle a tie (``graded-reversed``: the last)."""


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
    covariates: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()

    def checked(self, columns: Sequence[str]) -> "MatchColumns":
        """Refuse names that are not there."""
        for name in self.labels:
            named(columns, name, "labels")
        for name in self.given_clusters(columns):
            named(columns, name, "group")
        for role in self.single:
            given = getattr(self, role)
            if given is not None and not (role == "weight" and self.unweighted(columns)):
                named(columns, given, role)
        return self

    @property
    def single(self) -> tuple[str, ...]:
        """What there is one column of at most."""
        return tuple(role for role in self.__slots__ if role not in ("covariates", "labels", "group", "clusters"))

    @property
    def finds_clusters(self) -> bool:
        """Whether columns of clusters are looked for by their names."""
        return self.group == AUTO

    def given_clusters(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Give the columns of clusters that the user named: one, several with commas between them, or none."""
        if self.group is None or (self.group in UNNAMED and self.group not in columns):
            return ()
        return (self.group,) if self.group in columns else listed(self.group) or ()

    def unweighted(self, columns: Sequence[str]) -> bool:
        """Tell whether the user said that every row counts once."""
        return self.weight == NONE and NONE not in columns


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

    agent: str | None = None
    deals: tuple[str, ...] = ()
    utility: str | None = None
    seat: str | None = None
    hand: str | None = None
    controls: tuple[str, ...] = ()

    def checked(self, columns: Sequence[str]) -> "EpisodeColumns":
        """Refuse names that are not there; find what was not named."""
        single = {role: getattr(self, role) for role in ("agent", "utility", "seat", "hand")}
        several = [("deal", name) for name in self.deals] + [("control", name) for name in self.controls]
        for role, name in [*single.items(), *several]:
            if name is not None:
                named(columns, name, role)
        found = {role: find(columns, names) for role, names in EPISODES.items()}
        return EpisodeColumns(
            self.agent or _needed(columns, found["agent"], "agent"),
            self.deals or (_needed(columns, found["deal"], "deal"),),
            self.utility or _needed(columns, found["utility"], "utility"),
            self.seat or find(columns, SEATS),
            self.hand or find(columns, [name for name in HANDS if name not in self.deals]),
            self.controls,
        )


def _needed(columns: Sequence[str], found: str | None, role: str) -> str:
    return found if found is not None else named(columns, role, role, given=False)


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Give a column's name in its plainest form.

    >>> plain("Home.Team"), plain("model A")
    ('home_team', 'model_a')
    """
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_")


def listed(given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Give names as a tuple; a text may hold several with commas between them.

    >>> listed("length, bold")
    ('length', 'bold')
    """
    if given is None:
        return None
    return tuple(name.strip() for name in given.split(",") if name.strip()) if isinstance(given, str) else tuple(given)


ROLES = {"group": "clusters", "trial": "runs"}
"""Roles of columns that have another word in messages."""


def named(columns: Sequence[str], name: str, role: str, *, given: bool = True) -> str:
    """Give the column the user named, or say which there are; what nobody named can be."""
    if name in columns:
        return name
    hint = did_you_mean(str(name), columns)
    raise ColumnError(
        f'no column "{name}" for {ROLES.get(role, role)}{hint}; found: {some_of(columns, most=12)}',
        advice=() if given else [Advice("name it with ", Option(role))],
    )


@lru_cache(maxsize=8)
def by_plain_name(columns: tuple[str, ...]) -> dict[str, str]:
    """Give columns by their names in plainest form, of several alike the first; wide tables are asked often."""
    return {plain(column): column for column in reversed(columns)}


def find(columns: Sequence[str], usual: Sequence[str]) -> str | None:
    """Give the first column that has one of the usual names, the earlier name first."""
    by_name = by_plain_name(tuple(columns))
    return next((by_name[name] for name in usual if name in by_name), None)


def find_set(columns: Sequence[str], usual: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Give the first of the usual sets of columns of which all are there."""
    by_name = by_plain_name(tuple(columns))
    for names in usual:
        if all(name in by_name for name in names):
            return tuple(by_name[name] for name in names)
    return None
