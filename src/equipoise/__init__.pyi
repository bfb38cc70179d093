"""What ``equipoise`` exports; the names load when they are first used."""

from .aggregates.aggregate import Aggregates, aggregate
from .aggregates.compare import Comparison, compare
from .aggregates.profiles import PerformanceProfile, performance_profile
from .alpharank.alpha_rank import AlphaRank, alpha_rank
from .alpharank.alpha_sweep import AlphaSweep, alpha_sweep
from .alpharank.bounds import AlphaRankBounds, alpha_rank_bounds, payoff_bounds
from .alpharank.response_graph import ResponseGraph, response_graph
from .alpharank.transition import fixation_probability
from .analyses.benchmark import Benchmark, weigh_tasks
from .analyses.boards import BoardChanges, compare_boards
from .analyses.catalogued import MethodList, list_methods, run_demo
from .analyses.category_boards import RankedByCategory, rank_by_category
from .analyses.cleaning import CleaningSensitivity, cleaning_sensitivity
from .analyses.everything import Section, analyse
from .analyses.hands import HandsWithoutLuck, remove_luck
from .analyses.items import FittedItems, ScoredAgents, fit_items
from .analyses.judging import WeighedJudges, weigh_judges
from .analyses.learning import LearningCurves, learning_curves
from .analyses.length_control import RatesAtEqualLength, control_length
from .analyses.metagame import NextGames, WeighedGame, weigh_metagame
from .analyses.next_games import PlannedGames, plan_games
from .analyses.normalised import normalise_scores
from .analyses.placing import PlacedAgents, place_agents
from .analyses.prediction import PredictedScores, predict_scores
from .analyses.standings import Standings, rank_agents
from .analyses.versus import TwoAgents, compare_agents
from .arena.arena import Arena
from .arena.export import export_arena
from .arena.faults import PlayerFault, WorkerFault
from .arena.journal import restore_arena
from .arena.outcome import Outcome
from .arena.reader import ArenaReader
from .arena.spec import ArenaSpec, LuckSpec, PlayerSpec
from .arena.standings import ArenaStandings
from .arena.trial import Lease, Receipt, Trial
from .data.datasets import load
from .data.episodes import Episodes
from .data.matches import Matches, matches_from_scores
from .data.metagame import MetaGame
from .data.pairs import PairTable
from .data.read import read_episodes, read_matches, read_metagame, read_pairs, read_scores
from .data.scores import Scores
from .data.style_features import StyleFeatures, add_style_features, style_features
from .declaration import method
from .diagnostics import Diagnostic
from .errors import (
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
from .flows.additivity import Additivity, additivity
from .flows.hodge import Hodge, hodge
from .flows.points import ELO_POINT
from .flows.schur import Schur, schur
from .games.load import load_game
from .inference.bootstrap import Bootstrap, bootstrap
from .inference.completion import Completion, complete
from .inference.kendall import kendall_distance
from .inference.ray_executor import RayExecutor
from .inference.sample_size import (
    SampleSize,
    alpha_rank_error_bound,
    alpha_rank_samples,
    elo_samples,
    response_graph_samples,
    tolerated_payoff_error,
    ucb_samples,
)
from .items.adaptive import AdaptiveTest, Question, TestLimits
from .items.calibration import Calibration, Scored, load_calibration
from .items.curves import agent_curve_frame, item_curve_frame
from .items.duality import Duality, duality
from .items.equating import Equating, equate
from .items.fit import irt
from .items.generality import Generality, generality
from .items.irt_result import IRT
from .items.item_step import ItemPrior
from .items.predict_score import Predicted, predict_score
from .logs.game_sources import (
    read_arena,
    read_cutechess,
    read_fastchess,
    read_judgments,
    read_kaggle_env,
    read_pgn,
    read_poker,
    read_runs,
    read_single_judgments,
)
from .logs.openspiel import read_openspiel
from .logs.read import read
from .logs.sources import read_helm, read_inspect, read_lm_eval, read_openai_evals, read_py_irt, read_swe_bench
from .logs.table import import_logs
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
from .ratings.agreement import Agreement, agreement
from .ratings.boards_by import boards_by
from .ratings.boards_by_result import CategoryBoards
from .ratings.bradley_terry import bradley_terry
from .ratings.bradley_terry_result import BradleyTerry
from .ratings.cycles import Cycle
from .ratings.elo import Elo, elo
from .ratings.judges import Judges, judges
from .ratings.length_controlled import length_controlled
from .ratings.length_controlled_result import LengthControlled
from .ratings.melo import Melo, melo
from .ratings.melo_online import MeloOnline, melo_online
from .ratings.style_control import StyleControl, style_control
from .ratings.transitivity import Transitivity, transitivity
from .report.files import draw_chart, write_report
from .report.listings import write_data
from .reproduce.papers import reproduce_papers
from .results import Estimate, Fit, Interval, Result
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
    "PlannedGames",
    "Played",
    "PlayerCheck",
    "PlayerFault",
    "PlayerSpec",
    "Predicted",
    "PredictedScores",
    "Proposal",
    "Question",
    "RankedByCategory",
    "RatesAtEqualLength",
    "RayExecutor",
    "ReadError",
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
    "TwoAgents",
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
