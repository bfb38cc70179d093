"""Online multidimensional Elo: ratings and vectors that move after every match."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import warning
from equipoise.core.lazy import pl
from equipoise.core.options import generator, positive, whole
from equipoise.core.results import Fit, FloatArray, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT, UNITS, in_declared_units, in_points
from equipoise.data.types.matches import Matches
from equipoise.ratings.online.elo import check_updates
from equipoise.ratings.online.melo_fit import normal_form, predicted_chances


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class MeloOnline(Result):
    """Ratings and vectors after the last match, in log-odds and in normal form.

    Attributes
    ----------
    rating, vectors
        Of each agent, as in :class:`Melo`.
    points
        The rating in Elo points.
    loss_per_game
        Mean log-loss of the predictions made before each match: an unbiased measure of prediction.
    """

    main: ClassVar[str] = "rating"
    in_summary: ClassVar[tuple[str, ...]] = ("loss_per_game",)
    units: ClassVar[Mapping[str, str]] = UNITS

    agents: tuple[str, ...]
    rating: FloatArray
    vectors: FloatArray
    loss_per_game: float

    @property
    def points(self) -> FloatArray:
        """Ratings in Elo points."""
        return in_points(self.rating)

    @property
    def answer(self) -> tuple[str, ...]:
        """What online ratings do not say."""
        return (
            "Online ratings depend on the order of the games and on the steps; by themselves they say nothing about how"
            " sure they are.",
        )

    def predict(self) -> FloatArray:
        """Give the matrix of predicted win probabilities, 1/2 on the diagonal."""
        return frozen(predicted_chances(self.rating, self.vectors))

    def frame(self) -> "pl.DataFrame":
        """Give ratings in Elo points, and vectors, best rating first."""
        columns = {"agent": list(self.agents), "rating": self.rating}
        columns |= {f"c{d + 1}": self.vectors[:, d] for d in range(self.vectors.shape[1])}
        return in_declared_units(pl.DataFrame(columns), self.units).sort("rating", descending=True, maintain_order=True)


@method(
    takes="matches",
    answers="What would an online leaderboard with discs show after the last match?",
    reference="Balduzzi et al. (2018), appendix E",
    checks={"k": whole(0), "step": positive(), "vector_step": positive(), "spread": positive()},
    order_matters=True,
)
def melo_online(
    data: Matches,
    *,
    k: int = 1,
    step: float = 16.0,
    vector_step: float = 0.05,
    spread: float = 0.1,
    rng: int | np.random.Generator = 0,
) -> MeloOnline:
    r"""Rate agents and place them on discs online, in the order the matches were played.

    .. math:: r_i \mathrel{+}= \eta\,\delta, \quad c_i \mathrel{+}= \eta_c\,\delta\,\Omega c_j, \quad
              c_j \mathrel{-}= \eta_c\,\delta\,\Omega c_i, \qquad \delta = s - \sigma(r_i - r_j + c_i^\top \Omega c_j)

    and the opposite for :math:`r_j`: the update of the paper's appendix E, for k discs.

    Parameters
    ----------
    data
        Matches, taken by time where they have one, else as they come.
    k
        Number of discs.
    step
        Of the ratings, in Elo points.
    vector_step
        Of the vectors, in log-odds. The vectors need the slower step.
    spread
        Standard deviation of the random vectors at the start; from zero they would never move.
    rng
        Seed or generator of these.

    Fails when
        given pair counts: there is no order.

    References
    ----------
    Balduzzi, Tuyls, Perolat, Graepel (2018), Re-evaluating Evaluation, appendix E.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns(["r", "p", "s"] * 2000, ["s", "r", "p"] * 2000, [1] * 6000)
    >>> bool((eq.methods.melo_online(m).predict()[[0, 2, 1], [1, 0, 2]] > 0.95).all())
    True
    """
    from equipoise.ratings.online._kernels import melo_sweep

    check_updates(data)
    order = data.order()
    rating = np.zeros(len(data.agents))
    vectors = generator(rng).normal(scale=spread, size=(len(data.agents), 2 * k))
    a, b = data.a[order].astype(np.int64), data.b[order].astype(np.int64)
    loss = melo_sweep(
        a, b, data.outcome[order], data.weights[order], rating, vectors, step * ELO_POINT, vector_step
    )  # fmt: skip
    notes = data.diagnostics
    if not data.ordered:
        notes += (warning("order-unknown", "The rows are counts: they were taken in the order of the file."),)
    rating, vectors = normal_form(rating, vectors)
    return MeloOnline(
        agents=data.agents, rating=frozen(rating), vectors=frozen(vectors),
        loss_per_game=float(loss / data.weights.sum()),
        params=frozen_params(k=k, step=step, vector_step=vector_step, spread=spread),
        fit=Fit(True, len(data), 0.0), diagnostics=notes,
    )  # fmt: skip
