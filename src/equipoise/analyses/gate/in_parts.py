"""A benchmark run in parts, in random order: until it is known whether the agent got better, or until so many are run.

What all tasks would have given is predicted from those that ran, with an interval that holds wherever one stops
(:mod:`~equipoise.schedule.part_of_whole`); with calibrated items also by :func:`predict`, which needs a part whose size
does not depend on results.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis, Origin
from equipoise.analyses.gate.result import Direction, GateResult, GateVerdict
from equipoise.analyses.gate.sequential import Gate
from equipoise.analyses.scores.prediction import predict
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import LEVEL, check, generator, whole
from equipoise.core.results import FloatArray, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.items.scoring.calibration import Calibration
from equipoise.items.scoring.predict_score import Predicted
from equipoise.schedule.part_of_whole import whole_mean

RunPart = Callable[[Sequence[str]], Mapping[str, float]]
"""Runs some tasks and gives their scores."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PartialEvaluation(Analysis):
    """A benchmark of which a part was run.

    Attributes
    ----------
    agent
        Whose scores they are.
    tasks, scores
        What was run, in the order in which it was drawn, with its scores.
    size
        How many tasks there are in all.
    score, low, high
        Predicted mean score of all tasks, and its confidence sequence: it holds wherever one stops.
    gate
        The decision against the base, where there is one.
    predicted
        The same by calibrated items, where a calibration was given.
    """

    rows_name: ClassVar[str] = "tasks"
    main: ClassVar[str] = "score"

    agent: str
    tasks: tuple[str, ...]
    scores: FloatArray
    size: int
    score: float
    low: float
    high: float
    level: float
    gate: GateResult | None = None
    predicted: Predicted | None = None

    @property
    def verdict(self) -> GateVerdict | None:
        """``pass``, ``fail`` or ``undecided``; None without a base."""
        return None if self.gate is None else self.gate.verdict

    def frame(self) -> "pl.DataFrame":
        """Give the tasks that were run, in their order."""
        return pl.DataFrame({"task": list(self.tasks), "score": self.scores})

    def summary(self) -> dict[str, object]:
        """Give the prediction and the decision."""
        names = ("agent", "score", "low", "high", "level", "size", "verdict")
        found = {name: getattr(self, name) for name in names} | {"run": len(self.tasks)}
        found |= {} if self.gate is None else {"gate": self.gate.summary()}
        return found | ({} if self.predicted is None else {"predicted": self.predicted.to_dict()})

    @property
    def answer(self) -> tuple[str, ...]:
        """The decision, and what all tasks would give."""
        first = () if self.gate is None else (self.gate.answer[0],)
        sequence = (
            f"{self.agent} would score {self.score:.3f} on all {self.size:,} tasks ({100 * self.level:g}% confidence"
            f" sequence {self.low:.3f} to {self.high:.3f}), by the {len(self.tasks):,} that were run."
        )
        model = () if self.predicted is None else tuple(f"By calibrated items: {one}" for one in self.predicted.answer)
        return (*first, sequence, *model)


def run_in_parts(
    run: RunPart,
    tasks: Sequence[str],
    *,
    agent: str = "the agent",
    base: Source | None = None,
    margin: float = 0.0,
    direction: Direction = "not-worse",
    base_agent: str | None = None,
    calibration: Calibration | None = None,
    documents: int | None = None,
    chunk: int = 50,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> PartialEvaluation:
    """Run tasks chunk by chunk in random order, until the gate has decided or so many are run.

    Parameters
    ----------
    run
        Called with names of tasks; gives their scores, between 0 and 1.
    tasks
        All of them.
    agent
        Its name.
    base, margin, direction, base_agent
        As in :class:`Gate`; without a base nothing stops before ``documents``.
    calibration
        Items that predict the whole, too; the part has a fixed size then, so there can be no base.
    documents
        How many to run at most; all if None.
    chunk
        How many at a time.
    level, rng
        Of the intervals; of the order.

    Fails when
        a base shares no task, a score is not between 0 and 1, or both a base and a calibration are given.
    """
    check(LEVEL, "level", level)
    check(whole(1), "chunk", chunk)
    check(whole(1, none=True), "documents", documents)
    if base is not None and calibration is not None:
        raise ParameterError(Option("calibration"), " needs a part of a fixed size; leave ", Option("base"), " out")
    order = [tasks[k] for k in generator(rng).permutation(len(tasks))]
    gate = None
    if base is not None:
        gate = _gate_of(order, base, margin=margin, direction=direction, base_agent=base_agent, level=level)
        order = list(gate.schedule)
    most = min(documents or len(order), len(order))
    scores: dict[str, float] = {}
    while len(scores) < most and (gate is None or gate.verdict == "undecided"):
        part = order[len(scores) : min(len(scores) + chunk, most)]
        found = run(part)
        scores |= {task: _checked(task, found.get(task)) for task in part}
        for task in part if gate is not None else ():
            gate.tell(task, scores[task])  # type: ignore[union-attr]
    values = np.array(list(scores.values()))
    low, high = whole_mean(values, len(order), level)
    data = Scores.from_matrix([values], [agent], list(scores))
    return PartialEvaluation(
        data=data, origin=Origin(), agent=agent, tasks=tuple(scores), scores=frozen(values), size=len(order),
        score=float(values.mean()), low=low, high=high, level=level, gate=None if gate is None else gate.result(),
        predicted=None if calibration is None else predict(data, calibration, level=level),
        params=frozen_params(documents=documents, chunk=chunk, level=level),
    )  # fmt: skip


def _gate_of(order: Sequence[str], base: Source, **asked: object) -> Gate:
    """Schedule the tasks that the base has, in the order that was drawn."""
    known = set(Gate(base, **asked).schedule)  # type: ignore[arg-type]
    shared = [task for task in order if task in known]
    if not shared:
        raise DataError(f"the base has none of these tasks: {some_of(sorted(known), 3)} against {some_of(order, 3)}")
    return Gate(base, schedule=shared, **asked)  # type: ignore[arg-type]


def _checked(task: str, score: float | None) -> float:
    if score is None or not 0.0 <= score <= 1.0:
        raise DataError(f"{task}: a score is between 0 and 1 here, not {score!r}")
    return float(score)
