"""Results of MTEB: ``results/<organisation>__<model>/<revision>/<Task>.json``, a file for each model and task.

A task's score is the mean of its subsets' main scores. ``split`` is ``test`` where a file has several; ``metric`` is
``main_score``, or another key of the entries. ``per`` may be ``sample``: each subset (a language, say) is a task then.
Reading fails where a file has no such split or metric.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.wording import Option
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.files.names import agent_of
from equipoise.logs.format import LogReading, Notes, Run

SPLITS = ("test", "validation", "dev")
"""Splits in the order in which one is taken."""
MAIN = "main_score"
ELSEWHERE = "external"
"""The folder of results that were taken from somewhere else: own results come first."""


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give a run for each model and task; the folder of the revision does not matter."""
    notes.mapped("folder (agent)", "task_name (task)", f"scores.split.{how.metric or MAIN} (score)")
    notes.left("scores_per_experiment", "evaluation_time")
    of_cell: dict[tuple[str, str], list[tuple[Path, list[str], list[float]]]] = defaultdict(list)
    for path in files:
        log = whole_object(path)
        if not isinstance(log, dict) or not isinstance(log.get("scores"), dict) or not log["scores"]:
            raise DataError(f'{path}: "scores" must be an object of splits')
        split = _split(path, log["scores"], how, notes)
        subsets, scores = _subsets(path, log["scores"][split], how)
        of_cell[_agent(path), str(log.get("task_name") or path.stem)].append((path, subsets, scores))
    for (agent, task), found in of_cell.items():
        found.sort(key=lambda one: one[0].parent.name == ELSEWHERE)
        if len(found) > 1:
            where = [f"{one[0].parent.name}/{one[0].name}" for one in found]
            notes.info("several-runs", f"{agent} has {len(found)} results of {task} ({some_of(where)}): the first one"
                       " is taken.", where)  # fmt: skip
        _, subsets, scores = found[0]
        notes.use(len(scores))
        if how.per == "sample":
            yield Run(agent, task, subsets, scores)
        else:
            yield Run(agent, task, (), (sum(scores) / len(scores),), stated=True)


def _agent(path: Path) -> str:
    """Name a model after the folder above the revision, or the one that has the organisation's name in it."""
    folders = [folder.name for folder in path.absolute().parents[:2]]
    named = next((name for name in reversed(folders) if "__" in name), None)
    return named.replace("__", "/", 1) if named else agent_of(path.absolute().parent)


def _split(path: Path, scores: Mapping[str, Any], how: LogReading, notes: Notes) -> str:
    if how.split is not None:
        if how.split not in scores:
            raise ParameterError(Option("split"), f': {path.name} has no "{how.split}"; it has {some_of(scores)}')
        return how.split
    split = next((name for name in SPLITS if name in scores), next(iter(scores)))
    if len(scores) > 1:
        others = some_of(name for name in scores if name != split)
        notes.gather("split-taken", f"The split {split} is taken, beside {others}", path.stem)
    return split


def _subsets(path: Path, entries: Any, how: LogReading) -> tuple[list[str], list[float]]:
    """Give the names of the subsets of a split, and their scores."""
    metric = how.metric or MAIN
    subsets, scores = [], []
    for entry in entries if isinstance(entries, list) else [entries]:
        number = number_of(entry.get(metric)) if isinstance(entry, dict) else None
        if number is None and how.metric is not None and isinstance(entry, dict):
            there = [key for key, value in entry.items() if number_of(value) is not None]
            raise ParameterError(Option("metric"), f': {path.name} has no "{metric}"; it has {some_of(there, 12)}')
        if number is None:
            raise DataError(f'{path}: a subset has no "{metric}"')
        subsets.append(str(entry.get("hf_subset") or "default"))
        scores.append(number)
    if not scores:
        raise DataError(f"{path}: no subset in it")
    return subsets, scores
