"""One gate over several metrics, or over slices of the tasks: a pass needs all of them, one that fails is a fail.

A pass needs no correction: if any part is at the limit or below, that part alone passes with a probability of at most
(1 - level) / 2, and all of them no more often. A fail of any part does, by Holm's steps: of m parts that have not
failed yet, one fails whose interval at the level 1 - (1 - level) / m is below the limit; then the others are looked at
again, with fewer parts to share what is left. Then the probability that any part fails that should not is at most
(1 - level) / 2, however the parts depend on each other.

Reference: Holm (1979), A simple sequentially rejective multiple test procedure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis, each_once
from equipoise.analyses.gate.gate import asked_margin, decide
from equipoise.analyses.gate.pairing import Pairing, paired_scores
from equipoise.analyses.gate.result import Direction, GateResult, GateTasks, GateVerdict
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator
from equipoise.core.results import frozen_params
from equipoise.core.wording import Option
from equipoise.data.files.tables import collect, open_table
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import RunsShared
from equipoise.logs.files.paths import is_path, sort_files

EVALUATION = "evaluation"
"""The slices of logs: what stands before the first slash of a task's name."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class JointGate(Analysis):
    """Whether an agent got better, or not worse, by several metrics or on several slices of the tasks.

    Attributes
    ----------
    names
        The metrics or slices.
    parts
        The decision of each: its interval is at the level that was asked for, or at the stricter one of Holm's step at
        which it failed; what fails at the level alone is undecided here.
    verdict
        ``pass`` where all pass, ``fail`` where one fails, else ``undecided``; None where no margin was given.
    kind
        What the parts are: ``metric``, or the column of slices.
    """

    rows_name: ClassVar[str] = "parts"
    main: ClassVar[str] = "difference"

    names: tuple[str, ...]
    parts: tuple[GateResult, ...]
    verdict: GateVerdict | None
    kind: str
    level: float

    @property
    def base(self) -> str:
        """The base."""
        return self.parts[0].base

    @property
    def new(self) -> str:
        """The new agent."""
        return self.parts[0].new

    def frame(self) -> "pl.DataFrame":
        """Give the parts in their order."""
        rows = [
            {
                "part": name, "verdict": part.verdict, "difference": part.difference, "low": part.low,
                "high": part.high, "level": part.level, "tasks": len(part.tasks),
            }
            for name, part in zip(self.names, self.parts, strict=True)
        ]  # fmt: skip
        return pl.DataFrame(rows)

    def summary(self) -> dict[str, object]:
        """Give the decision; the rows are the parts."""
        return {name: getattr(self, name) for name in ("base", "new", "verdict", "kind", "level")}

    @property
    def answer(self) -> tuple[str, ...]:
        """The decision, then what each part says."""
        what = "metrics" if self.kind == "metric" else f"slices by {self.kind}"
        counts = {
            verdict: [name for name, part in zip(self.names, self.parts, strict=True) if part.verdict == verdict]
            for verdict in ("fail", "undecided", "pass")
        }
        said = "; ".join(f"{verdict}: {some_of(names)}" for verdict, names in counts.items() if names)
        first = f"{len(self.names):,} {what}" + (
            f", of which all must pass and none may fail (Holm). {said}." if self.verdict else ", without a margin."
        )
        parts = [f"{name}: {part.answer[0]}" for name, part in zip(self.names, self.parts, strict=True)]
        return ((f"{self.verdict.capitalize()}: {first}" if self.verdict else first), *parts)


