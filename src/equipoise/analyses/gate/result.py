"""What a gate says: the decision, the difference with its interval, what drives it, and what it would take to tell."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import scipy

from equipoise.analyses.analysis import Analysis
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, FrozenMap

Direction = Literal["not-worse", "better"]
GateVerdict = Literal["pass", "fail", "undecided"]
GateTasks = Literal["sample", "fixed"]
GateOver = Literal["sample", "fixed", "schedule"]
POWER = float(scipy.special.ndtri(0.8))
"""Standard errors by which an unchanged agent is beyond a limit in four of five samples."""
NAMED = 3
"""Tasks that a sentence names."""
QUOTED = 30
"""Characters of an answer that a sentence quotes."""
TOO_MANY = 100.0
"""Times as many tasks as there are, beyond which "more tasks" is no advice."""


def verdict_of(low: float, high: float, margin: float, direction: Direction) -> GateVerdict:
    """Decide by a two-sided interval of the difference; each wrong decision has half of what the level leaves.

    >>> verdict_of(-0.02, 0.04, 0.05, "not-worse"), verdict_of(-0.02, 0.04, 0.0, "better")
    ('pass', 'undecided')
    """
    limit = -margin if direction == "not-worse" else 0.0
    return "pass" if low > limit else "fail" if high < limit else "undecided"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class GateResult(Analysis):
    """Whether an agent got better, or not worse, than it was.

    Attributes
    ----------
    base, new
        The two agents.
    tasks, base_score, new_score
        Tasks that both have, and the mean score of each agent on each.
    difference, low, high, stderr
        Mean of new less base over the tasks, its interval and its standard error.
    margin, direction
        What was asked: not worse by the margin or more, or better. None where no margin was given.
    verdict
        ``pass``, ``fail`` or ``undecided``; None where no margin was given.
    runs
        Runs of each agent on a task, at least.
    over
        ``sample``: other tasks like these are what might have been; ``fixed``: other runs on these tasks; ``schedule``:
        tasks so far of a schedule in random order, and the interval is a confidence sequence, valid at every look.
    scheduled, waiting, following
        Of a schedule: its length, how many results wait for earlier ones, and the tasks to run next.
    answers
        What the base and the new agent answered, by task, where both logs have it.
    """

    rows_name: ClassVar[str] = "tasks"
    main: ClassVar[str] = "difference"

    base: str
    new: str
    tasks: tuple[str, ...]
    base_score: FloatArray
    new_score: FloatArray
    difference: float
    low: float
    high: float
    stderr: float
    margin: float | None
    direction: Direction
    verdict: GateVerdict | None
    runs: int
    over: GateOver
    level: float
    scheduled: int = 0
    waiting: int = 0
    following: tuple[str, ...] = ()
    answers: Mapping[str, tuple[str, str]] = field(default_factory=lambda: FrozenMap({}))

    def frame(self) -> "pl.DataFrame":
        """Give the tasks, the largest loss first."""
        changed = self.new_score - self.base_score
        table = pl.DataFrame(
            {"task": list(self.tasks), "base": self.base_score, "new": self.new_score, "difference": changed}
        )
        if self.answers:
            said = [self.answers.get(task, (None, None)) for task in self.tasks]
            table = table.with_columns(
                pl.Series(name, [both[k] for both in said], dtype=pl.String)
                for k, name in enumerate(("base_answer", "new_answer"))
            )
        return table.sort("difference", maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the decision and all that it rests on."""
        names = ("base", "new", "verdict", "difference", "low", "high", "stderr", "level", "margin", "direction")
        return {name: getattr(self, name) for name in names} | {
            "over": self.over, "scheduled": self.scheduled, "waiting": self.waiting, "following": list(self.following),
            "worse": len(self.changed(-1)), "better": len(self.changed(1)),
            "smallest_margin": self.smallest_margin, "more_tasks": self.more_tasks,
        }  # fmt: skip

    def changed(self, sign: int) -> list[str]:
        """Give the tasks that got better (1) or worse (-1), those that changed most first."""
        change = sign * (self.new_score - self.base_score)
        return [self.tasks[int(j)] for j in np.argsort(-change, kind="stable") if change[j] > 0.0]

    @property
    def smallest_margin(self) -> float:
        """The smallest margin that an unchanged agent would pass in four of five samples of this size."""
        return self.difference - self.low + POWER * self.stderr

    @property
    def more_tasks(self) -> int | None:
        """How many more tasks would tell in four of five samples, if the difference is what was seen.

        Where tasks are fixed, how many more runs of each. None where it is decided, or no number that one could
        run would do.
        """
        if self.verdict != "undecided" or self.margin is None or not self.tasks:
            return None
        limit = -self.margin if self.direction == "not-worse" else 0.0
        away = self.difference - limit
        half = (self.difference - self.low if away > 0.0 else self.high - self.difference) + POWER * self.stderr
        times = math.inf if away == 0.0 else (half / away) ** 2
        return (
            None
            if times > TOO_MANY
            else max(1, math.ceil((times - 1.0) * (self.runs if self.over == "fixed" else len(self.tasks))))
        )

    @property
    def answer(self) -> tuple[str, ...]:
        """The decision with the difference, what drives it, and what would tell."""
        said = [self._said(), *self._drivers()]
        if self.margin is None:
            said.append(
                f"No margin was given, so nothing passes or fails: an unchanged agent would pass a margin of"
                f" {_shown(self.smallest_margin, self.stderr)} in 80% of such comparisons, and hardly a smaller one."
            )
        elif self.verdict == "undecided":
            said += self._more()
        if self.waiting:
            come = "result came" if self.waiting == 1 else "results came"
            said.append(
                f"{self.waiting:,} {come} before others that were scheduled earlier, and will count after those."
            )
        if self.following:
            said.append(f"Run next, in this order: {', '.join(self.following)}.")
        return tuple(said)

    def _said(self) -> str:
        if not self.tasks:
            return f"Undecided: nothing counts yet of {self.scheduled:,} scheduled tasks."
        interval = "confidence sequence" if self.over == "schedule" else "interval"
        change = (
            f"the mean score changed by {_signed(self.difference, self.stderr)} ({100 * self.level:g}% {interval}"
            f" {_signed(self.low, self.stderr)} to {_signed(self.high, self.stderr)}) from"
            f" {_shown(float(self.base_score.mean()), self.stderr)}, {self._where}"
        )
        if self.margin is None:
            return f"{self.new} against {self.base}: {change}."
        limit = f" by more than {self.margin:g}" if self.direction == "not-worse" else ""
        words = {
            ("pass", "not-worse"): f"Pass: {self.new} is not worse than {self.base}{limit}",
            ("fail", "not-worse"): f"Fail: {self.new} is worse than {self.base}{limit}",
            ("pass", "better"): f"Pass: {self.new} is better than {self.base}",
            ("fail", "better"): f"Fail: {self.new} is worse than {self.base}",
            ("undecided", "not-worse"): f"Undecided: {self.new} may or may not be worse than {self.base}{limit}",
            ("undecided", "better"): f"Undecided: {self.new} may or may not be better than {self.base}",
        }
        return f"{words[self.verdict or 'undecided', self.direction]}: {change}."

    @property
    def _where(self) -> str:
        count = f"{len(self.tasks):,} task{'' if len(self.tasks) == 1 else 's'}"
        if self.over == "schedule":
            return f"over the first {len(self.tasks):,} of {self.scheduled:,} scheduled tasks"
        return (
            f"over {count} taken as a sample" if self.over == "sample" else f"on these {count}, with errors over runs"
        )

    def _drivers(self) -> list[str]:
        worse, better = self.changed(-1), self.changed(1)
        if not worse and not better:
            return ["No task changed."] if self.tasks else []
        parts = [
            f"{len(names):,} task{'' if len(names) == 1 else 's'} got {word}"
            f" ({some_of([self._with_answers(name) for name in names[:NAMED]] + names[NAMED:], NAMED)})"
            for word, names in (("worse", worse), ("better", better))
            if names
        ]
        same = len(self.tasks) - len(worse) - len(better)
        return [f"{' and '.join(parts)}{f'; {same:,} did not change' if same else ''}."]

    def _with_answers(self, task: str) -> str:
        both = self.answers.get(task)
        return task if both is None else f"{task}: {_quoted(both[0])}, now {_quoted(both[1])}"

    def _more(self) -> list[str]:
        more = self.more_tasks
        if not self.tasks:
            return []
        if more is None:
            return ["The difference is so close to the limit that no affordable number of tasks would tell."]
        what = "more runs of each task" if self.over == "fixed" else "more tasks"
        return [f"About {more:,} {what} would tell, if the difference is what was seen."]


def _quoted(answer: str) -> str:
    return f'"{answer if len(answer) <= QUOTED else answer[: QUOTED - 1] + "…"}"'


def _digits(stderr: float) -> int:
    return 2 if not 0.0 < stderr < math.inf else max(0, min(6, 1 - math.floor(math.log10(stderr))))


def _shown(value: float, stderr: float) -> str:
    return f"{value:,.{_digits(stderr)}f}".replace("-", "−")


def _signed(value: float, stderr: float) -> str:
    text = f"{value:+,.{_digits(stderr)}f}".replace("-", "−")
    return text if any(c in "123456789" for c in text) else text[1:]
