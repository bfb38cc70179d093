"""Python names that were public and are called otherwise now: taken for one more version, and a warning says so.

These tables are the only place that holds them: the forwarding, the warnings, the docs and the tests are made from it.
Those of the command line stand in ``equipoise.cli.options.former``.
"""

import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

ENDS = "the old name ends in version 0.4"

RENAMED: Mapping[str, str] = {
    "rank_agents": "rank",
    "compare_agents": "compare",
    "rank_by_category": "categories",
    "boards_by": "categories",
    "control_length": "length_control",
    "length_controlled": "length_control",
    "place_agents": "place",
    "compare_boards": "changes",
    "weigh_tasks": "tasks",
    "predict_scores": "predict",
    "predict_score": "predict",
    "weigh_metagame": "metagame",
    "plan_games": "plan",
    "cleaning_sensitivity": "cleaning",
    "draw_chart": "chart",
}
"""Names at the top level that are others there now."""

TO_METHODS = """
    ELO_POINT ItemPrior LuckSpec RayExecutor TestLimits add_style_features additivity agent_curve_frame
    alpha_rank_error_bound alpha_rank_samples alpha_sweep antithetic duality elo_samples evalue fixation_probability
    item_curve_frame learn_value load_calibration luck_terms matches_from_scores melo_online mixture_interval
    normalise_scores payoff_bounds plain_mean plan_hands response_graph_samples score_evalue split_budget
    tolerated_payoff_error ucb_samples zero_sum
""".split()  # noqa: SIM905  # words read better than a list of texts
"""Names that moved from the top level to ``equipoise.methods``: functions asked for seldom, and what they take."""

TO_RESULTS = """
    IRT Additivity AgentNash Aggregates Agreement AlphaRank AlphaRankBounds AlphaSweep Antithetic ArenaReader
    ArenaStandings Audit Benchmark BoardChanges Bootstrap BradleyTerry BudgetSplit Calibration CategoryBoards
    CleaningSensitivity Comparison Completion ControlVariates Cycle Diagnostic Duality EdgeStatus Elo Equating Estimate
    Fit FittedItems Generality HandsWithoutLuck Hodge Interval Judges LearnedGraph LearnedValue LearningCurves Lease
    LengthControlled LuckPlan LuckTable MaxentNash Melo MeloOnline MethodList NextGames Outcome PairComparison
    PairProposal PerformanceProfile PlacedAgents Plan Played PlayerCheck Predicted PredictedScores Proposal Question
    Receipt ResponseGraph Result SampleSize Schur Scored ScoredAgents Section Snapshot Standings StyleControl
    StyleFeatures TaskNash Transitivity Trial WeighedGame WeighedJudges
""".split()  # noqa: SIM905  # words read better than a list of texts
"""Classes that moved from the top level to ``equipoise.results``."""

READERS = """
    arena cutechess fastchess helm inspect judgments kaggle-env lm-eval openai-evals openspiel pgn poker py-irt runs
    single-judgments swe-bench
""".split()  # noqa: SIM905  # words read better than a list of texts
"""Formats of logs that had a reader each, ``read_pgn`` and so on; they are ``read(..., format="pgn")`` now."""

FORMER_NAMES: Mapping[str, str] = {
    **RENAMED,
    **{name: f"methods.{name}" for name in TO_METHODS},
    **{name: f"results.{name}" for name in TO_RESULTS},
    **{f"read_{kind.replace('-', '_')}": f'read(..., format="{kind}")' for kind in READERS},
}
"""Names of the top level of version 0.2 that are gone from there, with what each is now."""

FORMER_ATTRIBUTES: Mapping[tuple[str, str], str] = {
    ("PairComparison", "comparison"): "",
    ("LengthControlled", "controlled"): "",
    ("CategoryBoards", "boards"): "",
    ("Plan", "plan"): "",
}
"""Attributes of results that had other names, by class and name, with what they are now; an empty one is the result."""

FORMER_CALLS: Mapping[str, str] = {"compare(scores)": "probability_of_improvement(scores)"}
"""Calls that are those of another function now."""


def warn_former_call(call: str, level: int) -> None:
    """Say what a former call is now."""
    _warn(f"equipoise.{call} is now equipoise.{FORMER_CALLS[call]}; the old form ends in version 0.4", level + 1)


def former_name(name: str) -> Any:
    """Give what a former name of the top level stands for, and say what it is called now."""
    now = FORMER_NAMES[name]
    _warn(f"equipoise.{name} is now equipoise.{now}; {ENDS}", 4)
    import equipoise

    path, _, log_format = now.partition("(")
    found: Any = equipoise
    for part in path.split("."):
        found = getattr(found, part)
    return partial(found, format=log_format.split('"')[1]) if log_format else found


def former_attribute(result: object, name: str) -> Any:
    """Give what a former attribute of a result was, and say what it is now.

    Fails when
        it never was one.
    """
    for kind in type(result).__mro__:
        now = FORMER_ATTRIBUTES.get((kind.__name__, name))
        if now is not None:
            own = type(result).__name__
            said = f"{own}.{now}" if now else f"the {own} itself"
            _warn(f"{own}.{name} is now {said}; {ENDS}", 4)
            return getattr(result, now) if now else result
    raise AttributeError(f"{type(result).__name__!r} object has no attribute {name!r}")


def _warn(message: str, level: int) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=level)
