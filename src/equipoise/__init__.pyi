"""What ``equipoise`` exports; the names load when they are first used."""

from .aggregates.aggregate import Aggregates, aggregate
from .aggregates.compare import Comparison, compare
from .aggregates.profiles import PerformanceProfile, performance_profile
from .alpharank.alpha_rank import AlphaRank, alpha_rank
from .alpharank.alpha_sweep import AlphaSweep, alpha_sweep
from .alpharank.bounds import AlphaRankBounds, alpha_rank_bounds, payoff_bounds
from .alpharank.response_graph import ResponseGraph, response_graph
from .alpharank.transition import fixation_probability
from .analyses.boards.changes import BoardChanges, compare_boards
from .analyses.boards.placing import PlacedAgents, place_agents
from .analyses.boards.questions import compare_agents, control_length, rank_by_category
from .analyses.boards.rating import RankOptions
from .analyses.boards.standings import Standings, rank_agents
from .analyses.catalogued import MethodList, list_methods, run_demo
from .analyses.play.hands import HandsWithoutLuck, remove_luck
from .analyses.play.metagame import NextGames, WeighedGame, weigh_metagame
from .analyses.play.next_games import plan_games
from .analyses.reports.everything import Section, analyse
from .analyses.scores.benchmark import Benchmark, weigh_tasks
from .analyses.scores.items import FittedItems, ScoredAgents, fit_items
from .analyses.scores.learning import LearningCurves, learning_curves
from .analyses.scores.normalised import normalise_scores
from .analyses.scores.prediction import PredictedScores, predict_scores
from .analyses.votes.cleaning import CleaningSensitivity, cleaning_sensitivity
from .analyses.votes.judging import WeighedJudges, weigh_judges
from .arena.access.reader import ArenaReader
from .arena.access.standings import ArenaStandings
from .arena.arena import Arena
from .arena.journal.journal import export_arena, restore_arena
from .arena.spec.outcome import Outcome
from .arena.spec.spec import ArenaSpec, LuckSpec, PlayerSpec
from .arena.spec.trial import Lease, PlayerFault, Receipt, Trial, WorkerFault
from .core.declaration import method
from .core.diagnostics import Diagnostic
from .core.errors import (
    ColumnError,
    ConvergenceError,
    DataError,
    DisconnectedError,
    EquipoiseError,
    LeaseError,
    MissingDependencyError,
    ParameterError,
    ReadError,
    StoreError,
    WorkerError,
)
from .core.results import Estimate, Fit, Interval, Result
from .core.units import ELO_POINT
from .data.datasets import load
from .data.readers.options import ReadOptions
from .data.readers.read import read_episodes, read_matches, read_metagame, read_pairs, read_scores
from .data.style_features import StyleFeatures, add_style_features, style_features
from .data.types.episodes import Episodes
from .data.types.matches import Matches, matches_from_scores
from .data.types.metagame import MetaGame
from .data.types.pairs import PairTable
from .data.types.scores import Scores
from .flows.additivity import Additivity, additivity
from .flows.hodge import Hodge, hodge
from .flows.schur import Schur, schur
from .games.load import load_game
from .inference.bootstrap import Bootstrap, bootstrap
from .inference.completion import Completion, complete
from .inference.executors import RayExecutor
from .inference.kendall import kendall_distance
from .inference.sample_size import (
    SampleSize,
    alpha_rank_error_bound,
    alpha_rank_samples,
    elo_samples,
    response_graph_samples,
    tolerated_payoff_error,
    ucb_samples,
)
from .items.fit import irt
from .items.generality.duality import Duality, duality
from .items.generality.generality import Generality, generality
from .items.marginal.item_step import ItemPrior
from .items.models.curves import agent_curve_frame, item_curve_frame
from .items.result import IRT
from .items.scoring.adaptive import AdaptiveTest, Question, TestLimits
from .items.scoring.calibration import Calibration, Scored, load_calibration
from .items.scoring.equating import Equating, equate
from .items.scoring.predict_score import Predicted, predict_score
from .logs.former_readers import (
    read_arena,
    read_cutechess,
    read_fastchess,
    read_helm,
    read_inspect,
    read_judgments,
    read_kaggle_env,
    read_lm_eval,
    read_openai_evals,
    read_pgn,
    read_poker,
    read_py_irt,
    read_runs,
    read_single_judgments,
    read_swe_bench,
)
from .logs.games.openspiel import read_openspiel
from .logs.read import import_logs, read
from .luck.advantage_sum import advantage_sum, luck_terms
from .luck.antithetic import Antithetic, antithetic
from .luck.baseline import baseline, zero_sum
from .luck.control_variates import ControlVariates, control_variates
from .luck.duplicate import duplicate
from .luck.learn_value import LearnedValue, learn_value
from .luck.luck_table import LuckTable
from .luck.plain_mean import plain_mean
from .luck.plan_hands import LuckPlan, plan_hands
from .luck.split_budget import BudgetSplit, split_budget
from .nash.agents import AgentNash
from .nash.audit import Audit, audit
from .nash.average import nash_average
from .nash.maxent import MaxentNash, maxent_nash
from .nash.tasks import TaskNash
from .players.check import PlayerCheck, check_player
from .players.load import load_player
from .ratings.categories.boards_by import boards_by
from .ratings.categories.result import CategoryBoards
from .ratings.covariates.style_control import StyleControl, style_control
from .ratings.judges.agreement import Agreement, agreement
from .ratings.judges.judges import Judges, judges
from .ratings.length.length_controlled import length_controlled
from .ratings.length.result import LengthControlled
from .ratings.online.elo import Elo, elo
from .ratings.online.melo import Melo, melo
from .ratings.online.melo_online import MeloOnline, melo_online
from .ratings.paired.bradley_terry import bradley_terry
from .ratings.paired.result import BradleyTerry
from .ratings.transitivity.cycles import Cycle
from .ratings.transitivity.transitivity import Transitivity, transitivity
from .report.pages.files import draw_chart, write_report
from .report.views.listings import write_data
from .reproduce.papers import reproduce_papers
from .runners.play import Played, play
from .runners.snapshot import Snapshot
from .schedule.compare_pair import PairComparison, compare_pair
from .schedule.pair_planner import PairPlanner, PairProposal
from .schedule.plan import Plan, plan
from .schedule.proposals import EdgeStatus, LearnedGraph, Proposal
from .schedule.response_graph_ucb import ResponseGraphUCB
from .schedule.stopping import StoppingRule, evalue, mixture_interval, score_evalue

