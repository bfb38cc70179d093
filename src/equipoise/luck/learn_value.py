"""Learn a value function from hands (MIVAT): the features of luck that explain most of the variance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.errors import DataError, ParameterError
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Option, counted
from equipoise.luck.advantage_sum import check_zero_luck
from equipoise.luck.arrays import Labels, column, group_codes, matrix, numbers, same_length
from equipoise.luck.control_variates import ARRAYS, FOLDS, ControlVariates, unchecked


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LearnedValue(Result):
    """A linear value function and what it gives on the hands it was learnt from.

    Attributes
    ----------
    features
        Names of the features.
    weights
        ``V(h) = weights . phi(h)``.
    estimate
        The cross-fitted adjusted mean of the training hands, which is unbiased.
    """

    rows_name: ClassVar[str] = "features"
    main: ClassVar[str] = "weights"

    features: tuple[str, ...]
    weights: FloatArray
    estimate: ControlVariates

    def luck(self, features: npt.ArrayLike) -> FloatArray:
        """Give the luck in new hands, from their luck features.

        Subtracted from utilities (``advantage_sum`` with coefficient -1) it leaves them unbiased on hands
        that took no part in the learning.
        """
        table = numbers(features, "luck features")
        if table.shape[-1:] != self.weights.shape:
            raise DataError(f"luck features have shape {table.shape}, but {len(self.weights)} features were learnt")
        return np.asarray(table @ self.weights)

    def frame(self) -> "pl.DataFrame":
        """Give one row for each feature, the largest weight first."""
        table = pl.DataFrame({"feature": list(self.features), "weight": self.weights})
        return table.sort(pl.col("weight").abs(), descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the estimate on the training hands."""
        return {"estimate": self.estimate.frame().row(0, named=True)}

    @property
    def answer(self) -> tuple[str, ...]:
        """How much of the noise the features explain, and which of them has the largest weight."""
        largest = int(np.argmax(np.abs(self.weights)))
        features = counted(len(self.features), "feature")
        cut = f"{features} of luck cut the standard error by {self.estimate.reduction:.0f}%"
        return (
            f"{cut}; the largest weight, {self.weights[largest]:.3g}, is that of {self.features[largest]}.",
            *self.estimate.answer,
        )


@method(
    takes="array",
    answers="Which features of luck explain most of what was won?",
    reference="White and Bowling (2009)",
    checks={"folds": FOLDS},
    resampled=ARRAYS,
)
def learn_value(
    features: npt.ArrayLike,
    utility: npt.ArrayLike,
    *,
    names: Sequence[str] | None = None,
    deal: Labels | None = None,
    folds: int = 10,
    level: float = 0.95,
) -> LearnedValue:
    """Learn the linear value function that leaves the least variance.

    With ``F`` the luck of the features in a hand, the sum over chance nodes of ``phi(ha) - E[phi(h.)]`` (see
    ``luck_terms``), the weights minimise the variance of ``utility - weights . F``: control variates with several
    controls, whose means are zero by construction.

    Parameters
    ----------
    features
        The luck features (hands x features).
    utility
        What was won in each hand.
    names
        Names of the features.
    deal
        Hands with the same value are one cluster.
    folds
        Folds of the cross-fitted estimate on these hands.
    level
        Level of its interval.

    Fails when
        shapes disagree, values are missing, a feature does not vary, or there are too few hands.

    References
    ----------
    M. White and M. Bowling (2009), Learning a value analysis tool for agent evaluation.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> luck = rng.normal(size=(200, 2))
    >>> learnt = learn_value(luck, 0.3 + luck @ [2.0, -1.0] + 0.1 * rng.normal(size=200))
    >>> learnt.weights.round(1).tolist()
    [2.0, -1.0]
    """
    table, won = matrix(features, "features"), column(utility, "utility")
    same_length(won, table, "rows of features")
    labels = _feature_names(names, table.shape[1])
    codes = group_codes(deal, len(won), "deal")
    fit = unchecked(won, table, cluster=codes, level=level)
    estimate = unchecked(won, table, coefficient="cross-fitted", folds=folds, cluster=codes, level=level)
    notes = check_zero_luck(table, codes)
    return LearnedValue(
        features=labels,
        weights=frozen(-np.asarray(fit.coefficient)),
        estimate=replace(estimate, diagnostics=(*estimate.diagnostics, *notes)),
        params=frozen_params(folds=folds, level=level),
        diagnostics=(*fit.diagnostics, *notes),
    )


def _feature_names(names: Sequence[str] | None, k: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"feature {index + 1}" for index in range(k))
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError(Option("names"), f" is a list with a name for each feature, not {names!r}")
    labels = tuple(str(name) for name in names)
    if len(labels) != k:
        raise ParameterError(Option("names"), f": {len(labels)} names for {k} features; give one each")
    return labels
