"""What ``equipoise.results`` exports; the names load when they are first used."""

from .aggregates.aggregate import Aggregates
from .aggregates.compare import Comparison
from .aggregates.profiles import PerformanceProfile
from .alpharank.alpha_rank import AlphaRank
from .alpharank.alpha_sweep import AlphaSweep
from .alpharank.bounds import AlphaRankBounds
from .alpharank.response_graph import ResponseGraph
from .analyses.boards.changes import BoardChanges
from .analyses.boards.placing import PlacedAgents
from .analyses.boards.standings import Standings
from .analyses.catalogued import MethodList
from .analyses.play.hands import HandsWithoutLuck
from .analyses.play.metagame import NextGames, WeighedGame
from .analyses.reports.everything import Section
from .analyses.scores.benchmark import Benchmark
from .analyses.scores.learning import LearningCurves
from .analyses.votes.cleaning import CleaningSensitivity
from .arena.access.reader import ArenaReader
from .arena.access.standings import ArenaStandings
from .arena.spec.outcome import Outcome
from .arena.spec.trial import Lease, Receipt, Trial
from .choice.deviation import DeviationRatings
from .choice.social_choice import SocialChoice
from .choice.soft_condorcet import SoftCondorcet
from .core.diagnostics import Diagnostic
from .core.results import (
    Estimate,
    Fit,
    FloatArray,
    FrozenMap,
    IntArray,
    Interval,
    Later,
    Result,
    frozen,
    frozen_params,
    jsonable,
    owned,
)
from .data.style_features import StyleFeatures
from .flows.additivity import Additivity
from .flows.hodge import Hodge
from .flows.schur import Schur
from .inference.bootstrap import Bootstrap
from .inference.completion import Completion
from .inference.sample_size import SampleSize
from .items.generality.duality import Duality
from .items.generality.generality import Generality
from .items.result import IRT
from .items.scoring.adaptive import Question
from .items.scoring.calibration import Calibration, Scored
from .items.scoring.equating import Equating
from .items.scoring.predict_score import Predicted
from .items.second_dimension import SecondDimension
from .luck.antithetic import Antithetic
from .luck.control_variates import ControlVariates
from .luck.learn_value import LearnedValue
from .luck.luck_table import LuckTable
from .luck.plan_hands import LuckPlan
from .luck.split_budget import BudgetSplit
from .nash.agents import AgentNash
from .nash.audit import Audit
from .nash.maxent import MaxentNash
from .nash.tasks import TaskNash
from .players.check import PlayerCheck
from .ratings.categories.result import CategoryBoards
from .ratings.covariates.style_control import StyleControl
from .ratings.history.change import StrengthChange
from .ratings.history.whole_history import WholeHistory
from .ratings.judges.agreement import Agreement
from .ratings.judges.judge_calibrated import CalibratedJudge
from .ratings.judges.judges import Judges
from .ratings.length.result import LengthControlled
from .ratings.online.elo import Elo
from .ratings.online.melo import Melo
from .ratings.online.melo_online import MeloOnline
from .ratings.paired.result import BradleyTerry
from .ratings.places.plackett_luce import PlackettLuce
from .ratings.raters.dawid_skene import DawidSkene
from .ratings.raters.rater_weighted import RaterWeighted
from .ratings.transitivity.cycles import Cycle
from .ratings.transitivity.transitivity import Transitivity
from .runners.play import Played
from .runners.snapshot import Snapshot
from .schedule.compare_pair import PairComparison
from .schedule.pair_planner import PairProposal
from .schedule.plan import Plan
from .schedule.proposals import EdgeStatus, LearnedGraph, Proposal

__all__ = [
    "IRT",
    "Additivity",
    "AgentNash",
    "Aggregates",
    "Agreement",
    "AlphaRank",
    "AlphaRankBounds",
    "AlphaSweep",
    "Antithetic",
    "ArenaReader",
    "ArenaStandings",
    "Audit",
    "Benchmark",
    "BoardChanges",
    "Bootstrap",
    "BradleyTerry",
    "BudgetSplit",
    "CalibratedJudge",
    "Calibration",
    "CategoryBoards",
    "CleaningSensitivity",
    "Comparison",
    "Completion",
    "ControlVariates",
    "Cycle",
    "DawidSkene",
    "DeviationRatings",
    "Diagnostic",
    "Duality",
    "EdgeStatus",
    "Elo",
    "Equating",
    "Estimate",
    "Fit",
    "FloatArray",
    "FrozenMap",
    "Generality",
    "HandsWithoutLuck",
    "Hodge",
    "IntArray",
    "Interval",
    "Judges",
    "Later",
    "LearnedGraph",
    "LearnedValue",
    "LearningCurves",
    "Lease",
    "LengthControlled",
    "LuckPlan",
    "LuckTable",
    "MaxentNash",
    "Melo",
    "MeloOnline",
    "MethodList",
    "NextGames",
    "Outcome",
    "PairComparison",
    "PairProposal",
    "PerformanceProfile",
    "PlacedAgents",
    "PlackettLuce",
    "Plan",
    "Played",
    "PlayerCheck",
    "Predicted",
    "Proposal",
    "Question",
    "RaterWeighted",
    "Receipt",
    "ResponseGraph",
    "Result",
    "SampleSize",
    "Schur",
    "Scored",
    "SecondDimension",
    "Section",
    "Snapshot",
    "SocialChoice",
    "SoftCondorcet",
    "Standings",
    "StrengthChange",
    "StyleControl",
    "StyleFeatures",
    "TaskNash",
    "Transitivity",
    "Trial",
    "WeighedGame",
    "WholeHistory",
    "frozen",
    "frozen_params",
    "jsonable",
    "owned",
]