__version__: str

__all__ = [
    "ELO_POINT",
    "IRT",
    "AdaptiveTest",
    "Additivity",
    "AgentNash",
    "Aggregates",
    "Agreement",
    "AlphaRank",
    "AlphaRankBounds",
    "AlphaSweep",
    "Antithetic",
    "Arena",
    "ArenaReader",
    "ArenaSpec",
    "ArenaStandings",
    "Audit",
    "Benchmark",
    "BoardChanges",
    "Bootstrap",
    "BradleyTerry",
    "BudgetSplit",
    "Calibration",
    "CategoryBoards",
    "CleaningSensitivity",
    "ColumnError",
    "Comparison",
    "Completion",
    "ControlVariates",
    "ConvergenceError",
    "Cycle",
    "DataError",
    "Diagnostic",
    "DisconnectedError",
    "Duality",
    "EdgeStatus",
    "Elo",
    "Episodes",
    "Equating",
    "EquipoiseError",
    "Estimate",
    "Fit",
    "FittedItems",
    "Generality",
    "HandsWithoutLuck",
    "Hodge",
    "Interval",
    "ItemPrior",
    "Judges",
    "LearnedGraph",
    "LearnedValue",
    "LearningCurves",
    "Lease",
    "LeaseError",
    "LengthControlled",
    "LuckPlan",
    "LuckSpec",
    "LuckTable",
    "Matches",
    "MaxentNash",
    "Melo",
    "MeloOnline",
    "MetaGame",
    "MethodList",
    "MissingDependencyError",
    "NextGames",
    "Outcome",
    "PairComparison",
    "PairPlanner",
    "PairProposal",
    "PairTable",
    "ParameterError",
    "PerformanceProfile",
    "PlacedAgents",
    "Plan",
    "Played",
    "PlayerCheck",
    "PlayerFault",
    "PlayerSpec",
    "Predicted",
    "PredictedScores",
    "Proposal",
    "Question",
    "RankOptions",
    "RayExecutor",
    "ReadError",
    "ReadOptions",
    "Receipt",
    "ResponseGraph",
    "ResponseGraphUCB",
    "Result",
    "SampleSize",
    "Schur",
    "Scored",
    "ScoredAgents",
    "Scores",
    "Section",
    "Snapshot",
    "Standings",
    "StoppingRule",
    "StoreError",
    "StyleControl",
    "StyleFeatures",
    "TaskNash",
    "TestLimits",
    "Transitivity",
    "Trial",
    "WeighedGame",
    "WeighedJudges",
    "WorkerError",
    "WorkerFault",
    "add_style_features",
    "additivity",
    "advantage_sum",
    "agent_curve_frame",
    "aggregate",
    "agreement",
    "alpha_rank",
    "alpha_rank_bounds",
    "alpha_rank_error_bound",
    "alpha_rank_samples",
    "alpha_sweep",
    "analyse",
    "antithetic",
    "audit",
    "baseline",
    "boards_by",
    "bootstrap",
    "bradley_terry",
    "check_player",
    "cleaning_sensitivity",
    "compare",
    "compare_agents",
    "compare_boards",
    "compare_pair",
    "complete",
    "control_length",
    "control_variates",
    "draw_chart",
    "duality",
    "duplicate",
    "elo",
    "elo_samples",
    "equate",
    "evalue",
    "export_arena",
    "fit_items",
    "fixation_probability",
    "generality",
    "hodge",
    "import_logs",
    "irt",
    "item_curve_frame",
    "judges",
    "kendall_distance",
    "learn_value",
    "learning_curves",
    "length_controlled",
    "list_methods",
    "load",
    "load_calibration",
    "load_game",
    "load_player",
    "luck_terms",
    "matches_from_scores",
    "maxent_nash",
    "melo",
    "melo_online",
    "method",
    "mixture_interval",
    "nash_average",
    "normalise_scores",
    "payoff_bounds",
    "performance_profile",
    "place_agents",
    "plain_mean",
    "plan",
    "plan_games",
    "plan_hands",
    "play",
    "predict_score",
    "predict_scores",
    "rank_agents",
    "rank_by_category",
    "read",
    "read_arena",
    "read_cutechess",
    "read_episodes",
    "read_fastchess",
    "read_helm",
    "read_inspect",
    "read_judgments",
    "read_kaggle_env",
    "read_lm_eval",
    "read_matches",
    "read_metagame",
    "read_openai_evals",
    "read_openspiel",
    "read_pairs",
    "read_pgn",
    "read_poker",
    "read_py_irt",
    "read_runs",
    "read_scores",
    "read_single_judgments",
    "read_swe_bench",
    "remove_luck",
    "reproduce_papers",
    "response_graph",
    "response_graph_samples",
    "restore_arena",
    "run_demo",
    "schur",
    "score_evalue",
    "split_budget",
    "style_control",
    "style_features",
    "tolerated_payoff_error",
    "transitivity",
    "ucb_samples",
    "weigh_judges",
    "weigh_metagame",
    "weigh_tasks",
    "write_data",
    "write_report",
    "zero_sum",
]
