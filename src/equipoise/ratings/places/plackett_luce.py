"""Ratings of games of several players, by the places they took."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, DisconnectedError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import number
from equipoise.core.results import Estimate, Fit, FloatArray, IntArray, Interval, Result, frozen, frozen_params
from equipoise.core.units import UNITS, in_declared_units
from equipoise.core.wording import Advice, Option
from equipoise.data.types.orders import Ballots, Orders, Rankings
from equipoise.inference.ranks import Ranks, rank_intervals, two_sided_quantile
from equipoise.ratings.places.stages import Stages, StrictOrders, stages_of

WEAK = 0.5
"""Wins, and losses, against a phantom of mean strength, where no finite estimate exists."""
STEPS, ACCURACY = 200, 1e-11
"""Steps of Newton's method, and how near observed and expected counts must be, relative to the largest information."""
FEW = 20
"""Games below which errors that are clustered by game are rough."""
ROOM = 60.0
"""Log-odds beyond which an estimate runs away."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PlackettLuce(Result):
    """Ratings from places, in log-odds that sum to zero; ``frame`` has them in Elo points.

    Attributes
    ----------
    rating, stderr, low, high
        Of each agent; a difference of two ratings is the log-odds that one is placed before the other. Errors are
        clustered by game, or by the group of games (sandwich), or the posterior's under a prior.
    model_stderr
        Errors if the model were exactly true.
    rank_low, rank_high
        Best and worst rank that the data allow, all agents together at the level.
    games
        Games of each agent.
    place
        Its mean place, which forgets who was in the race.
    tie
        Log delta of ties by their size, with intervals: how likely a group of that size ties, beside a single one.
    log_likelihood
        Of the real games.
    covariance
        Of the ratings.
    """

    main: ClassVar[str] = "rating"
    units: ClassVar[Mapping[str, str]] = UNITS

    agents: tuple[str, ...]
    rating: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    model_stderr: FloatArray
    ranks: Ranks
    games: FloatArray
    place: FloatArray
    tie: Mapping[int, Estimate]
    interval: Interval
    log_likelihood: float
    covariance: FloatArray

    @property
    def rank_low(self) -> IntArray:
        """Best rank that the data allow each agent."""
        return self.ranks()[0]

    @property
    def rank_high(self) -> IntArray:
        """Worst rank that the data allow each agent."""
        return self.ranks()[1]

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, in Elo points."""
        table = pl.DataFrame({
            "agent": list(self.agents), "rating": self.rating, "stderr": self.stderr, "low": self.low,
            "high": self.high, "rank_low": self.rank_low, "rank_high": self.rank_high, "games": self.games,
            "mean_place": self.place,
        })  # fmt: skip
        return in_declared_units(table, self.units).sort("rating", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the likelihood and how often groups tie."""
        ties = {str(size): estimate.to_dict() for size, estimate in self.tie.items()}
        return {"interval": self.interval, "log_likelihood": self.log_likelihood, "ties": ties}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who has the highest rating, and who cannot be ruled out as best."""
        first = int(np.argmax(self.rating))
        name, points = self.agents[first], self.frame()["rating"][0]
        left = [k for k in range(len(self.agents)) if self.rank_low[k] == 1 and k != first]
        level = f"{100 * self.interval.level:g}%"
        if not left:
            return (f"{name} is best ({level}): it has the highest rating ({points:+.0f} Elo).",)
        if len(left) == 1:
            return (f"{name} has the highest rating ({points:+.0f} Elo), but {self.agents[left[0]]} cannot be ruled out"
                    " as best.",)  # fmt: skip
        return (
            f"{name} has the highest rating ({points:+.0f} Elo), but {len(left)} of the other {len(self.agents) - 1}"
            " agents cannot be ruled out as best.",
        )  # fmt: skip


@method(
    takes=("rankings", "ballots"),
    answers="Who is better in races and games of several players, by the places they took, and how sure is that?",
    reference="Plackett (1975); Turner, van Etten, Firth and Kosmidis (2020)",
    checks={"prior": number(0.0, 1e6, none=True)},
)
def plackett_luce(
    data: Rankings | Ballots, *, prior: float | None = None, level: float = 0.95, rng: int | np.random.Generator = 0
) -> PlackettLuce:
    r"""Who is better in games of several players, by the places they took?

    .. math:: P(C_1 \succ C_2 \succ \dots) = \prod_j \frac{f(C_j)}{\sum_{S \subseteq A_j} f(S)}, \qquad
        f(S) = \delta_{|S|} \Big(\prod_{i \in S} \alpha_i\Big)^{1/|S|}

    with :math:`A_j` who is left of this very game at stage j, and sets S of the sizes in which ties occur
    (:math:`\delta_1 = 1`). Without ties it is Plackett's model, for two players Davidson's. Players who did not take
    part say nothing.

    Parameters
    ----------
    data
        Games with places (:class:`Rankings`), or ballots as games of voters.
    prior
        Wins, and as many losses, of everybody against a phantom of strength 0. By itself none, or 0.5 where no finite
        estimate exists, which is said; 0 refuses then.
    level
        Of the intervals and ranks.
    rng
        Seed or generator of the simulation behind the ranks.

    Returns
    -------
    PlackettLuce
        Ratings with intervals, simultaneous ranks, and how often groups tie.

    Fails when
        games do not connect all agents (:class:`DisconnectedError`); everything is tied; large ties among many players
        have too many possible results. Whether a finite estimate exists is looked at before the fit: someone who always
        wins has none.

    References
    ----------
    Plackett (1975), The analysis of permutations. Hunter (2004), MM algorithms for generalized Bradley-Terry models.
    Turner, van Etten, Firth and Kosmidis (2020), Modelling rankings in R: the PlackettLuce package.

    Examples
    --------
    >>> import equipoise as eq
    >>> orders = ["012", "021", "102", "210"]
    >>> eq.plackett_luce(eq.Ballots.from_orders(orders, agents="012")).rating.round(4).tolist()
    [0.321, 0.055, -0.376]
    """
    _refuse_unconnected(data)
    stages = stages_of(data)
    strength, notes = _prior(data, stages.without_maximum(), prior)
    fitted_to = stages_of(_with_phantom(data, strength)) if strength else stages
    fitted = _fit(fitted_to)
    n = stages.agents
    everybody = np.array([*range(n), *range(fitted_to.agents, fitted_to.width)])  # all but the phantom
    centre = np.eye(fitted_to.width)
    centre[:n, :n] -= 1.0 / n
    inverse: FloatArray = np.linalg.inv(fitted.information + _flat(fitted_to)).astype(np.float64)
    used = inverse if strength else _sandwich(stages, fitted.theta, inverse)
    theta, model, used = (centre @ fitted.theta)[everybody], *(
        (centre @ table @ centre.T)[np.ix_(everybody, everybody)] for table in (inverse, used)
    )  # fmt: skip
    kind = "posterior" if strength else "sandwich"
    many = stages.independent
    if not strength and many < FEW:
        of = "games" if not isinstance(data, Rankings) or data.group is None else "sets of games"
        text = f"The errors come from only {many:,.0f} {of}; take the intervals as rough."
        notes = (*notes, warning("few-clusters", text, advice=[Advice("play more games")]))
    degrees = float("inf") if strength else max(many - 1.0, 1.0)
    spread = two_sided_quantile(level, degrees)
    error = np.sqrt(np.clip(np.diag(used), 0.0, None))
    low, high = theta - spread * error, theta + spread * error
    seats = np.bincount(data.who, data.weight[data.rows], n)
    sizes = {size: n + k for k, size in enumerate(stages.sizes)}
    places = np.bincount(data.who, data.weight[data.rows] * (1.0 + _shared_places(data)), n)
    generator = np.random.default_rng(rng)
    rating, covariance = frozen(theta[:n]), frozen(used[:n, :n])
    return PlackettLuce(
        agents=data.agents, rating=rating, stderr=frozen(error[:n]), low=frozen(low[:n]), high=frozen(high[:n]),
        model_stderr=frozen(np.sqrt(np.clip(np.diag(model)[:n], 0.0, None))),
        ranks=Ranks(lambda: rank_intervals(rating, covariance, level, None, generator, degrees)),
        games=frozen(seats), place=frozen(places / np.maximum(seats, 1)),
        tie={size: Estimate(theta[k], error[k], low[k], high[k]) for size, k in sizes.items()},
        interval=Interval(kind, level), log_likelihood=stages.value(theta), covariance=covariance,
        params=frozen_params(prior=strength, level=level), fit=fitted.fit, diagnostics=(*data.diagnostics, *notes),
    )  # fmt: skip


def _refuse_unconnected(data: Orders) -> None:
    """Refuse games that fall into parts that never met."""
    games = scipy.sparse.coo_array(
        (np.ones(len(data.who)), (data.rows, data.who)), shape=(len(data), len(data.agents))
    ).tocsr()
    count, part = scipy.sparse.csgraph.connected_components(games.T @ games, directed=False)
    if count > 1:
        smallest = int(np.bincount(part).argmin())
        names = [name for name, where in zip(data.agents, part, strict=True) if where == smallest]
        raise DisconnectedError(
            f"these games fall into {count:,} sets of agents that never met; one of them: {some_of(names)}"
        )


def _prior(data: Orders, unbounded: bool, prior: float | None) -> tuple[float, tuple[Diagnostic, ...]]:
    """Take a weak prior where no finite estimate exists, and say so."""
    if not unbounded or prior:
        return prior or 0.0, ()
    ties_only = not np.any(np.diff(data.place)[np.diff(data.rows) == 0])
    if prior is None and not ties_only:
        text = (
            "No finite estimate exists (somebody always wins, always loses, or ties decide it): everybody has half a"
            " win and half a loss against a phantom of mean strength, which pulls ratings together."
        )
        return WEAK, (warning("no-finite-mle", text, advice=[Advice("set another ", Option("prior"))]),)
    why = "all games are ties" if ties_only else "somebody always wins or always loses"
    raise DataError(
        f"no finite estimate exists: {why}",
        advice=[] if ties_only else [Advice("pull ratings together with ", Option("prior", WEAK))],
    )


def _with_phantom(data: Orders, strength: float) -> Orders:
    """Add so many wins and losses of everybody against a phantom."""
    n = len(data.agents)
    everybody, phantom = np.arange(n), np.full(n, n)
    pairs = np.concatenate([np.column_stack([everybody, phantom]), np.column_stack([phantom, everybody])])
    return Orders(
        (*data.agents, "phantom"),
        np.concatenate([data.start, data.start[-1] + 2 * np.arange(1, 2 * n + 1)]),
        np.concatenate([data.who, pairs.ravel().astype(np.int32)]),
        np.concatenate([data.place, np.tile(np.array([0, 1], dtype=np.int32), 2 * n)]),
        np.concatenate([data.weight, np.full(2 * n, strength)]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    theta: FloatArray
    information: FloatArray
    fit: Fit


def _fit(stages: Stages | StrictOrders) -> _Fitted:
    """Maximise by Newton's method with a line search; the end is where observed and expected counts agree."""
    theta = np.zeros(stages.width)
    total = stages.value(theta)
    flat, scale = _flat(stages), 1.0
    residual, steps = np.inf, 0
    for _ in range(STEPS):
        gradient, information = stages.slope_and_curvature(theta)
        scale = max(float(np.diag(information).max()), 1e-300)
        residual = float(np.abs(gradient).max()) / scale
        if residual <= ACCURACY:
            break
        move = np.linalg.solve(information + scale * flat, gradient)
        length, gain = 1.0, float(gradient @ move)
        while (reached := stages.value(theta + length * move)) < total + 1e-4 * length * gain and length > 1e-6:
            if abs(reached - total) <= 1e-13 * abs(total):
                break
            length /= 2
        theta, total, steps = theta + length * move, reached, steps + 1
        if np.abs(theta).max() > ROOM:
            raise DataError("no finite estimate exists: ties decide it together with the results; leave ties out")
    done = residual <= 100 * ACCURACY
    return _Fitted(theta, information, Fit(converged=done, iterations=steps, residual=residual))


def _flat(stages: Stages | StrictOrders) -> FloatArray:
    """Give what makes the information regular: a common shift of all ratings changes nothing."""
    table = np.zeros((stages.width, stages.width))
    table[: stages.agents, : stages.agents] = 1.0 / stages.agents
    return table


def _sandwich(stages: Stages | StrictOrders, theta: FloatArray, inverse: FloatArray) -> FloatArray:
    """Give errors that hold where games do not follow the model: the stages of a game, or set of games, are one."""
    many = stages.independent
    return np.asarray(inverse @ stages.meat(theta) @ inverse) * (many / max(many - 1.0, 1.0))


def _shared_places(data: Orders) -> FloatArray:
    """Give the place of each entry from 0: a tied group shares the mean of its places."""
    entry = np.arange(len(data.who)) - data.start[data.rows]
    group = np.cumsum(np.concatenate([[True], (np.diff(data.place) != 0) | (np.diff(data.rows) != 0)])) - 1
    return np.asarray((np.bincount(group, entry) / np.bincount(group))[group])
