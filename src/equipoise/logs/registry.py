"""The kinds of logs that are known: names, modules and signs, as data."""

from collections.abc import Mapping

from equipoise.logs.evals import signatures as signs
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogFormat
from equipoise.logs.games.formats import GAMES

__all__ = ["FORMATS", "format_of_log", "is_companion"]

_ALL = [
    LogFormat(
        "inspect", "Inspect AI logs", "equipoise.logs.evals.inspect_ai", signs.is_inspect, ("metric", "scorer", "per")
    ),
    LogFormat(
        "lm-eval",
        "lm-evaluation-harness logs",
        "equipoise.logs.evals.lm_eval",
        signs.is_lm_eval,
        ("metric", "filter", "per"),
    ),
    LogFormat(
        "helm",
        "HELM runs",
        "equipoise.logs.evals.helm",
        signs.is_helm,
        ("metric", "split", "per"),
        frozenset({"run_spec.json", "scenario.json", "scenario_state.json", "stats.json", "instances.json"}),
    ),
    LogFormat(
        "openai-evals",
        "openai/evals logs",
        "equipoise.logs.evals.openai_evals",
        signs.is_openai_evals,
        ("metric", "per"),
    ),
    LogFormat("py-irt", "py-irt responses", "equipoise.logs.evals.py_irt", signs.is_py_irt, ()),
    LogFormat(
        "swe-bench", "SWE-bench results", "equipoise.logs.evals.swe_bench", signs.is_swe_bench, ("denominator", "per")
    ),
    *GAMES,
]
FORMATS: Mapping[str, LogFormat] = {known.name: known for known in _ALL}
"""By name, in the order in which files are held against them."""


def format_of_log(peek: Peek) -> LogFormat | None:
    """Tell what kind of log a file is; None for anything else."""
    return next((known for known in FORMATS.values() if peek.start and known.recognises(peek)), None)


def is_companion(peek: Peek) -> bool:
    """Tell whether a file only goes with a log beside it."""
    return any(peek.path.name in known.companions and peek.siblings - known.companions for known in FORMATS.values())
