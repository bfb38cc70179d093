"""Multidimensional Elo: a rating and, for each agent, a place on one or more discs."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, DisconnectedError, EquipoiseError, ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, positive, whole
from equipoise.core.results import Fit, FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import UNITS, in_declared_units, in_points
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.flows.laplacian import components
from equipoise.inference.bootstrap import percentile_interval
from equipoise.ratings.online.melo_fit import (
    RUNAWAY,
    WEAK,
    MeloFit,
    Pairs,
    Point,
    bootstrap_points,
    fewest_discs,
    held_out_losses,
    losses_of_fit,
    melo_maximum_likelihood,
    predicted_chances,
    refitted,
)

MOST_DISCS = 4
"""Most discs that ``k="auto"`` tries."""
STEEP = 1e-6
"""Gradient per game above which a climb has not arrived."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Melo(Result):
    """Ratings and vectors in log-odds: P(i beats j) = sigma(r_i - r_j + c_i' Omega c_j).

    Attributes
    ----------
    rating
        Of each agent; sums to zero.
    points
        The rating in Elo points.
    vectors
        Agents by 2k, discs strongest first; columns sum to zero and are orthogonal to each other.
    log_loss
        Cross-entropy of predicted against observed win rates, summed over the ordered pairs that met (each pair counts
        twice, however many games it has); ``rating_log_loss`` is that of the best rating alone.
    frobenius
        Root of the summed squared errors of the predictions over the same cells; ``rating_frobenius`` likewise.
    loss_per_game
        Mean log-loss of a game.
    held_out
        Held-out log-loss per game for each k that was tried; empty unless ``k="auto"``.
    replicates
        Bootstrap replicates (ratings, vectors), or None.
    low, high
        Of the ratings, described by ``interval``; None without replicates.
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = UNITS

    agents: tuple[str, ...]
    rating: FloatArray
    vectors: FloatArray
    games: FloatArray
    win_rate: FloatArray
    log_loss: float
    frobenius: float
    loss_per_game: float
    rating_log_loss: float
    rating_frobenius: float
    held_out: tuple[float, ...] = ()
    replicates: tuple[FloatArray, FloatArray] | None = None
    interval: Interval | None = None

    @property
    def points(self) -> FloatArray:
        """Ratings in Elo points."""
        return in_points(self.rating)

    @property
    def low(self) -> FloatArray | None:
        """Lower ends of the ratings' intervals; None without replicates."""
        return self._end(0)

    @property
    def high(self) -> FloatArray | None:
        """Upper ends of the ratings' intervals; None without replicates."""
        return self._end(1)

    def _end(self, which: int) -> FloatArray | None:
        if self.replicates is None or self.interval is None:
            return None
        return frozen(percentile_interval(self.replicates[0], self.interval.level, self.rating)[which])

    @property
    def answer(self) -> tuple[str, ...]:
        """What the discs add to the rating."""
        chosen = " (chosen by held-out loss)" if self.held_out else ""
        if self.k == 0:
            return (
                f"With no disc{chosen} this is a rating alone; its predictions are off by {self.frobenius:.3f}"
                " (Frobenius).",
            )
        count = "1 disc" if self.k == 1 else f"{self.k} discs"
        return (
            f"With {count}{chosen} the predictions are off by {self.frobenius:.3f} (Frobenius), those of a rating alone"
            f" by {self.rating_frobenius:.3f}; the columns c1, c2 … of JSON and CSV place the agents on the discs.",
        )

    @property
    def k(self) -> int:
        """Number of discs."""
        return int(self.vectors.shape[1] // 2)

    def predict(self) -> FloatArray:
        """Give the matrix of predicted win probabilities, 1/2 on the diagonal."""
        return frozen(predicted_chances(self.rating, self.vectors))

    def probability(self, a: str, b: str) -> float:
        """Give the predicted probability that ``a`` beats ``b``."""
        return float(predicted_chances(self.rating, self.vectors, [self._place(a)])[0, self._place(b)])

    def predict_interval(self) -> tuple[FloatArray, FloatArray]:
        """Give lower and upper ends for :meth:`predict`, from the bootstrap.

        Fails when
            the fit was made without replicates.
        """
        if self.replicates is None or self.interval is None:
            raise ParameterError(
                "there are no bootstrap replicates, and so no intervals on predictions",
                advice=[Advice("fit with ", Option("n", 200), " or so")],
            )
        low, high = (np.empty((len(self.agents),) * 2) for _ in range(2))
        chance = self.predict()
        for i in range(len(self.agents)):
            rows = np.array([predicted_chances(r, c, [i])[0] for r, c in zip(*self.replicates, strict=True)])
            low[i], high[i] = percentile_interval(rows, self.interval.level, chance[i])
        return frozen(low), frozen(high)

    def refit(self, tables: Sequence[PairTable]) -> list[FloatArray | EquipoiseError]:
        """Give the ratings of other counts of the same pairs, started from this fit: what a bootstrap needs."""
        prior = self.params["prior"]
        precision = 1 / prior**2 if isinstance(prior, float) else WEAK
        orthogonal = self.params["orthogonal"] == "rating"
        samples = [_pairs(table.unordered()) for table in tables]
        return [point.rating for point in refitted(samples, self.rating, self.vectors, precision, orthogonal)]

    def _place(self, agent: str) -> int:
        if agent not in self.agents:
            raise ParameterError(f'no agent "{agent}"{did_you_mean(agent, self.agents)}')
        return self.agents.index(agent)

    def frame(self) -> "pl.DataFrame":
        """Give ratings in Elo points, and vectors, best rating first."""
        columns: dict[str, object] = {"agent": list(self.agents), "rating": self.rating}
        if self.replicates is not None:
            columns |= {"low": self.low, "high": self.high}
        columns |= {"games": self.games, "win_rate": self.win_rate}
        columns |= {f"c{d + 1}": self.vectors[:, d] for d in range(self.vectors.shape[1])}
        return in_declared_units(pl.DataFrame(columns), self.units).sort("rating", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the number of discs and the losses, beside those of a rating alone."""
        names = ("k", "log_loss", "rating_log_loss", "frobenius", "rating_frobenius", "loss_per_game")
        more = {"held_out": list(self.held_out)} if self.held_out else {}
        return {name: getattr(self, name) for name in names} | more | {"interval": self.interval}


@method(
    takes=("matches", "pairs"),
    answers="Who wins against whom, when one number per agent cannot say it?",
    reference="Balduzzi et al. (2018)",
    checks={
        "k": whole(0, words=("auto",)),
        "prior": positive(none=True),
        "starts": whole(1),
        "folds": whole(2),
        "n": whole(0),
    },
    rates=True,
    synonyms={"dimensions": "k"},
)
def melo(
    data: Matches | PairTable,
    *,
    k: int | Literal["auto"] = 1,
    orthogonal: Literal["columns", "rating"] = "columns",
    prior: float | None = None,
    starts: int = 5,
    folds: int = 5,
    n: int = 0,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> Melo:
    r"""Who wins against whom, when one number per agent cannot say it?

    .. math:: P(i \text{ beats } j) = \sigma(r_i - r_j + c_i^\top \Omega c_j)

    with :math:`\Omega` made of k blocks :math:`\begin{pmatrix}0&1\\-1&0\end{pmatrix}`. Maximum likelihood on pair
    counts, from several starts, in a normal form: ratings hold all of the divergence, vectors are centred and
    orthogonal.

    Parameters
    ----------
    data
        Matches or pair counts; counts may be unequal and pairs missing. A tie is half a win.
    k
        Number of discs; 0 is plain Bradley-Terry. ``auto`` takes the smallest k whose
        held-out loss is within a standard error of the least.
    orthogonal
        ``columns``: a normal form, nothing is lost. ``rating``: vectors also orthogonal to the rating, as the paper
        asks; this restricts the model and costs likelihood.
    prior
        Standard deviation of a normal prior on every rating and vector entry; None for none.
    starts
        Climbs: one from the strongest discs of what a rating leaves over, the others random.
    folds
        Folds of games for ``k="auto"``.
    n
        Bootstrap replicates for intervals on predictions and ratings; 0 for none.
    level
        Of these intervals.
    rng
        Seed or generator for starts, folds and bootstrap.
    executor
        Who refits the replicates, as in :func:`bootstrap`; the answer is the same.

    Returns
    -------
    Melo
        Ratings, vectors, predictions, losses.

    Fails when
        groups of agents never met (:class:`DisconnectedError`), there are more than (agents - 1)/2 discs, or ``auto``
        or replicates are asked of a table without counts. Where some predictions run to certainty no finite optimum
        exists: a weak prior is used and said (``no-finite-mle``).

    References
    ----------
    Balduzzi, Tuyls, Perolat, Graepel (2018), Re-evaluating Evaluation, section 3.1.

    Examples
    --------
    >>> import equipoise as eq
    >>> fit = eq.melo(eq.load("alphago"))
    >>> round(fit.log_loss, 4), round(fit.rating_log_loss, 4)
    (14.7297, 16.9881)
    """
    table = (data if isinstance(data, PairTable) else data.pairs()).unordered()
    _refuse_impossible(table, k, n)
    _refuse_components(table, prior)
    random = generator(rng)
    pairs = _pairs(table)
    precision = None if prior is None else 1 / prior**2
    counts = (table.wins, table.losses, table.ties)
    held_out: tuple[float, ...] = ()
    if k == "auto":
        tried = range(min(MOST_DISCS, (len(table.agents) - 1) // 2) + 1)
        losses = held_out_losses(*counts, pairs, tried, prior=precision or WEAK, folds=folds, rng=random)
        held_out, k = tuple(losses.mean(axis=0).tolist()), fewest_discs(losses)
    fit = melo_maximum_likelihood(
        pairs, k, prior=precision, orthogonal=orthogonal == "rating", starts=starts, rng=random
    )
    points = bootstrap_points(
        *counts, pairs, fit, orthogonal=orthogonal == "rating", n=n, rng=random, executor=executor
    )  # fmt: skip
    used = prior if fit.prior == (precision or 0.0) else float(WEAK**-0.5)
    games = table.games_of_agents()
    return Melo(
        agents=table.agents, rating=frozen(fit.point.rating), vectors=frozen(fit.point.vectors),
        games=frozen(games), win_rate=frozen(table.scores_of_agents() / np.where(games > 0, games, np.nan)),
        **losses_of_fit(pairs, fit), held_out=held_out,
        replicates=_stacked(points), interval=Interval("percentile bootstrap over matches", level) if n else None,
        params=frozen_params(k=k, orthogonal=orthogonal, prior=used, starts=starts, n=n, level=level),
        fit=Fit(fit.point.gradient <= STEEP, fit.point.iterations, fit.point.gradient),
        diagnostics=(*table.diagnostics, *_notes(table, fit, k, starts)),
    )  # fmt: skip


def _pairs(table: PairTable) -> Pairs:
    first, second = table.first.astype(np.int64), table.second.astype(np.int64)
    return Pairs(first, second, table.score.copy(), table.games.copy(), len(table.agents))


def _stacked(points: list[Point]) -> tuple[FloatArray, FloatArray] | None:
    if not points:
        return None
    return frozen([point.rating for point in points]), frozen([point.vectors for point in points])


def _refuse_impossible(table: PairTable, k: int | str, n: int) -> None:
    most = (len(table.agents) - 1) // 2
    if isinstance(k, int | np.integer) and k > most:
        raise ParameterError(
            Option("k"), f" is a number of discs, for {len(table.agents)} agents 0 to {most}, or auto, not {k}"
        )
    if n == 1:
        raise ParameterError(Option("n"), " is 0 or at least 2: one replicate has no spread")
    if (k == "auto" or n) and not table.counted:
        raise DataError("a table of probabilities without numbers of games has no games to hold out or resample")


def _refuse_components(table: PairTable, prior: float | None) -> None:
    labels = components(table.first.astype(np.int64), table.second.astype(np.int64), len(table.agents))
    if prior is None and labels.max() > 0:
        groups = [[table.agents[i] for i in np.flatnonzero(labels == label)] for label in range(int(labels.max()) + 1)]
        listed = "; ".join(some_of(group) for group in groups[:4])
        raise DisconnectedError(
            f"{len(groups)} groups of agents never met, so no rating compares them: {listed}",
            advice=[Advice("give a ", Option("prior"))],
        )


def _notes(table: PairTable, fit: MeloFit, k: int, starts: int) -> list[Diagnostic]:
    notes = []
    if fit.runaway is not None:
        far = np.flatnonzero(np.abs(fit.runaway) > RUNAWAY)
        who = sorted({table.agents[i] for e in far for i in (table.first[e], table.second[e])})
        notes.append(
            warning(
                "no-finite-mle",
                f"Without a prior the predictions of {len(far):,} pair{'s' if len(far) > 1 else ''} run to certainty"
                f" (among {some_of(who)}); a weak normal prior (standard deviation {WEAK**-0.5:g}) was put on all"
                " ratings and vectors.",
                who,
            )
        )
    if k and starts > 1 and fit.agreeing_starts == 1:
        more = Advice("try more with ", Option("starts", 4 * starts))
        notes.append(info("starts-disagree", f"Only 1 of {starts} starts reached the best fit.", advice=[more]))
    if fit.point.gradient > STEEP:
        helps = Advice("a ", Option("prior"), " may help")
        notes.append(warning("not-converged", "The fit was stopped before it arrived.", advice=[helps]))
    return notes
