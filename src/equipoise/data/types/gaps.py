"""What can be done about missing scores: which choices work for a table, and which agents share which tasks."""

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.errors import some_of
from equipoise.core.results import IntArray
from equipoise.core.wording import Advice, Option, counted
from equipoise.data.types.scores import Scores

OWN_SHARE, OWN_LEAST = 0.5, 2
"""An agent is ranked among filled-in scores if it has scores of its own on half of the tasks, and on two at least."""
TAKE = (
    Advice("take those tasks with ", Option("tasks")),
    Advice("or those agents with ", Option("where")),
)
"""What a user can do where no choice works."""
COMPLETE = (
    " (a guess from averages, with its uncertainty; agents with scores on less than half of the tasks are not ranked)"
)


def choices(scores: Scores) -> tuple[Advice, ...]:
    """Give the ways to deal with the gaps of a table that leave something to compare."""
    gaps = scores.missing
    ways = []
    if (~gaps.any(axis=0)).any():
        ways.append(Advice("drop tasks with ", Option("missing", "drop-tasks")))
    if (~gaps.any(axis=1)).sum() > 1:
        ways.append(Advice("drop agents with ", Option("missing", "drop-agents")))
    if (~few_scores(scores)).sum() > 1 and len(_parts(scores)) == 1:
        ways.append(Advice(f"{'or ' if ways else ''}fill them in with ", Option("missing", "complete"), COMPLETE))
    return tuple(ways)


def few_scores(scores: Scores) -> npt.NDArray[np.bool_]:
    """Tell which agents have too few scores of their own to be filled in."""
    tasks = len(scores.tasks)
    return np.asarray((~scores.missing).sum(axis=1) < max(OWN_SHARE * tasks, min(OWN_LEAST, tasks)))


def shared(scores: Scores) -> str:
    """Say which agents share tasks without a gap, and into which parts a table falls that nothing connects."""
    parts = _parts(scores)
    said = []
    if len(parts) > 1:
        named = "; ".join(some_of(scores.agents[i] for i in part) for part in parts[:3])
        said.append(f"{len(parts):,} sets of agents share no task with each other: {named}")
    agents, tasks = _largest_block(~scores.missing)
    if len(agents) > 1:
        names = some_of((scores.agents[i] for i in agents), 6)
        said.append(f"{len(agents):,} agents ({names}) all have scores on {counted(len(tasks), 'task')}"
                    f" ({some_of(scores.tasks[j] for j in tasks)})")  # fmt: skip
    return "; ".join(said) or "no two agents have scores on the same task"


def _parts(scores: Scores) -> list[IntArray]:
    """Give the sets of agents that tasks connect, the largest first; agents without a score are none."""
    there = ~scores.missing
    reach = (there.astype(float) @ there.T.astype(float)) > 0
    count, label = scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(reach), directed=False)
    parts = [np.flatnonzero((label == part) & there.any(axis=1)) for part in range(count)]
    return sorted((part for part in parts if len(part)), key=len, reverse=True)


def _largest_block(there: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Give agents and tasks without a gap between them: agents with the most gaps leave, as long as cells are won."""
    agents = np.arange(len(there))
    best: tuple[int, IntArray, IntArray] = (0, agents[:0], agents[:0])
    while len(agents) > 1:
        tasks = np.flatnonzero(there[agents].all(axis=0))
        if len(agents) * len(tasks) > best[0]:
            best = (len(agents) * len(tasks), agents, tasks)
        held = there[agents].sum(axis=0)
        # Who lacks the tasks that most of the others have is in the way.
        agents = np.delete(agents, np.argmin(there[agents] @ held))
    return best[1], best[2]
