"""Bootstrap intervals for any method: resample, refit, look at the spread."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from concurrent.futures import Executor
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, get_type_hints, runtime_checkable

import numpy as np

from equipoise.core.declaration import declaration_of, method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.progress import counted
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import in_declared_units, units_with_errors
from equipoise.core.wording import Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.executors import BLOCK, blocks, in_blocks
from equipoise.inference.resampling import Data, Unit, refuse_resampling, resamples, unit_drawn

_Block = Callable[[int, np.random.Generator], list[FloatArray | EquipoiseError]]
"""Draws so many bootstrap samples and refits them."""


@runtime_checkable
class Refits(Protocol):
    """A result that can give its main estimate for other counts of the same pairs, quickly."""

    @property
    def unordered(self) -> bool:
        """Whether the two ways round of a pair are one to it."""

    def refit(self, tables: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
        """Give the main estimate of each table, or the error that stands in its way."""


@runtime_checkable
class RefitsMatches(Protocol):
    """A result that can give its main estimate for other matches of the same agents, quickly."""

    def refit_matches(self, samples: Sequence[Matches]) -> list[FloatArray | EquipoiseError]:
        """Give the main estimate of each sample, or the error that stands in its way."""


@runtime_checkable
class RefitsSamples(Protocol):
    """A result that can give what is collected of it for other samples, a block of them at a time."""

    def refit_samples(self, samples: Sequence[Data]) -> list[FloatArray | EquipoiseError]:
        """Give the estimate of each sample, or the error that stands in its way."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Bootstrap(Result):
    """An estimate with the replicates it got from resampled data.

    Attributes
    ----------
    estimate
        From the data themselves.
    replicates
        One row per resample that could be estimated.
    stderr, low, high
        Spread of the replicates, and their percentile interval.
    unit
        In which ``frame`` shows the estimate, where its method declares one.
    """

    main: ClassVar[str] = "estimate"

    agents: tuple[str, ...]
    statistic: str
    estimate: FloatArray
    replicates: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    interval: Interval
    unit: str | None = None

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the method
        """Units of the estimate, its interval and its standard error."""
        return {} if self.unit is None else units_with_errors(self.statistic, self.unit)

    def frame(self) -> "pl.DataFrame":
        """Give estimates with intervals, largest first; ratings in Elo points."""
        columns = {name: getattr(self, name) for name in ("stderr", "low", "high")}
        table = pl.DataFrame({"agent": list(self.agents), self.statistic: self.estimate} | columns)
        return in_declared_units(table, self.units).sort(self.statistic, descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the interval's kind and the number of replicates."""
        return {"interval": self.interval, "replicates": len(self.replicates)}


@method(
    takes=("matches", "pairs", "scores"),
    answers="How much would the answer of any method move with other data like these?",
    reference="Efron and Tibshirani (1993)",
    checks={"n": whole(2)},
    resampled="it is a bootstrap already",
    renamed={"resample": "over"},
    synonyms={"unit": "over"},
)
def bootstrap(
    method: Callable[..., Any],
    data: Data,
    *,
    n: int = 1000,
    over: Unit | None = None,
    statistic: str | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> Bootstrap:
    """How much would the answer move with other data like these?

    Parameters
    ----------
    method
        Any method of the package, or a function of the data that gives a result with per-agent arrays.
    data
        Matches, pair counts or scores.
    n
        Number of bootstrap samples.
    over
        What is drawn with replacement: ``matches`` or whole ``clusters`` of them; of scores ``tasks`` (what other
        suites would say) or, where agents tried tasks repeatedly, each cell's ``runs`` (what other runs would say).
        By default matches, or tasks of scores.
    statistic
        Name of the result's array to collect; its main estimate if not given.
    level
        Of the percentile interval.
    rng
        Seed or generator.
    progress
        Called with the number of replicates done.
    executor
        Who does the refits: any ``concurrent.futures.Executor`` (a process pool, Dask's ``client.get_executor()``,
        mpi4py's, :class:`RayExecutor`); this process if not given. The answer is the same.

    Fails when
        the method gives no estimate for each agent, the unit does not fit the data, or more than half of the bootstrap
        samples cannot be estimated.

    Notes
    -----
    A method that takes a :class:`PairTable` is given resampled pair counts, which is the same as resampling rows
    and does not depend on how many there are. Methods in which order counts get resampled rows in their order.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap.
    """
    name = _name(method)
    _refuse_undefined(method, name)
    unit = unit_drawn(data, over)
    counts = _takes_pairs(method, data)
    refuse_resampling(data, unit, counts=counts)
    point = method(data)
    main = getattr(point, "main", "rating")
    collected = statistic or main
    declared = declaration_of(_function(method)) is not None
    statistics = _Statistic(collected, declared)
    estimate = _estimate(point, statistics, name, asked=statistic is not None)
    task: _Block
    size = BLOCK
    if counts and collected == main and isinstance(point, Refits):
        draw = resamples(data, unit, counts=True, unordered=point.unordered)
        task, size = partial(_block, draw, point.refit), min(BLOCK, _batch(point))
    elif declared and isinstance(data, Matches) and collected == main and isinstance(point, RefitsMatches):
        task = partial(_block, resamples(data, unit, counts=counts), point.refit_matches)
    else:
        by_sample = partial(_answers, method, tuple(point.agents), statistics)
        again = point.refit_samples if isinstance(point, RefitsSamples) else by_sample
        task = partial(_block, resamples(data, unit, counts=counts), again)
    sizes = blocks(n, size)
    answers = in_blocks(task, sizes, generator(rng), executor)
    rows, failed = _replicates(counted(answers, "bootstrap samples", sizes), n, progress)
    low, high = percentile_interval(rows, level, estimate)
    return Bootstrap(
        agents=point.agents, statistic=collected, estimate=frozen(estimate), replicates=frozen(rows),
        stderr=frozen(rows.std(axis=0, ddof=1)), low=frozen(low), high=frozen(high),
        interval=Interval(f"percentile bootstrap over {unit}", level),
        unit=getattr(point, "units", {}).get(collected),
        params=frozen_params(method=name, n=n, over=unit, level=level),
        diagnostics=(*getattr(point, "diagnostics", ()), *failed),
    )  # fmt: skip


def _name(method: Callable[..., Any]) -> str:
    return str(getattr(_function(method), "__name__", method))


def _refuse_undefined(method: Callable[..., Any], name: str) -> None:
    """Refuse what is no method, and methods that say of themselves why no bootstrap collects their answer."""
    if not callable(method):
        raise ParameterError(Option("method"), f" is a function of the data, not a {type(method).__name__}")
    declared = declaration_of(_function(method))
    if declared is not None and declared.resampled is not True:
        why = f": {declared.resampled}" if declared.resampled else ""
        raise ParameterError(f"{name} cannot be bootstrapped{why}")
    options = method.keywords if isinstance(method, partial) else {}
    columns = [option for option in (declared.by_match if declared else ()) if isinstance(options.get(option), Mapping)]
    if columns:
        raise ParameterError(
            Option(columns[0]), " are drawn with their matches: put them there with with_covariates, and give names"
        )


@dataclass(frozen=True, slots=True)
class _Statistic:
    """The array of a result that is collected: one number for each agent.

    A function of the user's own may give what it likes, such as two estimates end to end.
    """

    name: str
    for_agents: bool

    def of(self, result: Any) -> FloatArray | None:
        agents = getattr(result, "agents", None)
        if not isinstance(agents, Sized) or not isinstance(self.name, str):
            return None
        value = getattr(result, self.name, None)
        try:
            estimate = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return None
        if self.for_agents:
            return estimate if estimate.shape == (len(agents),) else None
        return None if value is None else estimate


def _estimate(result: Any, statistic: _Statistic, name: str, *, asked: bool) -> FloatArray:
    """Give the estimate from the data themselves, or say that the result has none of this name."""
    estimate = statistic.of(result)
    if estimate is not None:
        return estimate
    names = [field.name for field in fields(result)] if is_dataclass(result) else []
    there = [each for each in names if _Statistic(each, for_agents=True).of(result) is not None]
    listed = f"; there are: {', '.join(there)}" if there else ""
    if asked:
        near = did_you_mean(str(statistic.name), there)
        raise ParameterError(
            Option("statistic"), f' "{statistic.name}" is no estimate that {name} gives for each agent{near}{listed}'
        )
    raise DataError(f"{name} cannot be bootstrapped: it gives no main estimate for each agent{listed}")


def percentile_interval(
    replicates: FloatArray, level: float, estimate: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Give the middle ``level`` of the replicates, column by column, and whatever lies between it and the estimate.

    The k-th of n replicates stands for a share of k / (n + 1): with other rules 200 replicates make intervals a
    twenty-fifth too narrow. Replicates of an estimate at the edge of what is possible all lie to one side of it; it is
    none the less what the data say, and belongs to its interval.
    """
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    return (low, high) if estimate is None else (np.fmin(low, estimate), np.fmax(high, estimate))


def _block(
    draw: Callable[[int, np.random.Generator], Sequence[Any]],
    fit: Callable[[Sequence[Any]], list[FloatArray | EquipoiseError]],
    size: int,
    rng: np.random.Generator,
) -> list[FloatArray | EquipoiseError]:
    """Draw a block of samples and refit them: two calls, however many samples there are."""
    return fit(draw(size, rng))


def _replicates(
    answered: Iterable[list[FloatArray | EquipoiseError]], n: int, progress: Callable[[int], None] | None
) -> tuple[FloatArray, tuple[Diagnostic, ...]]:
    answers: list[FloatArray | EquipoiseError] = []
    for block in answered:
        answers += block
        if progress is not None:
            progress(len(answers))
    failures = [answer for answer in answers if isinstance(answer, EquipoiseError)]
    rows = [answer for answer in answers if not isinstance(answer, EquipoiseError)]
    if len(failures) > n / 2:
        raise DataError(
            f"{len(failures)} of {n} bootstrap samples cannot be estimated ({failures[0]}); too few data for that"
        )
    if not failures:
        return np.array(rows), ()
    message = (
        f"{len(failures)} of {n} bootstrap samples could not be estimated and were left out; the first: {failures[0]}"
    )
    return np.array(rows), (warning("failed-replicates", message),)


def _batch(point: Any) -> int:
    """How many bootstrap samples at most are refitted together: all pairs of them in about 40 MB."""
    return max(1, int(5e6 / max(len(point.agents), 2) ** 2))


def _answers(
    method: Callable[..., Any], agents: tuple[str, ...], statistic: _Statistic, samples: Sequence[Data]
) -> list[FloatArray | EquipoiseError]:
    return [_answer(method, agents, statistic, sample) for sample in samples]


def _answer(
    method: Callable[..., Any], agents: tuple[str, ...], statistic: _Statistic, sample: Data
) -> FloatArray | EquipoiseError:
    try:
        result = method(sample)
    except EquipoiseError as error:
        return error
    estimate = statistic.of(result)
    if estimate is None or tuple(result.agents) != agents:
        return DataError("other agents remain in the resample than in the data")
    return estimate


def _takes_pairs(method: Callable[..., Any], data: Data) -> bool:
    """Tell from its declaration, or else from its first annotation; without either it gets what it was given."""
    declared = declaration_of(_function(method))
    if declared is not None:
        options = method.keywords if isinstance(method, partial) else {}
        alone = any(options.get(name) is not None for name in declared.by_match)
        return "pairs" in declared.takes and not declared.order_matters and not alone
    try:
        hints = get_type_hints(_function(method))
    except (TypeError, NameError):
        hints = {}
    hints.pop("return", None)
    first = next(iter(hints.values()), type(data))
    return PairTable in getattr(first, "__args__", (first,))


def _function(method: Callable[..., Any]) -> Callable[..., Any]:
    return method.func if isinstance(method, partial) else method
