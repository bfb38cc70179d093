"""Does a single rating per agent describe these games?"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import UNITS, in_declared_units
from equipoise.core.wording import Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.flows.flow_data import EPSILON, pair_flow
from equipoise.ratings.paired.model import one_cell_each
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.transitivity.cycles import SURE, Cycle, clarity_of_pairs, named_cycles
from equipoise.ratings.transitivity.explanations import Allowance, explanations, links_are_clear
from equipoise.ratings.transitivity.near_duplicates import near_clones
from equipoise.ratings.transitivity.null_simulation import null_noise
from equipoise.ratings.transitivity.rating_fit import TransitiveFit, group_excess, sided, transitive_fit
from equipoise.ratings.transitivity.sentence import NEGLIGIBLE, CycleEvidence, transitivity_sentence
from equipoise.ratings.transitivity.test_statistics import Noise, Statistics, share_interval, statistics

WORK, SOLVED = 10_000_000, 0.01
"""Pair results that are simulated where nobody says how many tables, and what solving for agents counts: their square
times this. Some ten seconds of one processor; the number of tables follows from sizes alone, not from the machine."""
MANY_TABLES = 500
"""Simulated tables below which the standard error of a p-value is said beside it."""
FEWEST, MOST = 99, 999
"""Tables that are simulated at least, and at most."""

ENOUGH_GROUPS = 20
"""Groups of matches that a cluster bootstrap needs."""
NO_LOOP = 1e-3
"""Degrees of freedom at or below which no cycle could show."""
UNASKED = Noise(float("nan"), float("nan"), float("nan"))
"""Stands where no cycle could show."""
WHOLE = 0.02
"""How near to whole or half games the wins of a pair must be to be counts."""
TOO_REGULAR = 1e-4
"""Chance of so small a misfit below which counts are not taken for those of games."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Transitivity(Result):
    """How much of the games is intransitive, and whether that can be chance.

    Attributes
    ----------
    cyclic_share
        Share of the signal (what exceeds noise) that ratings do not explain, 0 to 1; NaN where there is no signal, or
        no cycle could show. Without counts: the plain share of the squared log-odds, noise and all.
    low, high
        Interval of the share, described by ``interval``; all three None without counts, or where there is no share.
    p_value
        Chance of a Pearson statistic as large as this if ratings explained everything; NaN where it cannot be asked.
    pearson, df
        That statistic, and what it would be on average by chance.
    cycles
        The strongest cycles, the one with the clearest weakest link first.
    misfit
        Pearson statistic of each agent's own pairs, per pair: about 1 where a rating fits, more where it does not.
    simulated, p_error
        Tables simulated for the p-value, and its standard error because there were no more.
    tried
        What else than cycles was tried as an explanation, where ratings alone do not explain the games.
    text
        The answer in one sentence; ``words`` holds the same.
    """

    main: ClassVar[str] = "misfit"
    units: ClassVar[Mapping[str, str]] = {"rating": UNITS["rating"]}

    agents: tuple[str, ...]
    cyclic_share: float
    low: float | None
    high: float | None
    interval: Interval | None
    p_value: float
    pearson: float
    df: float
    cycles: tuple[Cycle, ...]
    misfit: FloatArray
    rating: FloatArray
    text: str
    tried: tuple[Allowance, ...] = ()
    simulated: int = 0
    p_error: float = float("nan")

    @property
    def explained(self) -> bool:
        """Whether ratings explain the games, by themselves or with draws, position, link and drift allowed for."""
        return not self.p_value < SURE or bool(self.tried and self.tried[-1].explains)

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether a single rating describes the games, with the intransitive share."""
        return (self.text,)

    def frame(self) -> "pl.DataFrame":
        """Give each agent's misfit, worst first, and its rating in Elo points."""
        table = pl.DataFrame({"agent": list(self.agents), "misfit": self.misfit, "rating": self.rating})
        return in_declared_units(table, self.units).sort("misfit", descending=True, maintain_order=True)

    def verdict(self) -> dict[str, object]:
        """Give the answer as it stands in the leaderboard's JSON."""
        return {
            "cyclic_share": self.cyclic_share,
            "low": self.low,
            "high": self.high,
            "level": self.params["level"],
            "p_value": self.p_value,
            "p_error": self.p_error,
            "simulated": self.simulated,
            "most_simulated": self.params.get("n", 0),
            "pearson": self.pearson,
            "df": self.df,
            "cycles": [cycle.to_dict() for cycle in self.cycles],
            "explained": None if np.isnan(self.df) else self.explained,
            "allowed_for": list(self.tried[-1].allowed) if self.tried else [],
            "text": self.text,
        }

    def summary(self) -> dict[str, object]:
        """Give the answer."""
        return self.verdict()


