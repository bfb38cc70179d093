"""The audit of a benchmark: which tasks count, which repeat each other, how firmly the top stands; with sentences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, number
from equipoise.core.results import FloatArray, Result, frozen_params
from equipoise.data.types.normalisation import Missing, Units
from equipoise.data.types.scores import Scores
from equipoise.inference.pass_fail import is_pass_fail
from equipoise.nash.kernels import maxent_zero_sum
from equipoise.nash.resampling import Resampling, settled
from equipoise.nash.task_resamples import TaskOptions
from equipoise.nash.task_structure import LatentSkills, Redundancy, latent_skills, redundant_by_chance, redundant_pairs
from equipoise.nash.tasks import TaskNash, prepared, task_nash, top_agents

Change = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A task that is left out, who then joins the top, and who leaves it."""
MOST_AGENTS = 200
"""Beyond this, only core agents are left out one by one."""
CLEAR = 1e-6
"""By how much an agent must be worse than the value, against its size, for the suite not to depend on it."""
FEW_AGENTS = 10
"""Fewer agents than this may show a correlation near one by chance."""


def audit_words(
    nash: TaskNash,
    redundant: Sequence[Redundancy],
    without_task: Sequence[Change],
    chance: tuple[float, int] | None = None,
) -> tuple[str, ...]:
    """Say who leads and why, which tasks have weight, which are redundant, and without which the leader changes."""
    repeats = _redundancy(nash, redundant, chance)
    return (*nash.answer, *_against_mean_scores(nash, nash.top), repeats, _dependence(without_task))


def _against_mean_scores(nash: TaskNash, top: tuple[str, ...]) -> list[str]:
    """Where uniform and Nash averaging differ at the top, and which tasks make the difference."""
    leader = int(nash.uniform_skill.argmax())
    if nash.first is not None and not settled(np.isin(nash.agents, top), nash.first):
        return [f"{nash.agents[leader]} has the highest mean score ({nash.uniform_skill[leader]:.2f})."]
    sentences = [_of_mean_leader(nash, leader, nash.agents[leader] in top)]
    rank = 1 + (nash.uniform_skill[:, None] < nash.uniform_skill).sum(axis=1)
    lifted = max((i for i in range(len(nash.agents)) if nash.agents[i] in top), key=lambda i: int(rank[i]))
    if rank[lifted] > max(len(top), 1):
        # Core tasks on which it does better than agents do on average.
        gain = nash.task_p * (nash.scores[lifted] - nash.scores.mean(axis=0))
        best = [nash.tasks[j] for j in np.argsort(-gain, kind="stable")[:3] if gain[j] > 0]
        because = f", for what it does on {some_of(best)}" if best else ""
        sentences.append(
            f"{nash.agents[lifted]} is number {rank[lifted]} by mean score but has the highest Nash average{because}."
        )
    return sentences


def _of_mean_leader(nash: TaskNash, leader: int, in_top: bool) -> str:
    name = nash.agents[leader]
    if in_top:
        return f"{name} also has the highest mean score."
    # Where the leader lags behind the value of the game, weighted by the Nash mixture of the tasks.
    short = nash.task_p * (nash.value - nash.scores[leader])
    worst = [nash.tasks[j] for j in np.argsort(-short, kind="stable")[:3] if short[j] > 0]
    surplus = (1.0 / len(nash.tasks) - nash.task_p) * (nash.scores[leader] - nash.scores.mean(axis=0))
    source = [nash.tasks[j] for j in np.argsort(-surplus, kind="stable")[:3] if surplus[j] > 0]
    own, best = distinguishable(float(nash.skill[leader]), nash.value)
    because = f"; it falls short on {some_of(worst)}" if worst else ""
    and_from = f", and its mean comes from tasks such as {some_of(source)} that separate the best less"
    return (
        f"{name} has the highest mean score ({nash.uniform_skill[leader]:.2f}), but not the highest Nash average"
        f" ({own} against {best}){because}{and_from if source else ''}."
    )


def distinguishable(one: float, other: float, digits: int = 2) -> tuple[str, str]:
    """Two different numbers with as many digits as show that they differ.

    >>> distinguishable(0.8571, 0.8611)
    ('0.857', '0.861')
    """
    while digits < 15 and f"{one:.{digits}f}" == f"{other:.{digits}f}":
        digits += 1
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def _redundancy(nash: TaskNash, redundant: Sequence[Redundancy], chance: tuple[float, int] | None) -> str:
    """Name the pairs of redundant tasks, and say how many chance gives."""
    if not redundant:
        return "No two tasks are redundant."
    agents, alone = len(nash.agents), len(redundant) == 1
    if chance is None:
        by_chance = f"; with {agents} agents this can be chance" if agents < FEW_AGENTS else ""
    else:
        usual = f"about {chance[0]:.0f}" if chance[0] >= 0.5 else "hardly any"
        table = f"in a table of {agents} agents and {len(nash.tasks)} tasks"
        by_chance = f"; chance alone gives {usual} (up to {chance[1]}) {table}"
    if is_pass_fail(nash.scores):
        pairs = some_of(f"{pair.other} = {pair.one}" for pair in redundant)
        return f"{'1 task repeats' if alone else f'{len(redundant)} tasks repeat'} another exactly: {pairs}{by_chance}."
    drop = "" if chance and len(redundant) <= chance[1] else f"; one {'' if alone else 'of each '}may be dropped"
    if alone:
        one, other, correlation = redundant[0].one, redundant[0].other, redundant[0].correlation
        same = f"{one} and {other} give nearly the same results (correlation {correlation:.3f})"
        return f"{same}{drop}{by_chance}."
    pairs = some_of(f"{pair.one} and {pair.other} ({pair.correlation:.3f})" for pair in redundant)
    return f"{len(redundant)} pairs of tasks give nearly the same results (correlation): {pairs}{drop}{by_chance}."


