"""Inside Inspect: stop a task when it is known to be better or worse than a baseline, or ask the items that tell most.

``Task(..., early_stopping=Versus("baseline.eval", margin=0.05))`` looks at the difference after every sample;
``Task(dataset=AdaptiveSource(samples, "items.json"))`` runs an adaptive test. Inspect does not take both in one task.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from equipoise.analyses.gate.result import Direction
from equipoise.analyses.gate.sequential import Errored, Gate
from equipoise.analyses.source import open_source
from equipoise.core.errors import DataError, some_of
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.items.scoring.adaptive import AdaptiveTest, TestLimits
from equipoise.items.scoring.calibration import Calibration, load_calibration
from equipoise.logs.evals.inspect_ai import GRADES, MANAGER

try:
    from inspect_ai import SampleSource
    from inspect_ai.scorer import metric
except ImportError:  # the module can be imported without the extra, as those who list modules do; no task can use it

    class SampleSource:  # type: ignore[no-redef]
        """What the source inherits where there is no Inspect."""

    def metric(name: str) -> Any:  # noqa: ARG001
        """Register nothing."""
        return lambda made: made


__all__ = ["AdaptiveSource", "Versus", "ability"]

REASONS = "equipoise"
"""The key of a sample's metadata under which it says why it was asked."""


def score_of(value: Any, key: str | None = None) -> float | None:
    """Give a score of Inspect as a number: grades as Inspect counts them, the first of several; None for no number."""
    if isinstance(value, Mapping):
        value = value.get(key) if key is not None else next(iter(value.values()), None)
    if isinstance(value, str) and value in GRADES:
        return GRADES[value]
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _chosen(scores: Mapping[str, Any], scorer: str | None) -> float | None:
    """Give the score of one scorer: the first if none is named."""
    name = scorer if scorer is not None else next(iter(scores), None)
    if name is None or name not in scores:
        return None
    return score_of(getattr(scores[name], "score", scores[name]).value)


