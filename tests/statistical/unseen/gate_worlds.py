"""Base and new agent on tasks that could have been others; the new one loses exactly the margin on average."""

import numpy as np

MARGIN = 0.05
FAMILIES = (
    "graded by flaky judges", "a few broken tasks", "rewards with heavy tails", "passages of five questions",
    "answers that time out", "refusals", "answers cut short",
)  # fmt: skip
"""The rule failed in the second (12% wrong of 15 tasks), the fifth (23%) and the sixth (6.5%) and was mended:
the last one was written after that.
"""


def pair(rng, family, tasks):
    """Scores of both agents, and the group of each task (None where each stands for itself)."""
    groups = None
    if family == "graded by flaky judges":
        ability = rng.beta(1.5, 1.0, size=tasks) * (1.0 - MARGIN) + MARGIN
        grades = [np.round(np.clip(rng.binomial(4, p), 0, 4)) / 4.0 for p in (ability, ability - MARGIN)]
        flipped = [rng.random(tasks) < 0.1 for _ in grades]
        # A judge that errs gives any grade: the difference shrinks to nine tenths.
        base, new = (np.where(f, rng.integers(0, 5, tasks) / 4.0, g) for f, g in zip(flipped, grades, strict=True))
    elif family == "a few broken tasks":
        # One task in eight loses half of what it had; all others gain a little: -0.0625 + 0.0125 = -0.05.
        base = rng.uniform(0.5, 1.0, size=tasks)
        broken = rng.random(tasks) < 0.125
        new = base + np.where(broken, -0.5, 0.0125 / 0.875)
    elif family == "rewards with heavy tails":
        skill = rng.pareto(3.5, size=tasks)
        base = skill * rng.gamma(4.0, 0.25, size=tasks)
        new = skill * rng.gamma(4.0, 0.25, size=tasks) - MARGIN
    elif family == "answers that time out":
        # The new agent has nothing of one task in ten, and about the same of the others: -0.1 of a half.
        base = rng.beta(2.0, 2.0, size=tasks)
        new = np.where(rng.random(tasks) < 0.1, 0.0, np.clip(base + rng.normal(0.0, 0.02, size=tasks), 0.0, 1.0))
    elif family == "refusals":
        # Marks of 0 to 10: the new agent refuses one task in twelve, and is a mark off on every third of the others.
        base = rng.integers(4, 11, size=tasks) / 10.0
        off = np.where(rng.random(tasks) < 1 / 3, rng.choice([-0.1, 0.1], size=tasks), 0.0)
        new = np.where(rng.random(tasks) < 1 / 12, 0.0, base + off)
    elif family == "answers cut short":
        # One answer in five is cut, and is worth between nothing and all of what it was: half of a half, on average.
        base = rng.beta(3.0, 3.0, size=tasks)
        new = np.where(rng.random(tasks) < 0.2, base * rng.random(tasks), base)
    else:
        groups = np.arange(tasks) // 5
        shared = rng.normal(0.0, 0.15, size=groups.max() + 1)[groups]
        base = rng.uniform(0.3, 0.7, size=tasks)
        new = base - MARGIN + shared + rng.normal(0.0, 0.1, size=tasks)
    return np.stack([base, new]), groups


def truth(family):
    """The mean difference over all tasks that there could be."""
    return {"graded by flaky judges": -0.9 * MARGIN, "refusals": -0.7 / 12}.get(family, -MARGIN)