def gate_parts(
    base: Source,
    new: Source | None = None,
    *,
    metrics: Sequence[str] = (),
    by: str | None = None,
    margin: float | None = None,
    direction: Direction = "not-worse",
    tasks: GateTasks = "sample",
    base_agent: str | None = None,
    new_agent: str | None = None,
    runs: RunsShared | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> JointGate:
    """Say whether an agent got better, or at least not worse, by each of several metrics or on each slice of the tasks.

    A pass needs all parts to pass. A fail is one part that fails, by Holm's procedure: that any part fails which should
    not has a probability of at most (1 - level) / 2, and so has a pass where any part is at the limit or below.

    Parameters
    ----------
    base, new, margin, direction, tasks, base_agent, new_agent, runs, level, rng, read
        As in :func:`gate`; the margin is that of every part.
    metrics
        Names of metrics (or scorers) of logs, or of columns of scores.
    by
        Instead of metrics, slices of the tasks: ``evaluation`` for those of logs, or a column of both tables.

    Fails when
        neither or both of ``metrics`` and ``by`` are given, there is one part only, or :func:`gate` fails.

    Examples
    --------
    >>> import equipoise as eq
    >>> import numpy as np
    >>> tasks = [f"{subject}/{k}" for subject in ("law", "physics") for k in range(200)]
    >>> values = np.tile([1.0, 0.0, 1.0, 1.0], 100)
    >>> worse = np.where(np.arange(400) < 200, 0.0, values)
    >>> table = eq.Scores.from_matrix([values, worse], ["old", "new"], tasks)
    >>> found = eq.methods.gate_parts(table, by="evaluation", base_agent="old", margin=0.05)
    >>> found.verdict, [part.verdict for part in found.parts]
    ('fail', ['fail', 'pass'])
    """
    if bool(metrics) == bool(by):
        raise ParameterError("give either ", Option("metrics"), " or ", Option("by"))
    margin = asked_margin(margin, direction, tasks, level)
    named = (base_agent, new_agent)
    if metrics:
        pairings = {name: paired_scores(base, new, *named, _read_by(name, base, read)) for name in metrics}
    else:
        pairings = _slices(paired_scores(base, new, *named, read), str(by), base, read)
    if len(pairings) < 2:
        raise DataError(f"there is one part only, {next(iter(pairings), 'none')}: it needs no joint decision")

    def at(pairing: Pairing, level: float) -> GateResult:
        return decide(pairing, margin, direction, tasks=tasks, runs=runs, level=level, rng=generator(rng))

    parts = _holm(pairings, at, level)
    verdicts = {part.verdict for part in parts.values()}
    first = next(iter(pairings.values()))
    return JointGate(
        data=first.opened.data, origin=first.opened.origin, names=tuple(parts), parts=tuple(parts.values()),
        verdict=None if margin is None else "fail" if "fail" in verdicts else _all_pass(verdicts),
        kind="metric" if metrics else str(by), level=level,
        params=frozen_params(margin=margin, direction=direction, tasks=tasks, level=level, by=by),
        diagnostics=each_once(*(part.diagnostics for part in parts.values())),
    )  # fmt: skip


def _all_pass(verdicts: set[Any]) -> GateVerdict:
    return "pass" if verdicts == {"pass"} else "undecided"


def _holm(
    pairings: Mapping[str, Pairing], at: Callable[[Pairing, float], GateResult], level: float
) -> dict[str, GateResult]:  # fmt: skip
    """Decide each part; what fails is found in Holm's steps."""
    parts = {name: at(pairing, level) for name, pairing in pairings.items()}
    left = [name for name, part in parts.items() if part.verdict == "fail"]
    open_still = len(parts)
    while left:
        stricter = {name: at(pairings[name], 1.0 - (1.0 - level) / open_still) for name in left}
        failed = [name for name in left if stricter[name].verdict == "fail"]
        if not failed:
            break
        parts |= {name: stricter[name] for name in failed}
        left = [name for name in left if name not in failed]
        open_still -= len(failed)
    return parts | {name: replace(parts[name], verdict="undecided") for name in left}


def _read_by(metric: str, source: Source, read: ReadOptions | None) -> ReadOptions:
    """Give the option by which the kind of file that this is names a metric."""
    logs = sort_files(source).logs if is_path(source) else {}
    option = "scorer" if "inspect" in logs else "metric" if logs else "score"
    return ReadOptions(**{**(read or ReadOptions()).given, option: metric})


def _slices(pairing: Pairing, by: str, base: Source, read: ReadOptions | None) -> dict[str, Pairing]:
    """Give the tasks of each slice."""
    tasks = pairing.scores.tasks
    if by == EVALUATION:
        groups: dict[str, set[str]] = {}
        for task in tasks:
            groups.setdefault(task.partition("/")[0], set()).add(task)
    else:
        groups = _by_column(by, base, read)
    slices = {name: pairing.take(members) for name, members in groups.items() if members & set(tasks)}
    return {name: part for name, part in slices.items() if part.scores.tasks}


def _by_column(by: str, base: Source, read: ReadOptions | None) -> dict[str, set[str]]:
    """Give the tasks of each value of a column of a table."""
    table = open_table(base)
    names = table.rows.collect_schema().names()
    if by not in names:
        raise ParameterError(Option("by"), f': there is no column "{by}"; there are {some_of(names, 9)}')
    given = read or ReadOptions()
    from equipoise.data.readers.read import read_scores

    values = collect(table.rows.select(pl.col(by).cast(pl.String)).drop_nulls().unique().sort(by), table.name)[by]
    groups = {}
    for value in values:
        quoted = value.replace('"', '\\"')
        where = " and ".join(f"({one})" for one in (given.where, f'{by} == "{quoted}"') if one)
        groups[value] = set(read_scores(base, read=replace(given, where=where)).tasks)
    return groups
