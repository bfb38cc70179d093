"""Is one number per agent an honest summary of these games?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy

from equipoise.data.matches import Matches
from equipoise.data.pairs import PairTable
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import ParameterError
from equipoise.flows.hodge import hodge
from equipoise.flows.observed import observed_flow
from equipoise.ratings.bradley_terry import WEAK_PRIOR
from equipoise.ratings.clones import near_clones
from equipoise.ratings.cycles import strongest_cycles
from equipoise.ratings.existence import Connections, connections
from equipoise.ratings.pair_input import pairs_of
from equipoise.ratings.paired_model import PairedModel
from equipoise.ratings.paired_newton import paired_newton
from equipoise.ratings.tie_models import Cells
from equipoise.ratings.transitive_null import (
    Noise,
    Null,
    Statistics,
    null_noise,
    share_interval,
    statistics,
)
from equipoise.ratings.verdict import SURE, Cycle, Evidence, verdict_text
from equipoise.results import FloatArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Transitivity", "simulated_tables", "transitivity"]

SIMULATED = 10_000_000
"""About how many pair results are simulated where nobody says how many tables."""

ENOUGH_GROUPS = 20
"""Groups of matches that a cluster bootstrap needs."""
NO_LOOP = 1e-3
"""Degrees of freedom at or below which no cycle could show."""
UNASKED = Noise(float("nan"), float("nan"), float("nan"))
"""Stands where no cycle could show."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Transitivity(Result):
    """The verdict: how much of the games goes round in cycles, and whether that can be chance.

    Attributes
    ----------
    cyclic_share
        Share of the signal (what exceeds noise) that ratings do not explain, 0 to 1; NaN where there is no signal, or
        no cycle could show. Without counts: the plain share of the squared log-odds, noise and all.
    low, high
        Interval of the share, described by ``interval``; NaN without counts.
    p_value
        Chance of a Pearson statistic as large as this if ratings explained everything; NaN where it cannot be asked.
    pearson, df
        That statistic, and what it would be on average by chance.
    cycles
        The strongest cycles, the one with the clearest weakest link first.
    misfit
        Pearson statistic of each agent's own pairs, per pair: about 1 where a rating fits, more where it does not.
    text
        The verdict in one sentence.
    """

    main: ClassVar[str] = "misfit"

    agents: tuple[str, ...]
    cyclic_share: float
    low: float
    high: float
    interval: Interval
    p_value: float
    pearson: float
    df: float
    cycles: tuple[Cycle, ...]
    misfit: FloatArray
    rating: FloatArray
    text: str

    def frame(self) -> "pl.DataFrame":
        """Give each agent's misfit, worst first."""
        import polars as pl

        table = pl.DataFrame({"agent": list(self.agents), "misfit": self.misfit, "rating": self.rating})
        return table.sort("misfit", descending=True, maintain_order=True)

    def verdict(self) -> dict[str, object]:
        """Give the verdict as it stands in the leaderboard's JSON."""
        return {
            "cyclic_share": self.cyclic_share,
            "low": self.low,
            "high": self.high,
            "level": self.interval.level,
            "p_value": self.p_value,
            "pearson": self.pearson,
            "df": self.df,
            "cycles": [cycle.to_dict() for cycle in self.cycles],
            "text": self.text,
        }

    def summary(self) -> dict[str, object]:
        """Give the verdict."""
        return self.verdict()


