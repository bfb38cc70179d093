"""Both sides of a gate on the tasks that both have; what is not the same task any more is refused."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from equipoise.analyses.source import Opened, open_source
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, did_you_mean, some_of
from equipoise.core.results import FloatArray, FrozenMap
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.logs.evals.sample_details import SampleDetail, sample_details

SAME = 1e-9
"""Share of the range of scores below which a task did not change: rounding."""
SCORE = " (score)"
"""How the account of a log marks which of its scores was read."""
Answers = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The scores of both agents on the tasks that both have, base first; with what was left out, and both answers."""

    scores: Scores
    notes: tuple[Diagnostic, ...]
    opened: Opened
    answers: Answers = field(default_factory=lambda: FrozenMap({}))

    def take(self, tasks: Collection[str]) -> "Pairing":
        """Give the same of some tasks."""
        chosen = np.array([task in tasks for task in self.scores.tasks])
        return replace(self, scores=self.scores.take(tasks=chosen))

    @property
    def differences(self) -> FloatArray:
        """New less base on each task; what is rounding is none."""
        values = self.scores.values
        change = values[1] - values[0]
        return np.where(np.abs(change) <= SAME * max(self.scale, 1e-300), 0.0, change)

    @property
    def scale(self) -> float:
        """The largest difference that these scores could have shown."""
        return float(np.ptp(self.scores.values)) or 1.0

    @property
    def at_stake(self) -> tuple[float, float]:
        """What the new agent has to lose on a task, and to gain: what the base, and what it itself, gets on average.

        Nothing is a score of 0, or the least one where some are negative.
        """
        values = self.scores.values
        base, new = values.mean(axis=1) - min(float(values.min()), 0.0)
        return float(base), float(new)


def paired_scores(
    base: Source, new: Source | None, base_agent: str | None, new_agent: str | None, read: ReadOptions | None = None
) -> Pairing:
    """Read both sides and join them on the tasks that both have.

    Fails when
        there is none, or it is not clear which agents are meant.
    """
    first = open_source(base, ("scores",), read, asked_by="gate")
    second = first if new is None else open_source(new, ("scores",), read, asked_by="gate")
    old = _agent(first.data, base_agent, "base_agent")
    if new is None and new_agent is None:
        others = [name for name in first.data.agents if name != old]
        if len(others) != 1:
            raise DataError(f"there are {len(first.data.agents):,} agents here", advice=[_naming("new_agent")])
        new_agent = others[0]
    late = _agent(second.data, new_agent, "new_agent")
    if new is None and old == late:
        raise DataError(f"{old} cannot be compared with itself", advice=[_naming("new_agent")])
    _refuse_other_metric(first.data, second.data)
    joined = _joined(first, second, old, late)
    return joined if new is None else _with_answers(joined, sample_details(base), sample_details(new))


def _refuse_other_metric(base: Scores, new: Scores) -> None:
    """Refuse logs of which different scores were read: their difference says nothing."""
    sides = [
        {name for name in (() if side.account is None else side.account.columns) if name.endswith(SCORE)}
        for side in (base, new)
    ]
    if not (sides[0] <= sides[1] or sides[1] <= sides[0]):
        read = [some_of(sorted(name.removesuffix(SCORE) for name in side)) for side in sides]
        raise DataError(
            f"the base was read by {read[0]}, the new agent by {read[1]}, which have no difference",
            advice=[Advice("name one that both have with ", Option("metric"), " or ", Option("scorer"))],
        )


def _with_answers(joined: Pairing, base: Mapping[str, SampleDetail], new: Mapping[str, SampleDetail]) -> Pairing:
    """Keep what both answered.

    Fails when
        tasks have the same name and other prompts.
    """
    both = [(task, base[task], new[task]) for task in joined.scores.tasks if task in base and task in new]
    altered = [task for task, old, late in both if None not in (old.prompt, late.prompt) and old.prompt != late.prompt]
    if altered:
        of = f"{len(altered):,} of {len(joined.scores.tasks):,} tasks"
        raise DataError(
            f"{of} have other prompts than before: {some_of(altered, 3)}",
            advice=[Advice("compare runs of one version of the tasks, or leave these out with ", Option("not_tasks"))],
        )
    answers = {task: (old.answer, late.answer) for task, old, late in both if old.answer and late.answer}
    return replace(joined, answers=FrozenMap(answers))


def _naming(option: str) -> Advice:
    return Advice("name the agent that is meant with ", Option(option))


def _agent(scores: Scores, name: str | None, option: str) -> str:
    if name is None:
        if len(scores.agents) == 1:
            return scores.agents[0]
        raise DataError(
            f"there are {len(scores.agents):,} agents here: {some_of(scores.agents)}", advice=[_naming(option)]
        )
    if name not in scores.agents:
        raise DataError(f'no agent is called "{name}"{did_you_mean(name, scores.agents)}: {some_of(scores.agents)}')
    return name


def _joined(first: Opened, second: Opened, old: str, late: str) -> Pairing:
    sides = [_with_scores(opened.data, name) for opened, name in ((first, old), (second, late))]
    there = set(sides[1].tasks)
    tasks = [task for task in sides[0].tasks if task in there]
    if not tasks:
        raise DataError(
            f"the two share no task: {old} has {some_of(sides[0].tasks, 3)}, {late} has {some_of(sides[1].tasks, 3)}"
        )
    taken = [side.take(tasks=[side.tasks.index(task) for task in tasks]) for side in sides]
    names = (old, late) if old != late else (f"{old} (base)", f"{late} (new)")
    width = max(1, *(1 if side.repeats is None else side.repeats.shape[2] for side in taken))
    values = np.full((2, len(tasks), width), np.nan)
    for row, side in enumerate(taken):
        repeats = side.values[:, :, None] if side.repeats is None else side.repeats
        values[row, :, : repeats.shape[2]] = repeats[0]
    labels = tuple(None if side.run_labels is None else side.run_labels[0] for side in taken)
    both = Scores.from_matrix(values, names, tasks)
    both = replace(both, run_labels=labels, testlets=taken[0].testlets)
    if width == 1:
        both = replace(both, repeats=None, trials=None, run_labels=None)
    notes = [*first.data.diagnostics, *second.data.diagnostics, *_left_out(sides, tasks, names)]
    return Pairing(both, tuple(notes), first)


def _with_scores(scores: Scores, name: str) -> Scores:
    """The one agent, on the tasks that it has a score on."""
    row = scores.agents.index(name)
    return scores.take(agents=[row], tasks=~scores.missing[row])


def _left_out(sides: list[Scores], tasks: list[str], names: tuple[str, str]) -> list[Diagnostic]:
    """Say which tasks only one side has: what is compared is what both share."""
    notes = []
    for side, name in zip(sides, names, strict=True):
        alone = sorted(set(side.tasks) - set(tasks))
        if alone:
            message = (
                f"Compared on the {len(tasks):,} tasks that both have; {len(alone):,} only {name} has"
                f" ({some_of(alone, 3)}) do not count."
            )
            advice = [Advice("check that which tasks are missing did not depend on their results")]
            notes.append(warning("tasks-of-one-side", message, alone, advice=advice))
    return notes
