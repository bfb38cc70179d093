"""What ``equipoise`` exports; the names load when they are first used."""

from .aggregates.aggregate import aggregate
from .aggregates.compare import probability_of_improvement
from .aggregates.profiles import performance_profile
from .alpharank.alpha_rank import alpha_rank
from .alpharank.bounds import alpha_rank_bounds
from .alpharank.response_graph import response_graph
from .analyses.boards.changes import changes
from .analyses.boards.placing import place
from .analyses.boards.questions import categories, compare, length_control
from .analyses.boards.rating import RankOptions
from .analyses.boards.standings import rank
from .analyses.catalogued import list_methods, run_demo
from .analyses.gate.gate import gate
from .analyses.gate.sequential import Gate
from .analyses.play.hands import remove_luck
from .analyses.play.metagame import metagame
from .analyses.play.next_games import plan
from .analyses.reports.everything import analyse
from .analyses.scores.benchmark import tasks
from .analyses.scores.items import irt
from .analyses.scores.learning import learning_curves
from .analyses.scores.prediction import predict
from .analyses.votes.choosing import choose
from .analyses.votes.cleaning import cleaning
from .analyses.votes.explaining import explain
from .analyses.votes.judging import judges
from .arena.arena import Arena
from .arena.journal.journal import export_arena, restore_arena
from .arena.spec.spec import ArenaSpec, PlayerSpec
from .arena.spec.trial import PlayerFault, WorkerFault
from .choice.deviation import deviation_ratings
from .core.declaration import method
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
from .data.datasets import load
from .data.fetch import fetch_data
from .data.readers.options import ReadOptions
from .data.readers.read import (
    read_ballots,
    read_episodes,
    read_matches,
    read_metagame,
    read_pairs,
    read_rankings,
    read_scores,
)
from .data.style_features import style_features
from .data.types.episodes import Episodes
from .data.types.matches import Matches
from .data.types.metagame import MetaGame
from .data.types.orders import Ballots, Rankings
from .data.types.pairs import PairTable
from .data.types.scores import Scores
from .flows.hodge import hodge
from .flows.schur import schur
from .games.load import load_game
from .inference.bootstrap import bootstrap
from .inference.completion import complete
from .inference.kendall import kendall_distance
from .items.generality.generality import generality
from .items.scoring.adaptive import AdaptiveTest
from .items.scoring.equating import equate
from .logs.read import import_logs, read
from .luck.advantage_sum import advantage_sum
from .luck.baseline import baseline
from .luck.control_variates import control_variates
from .luck.duplicate import duplicate
from .nash.audit import audit
from .nash.average import nash_average
from .nash.maxent import maxent_nash
from .players.check import check_player
from .players.load import load_player
from .ratings.covariates.style_control import style_control
from .ratings.history.whole_history import whole_history
from .ratings.judges.agreement import agreement
from .ratings.judges.judge_calibrated import judge_calibrated
from .ratings.online.elo import elo
from .ratings.online.melo import melo
from .ratings.paired.bradley_terry import bradley_terry
from .ratings.places.plackett_luce import plackett_luce
from .ratings.transitivity.transitivity import transitivity
from .report.pages.files import chart, write_report
from .report.views.listings import write_data
from .reproduce.papers import reproduce_papers
from .runners.play import play
from .schedule.compare_pair import compare_pair
from .schedule.pair_planner import PairPlanner
from .schedule.response_graph_ucb import ResponseGraphUCB
from .schedule.stopping import StoppingRule

__version__: str

__all__ = [
    "AdaptiveTest",
    "Arena",
    "ArenaSpec",
    "Ballots",
    "ColumnError",
    "ConvergenceError",
    "DataError",
    "DisconnectedError",
    "Episodes",
    "EquipoiseError",
    "Gate",
    "LeaseError",
    "Matches",
    "MetaGame",
    "MissingDependencyError",
    "PairPlanner",
    "PairTable",
    "ParameterError",
    "PlayerFault",
    "PlayerSpec",
    "RankOptions",
    "Rankings",
    "ReadError",
    "ReadOptions",
    "ResponseGraphUCB",
    "Scores",
    "StoppingRule",
    "StoreError",
    "WorkerError",
    "WorkerFault",
    "advantage_sum",
    "aggregate",
    "agreement",
    "alpha_rank",
    "alpha_rank_bounds",
    "analyse",
    "audit",
    "baseline",
    "bootstrap",
    "bradley_terry",
    "categories",
    "changes",
    "chart",
    "check_player",
    "choose",
    "cleaning",
    "compare",
    "compare_pair",
    "complete",
    "control_variates",
    "deviation_ratings",
    "duplicate",
    "elo",
    "equate",
    "explain",
    "export_arena",
    "fetch_data",
    "gate",
    "generality",
    "hodge",
    "import_logs",
    "irt",
    "judge_calibrated",
    "judges",
    "kendall_distance",
    "learning_curves",
    "length_control",
    "list_methods",
    "load",
    "load_game",
    "load_player",
    "maxent_nash",
    "melo",
    "metagame",
    "method",
    "nash_average",
    "performance_profile",
    "place",
    "plackett_luce",
    "plan",
    "play",
    "predict",
    "probability_of_improvement",
    "rank",
    "read",
    "read_ballots",
    "read_episodes",
    "read_matches",
    "read_metagame",
    "read_pairs",
    "read_rankings",
    "read_scores",
    "remove_luck",
    "reproduce_papers",
    "response_graph",
    "restore_arena",
    "run_demo",
    "schur",
    "style_control",
    "style_features",
    "tasks",
    "transitivity",
    "whole_history",
    "write_data",
    "write_report",
]