class Versus:
    """Stop a task when it is known to be not worse, or better, than a baseline; valid after every sample.

    Samples count in the order in which the task has them, which must have been drawn at random: a data set's own order
    is refused unless it was shuffled (``eval(..., sample_shuffle=1)``, ``dataset.shuffle(1)``). With several epochs a
    sample counts when all of them are there. One instance is for one task.

    Parameters
    ----------
    baseline
        A log of the same task, a table or scores.
    margin, direction, level, score_range
        As in ``eq.Gate``.
    scorer
        Which of several is compared; the first if None.
    base_agent
        Which agent is the base, where the baseline has several.
    errored
        What a sample counts that ended in an error, was cancelled or has no score: ``zero`` (the least score) or
        ``void`` (as if it had not been there, which is only right where errors have nothing to do with the answer).

    Fails when
        the baseline has several agents, or shares no sample with the task.
    """

    def __init__(
        self,
        baseline: Source,
        *,
        margin: float = 0.0,
        direction: Direction = "not-worse",
        level: float = 0.95,
        scorer: str | None = None,
        base_agent: str | None = None,
        score_range: tuple[float, float] = (0.0, 1.0),
        errored: Errored = "zero",
    ) -> None:
        self._base: Scores = open_source(
            baseline, ("scores",), None if scorer is None else ReadOptions(scorer=scorer), asked_by="Gate"
        ).data
        self._options: dict[str, Any] = {
            "margin": margin, "direction": direction, "level": level, "base_agent": base_agent,
            "score_range": score_range, "errored": errored,
        }  # fmt: skip
        Gate(self._base, **self._options)  # what cannot be compared is refused before a task begins
        self._scorer = scorer
        self.gate: Gate | None = None

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:
        """Take the order of the samples as the schedule."""
        if not task.dataset.shuffled:
            raise ValueError(  # of ours Inspect would look for a text in ``message``
                f"{task.task}: the first samples of a data set's own order say nothing of the others;"
                " shuffle it, such as with eval(..., sample_shuffle=1)"
            )
        known = set(self._base.tasks)
        names = {str(sample.id): [f"{task.task}/{sample.id}", str(sample.id)] for sample in samples}
        self._names = {one: name for one, both in names.items() for name in both if name in known}
        if not self._names:
            raise ValueError(
                f"the baseline shares no sample with {task.task}: it has {some_of(self._base.tasks, 3)},"
                f" the task has {some_of(list(names), 3)}"
            )
        self._alone = len(names) - len(self._names)
        self._epochs = epochs
        self._scores: dict[str, dict[int, float | None]] = {}
        self._failed: dict[str, None] = {}
        self._eval = str(task.eval_id)
        self.gate = Gate(self._base, schedule=list(self._names.values()), **self._options)
        _running()[self._eval] = self
        return MANAGER

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:  # noqa: A002  # as Inspect calls it
        """Stop a sample that is not needed any more."""
        from inspect_ai.util import EarlyStop

        if self.gate is None or self.gate.verdict == "undecided":
            return None
        reason = f"{self.gate.verdict} after {self.gate.counted:,} samples"
        return EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: Mapping[str, Any]) -> None:  # noqa: A002
        """Take a sample's scores; those that were in flight when it was decided count as well."""
        self._take(id, epoch, _chosen(scores, self._scorer))

    def sample_failed(self, sample_id: str | int, epoch: int) -> None:
        """Take a sample that ended in an error."""
        self._failed[str(sample_id)] = None
        self._take(sample_id, epoch, None)

    def _take(self, sample_id: str | int, epoch: int, score: float | None) -> None:
        name = self._names.get(str(sample_id))
        if self.gate is None or name is None:
            return
        told = self._scores.setdefault(name, {})
        if epoch in told:  # an error that has a score comes twice
            return
        told[epoch] = score
        if len(told) < self._epochs:
            return
        scores = [one for one in told.values() if one is not None]
        if self.gate.errored == "zero":
            scores += [self.gate.score_range[0]] * (len(told) - len(scores))
        self.gate.tell(name, sum(scores) / len(scores) if scores else None)

    async def complete_task(self) -> dict[str, Any]:
        """Give what was decided, for the log."""
        gate = self.gate
        if gate is None:
            return {}
        _running().pop(self._eval, None)
        low, high = gate.interval
        return {
            "verdict": gate.verdict, "difference": gate.difference, "low": low, "high": high, "level": gate.level,
            "margin": gate.margin, "direction": gate.direction, "counted": gate.counted, "base": gate.base,
            "errored": gate.errored, "failed": len(self._failed), "without_baseline": self._alone,
            "answer": " ".join(gate.answer),
        }  # fmt: skip


@cache
def _running() -> dict[str, Versus]:
    """Give who compares which evaluation, and let Inspect tell them of samples that end in an error.

    It tells nothing else of those while a task runs. The hook is registered when the first task begins: as an entry
    point of the group ``inspect_ai`` it would make every start of Inspect say "hooks enabled: 0" to whoever has both.
    """
    from inspect_ai.hooks import Hooks, hooks

    running: dict[str, Versus] = {}

    @hooks(name="equipoise", description="Counts samples that ended in an error where a task is compared.")
    class FailedSamples(Hooks):  # type: ignore[misc]  # inspect-ai is not installed where types are checked
        """Hands samples that ended in an error to whoever compares their task."""

        def enabled(self) -> bool:
            """Only while a task is compared."""
            return bool(running)

        async def on_sample_end(self, data: Any) -> None:
            """Hand an error on."""
            if data.eval_id in running and data.sample.error is not None:
                running[data.eval_id].sample_failed(data.sample.id, data.sample.epoch)

    return running


