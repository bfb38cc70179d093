"""Online Elo: what a leaderboard that updates after every match shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.core.declaration import method
from equipoise.core.diagnostics import warning
from equipoise.core.errors import DataError
from equipoise.core.lazy import pl
from equipoise.core.options import number, positive
from equipoise.core.results import Fit, FloatArray, Result, frozen, frozen_params
from equipoise.core.units import ELO_POINT, UNITS, in_declared_units, in_points
from equipoise.data.types.matches import Matches

MOST_UPDATES = 2e8
"""Games that are played through in a few seconds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Elo(Result):
    """Ratings after the last match, in log-odds and in Elo points.

    Attributes
    ----------
    rating
        Of each agent in log-odds; an agent's own history and the order of the matches decide it.
    points
        The same in Elo points.
    games, win_rate
        Games played, and the share won (a tie is half).
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = UNITS

    agents: tuple[str, ...]
    rating: FloatArray
    games: FloatArray
    win_rate: FloatArray

    @property
    def points(self) -> FloatArray:
        """Ratings in Elo points."""
        return in_points(self.rating)

    @property
    def answer(self) -> tuple[str, ...]:
        """What online ratings do not say."""
        return (
            "Online Elo depends on the order of the games and on k; by itself it says nothing about how sure it is.",
        )

    def frame(self) -> "pl.DataFrame":
        """Give the leaderboard in Elo points, best first."""
        columns = {name: getattr(self, name) for name in ("rating", "games", "win_rate")}
        table = in_declared_units(pl.DataFrame({"agent": list(self.agents)} | columns), self.units)
        return table.sort("rating", descending=True, maintain_order=True)


def check_updates(data: Matches) -> None:
    """Refuse more games than can be played through one after the other.

    Fails when
        weights add up to more than that.
    """
    games = len(data) if data.weight is None else float(np.ceil(data.weight).sum())
    if games > MOST_UPDATES:
        raise DataError(
            f"weights stand for {games:.3g} games, and online ratings play them one after the other: at most "
            f"{MOST_UPDATES:.0e}; scale the weights down, or use bradley_terry, which takes counts as they are"
        )


@method(
    takes="matches",
    answers="What would an online leaderboard show after the last match?",
    reference="Elo (1978)",
    checks={"k": positive(), "initial": number(strictly=True)},
    rates=True,
    order_matters=True,
    synonyms={"step_size": "k"},
)
def elo(data: Matches, *, k: float = 16.0, initial: float = 0.0) -> Elo:
    r"""Rate agents online, in the order the matches were played.

    .. math:: r_a \mathrel{+}= k \tfrac{\ln 10}{400} (s - \sigma(r_a - r_b))

    Parameters
    ----------
    data
        Matches, taken by time where they have one, else as they come.
    k
        Step in Elo points.
    initial
        Rating that everybody starts with, in Elo points.

    Fails when
        given pair counts (there is no order), or weights that add up to more than 200 million games: a row of weight w
        is w games one after the other. Order and ``k`` decide the answer; for one that depends on the games
        alone use :func:`bradley_terry`, and :func:`bootstrap` for intervals.

    References
    ----------
    Elo (1978), The Rating of Chessplayers, Past and Present.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns(["x", "x"], ["y", "y"], [1, 1])
    >>> eq.elo(m, k=16).points.round(2).tolist()
    [15.63, -15.63]
    """
    from equipoise.ratings.online._kernels import elo_sweep

    check_updates(data)
    played = data if data.time is None else data.take(data.order())
    rating = np.full(len(data.agents), float(initial) * ELO_POINT)
    elo_sweep(played.a, played.b, played.outcome, played.weight, rating, k * ELO_POINT)
    notes = data.diagnostics
    if not data.ordered:
        notes += (
            warning(
                "order-unknown",
                "The rows are counts: online Elo took them in the order of the file, which says nothing.",
            ),
        )
    games, scores = data.pairs().tallies()
    return Elo(
        agents=data.agents, rating=frozen(rating), games=frozen(games),
        win_rate=frozen(scores / np.where(games > 0, games, np.nan)),
        params=frozen_params(k=k, initial=initial), fit=Fit(True, len(data), 0.0), diagnostics=notes,
    )  # fmt: skip
