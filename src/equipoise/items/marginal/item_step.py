"""The item step (M step): every item's curve refitted to expected counts, all items at once.

Fisher scoring with step halving, vectorised over items. Bounds are active-set: a parameter that
rests on its bound and is pushed outwards is held there while the others move. When a slope would
pass its bound the intercept is scaled with it, so that the difficulty stays where it was.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.options import Check, check_options, number, positive
from equipoise.core.results import FloatArray
from equipoise.items.marginal.quadrature import NOBODY, Expectation
from equipoise.items.models.models import Items, Model, chance_and_variance, curve, log_failures, log_probabilities

#: Items times nodes handled at a time, small enough to stay in the processor's cache.
_CHUNK_CELLS = 100_000
_HALVINGS = 20
#: Log-odds up to which (exp(u) - u - 1) / u^2 is below 1.
_SURE_MOVE = 1.79
_SPREAD = Check("a number above 0, infinite for no prior", least=np.nextafter(0.0, 1.0), kind="number")
_PRIOR = {
    "slope_mean": number(strictly=True),
    "slope_sd": _SPREAD,
    "intercept_sd": _SPREAD,
    "guessing_alpha": positive(),
    "guessing_beta": positive(),
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Box for the item parameters: slopes within +-slope, 0 <= c <= guessing."""

    slope: float = 100.0
    guessing: float = 0.6


