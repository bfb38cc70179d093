r"""Is one ability enough? The largest pattern that residuals of the curves share, against what chance leaves.

Residuals ``y - P`` of an item response model have no pattern left if one ability per agent explains the answers. What
errors of abilities and of items leave in them is, to first order, along ``P'`` in each row and along ``P'`` and
``theta P'`` in each column: these parts are taken out. The largest singular value of the rest is compared with that of
tables drawn from the fitted curves, treated alike.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.data.types.scores import Scores
from equipoise.items.fit import irt

ROUNDS = 6
"""Times that rows and columns are cleaned in turn."""
LEVEL = 0.05
FEW = 20
"""Agents below which only strong second dimensions are seen."""
SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class SecondDimension(Result):
    """Whether residuals share a pattern, and which items make it.

    Attributes
    ----------
    items, loading
        Items, and on which side of the pattern each stands; NaN for those that were not fitted.
    strength, expected
        Its singular value, and the mean of those of drawn tables.
    p_value
        Share of drawn tables with one as large.
    """

    rows_name: ClassVar[str] = "items"
    main: ClassVar[str] = "loading"
    in_summary: ClassVar[tuple[str, ...]] = ("strength", "expected", "p_value")

    items: tuple[str, ...]
    loading: FloatArray
    strength: float
    expected: float
    p_value: float

    def frame(self) -> "pl.DataFrame":
        """Give the items, from one side of the pattern to the other."""
        table = pl.DataFrame({"item": list(self.items), "loading": self.loading})
        return table.sort("loading", descending=True, nulls_last=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether one ability is enough, and which items say otherwise."""
        if self.p_value > LEVEL:
            return (f"One ability per agent explains these answers (p = {self.p_value:.3f}).",)
        known = self.frame().drop_nulls()["item"].to_list()
        return (
            f"One ability per agent does not explain these answers (p = {self.p_value:.3f}): agents that are better"
            f" than their ability on {some_of(known[:SHOWN])} are worse on {some_of(known[: -SHOWN - 1 : -1])}.",
        )


@method(
    takes="scores",
    answers="Is one ability per agent enough, or do answers need a second dimension?",
    reference="Yen (1984)",
    checks={"n": whole(19)},
    resampled="it is a test, with a null distribution of its own",
)
def second_dimension(
    data: Scores, *, threshold: float | None = None, n: int = 199, rng: int | np.random.Generator = 0
) -> SecondDimension:
    r"""Is one ability per agent enough, or do answers need a second dimension?

    Parameters
    ----------
    data
        Right or wrong answers, or scores with a threshold.
    threshold
        Scores of at least this are successes.
    n
        Tables that are drawn.
    rng
        Seed or generator.

    Returns
    -------
    SecondDimension
        A p-value, and the items by the side of the pattern on which they stand.

    Fails when
        :func:`irt` fails, or answers are counts of several trials. It tells that something else than one ability is in
        the answers, such as a second skill or items that repeat each other, and not what; few agents show only strong
        patterns.

    References
    ----------
    Yen (1984), Effects of local item dependence on the fit and equating performance of the three-parameter logistic
    model: residuals that go together.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.methods.second_dimension(eq.load("lsat"), n=99).p_value > 0.05
    True
    """
    if data.trials is not None or data.repeats is not None:
        raise DataError("answers are counts of trials or several runs: a second dimension is asked of single answers")
    chance = generator(rng)
    fit = irt(data, threshold=threshold, rng=chance)
    agents, items = (np.isfinite(part) for part in (fit.ability, fit.discrimination + fit.difficulty))
    part = np.ix_(agents, items)
    values = data.values[part]
    answers = np.where(np.isnan(values), np.nan, values >= (0.5 if threshold is None else threshold))
    slope, low = fit.discrimination[items], fit.guessing[items]
    theta = fit.ability[agents, None]
    rise = scipy.special.expit(slope * (theta - fit.difficulty[items]))
    curve, turn = low + (1 - low) * rise, (1 - low) * slope * rise * (1 - rise)
    seen = ~np.isnan(answers)
    _, size, direction = np.linalg.svd(_cleaned(np.where(seen, answers - curve, 0.0), turn, theta), full_matrices=False)
    drawn = np.array([
        np.linalg.norm(_cleaned(seen * ((chance.random(curve.shape) < curve) - curve), turn, theta), 2)
        for _ in range(n)
    ])  # fmt: skip
    loading = np.full(len(data.tasks), np.nan)
    loading[items] = direction[0] * np.sign(direction[0][np.abs(direction[0]).argmax()])
    return SecondDimension(
        items=data.tasks, loading=frozen(loading), strength=float(size[0]), expected=float(drawn.mean()),
        p_value=float((1 + (drawn >= size[0]).sum()) / (n + 1)), fit=fit.fit,
        diagnostics=(*fit.diagnostics, *_notes(int(agents.sum()))),
        params=frozen_params(threshold=threshold, n=n),
    )  # fmt: skip


def _notes(agents: int) -> tuple[Diagnostic, ...]:
    if agents >= FEW:
        return ()
    return (info("few-agents", f"{agents} agents show only strong second dimensions."),)


def _cleaned(residual: FloatArray, turn: FloatArray, theta: FloatArray) -> FloatArray:
    """Take out what errors of abilities leave in rows, and those of items in columns."""
    rows = turn / np.maximum(np.linalg.norm(turn, axis=1, keepdims=True), 1e-300)
    first = turn / np.maximum(np.linalg.norm(turn, axis=0), 1e-300)
    second = turn * theta
    second = second - first * (first * second).sum(axis=0)
    second = second / np.maximum(np.linalg.norm(second, axis=0), 1e-300)
    for _ in range(ROUNDS):
        residual = residual - rows * (rows * residual).sum(axis=1, keepdims=True)
        for column in (first, second):
            residual = residual - column * (column * residual).sum(axis=0)
    return residual
