"""Equipoise weighs agents and the benchmarks that weigh them."""

from equipoise.aggregates.aggregate import Aggregates, aggregate
from equipoise.aggregates.compare import Comparison, compare
from equipoise.aggregates.profiles import PerformanceProfile, performance_profile
from equipoise.alpharank.alpha_rank import AlphaRank, AlphaSweep, alpha_rank, alpha_sweep
from equipoise.alpharank.bounds import AlphaRankBounds, alpha_rank_bounds, payoff_bounds
from equipoise.alpharank.response_graph import ResponseGraph, response_graph
from equipoise.alpharank.transition import fixation_probability
from equipoise.data.bundled import load
from equipoise.data.duels import matches_from_scores
from equipoise.data.episodes import Episodes
from equipoise.data.matches import Matches
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.read import read_episodes, read_matches, read_metagame, read_pairs, read_scores
from equipoise.data.scores import Scores
from equipoise.diagnostics import Diagnostic
from equipoise.errors import (
    ColumnError,
    ConvergenceError,
    DataError,
    DisconnectedError,
    EquipoiseError,
    MissingDependencyError,
    ParameterError,
    ReadError,
)
from equipoise.flows.averages import Averages, averages
from equipoise.flows.hodge import Hodge, hodge
from equipoise.flows.operators import curl, div, grad, rot
from equipoise.flows.schur import Schur, schur
from equipoise.inference.bootstrap import Bootstrap, bootstrap
from equipoise.inference.completion import Completion, complete
from equipoise.inference.kendall import kendall_distance
from equipoise.inference.sample_size import (
    SampleSize,
    alpha_rank_error_bound,
    alpha_rank_samples,
    elo_samples,
    response_graph_samples,
    tolerated_payoff_error,
    ucb_samples,
)
from equipoise.irt.adaptive import AdaptiveTest, Question, StopRule
from equipoise.irt.calibration import Calibration, Scored, load_calibration
from equipoise.irt.curves import agent_curve_frame, item_curve_frame
from equipoise.irt.duality import Duality, duality
from equipoise.irt.equating import Equating, equate
from equipoise.irt.fit import IRT, irt
from equipoise.irt.generality import Generality, generality
from equipoise.irt.item_step import ItemPrior
from equipoise.irt.partial import Predicted, predict_score
from equipoise.luck.advantage_sum import advantage_sum, luck_terms
from equipoise.luck.antithetic import Antithetic, antithetic
from equipoise.luck.baseline import baseline, zero_sum
from equipoise.luck.control_variates import ControlVariates, control_variates
from equipoise.luck.duplicate import duplicate
from equipoise.luck.learn_value import LearnedValue, learn_value
from equipoise.luck.outcome import LuckTable
from equipoise.luck.planning import BudgetSplit, LuckPlan, plan_hands, split_budget
from equipoise.nash.agents import AgentNash
from equipoise.nash.audit import Audit, audit
from equipoise.nash.average import nash_average
from equipoise.nash.maxent import MaxentNash, maxent_nash
from equipoise.nash.tasks import TaskNash
from equipoise.ratings.bradley_terry import BradleyTerry, bradley_terry
from equipoise.ratings.elo import ELO_POINT, Elo, elo
from equipoise.ratings.melo import Melo, melo
from equipoise.ratings.melo_online import MeloOnline, melo_online
from equipoise.ratings.transitivity import Transitivity, transitivity
from equipoise.ratings.verdict import Cycle
from equipoise.results import Estimate, Fit, Interval, Result
from equipoise.schedule.pair_planner import PairPlanner, PairProposal
from equipoise.schedule.plan import Plan, plan
from equipoise.schedule.proposals import EdgeStatus, LearnedGraph, Proposal
from equipoise.schedule.response_graph_ucb import ResponseGraphUCB
from equipoise.schedule.stopping import StoppingRule, evalue, mixture_interval

__version__ = "0.1.0"

__all__ = [
    "ELO_POINT",
    "IRT",
    "AdaptiveTest",
    "AgentNash",
    "Aggregates",
    "AlphaRank",
    "AlphaRankBounds",
    "AlphaSweep",
    "Antithetic",
    "Audit",
    "Averages",
    "Bootstrap",
    "BradleyTerry",
    "BudgetSplit",
    "Calibration",
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
    "Generality",
    "Hodge",
    "Interval",
    "ItemPrior",
    "LearnedGraph",
    "LearnedValue",
    "LuckPlan",
    "LuckTable",
    "Matches",
    "MaxentNash",
    "Melo",
    "MeloOnline",
    "MetaGame",
    "MissingDependencyError",
    "PairPlanner",
    "PairProposal",
    "PairTable",
    "ParameterError",
    "PerformanceProfile",
    "Plan",
    "Predicted",
    "Proposal",
    "Question",
    "ReadError",
    "ResponseGraph",
    "ResponseGraphUCB",
    "Result",
    "SampleSize",
    "Schur",
    "Scored",
    "Scores",
    "StopRule",
    "StoppingRule",
    "TaskNash",
    "Transitivity",
    "advantage_sum",
    "agent_curve_frame",
    "aggregate",
    "alpha_rank",
    "alpha_rank_bounds",
    "alpha_rank_error_bound",
    "alpha_rank_samples",
    "alpha_sweep",
    "antithetic",
    "audit",
    "averages",
    "baseline",
    "bootstrap",
    "bradley_terry",
    "compare",
    "complete",
    "control_variates",
    "curl",
    "div",
    "duality",
    "duplicate",
    "elo",
    "elo_samples",
    "equate",
    "evalue",
    "fixation_probability",
    "generality",
    "grad",
    "hodge",
    "irt",
    "item_curve_frame",
    "kendall_distance",
    "learn_value",
    "load",
    "load_calibration",
    "luck_terms",
    "matches_from_scores",
    "maxent_nash",
    "melo",
    "melo_online",
    "mixture_interval",
    "nash_average",
    "payoff_bounds",
    "performance_profile",
    "plan",
    "plan_hands",
    "predict_score",
    "read_episodes",
    "read_matches",
    "read_metagame",
    "read_pairs",
    "read_scores",
    "response_graph",
    "response_graph_samples",
    "rot",
    "schur",
    "split_budget",
    "tolerated_payoff_error",
    "transitivity",
    "ucb_samples",
    "zero_sum",
]