@dataclass(frozen=True, slots=True)
class ItemPrior:
    """Independent priors on the item parameters; infinite spreads mean none.

    a ~ N(slope_mean, slope_sd), d ~ N(0, intercept_sd), c ~ Beta(guessing_alpha, guessing_beta).
    """

    slope_mean: float = 0.0
    slope_sd: float = float("inf")
    intercept_sd: float = float("inf")
    guessing_alpha: float = 1.0
    guessing_beta: float = 1.0

    def __post_init__(self) -> None:
        check_options(_PRIOR, asdict(self))

    @property
    def flat(self) -> bool:
        """Whether the prior says nothing."""
        return (
            np.isinf(self.slope_sd)
            and np.isinf(self.intercept_sd)
            and self.guessing_alpha == 1.0
            and self.guessing_beta == 1.0
        )

    def log_density(self, items: Items, model: Model) -> float:
        """Return the log prior density up to a constant."""
        total = -0.5 * float(np.sum(items.intercept**2)) / self.intercept_sd**2
        if model != "rasch":
            slopes = items.slope[:1] if model == "1pl" else items.slope
            total -= 0.5 * float(np.sum((slopes - self.slope_mean) ** 2)) / self.slope_sd**2
        if model == "3pl":
            total += float(np.sum(self.guessing_terms(items.guessing)[0]))
        return total

    def guessing_terms(self, c: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the log Beta density, its gradient and its negative curvature in c."""
        low = np.maximum(c, 1e-6)
        up, down = self.guessing_alpha - 1.0, self.guessing_beta - 1.0
        value = up * np.log(low) + down * np.log1p(-c)
        return value, up / low - down / (1.0 - c), up / low**2 + down / (1.0 - c) ** 2


WEAK_PRIOR = ItemPrior(slope_sd=3.0, intercept_sd=5.0, guessing_alpha=2.0, guessing_beta=8.0)


class Derivatives(NamedTuple):
    """Gradient (parameter, item) and information in (a, d, c) of each item's expected log-likelihood."""

    gradient: FloatArray
    information: FloatArray


def values(stats: Expectation, items: Items, nodes: FloatArray) -> FloatArray:
    """Return the expected complete-data log-likelihood of every item alone."""
    fill = _two_parameter_values if stats.successes is None else _three_parameter_values
    out = np.empty(len(items.slope))
    for part, counts in _chunks(stats, len(out)):
        out[part] = fill(counts, items.take(part), nodes)
    return out


def derivatives(stats: Expectation, items: Items, nodes: FloatArray) -> Derivatives:
    """Return gradient and information of what :func:`values` returns."""
    n_items = len(items.slope)
    fill = _two_parameter if stats.successes is None else _three_parameter
    gradient, info = np.empty((3, n_items)), np.empty((3, 3, n_items))
    for part, counts in _chunks(stats, n_items):
        gradient[:, part], info[:, :, part] = fill(counts, items.take(part), nodes)
    return Derivatives(gradient, info)


def _where_somebody_is(stats: Expectation, nodes: FloatArray) -> tuple[Expectation, FloatArray]:
    """Leave out nodes at both ends that add no digit; inner ones stay."""
    if len(stats.trials) > 1 or stats.successes is not None:
        return stats, nodes
    alive = np.flatnonzero(stats.trials[0] > NOBODY * float(stats.trials.max()))
    part = slice(int(alive[0]), int(alive[-1]) + 1)
    return stats._replace(trials=stats.trials[:, part]), nodes[part]


def _chunks(stats: Expectation, n_items: int) -> Iterator[tuple[slice, Expectation]]:
    """Yield some items at a time, and what is expected of them."""
    step = max(1, _CHUNK_CELLS // stats.trials.shape[1])
    for start in range(0, n_items, step):
        part = slice(start, min(start + step, n_items))
        yield part, stats if step >= n_items else _some_items(stats, part)


def _two_parameter_values(stats: Expectation, items: Items, nodes: FloatArray) -> FloatArray:
    log_fail, trials = log_failures(nodes, items), stats.trials
    failed = log_fail @ trials[0] if len(trials) == 1 else np.einsum("iq,iq->i", log_fail, trials)
    out: FloatArray = items.slope * stats.success_ability + items.intercept * stats.success_sum + failed
    return out


def _three_parameter_values(stats: Expectation, items: Items, nodes: FloatArray) -> FloatArray:
    assert stats.successes is not None
    log_success, log_fail = log_probabilities(nodes, items)
    out: FloatArray = np.sum(stats.successes * log_success + (stats.trials - stats.successes) * log_fail, axis=1)
    return out


def _two_parameter(stats: Expectation, items: Items, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradient and information where c = 0: moments of p and p (1 - p) over the grid."""
    p, spread = chance_and_variance(nodes, items)
    powers = np.ones((3, len(nodes)))
    powers[1], powers[2] = nodes, nodes * nodes
    if len(stats.trials) == 1:
        powers *= stats.trials
    else:
        p *= stats.trials
        spread *= stats.trials
    gradient, info = np.zeros((3, len(p))), np.zeros((3, 3, len(p)))
    gradient[0], gradient[1] = stats.success_ability, stats.success_sum
    gradient[1::-1] -= powers[:2] @ p.T
    info[1, 1], info[0, 1], info[0, 0] = powers @ spread.T
    info[1, 0], info[2, 2] = info[0, 1], 1.0
    return gradient, info


def _three_parameter(stats: Expectation, items: Items, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradient and information with a lower asymptote."""
    assert stats.successes is not None
    won, trials, part_of = stats.successes, stats.trials, curve(nodes, items)
    floor = np.maximum(part_of.p, 1e-12) * (1.0 - items.guessing[:, None])
    residual = won - trials * part_of.p
    by_z = residual * part_of.pull
    gradient = np.stack([by_z @ nodes, by_z.sum(axis=1), np.sum(residual / floor, axis=1)])
    curve_z = trials * part_of.pull**2 * part_of.p * part_of.q
    curve_zc = trials * part_of.pull * (1.0 - part_of.sigma)
    info = np.empty((3, 3, len(won)))
    info[0, 0], info[1, 1] = curve_z @ nodes**2, curve_z.sum(axis=1)
    info[0, 1] = info[1, 0] = curve_z @ nodes
    info[0, 2] = info[2, 0] = curve_zc @ nodes
    info[1, 2] = info[2, 1] = curve_zc.sum(axis=1)
    info[2, 2] = np.sum(trials * (1.0 - part_of.sigma) / floor, axis=1)
    return gradient, info


def item_step(
    stats: Expectation,
    items: Items,
    nodes: FloatArray,
    *,
    model: Model,
    prior: ItemPrior,
    bounds: Bounds,
    iterations: int = 3,
    free_slope: NDArray[np.bool_] | None = None,
) -> Items:
    """Improve the items on the expected counts; each accepted step raises the objective.

    ``free_slope`` false holds an item's slope where it is (used to test a slope against zero).
    """
    objective = _Objective(*_where_somebody_is(stats, nodes), model, prior)
    value = None
    for left in reversed(range(iterations)):
        here = objective.derivatives(items)
        step = _direction(here, items, model, prior, bounds, free_slope)
        before, items = items, _climb(objective, items, step, here.gradient, bounds)
        if left == 0:
            break
        passed = objective.values(before) if value is None else value
        value = objective.values(items)
        gain = float(np.max(value - passed, initial=0.0))
        if gain < 1e-10 * (1.0 + float(np.max(np.abs(value)))):
            break
    return items


@dataclass(frozen=True, slots=True, eq=False)
class _Objective:
    """The expected log-likelihood of each item with the log prior added (a shared slope's total in every entry)."""

    stats: Expectation
    nodes: FloatArray
    model: Model
    prior: ItemPrior

    def values(self, items: Items, which: NDArray[np.bool_] | None = None) -> FloatArray:
        """Return the values of all items, or of some."""
        if which is None or which.all():
            return self._penalised(values(self.stats, items, self.nodes), items)
        some = items.take(which)
        return self._penalised(values(_some_items(self.stats, which), some, self.nodes), some)

    def derivatives(self, items: Items) -> Derivatives:
        """Return gradients and information."""
        prior = self.prior
        gradient, info = derivatives(self.stats, items, self.nodes)
        if not prior.flat:
            gradient[1] -= items.intercept / prior.intercept_sd**2
            info[1, 1] += prior.intercept_sd**-2
            if self.model in ("2pl", "3pl"):
                gradient[0] -= (items.slope - prior.slope_mean) / prior.slope_sd**2
                info[0, 0] += prior.slope_sd**-2
            if self.model == "3pl":
                _, slope, curve = prior.guessing_terms(items.guessing)
                gradient[2] += slope
                info[2, 2] += curve
        return Derivatives(gradient, info)

    def surely_rises(self, step: FloatArray, scale: FloatArray) -> NDArray[np.bool_]:
        """Say which items rise for certain by so much of a Newton step, before anything is computed at its end.

        With log-odds that move by at most u at each node, a logistic log-likelihood falls short of its gradient's
        promise by at most the share t (exp(u) - u - 1) / u^2, t <= 1 being the scale (Bach 2010, Electronic Journal of
        Statistics 4, lemma 1; a normal prior falls short by less).
        """
        if self.model not in ("2pl", "rasch") or self.stats.successes is not None:
            return np.zeros(len(scale), dtype=bool)
        low, high = float(self.nodes.min()), float(self.nodes.max())
        move = np.maximum(np.abs(step[0] * low + step[1]), np.abs(step[0] * high + step[1]))
        out: NDArray[np.bool_] = scale * move < _SURE_MOVE
        return out

    def _penalised(self, value: FloatArray, items: Items) -> FloatArray:
        prior = self.prior
        if not prior.flat:
            value -= 0.5 * (items.intercept / prior.intercept_sd) ** 2
            if self.model in ("2pl", "3pl"):
                value -= 0.5 * ((items.slope - prior.slope_mean) / prior.slope_sd) ** 2
            if self.model == "3pl":
                value += prior.guessing_terms(items.guessing)[0]
        if self.model == "1pl":
            shared = -0.5 * float((items.slope[0] - prior.slope_mean) / prior.slope_sd) ** 2
            value = np.full(len(value), float(value.sum()) + shared)
        return value


def _direction(
    here: Derivatives,
    items: Items,
    model: Model,
    prior: ItemPrior,
    bounds: Bounds,
    free_slope: NDArray[np.bool_] | None,
) -> FloatArray:
    """Return the scoring step for (a, d, c), zero where a parameter is fixed or held at its bound."""
    gradient = here.gradient
    if model == "1pl":
        return _shared_slope_direction(gradient, here.information, items, prior)
    at_bound: NDArray[np.bool_] = np.abs(items.slope) >= bounds.slope
    steep = at_bound & (gradient[0] * items.slope > 0)
    if free_slope is not None:
        steep |= ~free_slope
    step = _free_direction(here, items, model, bounds, steep)
    # A slope pulled back may be drawn out by its intercept: brought back into the box, such a step leads down.
    drawn_out = at_bound & ~steep & (step[0] * items.slope > 0)
    return _free_direction(here, items, model, bounds, steep | drawn_out) if drawn_out.any() else step


def _free_direction(
    here: Derivatives, items: Items, model: Model, bounds: Bounds, steep: NDArray[np.bool_]
) -> FloatArray:
    """Return the scoring step with these slopes, and asymptotes at their bounds, held."""
    gradient = here.gradient
    if model != "3pl":
        return _solve_pairs(gradient, here.information, steep | (model == "rasch"))
    held = np.zeros(gradient.shape, dtype=bool)
    held[0] = steep
    held[2] |= (items.guessing <= 0.0) & (gradient[2] < 0)
    held[2] |= (items.guessing >= bounds.guessing) & (gradient[2] > 0)
    return _solve(gradient, here.information, held)


def _solve_pairs(gradient: FloatArray, info: FloatArray, held: NDArray[np.bool_]) -> FloatArray:
    """Solve each item's system in (a, d), by hand; a held slope stays."""
    aa, dd = (each + 1e-9 * (1.0 + each) for each in (info[0, 0], info[1, 1]))
    ad = np.where(held, 0.0, info[0, 1])
    by_a = np.where(held, 0.0, gradient[0])
    det = aa * dd - ad * ad
    out = np.zeros_like(gradient)
    out[0] = (dd * by_a - ad * gradient[1]) / det
    out[1] = (aa * gradient[1] - ad * by_a) / det
    return out


def _solve(gradient: FloatArray, info: FloatArray, held: NDArray[np.bool_]) -> FloatArray:
    """Solve each item's small system with the held parameters left out."""
    matrix: FloatArray = np.moveaxis(info, 2, 0).copy()
    right = gradient.T.copy()
    fixed = held.T
    right[fixed] = 0.0
    matrix[fixed[:, :, None] | fixed[:, None, :]] = 0.0
    diagonal = matrix[:, range(3), range(3)]
    matrix[:, range(3), range(3)] = diagonal + np.where(fixed, 1.0, 1e-9 * (1.0 + diagonal))
    return np.linalg.solve(matrix, right[:, :, None])[:, :, 0].T.astype(np.float64)


def _shared_slope_direction(gradient: FloatArray, info: FloatArray, items: Items, prior: ItemPrior) -> FloatArray:
    """Return the step when all items share one slope (arrow matrix, eliminated by hand)."""
    shared = float(gradient[0].sum() - (items.slope[0] - prior.slope_mean) / prior.slope_sd**2)
    curve = float(info[0, 0].sum()) + prior.slope_sd**-2
    down = np.maximum(info[1, 1], 1e-12)
    cross = info[0, 1]
    step_a = (shared - float(np.sum(cross * gradient[1] / down))) / max(curve - float(np.sum(cross**2 / down)), 1e-12)
    out = np.zeros_like(gradient)
    out[0] = step_a
    out[1] = (gradient[1] - cross * step_a) / down
    return out


def _climb(objective: _Objective, items: Items, step: FloatArray, gradient: FloatArray, bounds: Bounds) -> Items:
    """Halve each item's step until its objective does not fall; items that cannot rise stay."""
    model = objective.model
    # A step far outside the region where the quadratic model holds only costs halvings.
    size = np.maximum(*(np.abs(step[k]) / (2.0 + np.abs(items[k])) for k in range(2)))
    # An item whose step promises nothing stays: in the last digits rising and falling are luck.
    promise = np.einsum("pi,pi->i", gradient, step)
    scale = np.where(promise > 1e-13, 1.0 / np.maximum(1.0, size), 0.0)
    if model == "1pl":
        scale[:] = 1.0 / max(1.0, float(size.max()))
    trial = _moved(items, step, scale, model, bounds)
    within = np.abs(items.slope + scale * step[0]) <= bounds.slope
    unsure = ~(within & objective.surely_rises(step, scale))
    if not unsure.any():
        return trial
    before = objective.values(items, unsure)
    floor = np.full(len(scale), -np.inf)
    floor[unsure] = before - 1e-12 * np.abs(before)
    value = np.zeros(len(scale))
    value[unsure] = objective.values(trial, unsure)
    for _ in range(_HALVINGS):
        worse = value < floor
        if not worse.any():
            return trial
        scale = np.where(worse, scale * 0.5, scale)
        trial = _moved(items, step, scale, model, bounds)
        value[worse] = objective.values(trial, worse)  # a shared slope's are all worse
    stuck = value < floor
    return Items(*(np.where(stuck, old, fresh) for old, fresh in zip(items, trial, strict=True)))


def _moved(items: Items, step: FloatArray, scale: FloatArray, model: Model, bounds: Bounds) -> Items:
    return project(Items(*(old + scale * move for old, move in zip(items, step, strict=True))), model, bounds)


def _some_items(stats: Expectation, which: NDArray[np.bool_] | slice) -> Expectation:
    """Return the expected counts of some items only."""
    return stats._replace(
        trials=stats.trials if len(stats.trials) == 1 else stats.trials[which],
        successes=None if stats.successes is None else stats.successes[which],
        success_sum=stats.success_sum[which],
        success_ability=stats.success_ability[which],
    )


def project(items: Items, model: Model, bounds: Bounds) -> Items:
    """Bring parameters back into the box, difficulties unmoved."""
    shrink = np.minimum(1.0, bounds.slope / np.maximum(np.abs(items.slope), 1e-300))
    guess = np.clip(items.guessing, 0.0, bounds.guessing) if model == "3pl" else items.guessing
    # Scaling can land one unit in the last place beside the bound, where the active set would not see it.
    slope = np.where(shrink < 1.0, np.sign(items.slope) * bounds.slope, items.slope)
    return Items(slope, items.intercept * shrink, guess)
