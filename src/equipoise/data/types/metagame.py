"""MetaGame: payoffs of strategies against each other, one tensor a population."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray, frozen
from equipoise.data.encode.arrays import as_numbers
from equipoise.data.encode.labels import agent_names
from equipoise.data.types.accounts import Account, shown


@dataclass(frozen=True, slots=True, eq=False)
class MetaGame:
    """K payoff tensors of shape (n1, ..., nK), or one matrix for a single population.

    Attributes
    ----------
    strategies
        One tuple of names for each population.
    payoffs
        ``payoffs[k][s]`` is what population k gets at profile s. A single-population game has one matrix;
        ``payoffs[0][i, j]`` is what i gets against j.
    single
        True for a single population playing against itself.
    counts
        Games behind each payoff, or None.
    low, high
        Bounds on the payoffs, or None.
    account
        What became of the rows and columns of the file behind it; None where there was no table.
    """

    kind: ClassVar[str] = "metagame"

    strategies: tuple[tuple[str, ...], ...]
    payoffs: tuple[FloatArray, ...]
    single: bool = False
    counts: tuple[FloatArray, ...] | None = None
    low: tuple[FloatArray, ...] | None = None
    high: tuple[FloatArray, ...] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    account: Account | None = None

    @classmethod
    def from_payoffs(
        cls,
        payoffs: Sequence[npt.ArrayLike],
        strategies: Sequence[Iterable[object]] | None = None,
        *,
        counts: Sequence[npt.ArrayLike] | None = None,
        low: Sequence[npt.ArrayLike] | None = None,
        high: Sequence[npt.ArrayLike] | None = None,
    ) -> "MetaGame":
        """Take K tensors of shape (n1, ..., nK), one a population.

        >>> MetaGame.from_payoffs([[[1, 0], [0, 1]], [[0, 1], [1, 0]]]).shape
        (2, 2)
        """
        tensors = _tensors(payoffs, "payoffs")
        shape = tensors[0].shape
        if len(shape) != len(tensors):
            raise DataError(f"{len(tensors)} payoff tensors need {len(tensors)} axes each, not shape {shape}")
        if strategies is not None and not isinstance(strategies, Sequence):
            raise DataError(f"strategies are lists of names, one a population, not a {type(strategies).__name__}")
        if strategies is not None and len(strategies) != len(shape):
            raise DataError(f"strategies are named for {len(strategies)} populations, the game has {len(shape)}")
        given: Sequence[Iterable[object] | None] = [None] * len(shape) if strategies is None else strategies
        names = tuple(agent_names(g, n, "strategy") for g, n in zip(given, shape, strict=True))
        return cls._checked(names, tensors, False, counts, low, high)

    @classmethod
    def symmetric(
        cls,
        payoffs: npt.ArrayLike,
        strategies: Iterable[object] | None = None,
        *,
        counts: npt.ArrayLike | None = None,
        low: npt.ArrayLike | None = None,
        high: npt.ArrayLike | None = None,
    ) -> "MetaGame":
        """Take a single population's matrix; ``payoffs[i, j]`` is what i gets against j."""
        tensors = _tensors([payoffs], "payoffs")
        if tensors[0].ndim != 2 or tensors[0].shape[0] != tensors[0].shape[1]:
            raise DataError(f"a single population needs a square matrix, not shape {tensors[0].shape}")
        names = (agent_names(strategies, len(tensors[0]), "strategy"),)
        extra = [None if given is None else [given] for given in (counts, low, high)]
        return cls._checked(names, tensors, True, *extra)

    @classmethod
    def _checked(
        cls,
        names: tuple[tuple[str, ...], ...],
        payoffs: tuple[FloatArray, ...],
        symmetric: bool,
        counts: Sequence[npt.ArrayLike] | None,
        low: Sequence[npt.ArrayLike] | None,
        high: Sequence[npt.ArrayLike] | None,
    ) -> "MetaGame":
        for tensor in payoffs:
            if not np.isfinite(tensor).all():
                where = some_of(_profile(names, at, symmetric) for at in np.argwhere(~np.isfinite(tensor)))
                raise DataError(f"payoffs missing or infinite at {where}")
        extra = [
            None if g is None else _like(g, payoffs, n) for g, n in ((counts, "counts"), (low, "low"), (high, "high"))
        ]
        count, lower, upper = extra
        if count is not None and any((c < 0).any() for c in count):
            raise DataError("counts of games must be at least 0")
        if lower is not None and upper is not None:
            _check_bounds(names, lower, upper, symmetric)
        return cls(names, payoffs, symmetric, count, lower, upper)

    def __repr__(self) -> str:
        profiles = " x ".join(f"{n:,}" for n in self.shape)
        facts = [f"{len(self.shape)} population{'s' * (len(self.shape) > 1)}", f"{profiles} strategies"]
        there = {"counts": self.counts, "bounds": self.low}
        return shown("MetaGame", facts, (name for names in self.strategies for name in names), there)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of strategies of each population."""
        return tuple(len(names) for names in self.strategies)


def _tensors(values: Sequence[npt.ArrayLike], what: str) -> tuple[FloatArray, ...]:
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str):
        raise DataError(f"{what} must be a list of arrays, one a population, not a {type(values).__name__}")
    if len(values) == 0:
        raise DataError(f"no {what} given")
    tensors = tuple(frozen(as_numbers(value, what)) for value in values)
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        raise DataError(f"{what} of different shapes: {some_of(sorted(map(str, shapes)))}; give one shape for all")
    if 0 in tensors[0].shape or tensors[0].ndim == 0:
        raise DataError(f"{what} of shape {tensors[0].shape}: a population without strategies")
    return tensors


def _like(values: Sequence[npt.ArrayLike], payoffs: tuple[FloatArray, ...], what: str) -> tuple[FloatArray, ...]:
    tensors = _tensors(values, what)
    if len(tensors) != len(payoffs) or tensors[0].shape != payoffs[0].shape:
        raise DataError(f"{what} must have the shape of the payoffs, {len(payoffs)} of {payoffs[0].shape}")
    if any(np.isnan(tensor).any() for tensor in tensors):
        raise DataError(f"{what} has missing values")
    return tensors


def _check_bounds(
    names: tuple[tuple[str, ...], ...], low: tuple[FloatArray, ...], high: tuple[FloatArray, ...], symmetric: bool
) -> None:
    for lower, upper in zip(low, high, strict=True):
        crossed = np.argwhere(lower > upper)
        if len(crossed):
            raise DataError(
                f"lower bound above upper bound at {some_of(_profile(names, at, symmetric) for at in crossed)}"
            )


def _profile(names: tuple[tuple[str, ...], ...], at: npt.NDArray[np.int64], symmetric: bool) -> str:
    used = names * 2 if symmetric else names
    return "(" + ", ".join(population[int(i)] for population, i in zip(used, at, strict=True)) + ")"
