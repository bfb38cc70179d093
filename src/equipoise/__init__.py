"""Equipoise weighs agents and the benchmarks that weigh them."""

from equipoise.data.bundled import load
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
    "Bootstrap",
    "BradleyTerry",
    "ColumnError",
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
    "Matches",
    "MaxentNash",
    "MetaGame",
    "MissingDependencyError",
    "PairTable",
    "ParameterError",
    "ReadError",
    "Result",
    "Scores",
    "TaskNash",
    "bootstrap",
    "bradley_terry",
    "elo",
    "load",
    "maxent_nash",
    "nash_average",
    "read_episodes",
    "read_matches",
    "read_metagame",
    "read_pairs",
    "read_scores",
]
