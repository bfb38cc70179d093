"""What Nash averaging leaves out, where it matters: it looks at the tasks with weight only, which are the hardest."""

import numpy as np

from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray

TIED = 1e-9
"""Mean scores closer than this are equal."""


def harshness_words(agents: tuple[str, ...], scores: FloatArray, top: tuple[str, ...]) -> tuple[str, ...]:
    """Say who leads by majority of tasks, or by mean score, where Nash averaging ties that agent or puts it behind."""
    known = np.isfinite(scores).all()
    if not known or len(agents) < 2 or scores.shape[1] < 2:
        return ()
    most = np.array([[np.mean(one > other) for other in scores] for one in scores])
    np.fill_diagonal(most, 1.0)
    mean = scores.mean(axis=1)
    first = np.flatnonzero(mean >= mean.max() - TIED * max(1.0, abs(float(mean.max()))))
    ahead = np.flatnonzero((most > 0.5).all(axis=1))
    if len(ahead) == 0 and len(first) > 1:
        return ()
    leader = agents[int(ahead[0] if len(ahead) else first[0])]
    if top == (leader,):
        return ()
    why = "beats every other agent on most tasks" if len(ahead) else "has the highest mean score"
    others = some_of([name for name in top if name != leader])
    done = f"ties it with {others}" if leader in top else f"puts {others} first"
    return (
        f"{some_of([leader])} {why}, but Nash averaging {done}: only the tasks with weight count, the hardest ones.",
    )
