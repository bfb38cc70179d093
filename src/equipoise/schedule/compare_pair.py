"""Two agents compared: how likely is one better, by their own games, through others, and by all games together?"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import DataError, EquipoiseError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.data.encode.labels import Factor
from equipoise.data.types.graph import connected_components
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.inference.cluster_scores import ClusterScores
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.paired.bradley_terry import Pairing, bradley_terry
from equipoise.ratings.paired.more_games import MOST, MoreGames, games_to_tell_apart, information_of_a_game
from equipoise.schedule.stopping import log_capital

EVIDENCE = ("their own games", "games with others", "all games")
COLUMNS = ("games", "score", "low", "high", "chance")
TIE_SHARES = 64
"""Values of the share of ties over which the interval of a mean score is averaged."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PairComparison(Result):
    """How two agents compare.

    Attributes
    ----------
    first, second
        The two.
    evidence
        What a row rests on: their own games, games with others (Bradley-Terry without their own), all games
        (Bradley-Terry). Rows without evidence are left out.
    games
        Games behind it.
    score, low, high
        Expected score of the first in a game against the second (a tie is half), with an interval of a fixed sample.
    chance
        Probability that the first is the better, if nothing was known of the two beforehand.
    e_first, e_second
        Anytime-valid evidence in their own games that the first, or the second, is better: it may be looked at after
        every game, and ``settled_at`` settles it.
    settled_at
        The e-value that settles it at the level, both directions together.
    anytime_low, anytime_high
        Interval of the score in their own games that holds at all looks together.
    more
        Further games between the two that would settle it; None where it is settled.
    """

    rows_name: ClassVar[str] = "evidence"
    main: ClassVar[str] = "score"
    units: ClassVar[Mapping[str, str]] = {
        "score": "share of points", "low": "share of points", "high": "share of points", "chance": "probability",
    }  # fmt: skip

    first: str
    second: str
    evidence: tuple[str, ...]
    games: FloatArray
    score: FloatArray
    low: FloatArray
    high: FloatArray
    chance: FloatArray
    interval: Interval
    e_first: float
    e_second: float
    settled_at: float
    anytime_low: float
    anytime_high: float
    more: MoreGames | None

    def frame(self) -> "pl.DataFrame":
        """Give a row for each kind of evidence, that of all games last."""
        return pl.DataFrame({"evidence": list(self.evidence), **{name: getattr(self, name) for name in COLUMNS}})

    def summary(self) -> dict[str, object]:
        """Give the two, the interval's kind and the anytime-valid evidence."""
        more = None if self.more is None else self.more.games
        return {
            "first": self.first, "second": self.second, "interval": self.interval, "e_first": self.e_first,
            "e_second": self.e_second, "settled_at": self.settled_at, "anytime_low": self.anytime_low,
            "anytime_high": self.anytime_high, "more_games": more,
        }  # fmt: skip

    @property
    def answer(self) -> tuple[str, ...]:
        """How likely the likelier of the two is better, by what, and whether that is significant, and at every look."""
        leads = self.chance[-1] >= 0.5
        better, worse = (self.first, self.second) if leads else (self.second, self.first)
        all_games = f"{better} is better than {worse} with probability {_percent(self.chance[-1], leads)}"
        sure = f"expected score {self._span(len(self.evidence) - 1, leads)}"
        significant = "significant" if not self.low[-1] <= 0.5 <= self.high[-1] else "not significant"
        said = (f"{all_games} ({sure}): {significant}; {self._own_words(better, leads)}.",)
        return said if self.more is None else (*said, self.more.words)

    def _own_words(self, better: str, leads: bool) -> str:
        if self.evidence[0] != EVIDENCE[0]:
            return "they never met, so this comes from common opponents alone"
        own = f"{self.games[0]:g} game{'' if self.games[0] == 1 else 's'} of their own"
        e = self.e_first if leads else self.e_second
        state = "settles it" if e >= self.settled_at else f"does not settle it ({self.settled_at:g} would)"
        evidence = f"the evidence that {better} is better, e = {e:.2g}, {state}, whenever one looks"
        return f"by {own} alone {_percent(self.chance[0], leads)} (score {self._span(0, leads)}), where {evidence}"

    def _span(self, row: int, leads: bool) -> str:
        ends = (self.score[row], self.low[row], self.high[row])
        score, low, high = ends if leads else (1 - ends[0], 1 - ends[2], 1 - ends[1])
        return f"{score:.0%}, {100 * self.interval.level:g}% interval {low:.0%} to {high:.0%}"


def _percent(chance: float, leads: bool) -> str:
    shown = chance if leads else 1 - chance
    return f"{shown:.0%}" if shown < 0.995 else f"{shown:.1%}" if shown < 0.9995 else "above 99.9%"


