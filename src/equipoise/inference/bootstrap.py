"""Bootstrap intervals for any method: resample, refit, look at the spread."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_type_hints, runtime_checkable

import numpy as np

from equipoise.data.matches import Matches
from equipoise.data.pairs import PairTable
from equipoise.data.scores import Scores
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import DataError, EquipoiseError, ParameterError
from equipoise.results import FloatArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Bootstrap", "Unit", "bootstrap", "percentile_interval"]

Unit = Literal["match", "group", "task"]
Data = Matches | PairTable | Scores


@runtime_checkable
class Refits(Protocol):
    """A result that can give its main estimate for other counts of the same pairs, quickly."""

    def refit(self, tables: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
        """Give the main estimate of each table, or the error that stands in its way."""


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

    def frame(self) -> "pl.DataFrame":
        """Give estimates with intervals, largest first."""
        import polars as pl

        columns = {name: getattr(self, name) for name in ("stderr", "low", "high")}
        table = pl.DataFrame({"agent": list(self.agents), self.statistic: self.estimate} | columns)
        return table.sort(self.statistic, descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the interval's kind and the number of replicates."""
        return {"interval": self.interval, "replicates": len(self.replicates)}


@method(
    takes=("matches", "pairs", "scores"),
    answers="How much would the answer of any method move with other data like these?",
    reference="Efron and Tibshirani (1993)",
)
def bootstrap(
    method: Callable[..., Any],
    data: Data,
    *,
    n: int = 1000,
    unit: Unit = "match",
    statistic: str | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[int], None] | None = None,
) -> Bootstrap:
    """How much would the answer move with other data like these?

    Parameters
    ----------
    method
        Any method of the package, or a function of the data that gives a result with per-agent arrays.
    data
        Matches, pair counts or scores.
    n
        Number of resamples.
    unit
        What is drawn with replacement: single matches, whole groups of them, or tasks.
    statistic
        Name of the result's array to collect; its main estimate if not given.
    level
        Of the percentile interval.
    rng
        Seed or generator.
    progress
        Called with the number of replicates done.

    Fails when
        the unit does not fit the data, or more than half of the resamples cannot be estimated.

    Notes
    -----
    A method that takes a :class:`PairTable` is given resampled pair counts, which is the same as resampling rows
    and does not depend on how many there are. Methods in which order counts get resampled rows in their order.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap.
    """
    if n < 2 or not 0 < level < 1:
        raise ParameterError(f"n is at least 2 and level between 0 and 1, not {n} and {level}")
    generator = np.random.default_rng(rng)
    resamples = _resamples(method, data, unit, generator)
    point = method(data)
    name = str(statistic or getattr(point, "main", "rating"))
    estimate = np.asarray(getattr(point, name), dtype=np.float64)
    quick = isinstance(point, Refits) and name == getattr(point, "main", "") and _takes_pairs(method, data)
    rows, failed = _replicate(method, point, resamples, name, n, quick, progress)
    low, high = percentile_interval(rows, level)
    return Bootstrap(
        agents=point.agents, statistic=name, estimate=frozen(estimate), replicates=frozen(rows),
        stderr=frozen(rows.std(axis=0, ddof=1)), low=frozen(low), high=frozen(high),
        interval=Interval(f"percentile bootstrap over {_plural(unit)}", level),
        params=frozen_params(method=getattr(method, "__name__", str(method)), n=n, unit=unit, level=level),
        diagnostics=(*getattr(point, "diagnostics", ()), *failed),
    )  # fmt: skip


