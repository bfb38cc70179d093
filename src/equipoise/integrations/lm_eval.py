"""Beside lm-eval: documents of a task in random order and in chunks, which the harness itself cannot stop between.

The model and the tasks are loaded once and handed to ``simple_evaluate(..., samples={task: ids})`` again and again.
Three things are minded there: ids are given in rising order, since the harness numbers what it ran by the order of the
data set; an empty list would mean all documents; and few-shot examples that are drawn at random depend on which
documents are in the chunk, so that only zero shots or the first n are taken, whose prompts are those of a full run.
"""

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.gate.in_parts import PartialEvaluation, run_in_parts
from equipoise.analyses.gate.result import Direction
from equipoise.core.errors import DataError, MissingDependencyError, ParameterError, did_you_mean, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.read import Source
from equipoise.items.scoring.calibration import Calibration, load_calibration
from equipoise.logs.evals.lm_eval import LOWER, USUAL

__all__ = ["TasksInParts", "eval_in_parts"]


class TasksInParts:
    """Tasks of lm-eval and a model, loaded once, of which any documents can be run.

    Parameters
    ----------
    task
        Name of a task or a group, or several; tasks of the harness will do, too.
    model, model_args
        As the harness takes them: ``hf`` and ``pretrained=gpt2``; or a model that was made.
    include_path
        A folder with tasks of your own.
    num_fewshot
        Examples before each document; what the task says if None.
    metric_name
        Which of several counts; the usual one if None.
    seed
        Of what the model draws; each chunk has another one.

    Fails when
        lm-eval is not installed, there is no such task or metric, examples are drawn at random, or less is better.
    """

    def __init__(
        self,
        task: Any,
        model: Any,
        *,
        model_args: str = "",
        include_path: str | Path | None = None,
        num_fewshot: int | None = None,
        metric_name: str | None = None,
        seed: int = 0,
    ) -> None:
        try:
            from lm_eval.tasks import TaskManager
        except ImportError as error:
            raise MissingDependencyError("this needs lm-eval: pip install lm-eval") from error
        asked = list(task) if isinstance(task, list | tuple) else [task]
        own = None if include_path is None else TaskManager(include_path=str(include_path), include_defaults=False)
        # A folder of one's own is read in no time, the thousands of tasks that the harness brings take seconds.
        if own is None or not all(not isinstance(one, str) or one in own.all_tasks for one in asked):
            own = TaskManager(include_path=None if include_path is None else str(include_path))
        self._manager = own
        self._tasks = self._loaded(asked)
        for name, one in self._tasks.items():
            _refuse_drawn_examples(name, one, num_fewshot)
        self._model, self.agent = _model_of(model, model_args)
        self._shots, self._metric, self._seed, self._chunks = num_fewshot, metric_name, seed, 0
        self.rows: dict[str, list[dict[str, Any]]] = {}

    def _loaded(self, tasks: list[Any]) -> dict[str, Any]:
        known = self._manager.all_tasks
        for task in tasks:
            if isinstance(task, str) and task not in known:
                raise ParameterError(f'lm-eval has no task "{task}"{did_you_mean(task, known)}')
        return dict(self._manager.load(tasks)["tasks"])

    @property
    def documents(self) -> list[str]:
        """All documents, as ``task/number``."""
        return [f"{name}/{k}" for name, task in self._tasks.items() for k in range(len(task.eval_docs))]

    def run(self, documents: Iterable[str]) -> dict[str, float]:
        """Run some documents and give their scores."""
        wanted: dict[str, list[int]] = {}
        for document in documents:
            name, _, number = document.rpartition("/")
            wanted.setdefault(name, []).append(int(number))
        if not wanted:
            return {}
        from lm_eval import simple_evaluate

        seed = self._seed + self._chunks
        self._chunks += 1
        made = simple_evaluate(
            model=self._model, tasks=[self._tasks[name] for name in wanted], num_fewshot=self._shots,
            samples={name: sorted(numbers) for name, numbers in wanted.items()}, task_manager=self._manager,
            bootstrap_iters=0, log_samples=True, random_seed=seed, numpy_random_seed=seed, torch_random_seed=seed,
        )  # fmt: skip
        return {
            f"{name}/{row['doc_id']}": self._score(name, row)
            for name, rows in (made or {"samples": {}})["samples"].items()
            for row in self._first_filter(name, rows)
        }

    def _first_filter(self, name: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        kept = [row for row in rows if row.get("filter") == rows[0].get("filter")]
        self.rows.setdefault(name, []).extend(kept)
        return kept

    def _score(self, name: str, row: Mapping[str, Any]) -> float:
        there = list(row["metrics"])
        usual = next((one for one in USUAL if one in there), there[0])
        metric = self._metric or usual
        if metric not in there:
            raise ParameterError(
                Option("metric_name"),
                f': {name} has no "{metric}"{did_you_mean(metric, there)}; it has {some_of(there)}',
            )
        rising = self._tasks[name].higher_is_better().get(metric, True)
        try:
            value = float(row[metric])
        except (TypeError, ValueError):
            value = math.nan
        if metric in LOWER or not rising or not 0.0 <= value <= 1.0:
            raise DataError(f"{name}: {metric} is no score between 0 and 1 of which more is better")
        return value

    def save(self, folder: str | Path) -> None:
        """Write what was run as the harness writes its samples; every command reads the folder."""
        stamp = time.strftime("%Y-%m-%dT%H-%M-%S.000000")
        target = Path(folder)
        try:
            target.mkdir(parents=True, exist_ok=True)
            for name, rows in self.rows.items():
                lines = [json.dumps(row, default=str) + "\n" for row in sorted(rows, key=lambda row: row["doc_id"])]
                (target / f"samples_{name}_{stamp}.jsonl").write_text("".join(lines), encoding="utf-8")
            document = {"results": {}, "config": {"model": self.agent}, "model_name": self.agent}
            (target / f"results_{stamp}.json").write_text(json.dumps(document), encoding="utf-8")
        except OSError as error:
            raise ParameterError(f"cannot write to {target}: {error.strerror}") from error


def _refuse_drawn_examples(name: str, task: Any, shots: int | None) -> None:
    """Refuse prompts that would depend on the chunk: examples that are drawn one document after the other."""
    from lm_eval.api.samplers import FirstNSampler

    own = task.config.num_fewshot
    count = own or 0 if shots is None or own == 0 else shots
    if count and not isinstance(getattr(task, "sampler", None), FirstNSampler):
        raise DataError(
            f"{name} draws its {count} examples at random, so that prompts depend on which documents a chunk has",
            advice=[
                Advice("take none with ", Option("num_fewshot", "0")),
                Advice("let the task take the first ones (fewshot_config: sampler: first_n)"),
            ],
        )


def _model_of(model: Any, arguments: str) -> tuple[Any, str]:
    """Make the model, and name it as logs of the harness do."""
    if not isinstance(model, str):
        return model, type(model).__name__
    import lm_eval.models  # noqa: F401  # those that there are declare themselves
    from lm_eval.api.registry import get_model

    try:
        kind = get_model(model)
    except (KeyError, ValueError) as error:
        raise ParameterError(f'lm-eval has no model "{model}"') from error
    given = dict(part.partition("=")[::2] for part in arguments.split(","))
    return kind.create_from_arg_string(arguments, {}), given.get("pretrained") or given.get("model") or model


def eval_in_parts(
    task: TasksInParts,
    *,
    base: Source | None = None,
    margin: float = 0.0,
    direction: Direction = "not-worse",
    calibration: str | Path | Calibration | None = None,
    documents: int | None = None,
    chunk: int = 50,
    logs: str | Path | None = None,
    level: float = 0.95,
    rng: int = 0,
) -> PartialEvaluation:
    """Run documents of a task of lm-eval chunk by chunk, until it is decided or so many are run, and predict the whole.

    Parameters
    ----------
    task
        The tasks and the model: ``TasksInParts("arc_easy", "hf", model_args="pretrained=gpt2")``.
    base, margin, direction
        Scores or logs of the base: running stops when it is known whether the model is not worse, or better.
    calibration
        Items calibrated on other models (``equipoise irt logs --save items.json``), which predict the whole, too.
    documents
        How many to run at most; all if None.
    chunk
        How many at a time.
    logs
        Folder to which samples are written as the harness writes them.
    level, rng
        Of the intervals; the seed of the order.

    Fails when
        the base has none of the documents, or a score is not between 0 and 1.
    """
    given = load_calibration(calibration) if isinstance(calibration, str | Path) else calibration
    found = run_in_parts(
        task.run, task.documents, agent=task.agent, base=base, margin=margin, direction=direction, calibration=given,
        documents=documents, chunk=chunk, level=level, rng=np.random.default_rng(rng),
    )  # fmt: skip
    if logs is not None:
        task.save(logs)
    return found