def _dependence(without_task: Sequence[Change]) -> str:
    if not without_task:
        return "With one task only, nothing can be left out."
    changed = [change for change in without_task if change[1] or change[2]]
    if not changed:
        return "Without any single task the leader stays."
    name, joined, left = changed[0]
    what = [
        f"{some_of(joined)} {'leads' if len(joined) == 1 else 'lead'}{'' if left else ' too'}" if joined else "",
        f"{some_of(left)} no longer {'leads' if len(left) == 1 else 'lead'}" if left else "",
    ]
    how = " and ".join(part for part in what if part)
    if len(changed) == 1:
        return f"Without {name}, {how}."
    more = len(changed) - 1
    others = "1 other task changes the leader too" if more == 1 else f"{more} other tasks change the leader too"
    return f"Without {name}, {how}; {others}."


def latent_words(latent: LatentSkills) -> str:
    """Say what averages explain, and what the strongest latent skill beyond them is."""
    if len(latent.share) == 0 or latent.average_share > 0.999:
        return "Averages explain all differences between the agents: a single number describes them."
    first = latent.ends[0]
    return (
        f"Averages explain {latent.average_share:.0%} of the differences between agents; of the rest"
        f" {latent.share[0]:.0%} is one latent skill: {some_of(first['tasks_high'])} against"
        f" {some_of(first['tasks_low'])}."
    )


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
        Pairs of redundant tasks, by correlation.
    redundant_by_chance
        How many such pairs chance gives: the mean, and what is exceeded in 5% of tables; None where nothing repeats.
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
    redundant_by_chance: tuple[float, int] | None = None

    @property
    def answer(self) -> tuple[str, ...]:
        """Who leads and why, which tasks have weight, which are redundant, and without which the leader changes."""
        return (*self.findings, latent_words(self.latent))

    @property
    def findings(self) -> tuple[str, ...]:
        """The same without what averages explain, which :func:`additivity` says with its noise."""
        changes = [(without.name, without.joined, without.left) for without in self.without_task]
        return audit_words(self.nash, self.redundant, changes, self.redundant_by_chance)

    def frame(self) -> "pl.DataFrame":
        """Give the tasks, hardest first, with redundant ones and whether the leader changes without them."""
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
            "redundant_by_chance": self.redundant_by_chance,
            "without_task": [_plain(without) for without in self.without_task],
            "without_agent": [_plain(without) for without in self.without_agent],
            "latent": self.latent.to_dict(),
            "value": self.nash.value,
            "words": self.answer,
        }


@method(
    takes="scores",
    answers="Which tasks have weight in a benchmark, which are redundant, and does the leader change without one?",
    reference="Balduzzi, Tuyls, Perolat and Graepel (2018)",
    checks={"similarity": number(-1.0, 1.0)},
    resampled="an audit reads one table; bootstrap nash_average",
)
def audit(data: Scores, *, units: Units = "min-max", missing: Missing = "error", similarity: float = 0.99) -> Audit:
    """Does this benchmark measure what it seems to, and would its leader change with one task more or less?

    Parameters
    ----------
    data
        Scores of agents on tasks.
    units, missing
        As for :func:`nash_average`.
    similarity
        Tasks whose scores correlate at least so much over the agents count as redundant.

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
    nash = task_nash(data, TaskOptions(units, missing), Resampling(0, "tasks", 0.95, 0))
    without_agent, notes = _without_agents(data, nash, units, missing)
    redundant = redundant_pairs(game.scores.tasks, game.values, similarity)
    return Audit(
        agents=nash.agents, tasks=nash.tasks, nash=nash,
        core_agents=tuple(name for name, p in zip(nash.agents, nash.agent_p, strict=True) if p > 0),
        core_tasks=tuple(name for name, p in zip(nash.tasks, nash.task_p, strict=True) if p > 0),
        idle_tasks=tuple(name for name, p in zip(nash.tasks, nash.task_p, strict=True) if p == 0),
        redundant=redundant,
        redundant_by_chance=redundant_by_chance(game.values, similarity, generator(0)) if redundant else None,
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