@method(
    takes=("matches", "pairs"),
    answers="Is one number per agent honest, or do the games go round in cycles?",
    reference="Balduzzi et al. (2018); Davison and Hinkley (1997)",
)
def transitivity(
    data: Matches | PairTable,
    *,
    side: bool = False,
    n: int = 999,
    cycles: int = 5,
    level: float = 0.95,
    epsilon: float = 0.001,
    rng: int | np.random.Generator = 0,
) -> Transitivity:
    r"""Is one number per agent honest, or do the games go round in cycles?

    With :math:`X^2` the Pearson statistic of the pair counts against the Bradley-Terry fit on
    :math:`\text{df} = \text{pairs} - (n - 1)`, noise alone gives :math:`X^2 \approx \text{df}`. What exceeds it is
    signal:

    .. math:: c = \max(0, X^2 - \text{df}), \quad
              t = \max\Bigl(0, \sum n_{ij} p_{ij}(1 - p_{ij})(r_i - r_j)^2 - (n - 1)\Bigr), \qquad
              \text{cyclic share} = \frac{c}{c + t}

    Where counts are so sparse that simulated tables clearly miss df, their mean takes its place (``sparse-counts``).
    The p-value compares :math:`X^2` with that of ``n`` tables drawn from the fitted Bradley-Terry model and refitted.
    Share and p-value answer different questions: many games make a small share sure.

    Parameters
    ----------
    data
        Matches or pair counts. Matches of one ``group`` (a voter, a session) may depend on each other: noise is then
        taken from whole groups. A table of probabilities without games gets its plain cyclic share, and no p-value.
    side
        Let the first-named side have an advantage, as in :func:`bradley_terry`. A pair is still compared as a whole:
        that some agents like their side more than others is no cycle.
    n
        Simulated tables; the smallest p-value is 1/(n + 1). Above 3,000 agents 19 tables and a normal
        approximation are used.
    cycles
        How many of the strongest cycles to name.
    level
        Of the share's interval.
    epsilon
        How near to 0 and 1 the probabilities of a table without counts may come.
    rng
        Seed or generator of the simulation.

    Returns
    -------
    Transitivity
        Share with interval, p-value, cycles, the verdict in words.

    Fails when
        an option makes no sense. Where pairs form no closed loop the question cannot be asked: share and p-value are
        NaN, with ``no-loops``. Where an agent is undefeated or winless the null has a weak prior, as in
        :func:`bradley_terry`.

    References
    ----------
    Balduzzi, Tuyls, Perolat, Graepel (2018), Re-evaluating Evaluation, proposition 3. Davison and Hinkley (1997),
    Bootstrap Methods and their Application, section 4.2.

    Examples
    --------
    >>> import equipoise as eq
    >>> rps = eq.PairTable.from_matrix([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]], agents="rsp", games=50)
    >>> found = eq.transitivity(rps)
    >>> found.cyclic_share, found.p_value, str(found.cycles[0])
    (1.0, 0.001, 'r > s > p > r')
    """
    if n < 19 or cycles < 0 or not 0 < level < 1:
        raise ParameterError("n is at least 19, cycles at least 0, and level between 0 and 1")
    table = pairs_of(data, "transitivity", by_group=isinstance(data, Matches) and data.group is not None)
    seen = observed_flow(table, epsilon)
    plain = table.unordered()
    if not table.counted:
        return _without_counts(table, _named_cycles(plain, seen.flow, seen.flow, cycles), level, epsilon)
    fitted = _fitted(_sided(table) if side else plain, side)
    found = statistics(fitted.null, fitted.cells)
    named = _named_cycles(plain, seen.flow, _clarity(plain), cycles)
    groups = _group_excess(table, fitted)
    noise = null_noise(fitted.null, found, n, np.random.default_rng(rng), groups) if found.df > NO_LOOP else UNASKED
    share = found.share(noise.mean) if found.df > NO_LOOP else float("nan")
    low, high = share_interval(found, noise, level) if np.isfinite(share) else (float("nan"), float("nan"))
    clones = near_clones(plain, fitted.null.x[: len(table.agents)], cyclic=noise.p_value < SURE)
    return Transitivity(
        agents=table.agents, cyclic_share=share, low=low, high=high,
        interval=Interval("noncentral chi-squared", level), p_value=noise.p_value,
        pearson=found.pearson, df=found.df, cycles=named, misfit=frozen(_misfit(fitted)),
        rating=frozen(fitted.null.x[: len(table.agents)]),
        text=verdict_text(Evidence(share, low, high, level, noise.p_value, n, found.df, named)),
        params=frozen_params(side=side, n=n, cycles=cycles, level=level, epsilon=epsilon),
        diagnostics=(*table.diagnostics, *fitted.notes, *_group_notes(table), *_df_notes(found, noise), *clones),
    )  # fmt: skip


