"""Strength over time: whole-history rating, with the variance of the walk marginalised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, DisconnectedError, ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import number, positive
from equipoise.core.results import Estimate, Fit, FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT, POINTS, POINTS_DIFFERENCE, UNITS, in_declared_units
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.ratings.history.change import StrengthChange
from equipoise.ratings.history.mixture import Mixture
from equipoise.ratings.history.periods import Periods, PeriodUnit
from equipoise.ratings.history.walk import Walks
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.result import BradleyTerry

MOST_ENTRIES = 1.5e8
"""Entries of all factors together, above which a fit takes too much memory."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class WholeHistory(Result):
    """Ratings by period, in log-odds; ``frame`` has them in Elo points.

    Attributes
    ----------
    period
        The periods with games, in order.
    rating, stderr, low, high
        Of agents in periods, agents x periods; NaN before an agent's first period and after its last. They are
        differences to the mean of all agents over their periods, or to the anchor.
    played
        Games of each agent in each period.
    gain, gain_stderr, gain_low, gain_high, improved
        From each agent's first period to its last, with the probability that it improved.
    walk
        Standard deviation of the change of an agent's strength in one period, in log-odds: its posterior mean, and
        values with a weight above a hundred-thousandth.
    side
        Advantage of the first-named; None where it was not asked for.
    """

    rows_name: ClassVar[str] = "periods"
    main: ClassVar[str] = "rating"
    in_summary: ClassVar[tuple[str, ...]] = ("interval", "side")
    units: ClassVar[Mapping[str, str]] = {
        **UNITS, **dict.fromkeys(("change", "change_low", "change_high", "walk"), POINTS_DIFFERENCE),
        **dict.fromkeys(("last", "last_low", "last_high"), POINTS),
    }  # fmt: skip

    agents: tuple[str, ...]
    period: tuple[str, ...]
    rating: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    played: FloatArray
    first: IntArray
    last: IntArray
    gain: FloatArray
    gain_stderr: FloatArray
    gain_low: FloatArray
    gain_high: FloatArray
    improved: FloatArray
    walk: float
    side: Estimate | None
    interval: Interval
    periods: Periods
    mixture: Mixture

    def frame(self) -> "pl.DataFrame":
        """Give one row for each agent and period, the agent with the highest last rating first, in Elo points."""
        order = np.argsort(-self._last(self.rating), kind="stable")
        rows = [(i, t) for i in order for t in range(self.first[i], self.last[i] + 1)]
        at = tuple(np.array(rows).T)
        columns = {name: getattr(self, name)[at] for name in ("rating", "stderr", "low", "high")}
        table = pl.DataFrame(
            {"agent": [self.agents[i] for i, _ in rows], "period": [self.period[t] for _, t in rows]}
            | columns | {"games": self.played[at]}
        )  # fmt: skip
        return in_declared_units(table, self.units)

    def change_frame(self) -> "pl.DataFrame":
        """Give the agents with their last rating and how it changed since their first period, best first."""
        table = pl.DataFrame({
            "agent": list(self.agents), "last": self._last(self.rating), "last_low": self._last(self.low),
            "last_high": self._last(self.high), "since": [self.period[t] for t in self.first],
            "until": [self.period[t] for t in self.last], "change": self.gain, "change_low": self.gain_low,
            "change_high": self.gain_high, "improved": self.improved, "verdict": list(self.verdict),
            "games": self.played.sum(axis=1),
        })  # fmt: skip
        return in_declared_units(table, self.units).sort("last", descending=True, maintain_order=True)

    @property
    def tables(self) -> Mapping[str, "pl.DataFrame"]:
        """The ratings by period, and the changes."""
        return {"periods": self.frame(), "changes": self.change_frame()}

    @property
    def verdict(self) -> tuple[str, ...]:
        """Who ``improved`` or ``weakened``, all agents together (Holm); ``undecided``, or ``one period``."""
        wandered = self.last > self.first
        tail = 2 * np.minimum(self.improved, 1 - self.improved)
        said = ["undecided" if moved else "one period" for moved in wandered]
        order = [int(i) for i in np.argsort(tail, kind="stable") if wandered[i]]
        for k, i in enumerate(order):
            if tail[i] * (len(order) - k) > 1 - self.interval.level:
                break
            said[i] = "improved" if self.gain[i] > 0 else "weakened"
        return tuple(said)

    def summary(self) -> dict[str, object]:
        """Give the walk, in Elo points for one period, and the advantage of the first-named."""
        walk = self.walk / ELO_POINT
        return {"interval": self.interval, "walk": walk, "unit": self.periods.unit, "side": self.side}

    def change(self, agent: str, since: object, until: object) -> StrengthChange:
        """Tell how much an agent changed between two periods (a date, or a period as ``period`` spells it).

        Fails when
            it has no rating in one of them.
        """
        if agent not in self.agents:
            raise ParameterError(f'no agent "{agent}"{did_you_mean(agent, self.agents)}')
        i = self.agents.index(agent)
        places = [self.periods.place(when) for when in (since, until)]
        for t in places:
            if not self.first[i] <= t <= self.last[i]:
                span = f"from {self.period[self.first[i]]} to {self.period[self.last[i]]}"
                raise ParameterError(f"{agent} has no rating in {self.period[t]}: its games are {span}")
        unknown = self.mixture.parts[0].walks.unknown[i, places]
        found = self.mixture.differences(unknown[1:], unknown[:1], self.interval.level)
        change, error, low, high, above = (float(value[0]) for value in found)
        return StrengthChange(
            agents=(agent,), since=self.period[places[0]], until=self.period[places[1]], change=change, stderr=error,
            low=low, high=high, probability=above, interval=self.interval, params=self.params, fit=self.fit,
        )  # fmt: skip

    def _last(self, table: FloatArray) -> FloatArray:
        return np.asarray(table[np.arange(len(self.agents)), self.last])

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is highest now, who changed, and how much strength moves in a period."""
        best = self.change_frame().row(0, named=True)
        level = f"{100 * self.interval.level:g}%"
        ends = f"({level} interval {best['last_low']:+.0f} to {best['last_high']:+.0f})"
        said = [f"{best['agent']} has the highest last rating: {best['last']:+.0f} Elo in {best['until']} {ends}."]
        rows = self.change_frame().to_dicts()
        for verdict, words in (("improved", "improved"), ("weakened", "became weaker")):
            names = [
                f"{r['agent']} ({r['change']:+.0f} Elo since {r['since']})" for r in rows if r["verdict"] == verdict
            ]
            said += [f"{some_of(names, 3)} {words} ({level}, all agents together)."] if names else []
        if len(said) == 1:
            said.append(f"Nobody's change from first to last period is significant ({level}, all agents together).")
        unit = {"number": "step", "day": "day"}.get(self.periods.unit, self.periods.unit)
        said.append(f"Strength moves by about {self.walk / ELO_POINT:.0f} Elo in a {unit} (standard deviation).")
        return tuple(said)


@method(
    takes="matches",
    answers="How did strength change over time, and did an agent improve?",
    reference="Coulom (2008)",
    resampled="ratings by period come with joint intervals, and the walk is a part of the model",
    checks={"walk": positive(none=True), "spread": positive(none=True), "release_spread": number(0.0)},
)
def whole_history(
    data: Matches,
    *,
    unit: PeriodUnit = "day",
    walk: float | None = None,
    spread: float | None = 2.0,
    side: bool = False,
    anchor: str | None = None,
    releases: Mapping[str, object] | None = None,
    release_spread: float = 1.0,
    level: float = 0.95,
) -> WholeHistory:
    r"""How did strength change over time, and did an agent improve?

    .. math:: P(a \text{ beats } b \text{ at } t) = \sigma(r_a(t) - r_b(t)), \qquad
        r(t') - r(t) \sim N(0, w^2 |t' - t|), \qquad r(\text{first}) \sim N(0, s^2)

    One rating for each agent and period; a tie is half a win. The mode is found by Newton's method on all ratings
    together, and errors are those of the joint Hessian. Where games have clusters (voters) the likelihood is divided by
    a design effect: the mean over agents of how much wider, squared, clusters make intervals of one rating each. How
    much strength moves, w, is marginalised over a grid (half-Cauchy prior of 30 Elo points a root of a period), with
    weights by Laplace's approximation of the evidence: plugging in the likeliest one makes intervals of changes too
    narrow.

    Parameters
    ----------
    data
        Matches with times: dates, seconds since 1970, or whole numbers such as rounds.
    unit
        Length of a period; strength is constant within one.
    walk
        Standard deviation of the change in one period, in log-odds; None integrates it out.
    spread
        Standard deviation of ratings in first periods, in log-odds; None for a win and a loss against 0 instead.
    side
        Estimate an advantage of the first-named.
    anchor
        Agent that does not change, whose rating is 0 in all periods. Without one the common level is not known: where
        all improve alike nothing is seen.
    releases
        Period (or date) of each agent's new version: the step that leads there may be larger, by ``release_spread``.
    release_spread
        Standard deviation of such a step beside the walk's own, in log-odds.
    level
        Of the intervals.

    Returns
    -------
    WholeHistory
        Ratings by period and changes, with intervals, and ``change(agent, since, until)``.

    Fails when
        matches have no times, all in one period; no chain of games connects all agents (:class:`DisconnectedError`);
        there are too many agents in too many periods.

    References
    ----------
    Coulom (2008), Whole-history rating: a Bayesian rating system for players of time-varying strength.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns(["ann"] * 12, ["bob"] * 12, [0, 1, 0, 0] + [1, 0, 1, 1] * 2, time=[1] * 4 + [9] * 8)
    >>> bool(eq.whole_history(m).change("ann", 1, 9).change > 0)
    True
    """
    if data.time is None:
        raise DataError(
            "whole_history needs times of the matches", advice=[Advice("name their column with ", Option("time"))]
        )
    at = data.weights > 0
    played = data if at.all() else data.take(np.flatnonzero(at))
    assert played.time is not None
    _refuse_unconnected(played)
    periods = Periods.of(played.time, unit)
    design = _design_effect(played, level)
    walks = _walks(played, design, periods, spread, side, anchor, releases or {}, release_spread)
    _refuse_large(walks)
    mixture = Mixture.of(walks, walk)
    zero = _zero(walks) if anchor is None else None
    rows = np.arange(len(data.agents))
    later, earlier = walks.unknown[rows, walks.last], walks.unknown[rows, walks.first]
    if side:  # the side, the last unknown, less nothing
        later, earlier = np.append(later, walks.width - 1), np.append(earlier, -1)
    rated, differences = mixture.ratings_and_changes(zero, later, earlier, level)
    tables = [_table(walks, values) for values in rated]
    changes = [values[: len(rows)] for values in differences]
    if anchor is not None:
        for table in tables:
            table[walks.held] = 0.0
    games = np.zeros((len(data.agents), len(periods.index)))
    for agent in (played.a, played.b):
        np.add.at(games, (agent, periods.at), played.weights)
    spreads = mixture.spreads
    return WholeHistory(
        agents=data.agents, period=periods.labels, **_named(("rating", "stderr", "low", "high"), tables),
        played=frozen(games), first=frozen(walks.first, np.int64), last=frozen(walks.last, np.int64),
        **_named(("gain", "gain_stderr", "gain_low", "gain_high", "improved"), changes),
        walk=float(mixture.weights @ spreads),
        side=Estimate(*(float(values[-1]) for values in differences[:4])) if side else None,
        interval=Interval("posterior", level), periods=periods, mixture=mixture,
        params=frozen_params(unit=periods.unit, walk=walk, spread=spread, side=side, anchor=anchor, level=level,
                             releases={name: str(when) for name, when in (releases or {}).items()} or None),
        fit=Fit(converged=True, iterations=mixture.iterations, residual=mixture.residual),
        diagnostics=(*data.diagnostics, *_notes(played, walks, design, anchor)),
    )  # fmt: skip


def _named(names: tuple[str, ...], values: Sequence[FloatArray]) -> dict[str, FloatArray]:
    return {name: frozen(value) for name, value in zip(names, values, strict=True)}


def _refuse_unconnected(data: Matches) -> None:
    """Refuse agents that no chain of games joins: only the prior would compare them."""
    n = len(data.agents)
    if len(data) == 0 or n < 2:
        raise DataError("whole_history needs matches of at least two agents")
    met = scipy.sparse.coo_array((np.ones(len(data)), (data.a, data.b)), shape=(n, n))
    count, part = scipy.sparse.csgraph.connected_components(met, directed=False)
    if count > 1:
        fewest = int(np.bincount(part).argmin())
        names = [name for name, where in zip(data.agents, part, strict=True) if where == fewest]
        raise DisconnectedError(
            f"these games fall into {count:,} sets of agents that never met; one of them: {some_of(names)}"
        )


def _design_effect(data: Matches, level: float) -> float:
    """How many times as wide, squared, clusters make intervals of one rating each; 1 without clusters."""
    if data.group is None:
        return 1.0
    clustered, alone = (_widths(bradley_terry(data.pairs(by_group=by), level=level)) for by in (True, False))
    return max(1.0, float(np.mean((clustered / alone) ** 2)))


def _widths(board: BradleyTerry) -> FloatArray:
    assert board.low is not None  # games were counted
    assert board.high is not None
    return np.asarray(board.high - board.low)


def _walks(
    data: Matches, design: float, periods: Periods, spread: float | None, side: bool, anchor: str | None,
    releases: Mapping[str, object], release_spread: float,
) -> Walks:  # fmt: skip
    n, count = len(data.agents), len(periods.index)
    for name in (*releases, *(() if anchor is None else (anchor,))):
        if name not in data.agents:
            raise ParameterError(f'no agent "{name}"{did_you_mean(name, data.agents)}')
    first, last = np.full(n, count), np.full(n, -1)
    for agent in (data.a, data.b):
        np.minimum.at(first, agent, periods.at)
        np.maximum.at(last, agent, periods.at)
    cells, which = np.unique((periods.at * n + data.a) * n + data.b, return_inverse=True)
    which = which.reshape(-1)
    jumps = np.zeros((n, count))
    for name, when in releases.items():
        jumps[data.agents.index(name), periods.place(when)] = release_spread**2
    return Walks(
        n, first, last, np.diff(periods.index).astype(float), cells // n**2, cells // n % n, cells % n,
        _sums(which, data.weights * data.outcome / design), _sums(which, data.weights / design), spread, side,
        None if anchor is None else data.agents.index(anchor), jumps,
    )  # fmt: skip


def _sums(which: IntArray, values: FloatArray) -> FloatArray:
    return np.bincount(which, values).astype(np.float64)


def _refuse_large(walks: Walks) -> None:
    entries = sum(float(len(here)) ** 2 for here in walks.active)
    if entries > MOST_ENTRIES:
        raise DataError(
            f"{walks.agents:,} agents in {len(walks.active):,} periods are too many to be rated together",
            advice=[Advice("take longer periods with ", Option("over_time", "month")),
                    Advice("leave out agents with few games with ", Option("min_games"))],
        )  # fmt: skip


def _zero(walks: Walks) -> FloatArray:
    """Give all agents the same weight, and their periods likewise."""
    weights = np.zeros(walks.width)
    for row in walks.unknown:
        own = row[row >= 0]
        weights[own] = 1.0 / len(own)
    return np.asarray(weights / weights.sum())


def _table(walks: Walks, values: FloatArray) -> FloatArray:
    table = np.full(walks.unknown.shape, np.nan)
    there = walks.unknown >= 0
    table[there] = values[walks.unknown[there]]
    return table


def _notes(data: Matches, walks: Walks, design: float, anchor: str | None) -> tuple[Diagnostic, ...]:
    """Say what the answer rests on."""
    notes = []
    if anchor is None:
        text = (
            "Only differences are known: if all improve alike, nothing is seen. Anchor an agent that does not change."
        )
        notes.append(info("common-level", text))
    if design > 1:
        text = (
            f"Games of a cluster are alike: one counts as {1 / design:.2g} of a game (a design effect of {design:.2g})."
        )
        notes.append(info("design-effect", text))
    scored, games = np.zeros(walks.agents), np.zeros(walks.agents)
    np.add.at(scored, walks.a, walks.won)
    np.add.at(scored, walks.b, walks.games - walks.won)
    for agent in (walks.a, walks.b):
        np.add.at(games, agent, walks.games)
    extreme = [name for name, s, g in zip(data.agents, scored, games, strict=True) if s in (0, g)]
    if extreme:
        text = f"{some_of(extreme)} always won or always lost: only the spread of first ratings keeps them finite."
        notes.append(warning("prior-decides", text, extreme, advice=[Advice("play more games with them")]))
    return tuple(notes)
