"""Results of EvalPlus and BigCodeBench: for each task its samples, and whether their tests passed.

A sample is a run of its task. ``metric`` is ``plus`` (the default where there are further tests: a sample passes those
and the original ones) or ``base``. Agents are called after the file, or its folder. ``per`` is as in ``inspect_ai``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, ParameterError
from equipoise.core.wording import Option
from equipoise.logs.files.json_files import whole_object
from equipoise.logs.files.names import agent_of
from equipoise.logs.format import LogReading, Notes, Run

PASSED = frozenset({"pass", "passed", "success"})
ENDS = re.compile(r"--main--.*|[-_](sanitized|calibrated|eval_results)\b.*")
"""What these tools write behind the name of a model in the name of a file."""


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs of each file, by the benchmarks that its tasks are of."""
    notes.mapped("file or folder (agent)", "key (task)", "status (score)")
    notes.left("solution", "details")
    for path in files:
        log = whole_object(path)
        tasks = log.get("eval") if isinstance(log, dict) else None
        if not isinstance(tasks, dict) or not tasks:
            raise DataError(f'{path}: "eval" must be an object with the samples of each task')
        runs: dict[str, tuple[list[str], list[float]]] = {}
        for task, samples in tasks.items():
            items, scores = runs.setdefault(task.partition("/")[0], ([], []))
            passed = _passed(samples, how.metric)
            if passed is None:
                raise DataError(f'{path}: {task}: its samples have no "{how.metric or "status"}"')
            items += [task.partition("/")[2] or task] * len(passed)
            scores += map(float, passed)
        notes.use(sum(len(scores) for _, scores in runs.values()))
        for evaluation, (items, scores) in runs.items():
            yield Run(ENDS.sub("", agent_of(path)) or agent_of(path), evaluation, items, scores)


def _passed(samples: Any, metric: str | None) -> list[bool] | None:
    """Tell which samples of a task passed; None where that is not said."""
    if metric not in (None, "plus", "base"):
        raise ParameterError(Option("metric"), f" of EvalPlus is plus or base, not {metric}")
    if isinstance(samples, Mapping):  # as EvalPlus once wrote: a list of results for each set of tests
        base, plus = ([bool(one) and one[0] in PASSED for one in samples.get(key) or ()] for key in ("base", "plus"))
        if metric == "base" or (metric is None and not plus):
            return base or None
        return [one and other for one, other in zip(base, plus, strict=True)] if len(base) == len(plus) else None
    if not isinstance(samples, list) or not all(isinstance(sample, Mapping) for sample in samples):
        return None
    keys: tuple[str, ...] = ("status",) if metric is None else ("base_status",)
    if metric == "plus":
        keys = ("base_status", "plus_status")
    elif metric is None and samples and "base_status" in samples[0]:
        keys = tuple(key for key in ("base_status", "plus_status") if samples[0].get(key) is not None)
    if any(sample.get(key) is None for sample in samples for key in keys):
        return None
    return [all(sample[key] in PASSED for key in keys) for sample in samples]