def percentile_interval(replicates: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Give the middle ``level`` of the replicates, column by column.

    The k-th of n replicates stands for a share of k / (n + 1): with other rules 200 replicates make intervals a
    twenty-fifth too narrow.
    """
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    return low, high


def _plural(unit: str) -> str:
    return {"match": "matches"}.get(unit, f"{unit}s")


def _replicate(
    method: Callable[..., Any],
    point: Any,
    resamples: Iterator[Data],
    name: str,
    n: int,
    quick: bool,
    progress: Callable[[int], None] | None,
) -> tuple[FloatArray, tuple[Diagnostic, ...]]:
    answers: list[FloatArray | EquipoiseError] = []
    while len(answers) < n:
        samples = list(islice(resamples, min(_batch(point, quick), n - len(answers))))
        answers += point.refit(samples) if quick else [_answer(method, sample, name) for sample in samples]
        if progress is not None:
            progress(len(answers))
    failures = [answer for answer in answers if isinstance(answer, EquipoiseError)]
    rows = [answer for answer in answers if not isinstance(answer, EquipoiseError)]
    if len(failures) > n / 2:
        raise DataError(
            f"{len(failures)} of {n} resamples cannot be estimated ({failures[0]}); too few data for a bootstrap"
        )
    if not failures:
        return np.array(rows), ()
    message = f"{len(failures)} of {n} resamples could not be estimated and were left out; the first: {failures[0]}"
    return np.array(rows), (warning("failed-replicates", message),)


def _batch(point: Any, quick: bool) -> int:
    """How many resamples are refitted together: all pairs of them in about 40 MB."""
    return max(1, int(5e6 / max(len(point.agents), 2) ** 2)) if quick else 1


def _answer(method: Callable[..., Any], sample: Data, name: str) -> FloatArray | EquipoiseError:
    try:
        return np.asarray(getattr(method(sample), name), dtype=np.float64)
    except EquipoiseError as error:
        return error


def _resamples(method: Callable[..., Any], data: Data, unit: Unit, rng: np.random.Generator) -> Iterator[Data]:
    if isinstance(data, Scores):
        if unit != "task":
            raise ParameterError(f'scores are resampled by unit="task", not "{unit}"')
        return _by_task(data, rng)
    if unit not in ("match", "group"):
        raise ParameterError(f'matches are resampled by unit="match" or "group", not "{unit}"')
    if not _takes_pairs(method, data):
        if isinstance(data, PairTable):
            raise DataError("this method needs matches, not pair counts")
        return _rows(data, unit, rng)
    table = data.pairs(by_group=unit == "group") if isinstance(data, Matches) else data
    if not table.counted:
        raise DataError("a table of probabilities without games cannot be resampled; give games=")
    return _by_group(table, rng) if unit == "group" else _by_match(table, rng)


def _takes_pairs(method: Callable[..., Any], data: Data) -> bool:
    """Tell from its first parameter's annotation; a function without annotations gets what it was given."""
    hints = get_type_hints(method)
    hints.pop("return", None)
    first = next(iter(hints.values()), type(data))
    return PairTable in getattr(first, "__args__", (first,))


def _by_match(table: PairTable, rng: np.random.Generator) -> Iterator[PairTable]:
    counts = np.concatenate([table.wins, table.losses, table.ties])
    total = counts.sum()
    games = max(round(float(total)), 1)
    seen = np.flatnonzero(counts)
    while True:
        drawn = np.zeros(len(counts))
        drawn[seen] = rng.multinomial(games, counts[seen] / total) * (total / games)
        yield table.with_counts(*np.split(drawn, 3))


def _by_group(table: PairTable, rng: np.random.Generator) -> Iterator[PairTable]:
    if table.group is None:
        raise DataError('unit="group" needs matches with a group; name its column with group=')
    groups = len(table.group.labels)
    while True:
        often = rng.multinomial(groups, np.full(groups, 1 / groups))[table.group.codes].astype(float)
        yield table.with_counts(table.wins * often, table.losses * often, table.ties * often)


def _rows(matches: Matches, unit: Unit, rng: np.random.Generator) -> Iterator[Matches]:
    ordered = matches.order()
    while True:
        if unit == "match":
            yield matches.take(ordered[np.sort(rng.integers(len(matches), size=len(matches)))])
            continue
        if matches.group is None:
            raise DataError('unit="group" needs matches with a group; name its column with group=')
        groups = len(matches.group.labels)
        often = rng.multinomial(groups, np.full(groups, 1 / groups))[matches.group.codes]
        yield matches.take(np.repeat(ordered, often[ordered]))


def _by_task(scores: Scores, rng: np.random.Generator) -> Iterator[Scores]:
    tasks = len(scores.tasks)
    while True:
        drawn = np.sort(rng.integers(tasks, size=tasks))
        sample = scores.take(tasks=drawn)
        # The same task drawn twice is two tasks to the method: names must stay unique.
        names = tuple(f"{name} #{k}" for k, name in enumerate(sample.tasks))
        yield Scores(sample.agents, names, sample.values, sample.repeats, sample.trials, sample.diagnostics)