@method(
    takes=("matches", "pairs"),
    answers="How likely is one agent better than another, by their own games and through others?",
    reference="Bradley and Terry (1952); Waudby-Smith and Ramdas (2024)",
    resampled="its chances and e-values already say how sure it is",
)
def compare_pair(
    data: Matches | PairTable,
    first: str,
    second: str,
    *,
    side: bool = False,
    pairing: Pairing = "fixed",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> PairComparison:
    r"""How likely is the first agent better than the second?

    Their own games say so by Jeffreys' posterior of the share of decided games that the first wins; games with others,
    and all games, by the difference of Bradley-Terry ratings, :math:`\Phi(d / se)`. Beside these, which are of a fixed
    sample, stands an e-value of their own games that may be looked at after every game, whoever chose the pairs.

    Parameters
    ----------
    data
        Matches or pair counts. With groups errors are clustered by them, and the e-value bets once a cluster.
    first, second
        The two agents.
    side
        Take the advantage of the first-named side out, as in :func:`bradley_terry`.
    pairing
        ``adaptive`` where pairing may have been adaptive, as in :func:`bradley_terry`.
    level
        Of the intervals, and at which e-values settle it.
    rng
        Seed or generator.

    Fails when
        an agent is unknown, nobody counted the games, or the two never met, even through others.

    References
    ----------
    Bradley and Terry (1952); Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("aaaabbcc", "bbbbccaa", [1, 1, 1, 0, 1, 0, 0, 1])
    >>> found = eq.compare_pair(m, "a", "b")
    >>> found.chance.round(2).tolist(), round(found.e_first, 2)
    ([0.84, 0.5, 0.8], 1.34)
    """
    table = data if isinstance(data, PairTable) else data.pairs(by_group=data.group is not None)
    i, j = _at(table, first), _at(table, second)
    if i == j:
        raise DataError(f'"{first}" cannot be compared with itself')
    if not table.counted:
        raise DataError("without numbers of games nothing says how sure a comparison is")
    own = ((table.first == i) & (table.second == j)) | ((table.first == j) & (table.second == i))
    options: dict[str, Any] = {"side": side, "pairing": pairing, "level": level, "rng": rng}
    notes: list[Diagnostic] = list(table.diagnostics)
    rows: dict[str, _Row] = {}
    direct = _seen_from(table, own, i)
    if own.any() and (row := _own_row(table, own, direct, first, second, options)) is not None:
        rows[EVIDENCE[0]] = row
    if (row := _rated(table, ~own, first, second, options, [])) is not None:
        rows[EVIDENCE[1]] = row
    together = _rated(table, np.ones(len(own), dtype=bool), first, second, options, notes)
    if together is None:
        raise DataError(f"{first} and {second} never met, even through others: nothing compares them")
    rows[EVIDENCE[2]] = together
    scores, counts = _bets(table, i, j, direct)
    low, high = _anytime(scores, counts, level)
    columns: dict[str, Any] = {name: frozen([getattr(row, name) for row in rows.values()]) for name in COLUMNS}
    return PairComparison(
        first=first, second=second, evidence=tuple(rows), interval=Interval("fixed-sample", level),
        e_first=_e_value(scores, counts), e_second=_e_value(1 - scores, counts), settled_at=2 / (1 - level),
        anytime_low=low, anytime_high=high, more=_more(first, second, together, table, level),
        params=frozen_params(first=first, second=second, side=side, pairing=pairing, level=level),
        diagnostics=tuple(dict.fromkeys(notes)), **columns,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    """What one kind of evidence says; ``stderr`` is of the difference in log-odds (NaN where it is of a score)."""

    games: float
    score: float
    low: float
    high: float
    chance: float
    stderr: float = math.nan


def _at(table: PairTable, agent: str) -> int:
    if agent not in table.agents:
        raise DataError(f'no agent "{agent}"{did_you_mean(str(agent), table.agents)}')
    return table.agents.index(agent)


def _seen_from(table: PairTable, own: npt.NDArray[np.bool_], i: int) -> FloatArray:
    """Wins, ties and losses of agent i in each of its own rows."""
    forward = table.first[own] == i
    wins, losses = table.wins[own], table.losses[own]
    return np.array([np.where(forward, wins, losses), table.ties[own], np.where(forward, losses, wins)])


def _own_row(
    table: PairTable,
    own: npt.NDArray[np.bool_],
    direct: FloatArray,
    first: str,
    second: str,
    options: dict[str, Any],
) -> _Row | None:
    """What their own games say: by counts, or cluster-robust where games are clustered."""
    if table.group is not None:
        try:
            return _rated(table, own, first, second, options | {"side": False}, [])
        except EquipoiseError:  # of too few groups, say
            return None
    wins, ties, losses = direct.sum(axis=1)
    level = float(options["level"])
    ends = [_score_quantile(chance, wins, ties, losses) for chance in ((1 - level) / 2, (1 + level) / 2)]
    score = (wins + ties / 2) / (wins + ties + losses)
    better = float(scipy.special.betaincc(wins + 0.5, losses + 0.5, 0.5))
    return _Row(float(wins + ties + losses), score, min(ends[0], score), max(ends[1], score), better)


def _score_quantile(chance: float, wins: float, ties: float, losses: float) -> float:
    """Quantile of the expected score t/2 + (1 - t) q: q, the share of decided games won, and t, that of ties, are beta.

    Jeffreys' priors; given t the score is q moved and shrunk, so its distribution is an average over t.
    """
    shares = np.zeros(1)
    if ties:
        at = (np.arange(TIE_SHARES) + 0.5) / TIE_SHARES
        shares = scipy.special.betaincinv(ties + 0.5, wins + losses + 0.5, at)

    def excess(score: float) -> float:
        q = np.clip((score - shares / 2) / (1 - shares), 0, 1)
        return float(scipy.special.betainc(wins + 0.5, losses + 0.5, q).mean()) - chance

    return float(scipy.optimize.brentq(excess, 0.0, 1.0, xtol=1e-12))


def _rated(
    table: PairTable,
    rows: npt.NDArray[np.bool_],
    first: str,
    second: str,
    options: dict[str, Any],
    notes: list[Diagnostic],
) -> _Row | None:
    """What Bradley-Terry says by some of the games; None where these do not connect the two."""
    i, j = table.agents.index(first), table.agents.index(second)
    part = connected_components(len(table.agents), table.first[rows], table.second[rows])
    if part[i] != part[j]:
        return None
    chosen = _component(table, np.flatnonzero(rows & (part[table.first] == part[i])), np.flatnonzero(part == part[i]))
    fit = bradley_terry(chosen, **options)
    notes += fit.diagnostics
    about, at = fit.relative_to(second), fit.agents.index(first)
    assert about.low is not None  # games were counted
    assert about.high is not None
    assert about.stderr is not None
    d, se = float(about.rating[at]), float(about.stderr[at])
    t = d / se if se > 0 else math.copysign(math.inf, d) if d else 0.0
    # Groups may tell of one agent less evenly than of others: the fewer degrees of freedom count, as in the interval.
    degrees = float((np.asarray(fit.degrees) + np.zeros(len(fit.agents)))[[at, fit.agents.index(second)]].min())
    chance = scipy.special.ndtr(t) if math.isinf(degrees) else scipy.special.stdtr(degrees, t)
    score, low, high = (float(scipy.special.expit(x)) for x in (d, about.low[at], about.high[at]))
    return _Row(float(chosen.games.sum()), score, low, high, float(chance), se)


def _component(table: PairTable, rows: npt.NDArray[np.intp], members: npt.NDArray[np.intp]) -> PairTable:
    """Give some rows of a table as a table of their agents alone."""
    code = np.full(len(table.agents), -1)
    code[members] = np.arange(len(members))
    columns = [] if table.group is None else [table.group, *table.crossed.values()]
    finest = Factor.crossed([Factor(one.labels, one.codes[rows]) for one in columns]) if columns else None
    found = PairTable.from_counts(
        tuple(table.agents[k] for k in members), code[table.first[rows]], code[table.second[rows]],
        table.wins[rows], table.losses[rows], table.ties[rows], group=finest,
    )  # fmt: skip
    return found.parted(table.crossed)


def _bets(table: PairTable, i: int, j: int, direct: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scores of the first and how many bets each was: a bet a game, or one on the mean of each cluster."""
    bets = ClusterScores.of(table)
    if bets is None:
        return np.array([1.0, 0.5, 0.0]), direct.sum(axis=1)
    score = bets.score[(bets.first == min(i, j)) & (bets.second == max(i, j))]
    return score if i < j else 1 - score, np.ones(len(score))


def _e_value(scores: FloatArray, counts: FloatArray) -> float:
    return math.exp(min(log_capital(scores, counts, 0.5), 700.0))


def _anytime(scores: FloatArray, counts: FloatArray, level: float) -> tuple[float, float]:
    """Means that a bettor does not refute, whenever one looks."""
    threshold = math.log(2 / (1 - level))

    def lowest(outcomes: FloatArray) -> float:
        if not counts.sum() or log_capital(outcomes, counts, 1e-9) < threshold:
            return 0.0
        if log_capital(outcomes, counts, 1 - 1e-9) >= threshold:
            return 1.0
        return float(
            scipy.optimize.brentq(lambda mean: log_capital(outcomes, counts, mean) - threshold, 1e-9, 1 - 1e-9)
        )

    return lowest(scores), 1 - lowest(1 - scores)


def _more(first: str, second: str, together: _Row, table: PairTable, level: float) -> MoreGames | None:
    """How many more games between the two would show the difference that there seems to be."""
    d, critical = float(scipy.special.logit(together.score)), two_sided_quantile(level)
    if table.group is not None or not together.stderr > 0 or abs(d) > critical * together.stderr:
        return None
    tied = float(table.ties.sum() / table.games.sum())
    games = games_to_tell_apart(d, together.stderr**2, information_of_a_game(d, "half", tied, 0.0), critical, 0.8)
    return MoreGames(first, second, games if games <= MOST else math.inf, abs(d), level, together=False)
