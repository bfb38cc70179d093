"""Duplicate: the same deal played in every seat, averaged, so that nobody is lucky to have had the better cards."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import Interval, frozen_params
from equipoise.core.wording import Advice, Option, counted
from equipoise.data.types.episodes import Episodes
from equipoise.luck.adjusted_mean import fixed, totals
from equipoise.luck.long_tables import clusters_of, means_of, spreads_of
from equipoise.luck.luck_table import (
    LuckRow,
    LuckTable,
    check_clusters,
    columns_of,
    deviation,
    estimate_of,
    row_of,
    skewed,
    without_variance,
)
from equipoise.luck.seating import LONG, By, Codes, Mask, Units, between_agents, units

Permutations = Literal["balanced", "full", "any"]


@method(
    takes="episodes",
    answers="What do agents win on deals that were played in every seat?",
    reference="Davidson, Archibald and Bowling (2013)",
    resampled="its interval comes from the spread between deals",
)
def duplicate(
    data: Episodes,
    *,
    by: By = "agent",
    teams: Mapping[str, str] | None = None,
    permutations: Permutations = "balanced",
    level: float = 0.95,
) -> LuckTable:
    """Estimate what agents win from deals that were played in several seats.

    One deal is one sample: its value is the mean over the agent's hands on it. If the agent sat in every seat equally
    often, the luck of the cards cancels, and the interval comes from the spread between deals.

    Parameters
    ----------
    data
        Episodes with deals and seats.
    by
        One estimate for each agent, each pair at a table, or each team (whose members share out the seats).
    teams
        The team of each agent, with ``by="team"``.
    permutations
        Which deals count: ``"balanced"``, every seat equally often (the K rotations are enough); ``"full"``, every
        seat, and K! hands or a multiple (all orders of the players); ``"any"``, every deal that was played at least
        twice.
    level
        Level of the intervals.

    Fails when
        there are no seats, or no deal of an agent was played as ``permutations`` asks.

    References
    ----------
    J. Davidson, C. Archibald and M. Bowling (2013), section 3.2.1.

    Examples
    --------
    >>> import equipoise as eq
    >>> hands = eq.Episodes.from_columns(["x"] * 6, [1, 1, 2, 2, 3, 3], [5, -4, -2, 3, 1, 0], seat=[0, 1] * 3)
    >>> table = eq.duplicate(hands)
    >>> table.estimate.tolist(), table.deals.tolist()
    ([0.5], [3])
    """
    grouped = units(data, by, teams, between_agents(data))
    quick = _long_rows(data, grouped, level) if len(data) > LONG and permutations == "balanced" else {}
    rows, lost = [], []
    for unit, label in enumerate(grouped.labels):
        if unit in quick:
            rows.append(quick[unit])
            continue
        mine = grouped.of(unit)
        keep = _complete(data, mine, permutations, label)
        lost.append((label, mine[~keep] if keep is not None else mine[:0]))
        rows.append(_unit(data, mine if keep is None else mine[keep], label, level))
    return LuckTable(
        agents=grouped.labels,
        **columns_of(rows),
        interval=Interval("t between deals", level),
        params=frozen_params(method="duplicate", by=by, permutations=permutations, level=level),
        diagnostics=(
            *data.diagnostics,
            *_dropped(data, lost),
            *_worse(grouped.labels, rows),
            *without_variance(grouped.labels, rows),
            *skewed(grouped.labels, rows),
        ),
    )


def any_duplicates(data: Episodes) -> bool:
    """Whether any agent sat in every seat of some deal equally often."""
    if data.seat is None or len(data.seat.labels) < 2:
        return False
    grouped = units(data, "agent", None, between_agents(data))
    members = (grouped.of(unit) for unit in range(len(grouped)))
    return any(_balanced(data, rows).any() for rows in members)


def _long_rows(data: Episodes, grouped: Units, level: float) -> dict[int, LuckRow]:
    """Add up a long table in one pass: rows of those of whose deals all saw every seat equally often."""
    if data.seat is None or len(data.seat.labels) < 2:
        return {}
    clusters = clusters_of(data, grouped, seats=True)
    means = means_of(clusters, clusters.sums(), np.ones(len(grouped)), 0.0)
    spreads = spreads_of(data, grouped)
    found = {}
    for unit in np.flatnonzero(clusters.uneven == 0).tolist():
        mean = means[unit]
        check_clusters(mean.clusters, 0, grouped.labels[unit])
        found[unit] = row_of(mean.hands, mean.clusters, float(spreads[unit]), mean.plain, mean.adjusted, level)
    return found


def _unit(data: Episodes, rows: Codes, label: str, level: float) -> LuckRow:
    x = data.utility[rows]
    sums = totals(x, np.zeros((len(x), 0)), data.deal.codes[rows])
    check_clusters(len(sums.x), 0, label)
    return estimate_of(sums, deviation(x), fixed(sums, np.zeros(0)), level)


def _complete(data: Episodes, rows: Codes, permutations: Permutations, label: str) -> Mask | None:
    """Which rows belong to deals that were played in enough seats; None for all of them."""
    deals = data.deal.codes[rows]
    times = np.bincount(deals)
    if permutations == "any":
        good = times > 1
    else:
        good = _balanced(data, rows)
        if permutations == "full" and data.seat is not None:
            orders = int(np.prod(np.arange(1, len(data.seat.labels) + 1)))
            good &= times % orders == 0
    if not good.any():
        once = int((times == 1).sum())
        wanted = {
            "any": "at least twice",
            "full": "in all orders of the players",
            "balanced": "in every seat equally often",
        }[permutations]
        raise DataError(
            f"{label}: none of {np.count_nonzero(times):,} deals was played {wanted} ({once:,} were played once), so "
            "there is nothing to average; play each deal again with the seats swapped",
            advice=[Advice("or use baseline with ", Option("control"))],
        )
    return None if np.count_nonzero(good) == np.count_nonzero(times) else np.asarray(good[deals])


def _balanced(data: Episodes, rows: Codes) -> Mask:
    """Which deals, up to the last of these rows, saw every seat equally often."""
    if data.seat is None:
        raise DataError(
            "duplicate needs a seat column to know which deals were played in every seat",
            advice=[Advice(Option("permutations", "any"), " does without")],
        )
    seats = len(data.seat.labels)
    if seats < 2:
        raise DataError(
            f'every row is in seat "{data.seat.labels[0]}": seats were never swapped, so no deal is a duplicate'
        )
    deals, seat = data.deal.codes[rows], data.seat.codes[rows]
    size = int(deals.max()) + 1
    counts = np.bincount(seat * np.int64(size) + deals, minlength=seats * size).reshape(seats, size)
    return np.asarray((counts[0] > 0) & (counts[1:] == counts[0]).all(axis=0))


def _dropped(data: Episodes, lost: Sequence[tuple[str, Codes]]) -> list[Diagnostic]:
    whose = [label for label, rows in lost if len(rows)]
    if not whose:
        return []
    deals = [data.deal.labels[code] for code in np.unique(data.deal.codes[np.concatenate([rows for _, rows in lost])])]
    text = (
        f"{counted(len(deals), 'deal')} not played in every seat equally often, left out for {some_of(whose)} "
        f"({some_of(deals)}); that is harmless only if it did not depend on how they went."
    )
    return [warning("incomplete-deals", text, whose)]


def _worse(labels: tuple[str, ...], rows: list[LuckRow]) -> list[Diagnostic]:
    grown = [label for label, row in zip(labels, rows, strict=True) if row.reduction < 0.0]
    if not grown:
        return []
    text = "averaging over seats made the standard error larger than as many independent hands would have had."
    return [info("duplicate-hurts", text, grown)]
