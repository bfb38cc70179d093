"""Nash averaging of agents against agents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, EquipoiseError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import POINTS_DIFFERENCE, in_declared_units
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable, Payoff, payoff_matrices
from equipoise.inference.bootstrap import bootstrap
from equipoise.nash.kernels import AgentSolution, maxent_skew, maxent_skews
from equipoise.nash.maxent import accuracy_note, clone_notes, fit_of, team_words
from equipoise.nash.resampling import OFTEN, SELDOM, Resampling, band_notes, settled, with_shares

Completion = Literal["bradley-terry", "melo"]

NAMED_UP_TO = 1000
"""Pairs that never met are named one by one up to so many agents."""

CLIP = 0.001
"""A bare table of probabilities is clipped here, as in the paper's examples, before logarithms are taken."""


AVERAGES = ("average", "uniform", "average_low", "average_high")
"""Columns in the unit of the payoffs."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class AgentNash(Result):
    """The unbeatable team and every agent's average against it.

    Attributes
    ----------
    p
        Mass of each agent in the maximum-entropy equilibrium.
    average
        Nash average: expected payoff against that team; 0 for its members, never more than 0.
    uniform
        Mean score over all opponents, for comparison: it moves when agents are copied.
    p_low, p_high, average_low, average_high
        Bootstrap intervals, described by ``interval``; None unless asked for.
    in_team
        Share of the bootstrap samples in which each agent is in the support; None likewise.
    exploitability, kkt
        Certificates; see :class:`MaxentNash`.
    log_odds
        Whether payoffs are log-odds of games; ``frame`` has their averages in Elo points.
    """

    main: ClassVar[str] = "average"
    in_summary: ClassVar[tuple[str, ...]] = ("exploitability", "kkt", "interval")

    agents: tuple[str, ...]
    p: FloatArray
    average: FloatArray
    uniform: FloatArray
    exploitability: float
    kkt: float
    p_low: FloatArray | None = None
    p_high: FloatArray | None = None
    average_low: FloatArray | None = None
    average_high: FloatArray | None = None
    in_team: FloatArray | None = None
    interval: Interval | None = None
    log_odds: bool = False

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # of an object here: it depends on the payoffs
        """Elo points of averages where payoffs are the log-odds of games."""
        unit = POINTS_DIFFERENCE if self.log_odds else "payoff"
        return {**dict.fromkeys(AVERAGES, unit), **dict.fromkeys(("p", "p_low", "p_high"), "share")}

    def frame(self) -> "pl.DataFrame":
        """Give the table, best Nash average first, larger mass first among equals."""
        names = ["p", "average", "uniform"]
        names += ["p_low", "p_high", "average_low", "average_high"] if self.interval else []
        table = pl.DataFrame({"agent": list(self.agents)} | {name: getattr(self, name) for name in names})
        # Members of the team have average 0 up to rounding; their masses separate them.
        order = pl.when(pl.col("p") > 0).then(0.0).otherwise(pl.col("average"))
        return in_declared_units(table, self.units).sort(order, "p", descending=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is in the Nash support; where bootstrap samples have others, who is in it how often."""
        if self.in_team is None or settled(self.p > 0, self.in_team):
            return team_words(self.agents, self.p)
        sure = with_shares(self.agents, self.in_team, OFTEN)
        unsure = some_of(with_shares(self.agents, self.in_team, SELDOM, OFTEN), 6)
        where = "of the bootstrap samples"
        if not sure:
            return (f"The Nash support is not settled; in it, with their shares {where}: {unsure}.",)
        others = f"; {unsure} may be" if unsure else ""
        return (f"In the Nash support {_is(sure)} {some_of(sure, 6)} {where}{others}.",)


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How games become payoffs: their unit, what fills pairs that never met, and whether copies count as one."""

    payoff: Payoff = "log-odds"
    complete: Completion | None = None
    merge_clones: bool = True


def agent_nash(data: Matches | PairTable | MetaGame, options: AgentOptions, resampling: Resampling) -> AgentNash:
    """Make the antisymmetric table, solve it, and resample it if asked."""
    resampling = replace(resampling, n=resampling.n or 0)
    params = frozen_params(
        payoff=options.payoff, complete=options.complete, merge_clones=options.merge_clones,
        n=resampling.n, over=resampling.unit, level=resampling.level,
    )  # fmt: skip
    if isinstance(data, MetaGame):
        names, matrix, notes = _of_metagame(data)
    else:
        table = (data.pairs() if isinstance(data, Matches) else data).unordered()
        if options.complete is None and not table.complete:
            return _undefined(table, params)
        names, matrix, notes = _of_pairs(table, options.payoff, options.complete)
    solution = maxent_skew(matrix, merge_clones=options.merge_clones)
    ends: dict[str, FloatArray | Interval] = {}
    if resampling.n:
        if isinstance(data, MetaGame):
            raise DataError("payoffs cannot be resampled; intervals need matches or pair counts")
        ends, more = _intervals(data, options, resampling)
        notes = (*notes, *more)
    equilibrium = solution.equilibrium
    in_odds = options.payoff == "log-odds" and not isinstance(data, MetaGame)
    return AgentNash(
        log_odds=in_odds,
        agents=names, p=frozen(solution.p), average=frozen(solution.average), uniform=frozen(matrix.mean(axis=1)),
        exploitability=solution.exploitability, kkt=equilibrium.kkt, params=params, fit=fit_of(equilibrium),
        diagnostics=(*notes, *clone_notes("agent", names, solution.classes), *accuracy_note(equilibrium)),
        **ends,  # type: ignore[arg-type]  # arrays and the interval by their names
    )  # fmt: skip


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _of_metagame(game: MetaGame) -> tuple[tuple[str, ...], FloatArray, tuple[Diagnostic, ...]]:
    if not game.single:
        raise DataError(
            "Nash averaging needs one population that plays against itself (MetaGame.symmetric);"
            " for agents on tasks give scores"
        )
    matrix = game.payoffs[0]
    half = np.asarray((matrix - matrix.T) / 2.0)
    notes = game.diagnostics
    if np.abs(matrix + matrix.T).max() > 1e-9 * max(float(np.abs(matrix).max()), 1e-300):
        message = "The payoffs are not zero-sum: half the difference of the two players' payoffs was taken."
        notes = (*notes, info("payoff-differences", message))
    return game.strategies[0], half, notes


def _of_pairs(
    table: PairTable, payoff: Payoff, complete: Completion | None
) -> tuple[tuple[str, ...], FloatArray, tuple[Diagnostic, ...]]:
    [matrix] = payoff_matrices([table], payoff, CLIP)
    notes = [*table.diagnostics, *_clip_note(table, payoff)]
    gaps = np.isnan(matrix)
    if gaps.any() and complete is not None:
        matrix = np.where(gaps, _expected(table, payoff, complete), matrix)
        source = "Bradley-Terry ratings" if complete == "bradley-terry" else "multidimensional Elo (mElo2)"
        unmet = int(gaps.sum()) // 2
        pairs = "1 pair never met; its payoff was" if unmet == 1 else f"{unmet:,} pairs never met; their payoffs were"
        message = f"{pairs} filled in from {source}."
        notes.append(warning("completed-table", message, _pairs_named(table.agents, gaps)))
    return table.agents, matrix, tuple(notes)


def _expected(table: PairTable, payoff: Payoff, complete: Completion) -> FloatArray:
    """What a model fitted to the pairs that met expects of all pairs."""
    if complete == "melo":
        from equipoise.ratings.online.melo import melo

        chance = melo(table).predict()
        odds = np.log(chance) - np.log(chance.T)
    else:
        from equipoise.ratings.paired.bradley_terry import bradley_terry

        rating = bradley_terry(table).rating
        odds = rating[:, None] - rating
    return np.asarray(odds if payoff == "log-odds" else np.tanh(odds / 2.0))


def _clip_note(table: PairTable, payoff: Payoff) -> list[Diagnostic]:
    if table.counted or payoff != "log-odds":
        return []
    share = table.score / table.games
    extreme = np.flatnonzero((share < CLIP) | (share > 1 - CLIP))
    if len(extreme) == 0:
        return []
    who = [f"{table.agents[table.first[k]]} vs {table.agents[table.second[k]]}" for k in extreme]
    message = f"Probabilities of 0 or 1 have no log-odds; clipped to [{CLIP}, {1 - CLIP}]: {some_of(who)}."
    return [info("clipped-probabilities", message, who)]


def _pairs_named(agents: tuple[str, ...], where: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[str]:
    return [f"{agents[i]} vs {agents[j]}" for i, j in np.argwhere(np.triu(where))]


def _undefined(table: PairTable, params: Mapping[str, object]) -> AgentNash:
    """No equilibrium of a game with unknown payoffs: say so instead of a number, and without a dense table."""
    count = len(table.agents)
    unmet = count * (count - 1) // 2 - len(table.first)
    pairs = _unmet(table) if count <= NAMED_UP_TO else []
    which = f": {some_of(pairs)}" if pairs else ""
    message = f"{unmet:,} {'pair' if unmet == 1 else 'pairs'} never met, so Nash averages are undefined{which}."
    advice = [
        Advice("play them, or fill them in with ", Option("complete", "bradley-terry")),
        Advice("where cycles matter, fill them in with ", Option("complete", "melo")),
    ]
    nothing = frozen(np.full(count, np.nan))
    return AgentNash(
        agents=table.agents, p=nothing, average=nothing, uniform=nothing, exploitability=np.nan, kkt=np.nan,
        log_odds=params["payoff"] == "log-odds", params=params,
        diagnostics=(*table.diagnostics, warning("incomplete-table", message, pairs, advice=advice)),
    )  # fmt: skip


def _unmet(table: PairTable) -> list[str]:
    met = np.eye(len(table.agents), dtype=np.bool_)
    met[table.first, table.second] = met[table.second, table.first] = True
    return _pairs_named(table.agents, ~met)


@dataclass(frozen=True, slots=True, eq=False)
class _MassesAndAverages:
    """Masses and averages of one table, end to end; those of many bootstrap samples are found together."""

    agents: tuple[str, ...]
    both: FloatArray
    options: AgentOptions

    def refit_samples(self, samples: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
        """Give the same of each resample, or the error that stands in its way."""
        return _solutions(samples, self.options)


def _solved(table: PairTable, *, options: AgentOptions) -> _MassesAndAverages:
    [both] = _solutions([table], options)
    if isinstance(both, EquipoiseError):
        raise both
    return _MassesAndAverages(table.agents, both, options)


def _solutions(tables: Sequence[PairTable], options: AgentOptions) -> list[FloatArray | EquipoiseError]:
    """Solve some tables of the same agents."""
    matrices: list[FloatArray | EquipoiseError] = []
    for table, matrix in zip(tables, payoff_matrices(tables, options.payoff, CLIP), strict=True):
        gaps = np.isnan(matrix)
        if not gaps.any() or options.complete is None:
            # A pair that a resample happens to leave out: (0 + 1/2)/(0 + 1) has log-odds 0.
            matrices.append(np.nan_to_num(matrix))
            continue
        try:
            matrices.append(np.where(gaps, _expected(table, options.payoff, options.complete), matrix))
        except EquipoiseError as error:
            matrices.append(error)
    known = [matrix for matrix in matrices if not isinstance(matrix, EquipoiseError)]
    solved = iter(maxent_skews(known, merge_clones=options.merge_clones))
    return [matrix if isinstance(matrix, EquipoiseError) else _end_to_end(next(solved)) for matrix in matrices]


def _end_to_end(solution: AgentSolution) -> FloatArray:
    return np.concatenate([solution.p, solution.average])


def _intervals(
    data: Matches | PairTable, options: AgentOptions, resampling: Resampling
) -> tuple[dict[str, FloatArray | Interval], tuple[Diagnostic, ...]]:
    unit: Literal["matches", "clusters"] = "clusters" if resampling.unit == "clusters" else "matches"
    counts = data.pairs(by_group=unit == "clusters") if isinstance(data, Matches) else data
    spread = bootstrap(
        partial(_solved, options=options), counts, n=int(resampling.n or 0), over=unit,
        statistic="both", level=resampling.level, rng=resampling.rng, executor=resampling.executor,
    )  # fmt: skip
    (p_low, average_low), (p_high, average_high) = np.split(spread.low, 2), np.split(spread.high, 2)
    agents = len(p_low)
    ends: dict[str, FloatArray | Interval] = {
        "p_low": frozen(p_low),
        "p_high": frozen(p_high),
        "average_low": frozen(average_low),
        "average_high": frozen(average_high),
        "in_team": frozen((spread.replicates[:, :agents] > 0).mean(axis=0)),
        "interval": spread.interval,
    }
    notes = band_notes(spread.estimate[:agents], spread.replicates[:, :agents], unit, resampling.level)
    return ends, (*spread.diagnostics, *notes)
