"""Baseline control variates: compare agents with a control agent's self-play on the same deals and seats."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from equipoise.data.episodes import Episodes
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, ParameterError, some_of
from equipoise.luck.adjust import rank, totals
from equipoise.luck.control_variates import Coefficient, adjust, cancelling_controls, redundant_controls
from equipoise.luck.controls import Control, Expectation, check_known, expectation, find_controls, unbalanced_hands
from equipoise.luck.outcome import LuckTable, Row, check_level, columns_of, deviation, estimate_of, skewed, spotless
from equipoise.luck.samples import counted
from equipoise.luck.seating import By, Codes, Units, between_agents, check_episodes, hand_codes, units
from equipoise.results import FloatArray, Interval, frozen, frozen_params

__all__ = ["baseline", "zero_sum"]


@method(
    takes="episodes",
    answers="What do agents win, compared with a control agent's self-play on the same deals and seats?",
    reference="Davidson, Archibald and Bowling (2013)",
)
def baseline(
    e: Episodes,
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
    """Row what agents win, with the luck of the deal taken out by a control agent.

    With X an agent's utility on a deal and Y the control agent's utility when it plays that deal against itself, in the
    same seat and averaged over repeats, the estimate is the mean of ``X + c (Y - E[Y])``. In a zero-sum game in which
    every seat is equally likely E[Y] = 0; both are checked before it is believed.

    Parameters
    ----------
    e
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
        the control's utilities do not add up to zero; there are too few deals.

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
    check_episodes(e, "baseline")
    check_level(level)
    names = [control] if isinstance(control, str) else list(control)
    if not names:
        raise ParameterError("baseline: name at least one control")
    found = find_controls(e, names)
    keep = ~np.logical_or.reduce([one.own_rows for one in found]) & between_agents(e)
    grouped = units(e, by, teams, keep)
    check_known(e, found, grouped.rows)
    expected = expectation(e, found, grouped, mean)
    notes = [*e.diagnostics, *expected.diagnostics, *_unbalanced(e, mean is None)]
    rows, ranks = [], []
    for unit, label in enumerate(grouped.labels):
        row, directions = _unit(e, found, expected, grouped.of(unit), label, coefficient, folds, cluster, level)
        rows.append(row)
        ranks.append(directions)
    if isinstance(coefficient, str):
        notes += _rank_notes(grouped.labels, ranks, len(found))
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
            *spotless(grouped.labels, rows),
            *skewed(grouped.labels, rows),
        ),
    )


def _unit(
    e: Episodes,
    controls: Sequence[Control],
    expected: Expectation,
    rows: Codes,
    label: str,
    coefficient: Coefficient,
    folds: int,
    cluster: bool,
    level: float,
) -> tuple[Row, int]:
    """One row of the table, and how many directions its controls span."""
    x = e.utility[rows]
    y = np.stack([one.values[rows] for one in controls], axis=1) - expected.per_row[rows]
    data = totals(x, y, deal_codes(e, rows) if cluster else None)
    adjusted = adjust(data, coefficient, folds, label)
    flat = [one.name for one in controls if np.ptp(one.values[rows]) == 0.0]
    if flat:
        raise DataError(
            f'{label}: control "{flat[0]}" has no variance (one value in {counted(len(rows), "row")}); leave it out'
        )
    extra = expected.variance(adjusted.coefficient, _seat_shares(e, rows)) if expected.spares else 0.0
    return estimate_of(data, deviation(x), adjusted, level, extra_variance=extra), rank(data)


def zero_sum(e: Episodes) -> Episodes:
    """Make a general-sum game zero-sum: subtract each table's mean from its utilities and its controls.

    What remains is how much better than the table an agent did. Control columns are centred over the seats of a hand.

    Fails when
        a table has no seats or hands to say who sat together.

    Examples
    --------
    >>> import equipoise as eq
    >>> e = eq.Episodes.from_columns(["x", "y"], ["d", "d"], [5.0, 3.0], seat=[0, 1])
    >>> zero_sum(e).utility.tolist()
    [1.0, -1.0]
    """
    check_episodes(e, "zero_sum")
    hand = hand_codes(e)
    size = np.bincount(hand)

    def centred(values: FloatArray) -> FloatArray:
        return np.asarray(values - (np.bincount(hand, weights=values) / size)[hand])

    note = info("centred-tables", "the mean of each table was subtracted: utilities are relative to the table.")
    return Episodes.from_factors(
        e.agent,
        e.deal,
        frozen(centred(e.utility)),
        seat=e.seat,
        hand=e.hand,
        controls={name: centred(values) for name, values in e.controls.items()},
        diagnostics=(*e.diagnostics, note),
    )


def deal_codes(e: Episodes, rows: Codes) -> Codes:
    """Dense codes of the deals of some rows."""
    deals = e.deal.codes[rows]
    present = np.bincount(deals, minlength=1) > 0
    return (np.cumsum(present) - 1)[deals]


def _sharing(labels: Sequence[str], rows: Sequence[Row]) -> list[Diagnostic]:
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


def _hurt(labels: Sequence[str], rows: Sequence[Row]) -> list[Diagnostic]:
    """Name those whose control added more noise than it took away."""
    worse = [label for label, row in zip(labels, rows, strict=True) if row.stderr > 1.001 * row.mean_stderr]
    if not worse:
        return []
    text = (
        f"for {some_of(worse)} the control made the standard error larger than that of the plain mean; "
        "another control, another coefficient or none serves better."
    )
    return [warning("control-hurts", text, worse)]


def _seat_shares(e: Episodes, rows: Codes) -> FloatArray:
    if e.seat is None:
        return np.ones(1)
    return np.asarray(np.bincount(e.seat.codes[rows], minlength=len(e.seat.labels)) / len(rows))


def _unbalanced(e: Episodes, used: bool) -> list[Diagnostic]:
    """Utilities that do not add up to zero, where E[Y] = 0 was used."""
    off, full, first = unbalanced_hands(e) if used else (0, 0, "")
    if not off:
        return []
    text = (
        f"utilities do not add up to zero in {off:,} of {full:,} complete hands (first: deal {first}); E[Y] = 0 "
        "rests on a zero-sum game, "
        "use zero_sum(...) or give mean= if it is not one."
    )
    return [warning("not-zero-sum", text, [first])]


def _rank_notes(labels: Sequence[str], ranks: Sequence[int], k: int) -> list[Diagnostic]:
    cancelled = [label for label, found in zip(labels, ranks, strict=True) if found == 0]
    repeated = [label for label, found in zip(labels, ranks, strict=True) if 0 < found < k]
    notes = [cancelling_controls(cancelled)] if cancelled else []
    return notes + ([redundant_controls(k, repeated)] if repeated else [])


def used_units(e: Episodes, by: By, teams: Mapping[str, str] | None) -> Units:
    """All rows but self-play, grouped."""
    return units(e, by, teams, between_agents(e))
