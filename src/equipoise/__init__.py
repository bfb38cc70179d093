"""Equipoise weighs agents and the benchmarks that weigh them."""

from equipoise.aggregates.aggregate import Aggregates, aggregate
from equipoise.aggregates.compare import Comparison, compare
from equipoise.aggregates.profiles import PerformanceProfile, performance_profile
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
from equipoise.inference.bootstrap import Bootstrap, bootstrap
from equipoise.luck.advantage_sum import advantage_sum, luck_terms
from equipoise.luck.antithetic import Antithetic, antithetic
from equipoise.luck.baseline import baseline, zero_sum
from equipoise.luck.control_variates import ControlVariates, control_variates
from equipoise.luck.duplicate import duplicate
from equipoise.luck.learn_value import LearnedValue, learn_value
from equipoise.luck.outcome import LuckTable
from equipoise.luck.planning import BudgetSplit, LuckPlan, plan_hands, split_budget
from equipoise.nash.agents import AgentNash
from equipoise.nash.average import nash_average
from equipoise.nash.maxent import MaxentNash, maxent_nash
from equipoise.nash.tasks import TaskNash
from equipoise.ratings.bradley_terry import BradleyTerry, bradley_terry
from equipoise.ratings.elo import ELO_POINT, Elo, elo
from equipoise.results import Estimate, Fit, Interval, Result

__version__ = "0.1.0"

__all__ = [
    "ELO_POINT",
    "AgentNash",
    "Aggregates",
    "Antithetic",
    "Bootstrap",
    "BradleyTerry",
    "BudgetSplit",
    "ColumnError",
    "Comparison",
    "ControlVariates",
    "ConvergenceError",
    "DataError",
    "Diagnostic",
    "DisconnectedError",
    "Elo",
    "Episodes",
    "EquipoiseError",
    "Estimate",
    "Fit",
    "Interval",
    "LearnedValue",
    "LuckPlan",
    "LuckTable",
    "Matches",
    "MaxentNash",
    "MetaGame",
    "MissingDependencyError",
    "PairTable",
    "ParameterError",
    "PerformanceProfile",
    "ReadError",
    "Result",
    "Scores",
    "TaskNash",
    "advantage_sum",
    "aggregate",
    "antithetic",
    "baseline",
    "bootstrap",
    "bradley_terry",
    "compare",
    "control_variates",
    "duplicate",
    "elo",
    "learn_value",
    "load",
    "luck_terms",
    "matches_from_scores",
    "maxent_nash",
    "nash_average",
    "performance_profile",
    "plan_hands",
    "read_episodes",
    "read_matches",
    "read_metagame",
    "read_pairs",
    "read_scores",
    "split_budget",
    "zero_sum",
]