@method(
    takes=("matches", "pairs"),
    answers="Does a single rating per agent describe the games, or are they intransitive?",
    reference="Balduzzi et al. (2018); Davison and Hinkley (1997)",
    checks={"n": whole(19), "cycles": whole(0), "epsilon": EPSILON},
    resampled="resampled games hold their noise twice, which would look like cycles; it has an interval of its own",
)
def transitivity(
    data: Matches | PairTable,
    *,
    side: bool = False,
    fit: BradleyTerry | None = None,
    n: int = 999,
    cycles: int = 5,
    level: float = 0.95,
    epsilon: float = 0.001,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> Transitivity:
    r"""Does a single rating per agent describe the games, or are they intransitive?

    With :math:`X^2` the Pearson statistic of the pair counts against the Bradley-Terry fit on
    :math:`\text{df} = \text{pairs} - (n - 1)`, noise alone gives :math:`X^2 \approx \text{df}`. What exceeds it is
    signal:

    .. math:: c = \max(0, X^2 - \text{df}), \quad
              t = \max\Bigl(0, \sum n_{ij} p_{ij}(1 - p_{ij})(r_i - r_j)^2 - (n - 1)\Bigr), \qquad
              \text{intransitive share} = \frac{c}{c + t}

    Where counts are so sparse that simulated tables clearly miss df, their mean takes its place (``sparse-counts``).
    The p-value compares :math:`X^2` with that of ``n`` tables drawn from the fitted Bradley-Terry model and refitted;
    a long simulation stops once so many exceed it that p cannot fall below 5% any more.
    Share and p-value answer different questions: many games make a small share sure.

    Parameters
    ----------
    data
        Matches or pair counts. Matches of one ``group`` (a voter, a session) may depend on each other: noise is then
        taken from whole groups. A table of probabilities without games gets its plain intransitive share, and no
        p-value.
    side
        Let the first-named side have an advantage, as in :func:`bradley_terry`. A pair is still compared as a whole:
        that some agents like their side more than others is no cycle.
    fit
        Ratings of the same data from :func:`bradley_terry`, which saves fitting them again. Used where they are of the
        model behind the answer (ties as half wins, this ``side``, no prior of your own); otherwise fitted anew.
    n
        Most simulated tables; the smallest p-value is 1/(n + 1). Above 3,000 agents 19 tables and a normal
        approximation are used.
    cycles
        How many of the strongest cycles to name.
    level
        Of the share's interval.
    epsilon
        How near to 0 and 1 the probabilities of a table without counts may come.
    rng
        Seed or generator of the simulation.
    executor
        Who simulates, as in :func:`bootstrap`; the answer is the same.

    Returns
    -------
    Transitivity
        Share with interval, p-value, cycles, the answer in words.

    Fails when
        ``fit`` is of other data. Where pairs form no closed loop the question cannot be asked: share and p-value are
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
    >>> verdict = eq.transitivity(rps)
    >>> verdict.cyclic_share, verdict.p_value, str(verdict.cycles[0])
    (1.0, 0.001, 'r > s > p > r')
    """
    if fit is not None and not isinstance(fit, BradleyTerry):
        raise ParameterError(Option("fit"), f" is what bradley_terry gives back, not a {type(fit).__name__}")
    table = data if isinstance(data, PairTable) else data.pairs(by_group=data.group is not None)
    plain = table.unordered()
    if _averaged(plain):
        table = _worth(table, plain)
        plain = table.unordered()
    flow = pair_flow(plain, epsilon).flow
    if not table.counted:
        return _without_counts(plain, named_cycles(plain, flow, flow, cycles), level, epsilon)
    fitted = transitive_fit(sided(table) if side else plain, side, fit)
    observed = statistics(fitted.null, fitted.cells)
    strongest = named_cycles(plain, flow, clarity_of_pairs(plain), cycles)
    noise = UNASKED
    if observed.df > NO_LOOP:
        noise = null_noise(fitted.null, observed, n, generator(rng), group_excess(table, fitted), executor)
    share = observed.share(noise.mean) if observed.df > NO_LOOP else float("nan")
    low, high = (share_interval(observed, noise, level) if np.isfinite(share) else None) or (None, None)
    tried: tuple[Allowance, ...] = ()
    whole = data if isinstance(data, Matches) and table.shared is None else table
    if noise.p_value < SURE and share > NEGLIGIBLE:
        tried = explanations(whole, generator(rng))
    ring = [table.agents.index(name) for name in strongest[0].agents] if strongest else []
    clear = bool(ring) and links_are_clear(ring, whole, tried[-1].position if tried else 0.0)
    regular = noise.as_small <= 1.5 / (n + 1) and scipy.special.chdtr(observed.df, observed.pearson) < TOO_REGULAR
    clones = near_clones(plain, fitted.rating, cyclic=bool(noise.p_value < SURE and share > NEGLIGIBLE))
    return Transitivity(
        agents=table.agents, cyclic_share=share, low=low, high=high,
        interval=None if low is None else Interval("noncentral chi-squared", level), p_value=noise.p_value,
        pearson=observed.pearson, df=observed.df, cycles=strongest, misfit=frozen(_misfit(fitted)),
        rating=frozen(fitted.rating),
        tried=tried, simulated=noise.drawn, p_error=noise.p_error,
        text=transitivity_sentence(
            CycleEvidence(
                share, low, high, level, noise.p_value, n, observed.df, strongest, tried, clear, regular,
                noise.p_error if noise.drawn < MANY_TABLES else 0.0, noise.stopped,
            )
        ),
        params=frozen_params(side=side, n=n, cycles=cycles, level=level, epsilon=epsilon),
        diagnostics=(*table.diagnostics, *fitted.notes, *_noise_notes(table, observed, noise, regular), *clones),
    )  # fmt: skip


def simulated_tables(table: PairTable) -> int:
    """How many tables to simulate so that the answer takes seconds: fewer where there are many pairs or agents."""
    each = len(table.first) + SOLVED * len(table.agents) ** 2
    return int(np.clip(WORK // max(each, 1.0), FEWEST, MOST))


def untested(table: PairTable, level: float) -> Transitivity:
    """Give what stands where transitivity was not to be tested: nothing simulated, no share, no cycles."""
    nan, nobody = float("nan"), frozen(np.full(len(table.agents), np.nan))
    return Transitivity(
        agents=table.agents, cyclic_share=nan, low=None, high=None, interval=None, p_value=nan, pearson=nan, df=nan,
        cycles=(), misfit=nobody, rating=nobody, text="Whether a single rating describes these games was not tested.",
        params=frozen_params(level=level, n=0),
    )  # fmt: skip


def _averaged(plain: PairTable) -> bool:
    """Whether scores cannot be those of so many won, tied and lost games: 0.62 of 50 games can, 0.7 of one cannot."""
    if plain.shared is None:
        return False
    halves = 2 * plain.score
    # One rate of a pair may have been rounded; those of several batches of games add up to whole games.
    one_rate = plain.variation() <= 1e-9 * plain.games
    reach = np.where(one_rate, np.maximum(WHOLE, 1e-3 * plain.games), WHOLE)
    return bool((np.abs(halves - np.rint(halves)) > reach).any())


def _worth(table: PairTable, plain: PairTable) -> PairTable:
    """Rows that are averages, as the number of games that would vary as they do; without counts if they are too few.

    How rows of the same pair differ says how many won and lost games each is worth.
    """
    games = float(plain.games.sum())
    free, spread = games - len(plain.first), float(plain.variation().sum())
    coins = float(np.sum(plain.score * (1 - plain.score / plain.games)))
    if free < ENOUGH_GROUPS or not spread > 0 or not coins > 0:
        message = "Scores between a win, a tie and a loss are averages: of how many games is unknown."
        return replace(table, counted=False, diagnostics=(*table.diagnostics, info("averages", message)))
    worth = coins / games / (spread / free)
    won = table.score * worth
    message = f"Noise is taken from how rows of one pair differ: a row is worth {worth:.3g} games won or lost."
    return PairTable.from_counts(
        table.agents, table.first, table.second, won, table.games * worth - won,
        group=table.group, diagnostics=(*table.diagnostics, info("rows-vary", message)),
    )  # fmt: skip


def _group_notes(table: PairTable) -> tuple[Diagnostic, ...]:
    if table.group is None or len(table.group.labels) >= ENOUGH_GROUPS:
        return ()
    message = f"With only {len(table.group.labels)} groups of matches the p-value is rough."
    return (warning("few-groups", message),)


def _df_notes(observed: Statistics, noise: Noise) -> tuple[Diagnostic, ...]:
    if observed.df <= NO_LOOP:
        more = " that a first-position advantage could not explain" if observed.df else ""
        return (warning("no-loops", f"The pairs that met form no closed loop{more}, so no cycle could ever show."),)
    if noise.mean == observed.df or noise.variance == 0:
        return ()
    message = (
        f"Few games per pair: chi-square with simulated null (mean {noise.mean:,.1f} instead of {observed.df:,g}"
        " degrees of freedom); the share is corrected by it."
    )
    return (info("sparse-counts", message),)


def _noise_notes(table: PairTable, observed: Statistics, noise: Noise, regular: bool) -> tuple[Diagnostic, ...]:
    notes = (*_group_notes(table), *_df_notes(observed, noise))
    if not regular:
        return notes
    message = "The games agree with ratings better than games do by chance: are the counts averages, or made up?"
    return (*notes, warning("too-regular", message))


def _misfit(fitted: TransitiveFit) -> FloatArray:
    """Pearson terms of each agent's pairs, per pair it played."""
    null, cells = fitted.null, fitted.cells
    excess = null.pairs @ (cells.wins + cells.ties / 2 - null.games * null.chance)
    cell = one_cell_each(null.pairs)
    first, second, n = null.model.first[cell], null.model.second[cell], null.model.agents
    term = excess**2 / null.variance
    total = np.bincount(first, term, n) + np.bincount(second, term, n)
    pairs = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    return np.asarray(total / np.maximum(pairs, 1))


def _without_counts(table: PairTable, strongest: tuple[Cycle, ...], level: float, epsilon: float) -> Transitivity:
    """Plain shares of a table of probabilities: nothing says how much of them is noise."""
    from equipoise.flows.hodge import hodge

    parts = hodge(table, epsilon=epsilon)
    rest = parts.observed.flow - parts.parts.gradient
    n = len(table.agents)
    first, second = parts.observed.first, parts.observed.second
    total = np.bincount(first, rest**2, n) + np.bincount(second, rest**2, n)
    pairs = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    loops = len(first) - (n - 1) > 0
    nan = float("nan")
    share = parts.cyclic_share if loops else nan
    evidence = CycleEvidence(share, None, None, level, nan, 0, max(0, len(first) - (n - 1)), strongest)
    notes = () if loops else (warning("no-loops", "The pairs form no closed loop, so no cycle could ever show."),)
    clones = near_clones(table, parts.rating, cyclic=bool(share > 0.05))
    return Transitivity(
        agents=table.agents, cyclic_share=share, low=None, high=None, interval=None, p_value=nan,
        pearson=nan, df=evidence.df, cycles=strongest, misfit=frozen(total / np.maximum(pairs, 1)),
        rating=parts.rating, text=transitivity_sentence(evidence),
        params=frozen_params(level=level, epsilon=epsilon), diagnostics=(*parts.diagnostics, *notes, *clones),
    )  # fmt: skip