def simulated_tables(table: PairTable) -> int:
    """How many tables to simulate so that the verdict takes seconds: fewer where there are many pairs."""
    return int(np.clip(SIMULATED // len(table.first), 99, 999))


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """The null at its fit, the counts it was fitted to, and what was done for it."""

    null: Null
    cells: Cells
    notes: tuple[Diagnostic, ...]


def _sided(table: PairTable) -> PairTable:
    """One row an ordered pair: sides are told apart, groups are not."""
    return PairTable.from_counts(table.agents, table.first, table.second, table.wins, table.losses, table.ties)


def _fitted(table: PairTable, side: bool) -> _Fitted:
    cells = Cells(table.wins, table.losses, table.ties)
    met = connections(len(table.agents), table.first, table.second, cells)
    precision = 0.0 if met.finite else 1 / WEAK_PRIOR**2
    model = PairedModel(len(table.agents), table.first, table.second, "half", side, met.islands, precision)
    solution = paired_newton(model, cells)
    return _Fitted(Null.of(model, solution.x, cells), cells, tuple(_notes(table, met)))


def _notes(table: PairTable, met: Connections) -> list[Diagnostic]:
    notes = []
    if not met.connected:
        count = int(met.islands.max()) + 1
        notes.append(warning("islands", f"{count} groups of agents never met; only cycles within a group can show."))
    if not met.finite:
        who = [table.agents[i] for i in sorted({*met.unbeaten.tolist(), *met.winless.tolist()})]
        message = f"No finite ratings exist; the fit behind the verdict has a weak prior (sd {WEAK_PRIOR:g})."
        notes.append(info("weak-prior", message, who))
    return notes


def _group_excess(table: PairTable, fitted: _Fitted) -> "scipy.sparse.csr_array | None":
    """Excess of each group's score over the fit, cells by groups; None where matches have no groups."""
    if table.group is None:
        return None
    model, n = fitted.null.model, len(table.agents)
    keys = model.first.astype(np.int64) * n + model.second
    swap = (table.first > table.second) & (not model.side)
    first, second = np.where(swap, table.second, table.first), np.where(swap, table.first, table.second)
    order = np.argsort(keys)
    cell = order[np.searchsorted(keys, first.astype(np.int64) * n + second, sorter=order)]
    score = np.where(swap, table.losses, table.wins) + table.ties / 2
    excess = score - table.games * fitted.null.chance[cell]
    shape = (len(keys), len(table.group.labels))
    return scipy.sparse.coo_array((excess, (cell, table.group.codes)), shape=shape).tocsr()


def _group_notes(table: PairTable) -> tuple[Diagnostic, ...]:
    if table.group is None or len(table.group.labels) >= ENOUGH_GROUPS:
        return ()
    message = f"With only {len(table.group.labels)} groups of matches the p-value of the verdict is rough."
    return (warning("few-groups", message),)


def _df_notes(found: Statistics, noise: Noise) -> tuple[Diagnostic, ...]:
    if found.df <= NO_LOOP:
        loops = "no closed loop" if not found.df else "no closed loop that a side advantage could not explain"
        return (warning("no-loops", f"The pairs that met form {loops}, so no cycle could ever show."),)
    if noise.mean == found.df or noise.variance == 0:
        return ()
    message = (
        f"Counts are sparse: by chance alone X2 would be about {noise.mean:,.1f} (simulated) rather than"
        f" {found.df:,g}; the share is corrected by the former."
    )
    return (info("sparse-counts", message),)


def _misfit(fitted: _Fitted) -> FloatArray:
    """Pearson terms of each agent's pairs, per pair it played."""
    null, cells = fitted.null, fitted.cells
    excess = null.pairs @ (cells.wins + cells.ties / 2 - null.games * null.chance)
    cell = null.pairs.indices[null.pairs.indptr[:-1]]  # one cell of each pair
    first, second, n = null.model.first[cell], null.model.second[cell], null.model.agents
    term = excess**2 / null.variance
    total = np.bincount(first, term, n) + np.bincount(second, term, n)
    pairs = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    return np.asarray(total / np.maximum(pairs, 1))


def _clarity(table: PairTable) -> FloatArray:
    """How clearly the first of each pair is ahead, in standard errors; ties say nothing."""
    decided = table.wins + table.losses
    return np.asarray((table.wins - table.losses) / np.sqrt(np.where(decided > 0, decided, 1.0)))


def _named_cycles(table: PairTable, flow: FloatArray, clarity: FloatArray, count: int) -> tuple[Cycle, ...]:
    """The strongest cycles by name, each told from its most successful agent on."""
    ahead = clarity > 0
    keep = clarity != 0
    first, second = table.first.astype(np.int64), table.second.astype(np.int64)
    winner, loser = np.where(ahead, first, second)[keep], np.where(ahead, second, first)[keep]
    if count == 0 or len(winner) == 0:
        return ()
    loops = strongest_cycles(winner, loser, np.abs(clarity[keep]), len(table.agents), count)
    keys = winner * len(table.agents) + loser
    odds = dict(zip(keys.tolist(), np.abs(flow[keep]).tolist(), strict=True))
    games = np.where(table.games_of_agents() > 0, table.games_of_agents(), 1.0)
    won = table.scores_of_agents() / games
    return tuple(
        _cycle(table, loop.tolist(), odds, won, float(z) if table.counted else None)
        for loop, z in zip(*loops, strict=True)
    )


def _cycle(table: PairTable, loop: list[int], odds: dict[int, float], won: FloatArray, z: float | None) -> Cycle:
    start = int(np.argmax(won[loop]))
    ring = loop[start:] + loop[:start]
    links = zip(ring, ring[1:] + ring[:1], strict=True)
    return Cycle(
        tuple(table.agents[i] for i in ring), tuple(odds[a * len(table.agents) + b] for a, b in links), z
    )  # fmt: skip


def _without_counts(table: PairTable, named: tuple[Cycle, ...], level: float, epsilon: float) -> Transitivity:
    """Plain shares of a table of probabilities: nothing says how much of them is noise."""
    parts = hodge(table, epsilon=epsilon)
    rest = parts.observed.flow - parts.parts.gradient
    n = len(table.agents)
    first, second = parts.observed.first, parts.observed.second
    total = np.bincount(first, rest**2, n) + np.bincount(second, rest**2, n)
    pairs = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    loops = len(first) - (n - 1) > 0
    nan = float("nan")
    share = parts.cyclic_share if loops else nan
    evidence = Evidence(share, nan, nan, level, nan, 0, max(0, len(first) - (n - 1)), named)
    notes = () if loops else (warning("no-loops", "The pairs form no closed loop, so no cycle could ever show."),)
    clones = near_clones(table, parts.rating, cyclic=bool(share > 0.05))
    return Transitivity(
        agents=table.agents, cyclic_share=share, low=nan, high=nan, interval=Interval("no", level), p_value=nan,
        pearson=nan, df=evidence.df, cycles=named, misfit=frozen(total / np.maximum(pairs, 1)),
        rating=parts.rating, text=verdict_text(evidence),
        params=frozen_params(level=level, epsilon=epsilon), diagnostics=(*parts.diagnostics, *notes, *clones),
    )  # fmt: skip