class AdaptiveSource(SampleSource):  # type: ignore[misc]  # inspect-ai is not installed where types are checked
    """Give a task the samples that tell most about the model, one after the other, until enough is known.

    Parameters
    ----------
    samples
        The whole data set; samples whose ids are no items of the calibration are never asked.
    calibration
        Items with known parameters, or the file they were saved in.
    anchors
        The only items that may be asked, such as those of :func:`anchor_items`; all if None.
    stop
        When to stop; by default at a standard error of 0.3.
    select
        ``information`` or ``random``, as in ``eq.AdaptiveTest``.
    scorer
        Which of several scorers counts; the first if None.
    errored
        What a sample counts that ended in an error or has no score: ``zero`` (a wrong answer) or ``void``.
    seed
        For ``random``.

    Fails when
        no sample is an item of the calibration.
    """

    def __init__(
        self,
        samples: Iterable[Any],
        calibration: Calibration | str | Path,
        *,
        anchors: Sequence[str] | None = None,
        stop: TestLimits | None = None,
        select: str = "information",
        scorer: str | None = None,
        errored: Errored = "zero",
        seed: int = 0,
    ) -> None:
        bank = calibration if isinstance(calibration, Calibration) else load_calibration(calibration)
        self._samples = {str(sample.id): sample for sample in samples}
        allowed = set(self._samples) if anchors is None else set(self._samples) & set(anchors)
        there = [item for item in bank.items if item in allowed]
        if not there:
            raise DataError(
                f"no sample is an item of the calibration: {some_of(list(self._samples), 3)} against"
                f" {some_of(bank.items, 3)}"
            )
        self.test = AdaptiveTest(bank, stop=stop, select=select, rng=seed)  # type: ignore[arg-type]  # checked there
        for item in bank.items:
            if item not in allowed:
                self.test.skip(item)
        self._scorer, self._errored = scorer, errored
        self._least = 1.0 if bank.threshold is None else bank.threshold
        self._asked: str | None = None

    def initial_samples(self) -> list[Any]:
        """Give the first sample."""
        return self._next()

    async def next_samples(self) -> list[Any] | None:
        """Go on, where nothing is in flight; None when enough is known."""
        return self._next() or None

    async def sample_complete(self, sample: Any) -> list[Any]:
        """Take an answer, and give the next sample."""
        item = str(sample.id)
        if self.test.is_open(item):
            score = None if sample.error is not None else _chosen(sample.scores or {}, self._scorer)
            if score is not None:
                self.test.tell(item, int(score >= self._least))
            elif self._errored == "zero":
                self.test.tell(item, 0)
            else:
                self.test.skip(item)
        return self._next()

    async def sample_abandoned(self, sample: Any, epoch: int) -> list[Any]:  # noqa: ARG002  # as Inspect calls it
        """Leave out a sample that was cancelled before it began, and give the next one."""
        if self.test.is_open(str(sample.id)):
            self.test.skip(str(sample.id))
        return self._next()

    def _next(self) -> list[Any]:
        """Give the next sample, with the reason in its metadata; nothing while it is in flight, or enough is known."""
        if self.test.done:
            return []
        question = self.test.ask()
        if question.item == self._asked:
            return []
        self._asked = question.item
        reasons = {
            "why": question.why, "answered": self.test.answered, "ability": self.test.ability,
            "stderr": self.test.stderr,
        }  # fmt: skip
        sample = self._samples[question.item]
        return [sample.model_copy(update={"metadata": {**(sample.metadata or {}), REASONS: reasons}})]


@metric(name="equipoise_ability")  # type: ignore[untyped-decorator]  # inspect-ai is not installed where types are checked
def ability(calibration: str) -> Any:
    """Give the ability on the scale of a calibration (a file), and its standard error, from the samples that were run.

    Samples that are no items do not count. A score of the calibration's threshold, or 1, is a success.
    """
    bank = load_calibration(calibration)
    least = 1.0 if bank.threshold is None else bank.threshold

    def estimate(scores: Sequence[Any]) -> dict[str, float]:
        test = AdaptiveTest(bank)
        for one in scores:
            item, score = str(one.sample_id), score_of(one.score.value)
            if score is not None and test.is_open(item):
                test.tell(item, int(score >= least))
        return {"ability": test.ability, "stderr": test.stderr}

    return estimate
