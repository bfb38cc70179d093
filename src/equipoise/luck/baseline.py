"""Baseline control variates: compare agents with a control agent's self-play on the same deals and seats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.core.declaration import DATA_WORDS, method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.options import check
from equipoise.core.results import FloatArray, Interval, frozen, frozen_params
from equipoise.core.wording import Advice, Option, counted
from equipoise.data.types.episodes import Episodes
from equipoise.luck.adjusted_mean import rank, totals
from equipoise.luck.arrays import one_each
from equipoise.luck.control_variates import (
    COEFFICIENT,
    FOLDS,
    Coefficient,
    adjust,
    cancelling_controls,
    redundant_controls,
)
from equipoise.luck.controls import (
    Control,
    ControlExpectation,
    check_known,
    check_means,
    control_names,
    expectation,
    find_controls,
    unbalanced_hands,
)
from equipoise.luck.curvature import MOST_CLUSTERS, allowing_for_curves
from equipoise.luck.long_tables import clusters_of, means_of, rows_of, spreads_of
from equipoise.luck.luck_table import (
    LuckRow,
    LuckTable,
    check_clusters,
    columns_of,
    curved,
    deviation,
    estimate_of,
    row_of,
    skewed,
    without_variance,
)
from equipoise.luck.seating import LONG, By, Codes, Units, between_agents, hand_codes, units


@method(
    takes="episodes",
    answers="What do agents win, compared with a control agent's self-play on the same deals and seats?",
    reference="Davidson, Archibald and Bowling (2013)",
    checks={"folds": FOLDS},
    resampled="its interval comes from the spread between deals",
)
def baseline(
    data: Episodes,
    *,
    control: str | Sequence[str],
    by: By = "agent",
    teams: Mapping[str, str] | None = None,
    mean: float | Mapping[str, float] | Literal["estimate"] | None = None,
    coefficient: Coefficient = "fitted",
    folds: int = 10,
    cluster: bool = True,
    level: float = 0.95,
) -> LuckTable:
    """Estimate what agents win, with the luck of the deal taken out by a control agent.

    With X an agent's utility on a deal and Y the control agent's utility when it plays that deal against itself, in the
    same seat and averaged over repeats, the estimate is the mean of ``X + c (Y - E[Y])``. In a zero-sum game in which
    every seat is equally likely E[Y] = 0; both are checked before it is believed.

    Parameters
    ----------
    data
        Episodes with deals, and seats unless ``mean`` is given.
    control
        A control column, or an agent whose self-play hands are among the rows. Several controls are combined.
    by
        One estimate for each agent, each pair at a table, or each team.
    teams
        The team of each agent, with ``by="team"``.
    mean
        E[Y] where it is not zero: a number, a value for each seat, or ``"estimate"`` (from the control's self-play on
        deals that nobody else played; the variance of the estimate is added). None: zero, after the checks.
    coefficient
        ``"fitted"``, ``"cross-fitted"`` (unbiased) or a number (unbiased); the paper also uses -1.
    folds
        Number of folds for cross-fitting.
    cluster
        Whether hands of one deal are one cluster. False treats every hand as independent, as the paper's tables do.
    level
        Level of the intervals.

    Fails when
        a control is unknown, has no variance or no value in some row; E[Y] = 0 is needed but seats are not balanced or
        the control's utilities do not add up to zero; the control's values refute the mean that was stated (four
        standard errors between deals); there are too few deals.

    References
    ----------
    J. Davidson, C. Archibald and M. Bowling (2013), Baseline: practical control variates for agent evaluation in
    zero-sum domains.

    Examples
    --------
    >>> import equipoise as eq
    >>> hands = eq.Episodes.from_columns(
    ...     ["x", "y"] * 4,
    ...     [1, 1, 2, 2, 3, 3, 4, 4],
    ...     [3, -3, -1, 1, 2, -2, -2, 2],
    ...     seat=[0, 1, 0, 1, 1, 0, 1, 0],
    ...     controls={"bot": [2, -2, -2, 2, 1, -1, -1, 1]},
    ... )
    >>> table = eq.baseline(hands, control="bot", coefficient=-1.0)
    >>> table.agents, table.estimate.tolist()
    (('x', 'y'), [0.5, -0.5])
    """
    names = control_names(control)
    controls = find_controls(data, names)
    keep = ~np.logical_or.reduce([one.own_rows for one in controls]) & between_agents(data)
    grouped = units(data, by, teams, keep)
    check_known(data, controls, grouped)
    expected = expectation(data, controls, grouped, mean)
    doubts = check_means(data, controls, grouped, expected, by_seat=isinstance(mean, Mapping))
    setting = _Setting(controls, expected, coefficient, folds, cluster, level)
    if len(grouped.whose) > LONG and len(controls) == 1 and expected.constant and coefficient != "cross-fitted":
        estimates = _long_units(data, setting, grouped)
    else:
        estimates = [_unit(data, setting, grouped.of(unit), label) for unit, label in enumerate(grouped.labels)]
    rows = [row for row, _ in estimates]
    notes = [*data.diagnostics, *expected.diagnostics, *doubts, *_unbalanced(data, mean is None)]
    if isinstance(coefficient, str):
        notes += _rank_notes(grouped.labels, [directions for _, directions in estimates], len(controls))
    return LuckTable(
        agents=grouped.labels,
        **columns_of(rows),
        interval=Interval("clustered t" if cluster else "t", level),
        params=frozen_params(
            method="baseline",
            control=tuple(names),
            by=by,
            mean=mean,
            coefficient=coefficient,
            folds=folds,
            cluster=cluster,
            level=level,
        ),
        diagnostics=(
            *notes,
            *_hurt(grouped.labels, rows),
            *_sharing(grouped.labels, rows),
            *without_variance(grouped.labels, rows),
            *curved(grouped.labels, rows),
            *skewed(grouped.labels, rows),
        ),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    """What is the same for every row of the table."""

    controls: Sequence[Control]
    expected: ControlExpectation
    coefficient: Coefficient
    folds: int
    cluster: bool
    level: float


def _unit(data: Episodes, setting: _Setting, rows: Codes, label: str) -> tuple[LuckRow, int]:
    """One row of the table, and how many directions its controls span."""
    x, expected = data.utility[rows], setting.expected
    values = np.stack([one.values[rows] for one in setting.controls], axis=1)
    y = values - expected.of(rows)
    sums = totals(x, y, data.deal.codes[rows] if setting.cluster else None)
    adjusted = adjust(sums, setting.coefficient, setting.folds, label)
    for one, column in zip(setting.controls, values.T, strict=True):
        _check_varies(one, float(np.ptp(column)), len(rows), label)
    extra = expected.variance(adjusted.coefficient, _seat_shares(data, rows)) if expected.spares else 0.0
    return estimate_of(sums, deviation(x), adjusted, setting.level, extra_variance=extra), rank(sums)


def _long_units(data: Episodes, setting: _Setting, grouped: Units) -> list[tuple[LuckRow, int]]:
    """Do what :func:`_unit` does, for all rows of the table at once."""
    control, given = setting.controls[0], setting.coefficient
    if isinstance(given, str):
        check(COEFFICIENT, "coefficient", given)
    fixed = None if isinstance(given, str) else float(one_each(given, 1, "coefficient")[0])
    shift = float(setting.expected.per_row[0, 0])
    rows = rows_of(data, grouped, control.values, shift)
    sums = rows.sums()
    scale = np.sqrt(sums[:, 5] / sums[:, 0])
    clusters = clusters_of(data, grouped, seats=False, y=control.values, shift=shift) if setting.cluster else rows
    means = means_of(clusters, clusters.sums() if setting.cluster else sums, scale, fixed)
    spreads = spreads_of(data, grouped) if setting.cluster else np.array([mean.spread for mean in means])
    estimates = []
    for unit, (label, mean) in enumerate(zip(grouped.labels, means, strict=True)):
        check_clusters(mean.clusters, 0 if fixed is not None else 1, label)
        _check_varies(control, float(sums[unit, 7] - sums[unit, 6]), int(mean.hands), label)
        adjusted = mean.adjusted
        if fixed is None and mean.clusters <= MOST_CLUSTERS:
            adjusted = allowing_for_curves(clusters.totals(unit, scale[unit]), adjusted)
        parts = (mean.hands, mean.clusters, float(spreads[unit]), mean.plain, adjusted)
        estimates.append((row_of(*parts, setting.level), int(mean.varies)))
    return estimates


def _check_varies(control: Control, width: float, rows: int, label: str) -> None:
    if width == 0.0:
        raise DataError(
            f'{label}: control "{control.name}" has no variance (one value in {counted(rows, "row")}); leave it out'
        )


def zero_sum(data: Episodes) -> Episodes:
    """Make a general-sum game zero-sum: subtract each table's mean from its utilities and its controls.

    What remains is how much better than the table an agent did. Control columns are centred over the seats of a hand.

    Fails when
        a table has no seats or hands to say who sat together.

    Examples
    --------
    >>> import equipoise as eq
    >>> hands = eq.Episodes.from_columns(["x", "y"], ["d", "d"], [5.0, 3.0], seat=[0, 1])
    >>> zero_sum(hands).utility.tolist()
    [1.0, -1.0]
    """
    if not isinstance(data, Episodes):
        raise DataError(f"zero_sum takes {DATA_WORDS['episodes']}, not {type(data).__name__}")
    hand = hand_codes(data)
    size = np.bincount(hand)

    def centred(values: FloatArray) -> FloatArray:
        return np.asarray(values - (np.bincount(hand, weights=values) / size)[hand])

    note = info("centred-tables", "the mean of each table was subtracted: utilities are relative to the table.")
    return Episodes.from_factors(
        data.agent,
        data.deal,
        frozen(centred(data.utility)),
        seat=data.seat,
        hand=data.hand,
        controls={name: centred(values) for name, values in data.controls.items()},
        diagnostics=(*data.diagnostics, note),
    )


def _sharing(labels: Sequence[str], rows: Sequence[LuckRow]) -> list[Diagnostic]:
    """Say whose hands shared deals in a way that made a plain interval too narrow."""
    alone = [row.stderr / (1.0 - row.reduction / 100.0) if row.reduction < 100.0 else np.nan for row in rows]
    worse = [label for label, row, one in zip(labels, rows, alone, strict=True) if row.mean_stderr > 1.2 * one]
    if not worse:
        return []
    text = (
        "hands on the same deal went the same way, so they hold less than as many independent hands; "
        "the intervals allow for that, a plain one would be too narrow."
    )
    return [info("deals-shared", text, worse)]


def _hurt(labels: Sequence[str], rows: Sequence[LuckRow]) -> list[Diagnostic]:
    """Name those whose control added more noise than it took away."""
    worse = [label for label, row in zip(labels, rows, strict=True) if row.stderr > 1.001 * row.mean_stderr]
    if not worse:
        return []
    text = (
        f"for {some_of(worse)} the control made the standard error larger than that of the unadjusted mean; "
        "another control, another coefficient or none serves better."
    )
    return [warning("control-hurts", text, worse)]


def _seat_shares(data: Episodes, rows: Codes) -> FloatArray:
    if data.seat is None:
        return np.ones(1)
    return np.asarray(np.bincount(data.seat.codes[rows], minlength=len(data.seat.labels)) / len(rows))


def _unbalanced(data: Episodes, used: bool) -> list[Diagnostic]:
    """Utilities that do not add up to zero, where E[Y] = 0 was used."""
    off, full, first = unbalanced_hands(data) if used else (0, 0, "")
    if not off:
        return []
    text = (
        f"utilities do not add up to zero in {off:,} of {full:,} complete hands (first: deal {first}); E[Y] = 0 "
        "rests on a zero-sum game."
    )
    advice = [
        Advice("subtract each table's mean first with ", Option("zero_sum")),
        Advice("give the control's expectation with ", Option("mean")),
    ]
    return [warning("not-zero-sum", text, [first], advice=advice)]


def _rank_notes(labels: Sequence[str], ranks: Sequence[int], k: int) -> list[Diagnostic]:
    cancelled = [label for label, directions in zip(labels, ranks, strict=True) if directions == 0]
    repeated = [label for label, directions in zip(labels, ranks, strict=True) if 0 < directions < k]
    notes = [cancelling_controls(cancelled)] if cancelled else []
    return notes + ([redundant_controls(k, repeated)] if repeated else [])
