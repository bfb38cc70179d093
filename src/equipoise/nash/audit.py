"""The audit of a benchmark: which tasks count, which repeat each other, how firmly the top stands."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError
from equipoise.core.options import number
from equipoise.core.results import FloatArray, Result, frozen_params
from equipoise.data.types.normalisation import Missing, Units
from equipoise.data.types.scores import Scores
from equipoise.nash.audit_words import audit_words, latent_words
from equipoise.nash.kernels import maxent_zero_sum
from equipoise.nash.resampling import Resampling
from equipoise.nash.task_structure import LatentSkills, Redundancy, latent_skills, redundant_pairs
from equipoise.nash.tasks import TaskNash, TaskOptions, prepared, task_nash, top_agents

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Audit", "Without", "audit"]

MOST_AGENTS = 200
"""Beyond this, only core agents are left out one by one."""
CLEAR = 1e-6
"""By how much an agent must be worse than the value, against its size, for the suite not to depend on it."""


@dataclass(frozen=True, slots=True)
class Without:
    """What happens to the top when one task or agent is left out.

    Attributes
    ----------
    name
        Who or what was left out.
    value
        Of the game without it.
    top
        Agents that then tie for first.
    joined, left
        How that differs from the full table's top.
    """

    name: str
    value: float
    top: tuple[str, ...]
    joined: tuple[str, ...]
    left: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the top is another one (an agent left out itself does not count as leaving)."""
        return bool(self.joined or self.left)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Audit(Result):
    """What a benchmark's table says about the benchmark.

    Attributes
    ----------
    nash
        The Nash average that everything rests on.
    core_agents, core_tasks
        Those with positive mass: the best team and the hardest suite.
    idle_tasks
        Tasks without mass: as far as the top is concerned they could be left out.
    redundant
        Pairs of tasks that are duplicates in effect.
    without_task, without_agent
        The top when each is left out.
    latent
        What agents' scores have in common beyond averages.
    """

    rows_name: ClassVar[str] = "tasks"
    main: ClassVar[str] = "core_tasks"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    nash: TaskNash
    core_agents: tuple[str, ...]
    core_tasks: tuple[str, ...]
    idle_tasks: tuple[str, ...]
    redundant: tuple[Redundancy, ...]
    without_task: tuple[Without, ...]
    without_agent: tuple[Without, ...]
    latent: LatentSkills

    @property
    def words(self) -> tuple[str, ...]:
        """Who leads and why, what carries the verdict, what repeats, and how firmly it stands."""
        return (*self.findings, latent_words(self.latent))

    @property
    def findings(self) -> tuple[str, ...]:
        """The same without what averages explain, which :func:`additivity` says with its noise."""
        changes = [(without.name, without.joined, without.left) for without in self.without_task]
        return audit_words(self.nash, self.redundant, changes)

    def frame(self) -> "pl.DataFrame":
        """Give the tasks, hardest first, with what repeats them and whether they decide the top."""
        import polars as pl

        twin = {pair.other: pair.one for pair in self.redundant}
        fragile = {without.name for without in self.without_task if without.changed}
        return self.nash.task_frame().with_columns(
            pl.Series("duplicate_of", [twin.get(name) for name in self.nash.task_frame()["task"]], dtype=pl.String),
            pl.col("task").is_in(list(fragile)).alias("decides_top"),
        )

    def summary(self) -> dict[str, object]:
        """Give the findings."""
        return {
            "core_agents": self.core_agents,
            "core_tasks": self.core_tasks,
            "idle_tasks": self.idle_tasks,
            "redundant": [
                {"task": pair.other, "duplicate_of": pair.one, "correlation": pair.correlation}
                for pair in self.redundant
            ],
            "without_task": [_plain(without) for without in self.without_task],
            "without_agent": [_plain(without) for without in self.without_agent],
            "latent": self.latent.to_dict(),
            "value": self.nash.value,
            "words": self.words,
        }


