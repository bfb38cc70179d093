"""Event logs of openai/evals: a specification, a final report, and events of samples, a JSON line each.

``metric`` is a key of ``metrics`` events; ``match`` events give whether the answer was correct. ``per`` is as in
``inspect_ai``. Reading fails when no event contains a score.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, EquipoiseError, ParameterError, some_of
from equipoise.core.wording import Option
from equipoise.logs.files.json_files import number_of, objects_of
from equipoise.logs.format import LogReading, Notes, Run

USUAL = ("correct", "score", "accuracy", "f1_score", "matched")
"""Keys of events that are scores, in the order in which one is taken."""
SCORED = ("match", "metrics")
"""Types of events that contain scores."""


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: completion functions are the agent, the eval the evaluation, a sample's events its runs."""
    notes.mapped("spec.completion_fns (agent)", "spec.eval_name and sample_id (task)", "data (score)")
    notes.left("sampling")
    broken = []
    for path in files:
        try:
            yield from _run(path, how, notes)
        except ParameterError:
            raise
        except EquipoiseError:
            if how.on_error == "raise":
                raise
            broken.append(path)
    notes.leave_out(broken, "not readable")


def _run(path: Path, how: LogReading, notes: Notes) -> Iterator[Run]:
    agent, evaluation = path.stem, path.stem
    stated: float | None = None
    items: list[str] = []
    scores: list[float] = []
    for _, row in objects_of(path):
        if isinstance(row.get("spec"), dict):
            spec = row["spec"]
            models = spec.get("completion_fns") or [spec.get("model_name") or path.stem]
            agent, evaluation = ", ".join(map(str, models)), str(spec.get("eval_name") or path.stem)
        elif isinstance(row.get("final_report"), dict):
            stated = number_of(row["final_report"].get(how.metric or "accuracy"))
        elif row.get("type") in SCORED:
            score = _score(path, row.get("data") or {}, how)
            if score is None:
                notes.drop("without a score")
                continue
            items.append(str(row.get("sample_id")))
            scores.append(score)
    notes.use(len(items))
    if not items and stated is None:
        notes.leave_out([path], "no scores in it")
        return
    if items:
        yield Run(agent, evaluation, items, scores)
    if stated is not None:
        yield Run(agent, evaluation, (), (stated,), stated=True)


def _score(path: Path, data: Mapping[str, Any], how: LogReading) -> float | None:
    numbers = {key: number for key, value in data.items() if (number := number_of(value)) is not None}
    if how.metric in numbers:
        return numbers[how.metric]
    if how.metric is not None and numbers and "correct" not in data:
        raise ParameterError(Option("metric"), f': {path.name} has no "{how.metric}"; it has {some_of(numbers)}')
    key = next((key for key in USUAL if key in numbers), next(iter(numbers), None))
    if key is None and how.on_error == "raise" and data:
        raise DataError(f"{path}: an event contains no number: {some_of(data)}")
    return None if key is None else numbers[key]
