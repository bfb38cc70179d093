"""Python names that were public and are called otherwise now: taken for one more version, and a warning says so.

These tables are the only place that holds them: the forwarding, the warnings, the docs and the tests are made from it.
Those of the command line stand in ``equipoise.cli.options.former``.
"""

import inspect
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import partial, reduce, wraps
from typing import Any, TypeVar

from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option

_Asking = TypeVar("_Asking", bound=Callable[..., Any])

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
    "fit_items": "irt",
    "weigh_judges": "judges",
    "FittedItems": "results.IRT",
    "ScoredAgents": "results.Scored",
    "PredictedScores": "results.Predicted",
    "WeighedJudges": "results.Judges",
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
    Fit Generality HandsWithoutLuck Hodge Interval Judges LearnedGraph LearnedValue LearningCurves Lease
    LengthControlled LuckPlan LuckTable MaxentNash Melo MeloOnline MethodList NextGames Outcome PairComparison
    PairProposal PerformanceProfile PlacedAgents Plan Played PlayerCheck Predicted Proposal Question
    Receipt ResponseGraph Result SampleSize Schur Scored Section Snapshot Standings StyleControl
    StyleFeatures TaskNash Transitivity Trial WeighedGame
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
    ("Result", "words"): "answer",
    ("Standings", "verdict"): "transitivity",
    ("Standings", "ratings"): "rated",
    ("WeighedVoters", "ratings"): "rated",
    ("BradleyTerry", "island"): "component",
    ("PairComparison", "comparison"): "",
    ("LengthControlled", "controlled"): "",
    ("CategoryBoards", "boards"): "",
    ("Plan", "plan"): "",
    ("Judges", "judged"): "",
    ("Predicted", "predicted"): "",
    ("Scored", "scored"): "",
    ("IRT", "data"): "source.data",
    ("IRT", "origin"): "source.origin",
    ("Scored", "data"): "source.data",
    ("Scored", "origin"): "source.origin",
    ("Predicted", "data"): "source.data",
    ("Predicted", "origin"): "source.origin",
    ("Judges", "data"): "source.data",
    ("Judges", "origin"): "source.origin",
}
"""Attributes of results that had other names, by class and name, with what they are now; an empty one is the result."""

FORMER_KEYS: Mapping[tuple[str, str], str] = {
    **{(kind, "points"): "rating" for kind in ("BradleyTerry", "Elo", "Hodge", "Melo", "MeloOnline")},
    ("BradleyTerry", "island"): "component",
    ("Standings", "island"): "component",
}
"""Keys in rows of JSON that frames once had as columns, by class and key, with the one that holds the same now."""

FORMER_CALLS: Mapping[str, str] = {"compare(scores)": "probability_of_improvement(scores)"}
"""Calls that are those of another function now."""

SYNONYMS: Mapping[str, str] = {"side": "position", "group": "cluster"}
"""Other names of options that the questions take for good."""
FORMER_OPTIONS: Mapping[tuple[str, str], str] = {
    ("rank", "covariates"): "adjust",
    ("rank", "islands"): "components",
    ("categories", "tau"): "between_sd",
    ("place", "least_p"): "min_p",
    ("tasks", "resample"): "over",
    ("tasks", "unit"): "over",
}
"""Options of the questions that had other names, by question and name."""
FORMER_VALUES: Mapping[tuple[str, str], str] = {
    ("components", "separate"): "each",
    ("over", "trial"): "runs",
    ("over", "task"): "tasks",
    ("show", "masses"): "profiles",
}
"""Values of options of the questions that were others, by the option's present name and value."""
READING_NAMES: Mapping[str, str] = {
    "outcome": "score", "outcome_means": "score_means", "utility": "score", "trial": "run", "hand": "run",
    "islands": "components", "transpose": "agents_in", "reading": "",
}  # fmt: skip
"""Former names of options of reading, which were parameters of every function that opened a file."""
_ROWS = "table where since until time min_games islands"
_GAMES = "a b outcome weight outcome_means duplicates on_error group table where since until time"
_ANSWERS = f"agent task score trial tasks not_tasks duplicates transpose {_ROWS} metric reading on_error"
_LOGS = "denominator filter keep last metric on_error per scorer split"  # of the readers of one format each
FORMER_READING: Mapping[str, str] = {
    "read": f"{_ROWS} reading {_LOGS}",
    "read_matches": f"outcome_means duplicates on_error clean {_ROWS}",
    "read_pairs": f"outcome_means duplicates on_error clean {_ROWS}",
    "read_scores": f"duplicates on_error {_ROWS}",
    "read_episodes": f"duplicates on_error {_ROWS}",
    "read_metagame": "table",
    "import_logs": "metric reading",
    "write_report": f"{_ROWS} clean metric reading",
    "chart": f"{_ROWS} reading",
    "rank": f"{_GAMES} wins losses games islands min_games clean metric reading",
    "compare": f"{_GAMES} wins losses games islands min_games metric reading",
    "categories": f"{_GAMES} wins losses games islands min_games metric reading",
    "length_control": f"{_GAMES} min_games",
    "cleaning": f"{_GAMES} min_games",
    "place": f"{_GAMES} wins losses games clean",
    "judges": f"{_GAMES} islands min_games reading",
    "plan": f"a b outcome weight wins losses games outcome_means duplicates {_ROWS} metric reading on_error",
    "tasks": _ANSWERS,
    "irt": _ANSWERS,
    "predict": _ANSWERS,
    "learning_curves": "agent task score trial",
    "metagame": "table",
    "remove_luck": f"agent utility deal seat hand duplicates on_error {_ROWS}",
}
"""Options of reading that were parameters of functions, by the present name of each; they are ``read`` now."""