@method(
    takes="scores",
    answers="Which tasks carry a benchmark, which repeat each other, and how firmly does its top stand?",
    reference="Balduzzi, Tuyls, Perolat and Graepel (2018)",
    checks={"similarity": number(-1.0, 1.0)},
    resampled="an audit reads one table; bootstrap nash_average",
)
def audit(data: Scores, *, units: Units = "min-max", missing: Missing = "error", similarity: float = 0.99) -> Audit:
    """Does this benchmark measure what it seems to, and would its verdict survive one task more or less?

    Parameters
    ----------
    data
        Scores of agents on tasks.
    units, missing
        As for :func:`nash_average`.
    similarity
        Tasks whose scores correlate at least so much over the agents count as duplicates in effect.

    Returns
    -------
    Audit
        Core agents and tasks, idle and redundant tasks, stability of the top, latent skills, and words.

    Fails when
        the scores have no Nash average: gaps (unless ``missing`` deals with them), one agent only, nothing that
        differs.

    References
    ----------
    Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation, sections 3.3 and 4.

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[9, 9.2, 1], [5, 5.1, 5], [1, 1.2, 9]], tasks=["one", "one again", "other"])
    >>> result = eq.audit(s)
    >>> result.redundant[0].one, result.redundant[0].other
    ('one', 'one again')
    """
    game = prepared(data, units, missing)
    nash = task_nash(data, TaskOptions(units, missing), Resampling(0, "task", 0.95, 0))
    without_agent, notes = _without_agents(data, nash, units, missing)
    return Audit(
        agents=nash.agents, tasks=nash.tasks, nash=nash,
        core_agents=tuple(name for name, p in zip(nash.agents, nash.agent_p, strict=True) if p > 0),
        core_tasks=tuple(name for name, p in zip(nash.tasks, nash.task_p, strict=True) if p > 0),
        idle_tasks=tuple(name for name, p in zip(nash.tasks, nash.task_p, strict=True) if p == 0),
        redundant=redundant_pairs(game.scores.tasks, game.values, similarity),
        without_task=_without_tasks(nash), without_agent=without_agent,
        latent=latent_skills(game.scores.agents, game.scores.tasks, game.values),
        params=frozen_params(units=units, missing=missing, similarity=similarity), fit=nash.fit,
        diagnostics=(*nash.diagnostics, *notes),
    )  # fmt: skip


def _changes(name: str, value: float, top: tuple[str, ...], before: tuple[str, ...]) -> Without:
    now, then = set(top), set(before)
    joined = tuple(agent for agent in top if agent not in then)
    left = tuple(agent for agent in before if agent not in now and agent != name)
    return Without(name, value, top, joined, left)


def _without_tasks(nash: TaskNash) -> tuple[Without, ...]:
    """Leave out each task; an idle one changes no skill, because no optimal suite holds it."""
    if len(nash.tasks) == 1:
        return ()
    changes = []
    for j, name in enumerate(nash.tasks):
        if nash.task_p[j] == 0.0:
            changes.append(Without(name, nash.value, nash.top, (), ()))
            continue
        others = (*nash.tasks[:j], *nash.tasks[j + 1 :])
        rest = maxent_zero_sum(np.delete(nash.scores, j, axis=1), near=_losses(nash, nash.agents, others))
        changes.append(_changes(name, rest.value, top_agents(nash.agents, rest.skill, rest.value), nash.top))
    return tuple(changes)


def _without_agents(
    data: Scores, nash: TaskNash, units: Units, missing: Missing
) -> tuple[tuple[Without, ...], tuple[Diagnostic, ...]]:
    """Leave out each agent; units are made anew, since the best or the worst of a task may be the one left out."""
    if len(nash.agents) == 2:
        return (), ()
    who = list(range(len(nash.agents)))
    notes: tuple[Diagnostic, ...] = ()
    if len(nash.agents) > MOST_AGENTS:
        who = [int(i) for i in np.flatnonzero(nash.agent_p)]
        message = f"With more than {MOST_AGENTS} agents only the core agents were left out one by one."
        notes = (info("core-agents-only", message),)
    changes = []
    for i in who:
        others = np.array([name != nash.agents[i] for name in data.agents])
        try:
            game = prepared(data.take(agents=others), units, missing)
        except DataError:  # nothing tells the others apart
            continue
        if _idle(nash, i) and np.array_equal(game.values, np.delete(nash.scores, i, axis=0)):
            changes.append(_changes(nash.agents[i], nash.value, nash.top, nash.top))
            continue
        rest = maxent_zero_sum(game.values, near=_losses(nash, game.scores.agents, game.scores.tasks))
        top = top_agents(game.scores.agents, rest.skill, rest.value)
        changes.append(_changes(nash.agents[i], rest.value, top, nash.top))
    return tuple(changes), notes


def _losses(nash: TaskNash, agents: Iterable[str], tasks: Iterable[str]) -> tuple[FloatArray, FloatArray]:
    """Give what each of these agents and tasks loses against the best; the whole table tells where to begin."""
    of_agent = dict(zip(nash.agents, nash.value - nash.skill, strict=True))
    of_task = dict(zip(nash.tasks, -nash.difficulty - nash.value, strict=True))
    return np.array([of_agent.get(name, np.inf) for name in agents]), np.array(
        [of_task.get(name, np.inf) for name in tasks]
    )


def _idle(nash: TaskNash, i: int) -> bool:
    """Whether the game stays as it is without an agent.

    One that is in no best team takes nothing of the value along; one that is clearly worse than the value against the
    suite does not keep the suite from being more even.
    """
    return bool(nash.agent_p[i] == 0.0 and nash.skill[i] < nash.value - CLEAR * max(1.0, abs(nash.value)))


def _plain(without: Without) -> dict[str, object]:
    return {
        "name": without.name,
        "value": without.value,
        "top": without.top,
        "joined": without.joined,
        "left": without.left,
    }
