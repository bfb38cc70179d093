"""Letters for groups that are statistically tied."""

import numpy as np
import numpy.typing as npt

from equipoise.results import FloatArray

__all__ = ["letters"]


def letters(estimate: FloatArray, differ: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """Give each agent letters such that two agents share one exactly if they do not differ; ``a`` is the best group.

    One starts with a single group and splits every group that holds a pair that differs; groups inside others go.

    >>> letters(np.array([3.0, 2.0, 1.0]), np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ('a', 'ab', 'b')
    """
    groups = [frozenset(range(len(estimate)))]
    for i, j in np.argwhere(np.triu(differ)):
        split = [part for group in groups for part in _apart(group, int(i), int(j))]
        unique = list(dict.fromkeys(split))
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=lambda group: sorted(-estimate[i] for i in group))
    names = [_name(k) for k in range(len(groups))]
    return tuple(
        "".join(name for name, group in zip(names, groups, strict=True) if i in group) for i in range(len(estimate))
    )


def _apart(group: frozenset[int], i: int, j: int) -> list[frozenset[int]]:
    return [group - {i}, group - {j}] if i in group and j in group else [group]


def _name(k: int) -> str:
    """A letter for the first 26 groups; then a letter with a number."""
    letter = chr(ord("a") + k % 26)
    return letter if k < 26 else f"{letter}{k // 26}"