def outside() -> int:
    """Give the ``stacklevel`` with which a warning points at the line outside of the package that asked."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith("equipoise."):
        frame, level = frame.f_back, level + 1
    return level


def present_options(function: _Asking) -> _Asking:
    """Let a question take its options by the other names that they have, and by the former ones with a warning."""
    asked = function.__name__
    own = inspect.signature(function).parameters
    former = {old: now for (question, old), now in FORMER_OPTIONS.items() if question == asked}
    names = {old: now for old, now in {**SYNONYMS, **former}.items() if now in own}

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        for old in [name for name in given if name in names]:
            now = names[old]
            if now in given:
                raise ParameterError(Option(old), " is another name of ", Option(now), "; give only the latter")
            if old in former:
                _warn(f"{asked}({old}=...) is now {now}=...; {ENDS}", 3)
            given[now] = given.pop(old)
        for now in [name for name, value in given.items() if isinstance(value, str) and (name, value) in FORMER_VALUES]:
            old, value = given[now], FORMER_VALUES[now, given[now]]
            _warn(f'{asked}({now}="{old}") is now {now}="{value}"; the old value ends in version 0.4', 3)
            given[now] = value
        return function(*args, **given)

    return run  # type: ignore[return-value]  # same signature, and other names


def options_in_one(kind: type) -> Callable[[_Asking], _Asking]:
    """Let a question take what is asked for seldom, one value of that kind, as parameters of its own once more."""
    names = [one.name for one in fields(kind)]

    def taking(function: _Asking) -> _Asking:
        @wraps(function)
        def run(*args: Any, **given: Any) -> Any:
            former = {name: given.pop(name) for name in names if name in given}
            if former:
                text = ", ".join(f"{name}=..." for name in former)
                said = f"{function.__name__}({text}) is now options={kind.__name__}({text})"
                _warn(f"{said}; the old form ends in version 0.4", outside() + 1)
                given["options"] = replace(given.get("options") or kind(), **former)
            return function(*args, **given)

        return run  # type: ignore[return-value]  # same signature, and former names

    return taking


def warn_former_call(call: str, level: int) -> None:
    """Say what a former call is now."""
    _warn(f"equipoise.{call} is now equipoise.{FORMER_CALLS[call]}; the old form ends in version 0.4", level + 1)


def former_name(name: str) -> Any:
    """Give what a former name of the top level stands for, and say what it is called now."""
    now = FORMER_NAMES[name]
    _warn(f"equipoise.{name} is now equipoise.{now}; {ENDS}", 4)
    import equipoise

    path, _, log_format = now.partition("(")
    found: Any = reduce(getattr, path.split("."), equipoise)
    return partial(found, format=log_format.split('"')[1]) if log_format else found


def with_former_keys(result: object, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the rows of a result's JSON with the keys that they keep for those who know them."""
    kinds = {kind.__name__ for kind in type(result).__mro__}
    former = {name: now for (kind, name), now in FORMER_KEYS.items() if kind in kinds}
    empty = [name for name in former if hasattr(type(result), name) and getattr(result, name) is None]
    return [row | {name: row[now] for name, now in former.items() if now in row and name not in empty} for row in rows]


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
            return reduce(getattr, filter(None, now.split(".")), result)
    raise AttributeError(f"{type(result).__name__!r} object has no attribute {name!r}")


def _warn(message: str, level: int) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=level)
