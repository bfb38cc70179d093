"""What the tasks of a benchmark have in common: redundant ones, and latent skills beyond averages."""

from dataclasses import dataclass

import numpy as np

from equipoise.core.results import FloatArray, frozen
from equipoise.inference.pass_fail import is_pass_fail, rasch_null
from equipoise.inference.threads import one_thread

BLOCK = 1024  # tasks compared together
NAMED = 3  # agents and tasks named at each end of a skill
SHUFFLES, SHUFFLED = 99, 1_000_000_000  # shuffled tables, and what their correlations may cost


@dataclass(frozen=True, slots=True)
class Redundancy:
    """``other`` repeats ``one``, which stands before it: their scores correlate over the agents."""

    one: str
    other: str
    correlation: float


def redundant_pairs(tasks: tuple[str, ...], values: FloatArray, similarity: float) -> tuple[Redundancy, ...]:
    """For each task the earlier task it is most like, where the correlation reaches ``similarity``.

    Two agents correlate any two tasks perfectly, so that nothing is said about fewer than three.
    """
    if len(values) < 3:
        return ()
    unit = values - values.mean(axis=0)
    unit = unit / np.linalg.norm(unit, axis=0)
    pairs = []
    for start in range(0, len(tasks), BLOCK):
        alike = unit[:, start : start + BLOCK].T @ unit
        for k, row in enumerate(alike):
            j = start + k
            if j and row[:j].max() >= similarity - 1e-12:
                i = int(row[:j].argmax())
                pairs.append(Redundancy(tasks[i], tasks[j], float(min(row[i], 1.0))))
    return tuple(pairs)


def redundant_by_chance(values: FloatArray, similarity: float, rng: np.random.Generator) -> tuple[float, int] | None:
    """How many tasks would repeat another by chance: the mean, and what is exceeded in 5% of tables drawn.

    Of a pass/fail table these have the same margins (Rasch); of other scores each task's are shuffled over the agents.
    None where that takes too long.
    """
    if is_pass_fail(values):
        null = rasch_null(values, rng)
        counts = None if null is None else null.repeated
    else:
        draws = min(SHUFFLES, SHUFFLED // (values.shape[0] * values.shape[1] ** 2))
        names = ("",) * values.shape[1]
        shuffled = (rng.permuted(values, axis=0) for _ in range(draws))
        counts = (
            np.array([len(redundant_pairs(names, table, similarity)) for table in shuffled]) if draws > 19 else None
        )
    return None if counts is None else (float(counts.mean()), int(np.quantile(counts, 0.95, method="higher")))


@dataclass(frozen=True, slots=True, eq=False)
class LatentSkills:
    """Latent skills, strongest first.

    Attributes
    ----------
    average_share
        Of the differences between agents, the share that their mean scores explain.
    share
        Of the rest, what each latent skill explains.
    agents, tasks
        Loadings, agents x skills and tasks x skills: an agent does better than averages say on tasks of its own sign.
    ends
        For each skill: the tasks and the agents at either end, by name.
    """

    average_share: float
    share: FloatArray
    agents: FloatArray
    tasks: FloatArray
    ends: tuple[dict[str, tuple[str, ...]], ...]

    def to_dict(self) -> dict[str, object]:
        """Give the shares and the names at the ends of each skill."""
        skills = [{"share": float(share), **ends} for share, ends in zip(self.share, self.ends, strict=True)]
        return {"average_share": self.average_share, "skills": skills}


def latent_skills(agents: tuple[str, ...], tasks: tuple[str, ...], values: FloatArray, count: int = 3) -> LatentSkills:
    """Singular value decomposition of the doubly centred scores (proposition 2 of Balduzzi et al. 2018)."""
    of_agents = values.mean(axis=1, keepdims=True) - values.mean()
    rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    with one_thread(min(rest.shape)):
        left, strength, right = np.linalg.svd(rest, full_matrices=False)
    explained, left_over = float((of_agents**2).sum()) * values.shape[1], float((strength**2).sum())
    strong = min(count, int((strength > 1e-9 * max(float(np.abs(values).max()), 1e-300)).sum()))
    loads, weights = left[:, :strong] * np.sqrt(strength[:strong]), right[:strong].T * np.sqrt(strength[:strong])
    # The sign of a skill means nothing: let its heaviest task be positive.
    sign = np.array([1.0 if weights[np.abs(weights[:, k]).argmax(), k] >= 0 else -1.0 for k in range(strong)])
    loads, weights = loads * sign, weights * sign
    ends = tuple(_ends(agents, tasks, loads[:, k], weights[:, k]) for k in range(strong))
    total = explained + left_over
    return LatentSkills(
        average_share=explained / total if total > 0 else float("nan"),
        share=frozen(strength[:strong] ** 2 / left_over if left_over > 0 else strength[:strong]),
        agents=frozen(loads),
        tasks=frozen(weights),
        ends=ends,
    )


def _ends(
    agents: tuple[str, ...], tasks: tuple[str, ...], loads: FloatArray, weights: FloatArray
) -> dict[str, tuple[str, ...]]:
    return {
        "tasks_high": _names(tasks, weights),
        "tasks_low": _names(tasks, -weights),
        "agents_high": _names(agents, loads),
        "agents_low": _names(agents, -loads),
    }


def _names(names: tuple[str, ...], weight: FloatArray) -> tuple[str, ...]:
    best = np.argsort(-weight, kind="stable")[:NAMED]
    return tuple(names[i] for i in best if weight[i] > 0)
