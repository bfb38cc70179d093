"""The unadjusted mean of what agents won: no luck taken out, or taken out before."""

from collections.abc import Mapping

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.results import Interval, frozen_params
from equipoise.data.types.episodes import Episodes
from equipoise.luck.adjusted_mean import fixed, totals
from equipoise.luck.luck_table import LuckRow, LuckTable, check_clusters, columns_of, deviation, estimate_of, skewed
from equipoise.luck.seating import By, Codes, between_agents, units


@method(
    takes="episodes",
    answers="What do agents win on average, with all the luck that is in it?",
    reference="Liang and Zeger (1986)",
    resampled="its interval comes from the spread between deals",
)
def plain_mean(
    data: Episodes,
    *,
    by: By = "agent",
    teams: Mapping[str, str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
) -> LuckTable:
    """Give the mean of what agents won, with an interval: for logs without a control, or adjusted elsewhere.

    Hands of one deal are one cluster: the interval comes from the spread of the deals' totals.

    Parameters
    ----------
    data
        Episodes with deals. The utility may be a column from which luck was taken out before (an AIVAT value, say).
    by
        One mean for each agent, each pair at a table, or each team.
    teams
        The team of each agent, with ``by="team"``.
    cluster
        Whether hands of one deal are one cluster. False treats every hand as independent.
    level
        Level of the t intervals.

    Fails when
        there are fewer than two deals.

    References
    ----------
    K.-Y. Liang and S. L. Zeger (1986), Longitudinal data analysis using generalized linear models.

    Examples
    --------
    >>> import equipoise as eq
    >>> hands = eq.Episodes.from_columns(["x"] * 4, [1, 1, 2, 3], [5, -4, -2, 3], seat=[0, 1, 0, 1])
    >>> table = eq.methods.plain_mean(hands)
    >>> table.estimate.tolist(), table.deals.tolist()
    ([0.5], [3])
    """
    grouped = units(data, by, teams, between_agents(data))
    rows = [_unit(data, grouped.of(unit), label, cluster, level) for unit, label in enumerate(grouped.labels)]
    return LuckTable(
        agents=grouped.labels,
        **columns_of(rows),
        interval=Interval("clustered t" if cluster else "t", level),
        params=frozen_params(method="plain", by=by, cluster=cluster, level=level),
        diagnostics=(*data.diagnostics, *skewed(grouped.labels, rows)),
    )


def _unit(data: Episodes, rows: Codes, label: str, cluster: bool, level: float) -> LuckRow:
    x = data.utility[rows]
    sums = totals(x, np.zeros((len(x), 0)), data.deal.codes[rows] if cluster else None)
    check_clusters(len(sums.x), 0, label)
    return estimate_of(sums, deviation(x), fixed(sums, np.zeros(0)), level)
