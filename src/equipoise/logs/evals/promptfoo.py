"""Results of promptfoo: one file of all its providers, with whether each test passed.

Agents are providers, or prompts of a provider where there are several. ``metric`` is ``success`` (did all assertions
hold) or ``score``, the weighted share of them. A test that ended in an error of the provider counts as not passed,
which is said. ``per`` is as in ``inspect_ai``.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, ParameterError
from equipoise.core.wording import Option
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.format import LogReading, Notes, Run

EVALUATION = "promptfoo"
METRICS = ("success", "score")
FAILED = 2
"""``failureReason`` of a test that ended in an error."""


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: a test that comes again (``--repeat``, several files) is another run of it."""
    metric = how.metric or METRICS[0]
    if metric not in METRICS:
        raise ParameterError(Option("metric"), f" of promptfoo is {' or '.join(METRICS)}, not {metric}")
    notes.mapped("provider (agent)", "testIdx (task)", f"{metric} (score)")
    notes.left("response", "gradingResult", "latencyMs", "cost")
    for path in files:
        results = _results(path)
        several = len({result.get("promptIdx") for result in results}) > 1
        named = len({_provider(result) for result in results}) > 1
        items: dict[str, list[str]] = defaultdict(list)
        scores: dict[str, list[float]] = defaultdict(list)
        for number, result in enumerate(results, 1):
            value = number_of(result.get(metric))
            if value is None or "testIdx" not in result:
                raise DataError(f'{path}: result {number:,} has no "testIdx" or no "{metric}"')
            agent = _provider(result)
            if several and (not named or _shared(results, agent)):
                agent += f" / prompt {int(number_of(result.get('promptIdx')) or 0) + 1}"
            if result.get("failureReason") == FAILED:
                notes.gather("error-as-failure", "Tests that ended in an error count as not passed", agent,
                             severity="warning")  # fmt: skip
            items[agent].append(f"test {int(number_of(result['testIdx']) or 0) + 1}")
            scores[agent].append(value)
        notes.use(len(results))
        for agent, of_agent in items.items():
            yield Run(agent, EVALUATION, of_agent, scores[agent])


def _results(path: Path) -> list[Mapping[str, Any]]:
    log = whole_object(path)
    results = log.get("results") if isinstance(log, dict) else None
    results = results.get("results") if isinstance(results, dict) else results
    if not isinstance(results, list) or not results or not all(isinstance(one, dict) for one in results):
        raise DataError(f'{path}: "results" must be a list of tests')
    return results


def _provider(result: Mapping[str, Any]) -> str:
    provider = result.get("provider")
    said = provider.get("label") or provider.get("id") if isinstance(provider, dict) else provider
    return str(said)


def _shared(results: Sequence[Mapping[str, Any]], agent: str) -> bool:
    """Say whether a provider was given several prompts."""
    return len({one.get("promptIdx") for one in results if _provider(one) == agent}) > 1
