"""What ``equipoise.methods`` exports; the names load when they are first used."""

from .aggregates.aggregate import aggregate
from .aggregates.compare import probability_of_improvement
from .aggregates.profiles import performance_profile
from .alpharank.alpha_rank import alpha_rank
from .alpharank.alpha_sweep import alpha_sweep
from .alpharank.bounds import alpha_rank_bounds, payoff_bounds
from .alpharank.dynamics import replicator
from .alpharank.response_graph import response_graph
from .alpharank.transition import fixation_probability
from .analyses.gate.parts import gate_parts
from .analyses.reports.everything import SectionOptions
from .analyses.scores.items import IRTOptions
from .analyses.scores.normalised import normalise_scores
from .arena.spec.spec import LuckSpec
from .choice.deviation import deviation_ratings
from .choice.social_choice import social_choice
from .choice.soft_condorcet import sco
from .core.units import ELO_POINT
from .data.style_features import add_style_features
from .data.types.matches import matches_from_rankings, matches_from_scores
from .flows.additivity import additivity
from .flows.hodge import hodge
from .flows.schur import schur
from .inference.bootstrap import bootstrap
from .inference.completion import complete
from .inference.executors import RayExecutor
from .inference.kendall import kendall_distance
from .inference.sample_size import (
    alpha_rank_error_bound,
    alpha_rank_samples,
    elo_samples,
    response_graph_sample_sizes,
    response_graph_samples,
    tolerated_payoff_error,
    ucb_samples,
)
from .integrations.exports import export_board
from .integrations.lm_eval import TasksInParts, eval_in_parts
from .integrations.mcp import mcp_server
from .items.fit import irt
from .items.generality.duality import duality
from .items.generality.generality import generality
from .items.marginal.item_step import ItemPrior
from .items.models.curves import agent_curve_frame, item_curve_frame
from .items.scoring.adaptive import TestLimits
from .items.scoring.anchors import anchor_items
from .items.scoring.calibration import load_calibration
from .items.scoring.equating import equate
from .items.scoring.predict_score import predict
from .items.second_dimension import second_dimension
from .luck.advantage_sum import advantage_sum, luck_terms
from .luck.antithetic import antithetic
from .luck.baseline import baseline, zero_sum
from .luck.control_variates import control_variates
from .luck.duplicate import duplicate
from .luck.learn_value import learn_value
from .luck.plain_mean import plain_mean
from .luck.plan_hands import plan_hands
from .luck.split_budget import split_budget
from .nash.audit import audit
from .nash.average import nash_average
from .nash.maxent import maxent_nash
from .ratings.categories.boards_by import categories
from .ratings.covariates.style_control import style_control
from .ratings.history.whole_history import whole_history
from .ratings.judges.agreement import agreement
from .ratings.judges.judges import judges
from .ratings.length.length_controlled import length_control
from .ratings.online.elo import elo
from .ratings.online.melo import melo
from .ratings.online.melo_online import melo_online
from .ratings.paired.bradley_terry import bradley_terry
from .ratings.places.plackett_luce import plackett_luce
from .ratings.raters.dawid_skene import dawid_skene
from .ratings.raters.rater_weighted import rater_weighted
from .ratings.transitivity.transitivity import transitivity
from .report.charts.drawing.look import ChartLook
from .report.paper_figures import draw_paper_figures
from .schedule.compare_pair import compare_pair
from .schedule.plan import plan
from .schedule.response_graph_ucb import ResponseGraphUCB
from .schedule.stopping import evalue, mixture_interval, score_evalue

__all__ = [
    "ELO_POINT",
    "ChartLook",
    "IRTOptions",
    "ItemPrior",
    "LuckSpec",
    "RayExecutor",
    "ResponseGraphUCB",
    "SectionOptions",
    "TasksInParts",
    "TestLimits",
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
    "anchor_items",
    "antithetic",
    "audit",
    "baseline",
    "bootstrap",
    "bradley_terry",
    "categories",
    "compare_pair",
    "complete",
    "control_variates",
    "dawid_skene",
    "deviation_ratings",
    "draw_paper_figures",
    "duality",
    "duplicate",
    "elo",
    "elo_samples",
    "equate",
    "eval_in_parts",
    "evalue",
    "export_board",
    "fixation_probability",
    "gate_parts",
    "generality",
    "hodge",
    "irt",
    "item_curve_frame",
    "judges",
    "kendall_distance",
    "learn_value",
    "length_control",
    "load_calibration",
    "luck_terms",
    "matches_from_rankings",
    "matches_from_scores",
    "maxent_nash",
    "mcp_server",
    "melo",
    "melo_online",
    "mixture_interval",
    "nash_average",
    "normalise_scores",
    "payoff_bounds",
    "performance_profile",
    "plackett_luce",
    "plain_mean",
    "plan",
    "plan_hands",
    "predict",
    "probability_of_improvement",
    "rater_weighted",
    "replicator",
    "response_graph",
    "response_graph_sample_sizes",
    "response_graph_samples",
    "schur",
    "sco",
    "score_evalue",
    "second_dimension",
    "social_choice",
    "split_budget",
    "style_control",
    "tolerated_payoff_error",
    "transitivity",
    "ucb_samples",
    "whole_history",
    "zero_sum",
]
