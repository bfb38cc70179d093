r"""Evidence about one agent's ability, answer by answer, valid whenever one looks: likelihood ratios given the items.

Against "the ability is at most b" stands a mixture over abilities above b,

.. math:: E_b = \sum_{\theta > b} w_\theta \prod_i \frac{P_i(x_i \mid \theta)}{P_i(x_i \mid b)}.

For an item with a positive slope a success is likelier at theta than at b, and likelier at b than below, so that each
factor has a mean of at most 1 whatever the ability is, as long as it is at most b; for a negative slope it is the
same the other way round. Hence E_b is a non-negative supermartingale, whichever items were chosen from the answers so
far, and reaches 1/a with probability at most a (Ville). A share of a success x in [0, 1] counts as
:math:`P^x (1 - P)^{1 - x}`, which is at most the mean that betting would pay. Against "at least b" it is likewise.

All abilities b of a grid that are rejected from below give a lower limit, valid at every look; those from above an
upper one. A void answer counts as the worse one for each of the two. What is not known of the items is not in here:
the limits hold given the calibration.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items, log_probabilities
from equipoise.items.scoring.ability import scoring_grid


class Limits(NamedTuple):
    """Within which an ability lies, valid at every look; infinite where nothing is rejected."""

    low: float
    high: float


class AbilityGrid:
    """Abilities at which likelihoods are kept, and what each answer to each item adds to their logs.

    Parameters
    ----------
    items
        The items.
    spread
        Standard deviation of abilities.
    bar
        An ability that must be on the grid: the one to pass.
    """

    def __init__(self, items: Items, spread: float, bar: float | None = None) -> None:
        grid = scoring_grid(items._replace(slope=items.slope * spread)).nodes * spread
        self.nodes: FloatArray = np.union1d(grid, [] if bar is None else [bar])
        weight = np.exp(-0.5 * (self.nodes / spread) ** 2) * np.gradient(self.nodes)
        self.log_weight: FloatArray = np.log(np.maximum(weight / weight.sum(), 1e-300))
        self.success, self.failure = log_probabilities(self.nodes, items)
        self.rising = items.slope >= 0.0

    def answer(self, item: int, score: float) -> FloatArray:
        """Log-likelihood of an answer at each ability."""
        return np.asarray(score * self.success[item] + (1.0 - score) * self.failure[item])

    def worst(self, item: int) -> tuple[FloatArray, FloatArray]:
        """Log-likelihood of the answer that speaks most against a high ability, and most against a low one."""
        down, up = self.failure[item], self.success[item]
        return (down, up) if self.rising[item] else (up, down)


class AbilityEvidence:
    """What the answers of one agent say.

    Attributes
    ----------
    up, down, plain
        Log-likelihood at each ability of the grid, with void answers as the worst for a high ability, for a low one,
        and left out.
    answers, void
        How many answers count, void ones included; and how many of them are void.
    """

    def __init__(self, grid: AbilityGrid) -> None:
        self._grid = grid
        self.up, self.down, self.plain = (np.zeros(grid.nodes.size) for _ in range(3))
        self.answers = self.void = 0

    def add(self, item: int, score: float) -> None:
        """Count an answer."""
        gain = self._grid.answer(item, score)
        self.up, self.down, self.plain = self.up + gain, self.down + gain, self.plain + gain
        self.answers += 1

    def add_void(self, item: int) -> None:
        """Count a void answer."""
        against_high, against_low = self._grid.worst(item)
        self.up, self.down = self.up + against_high, self.down + against_low
        self.answers += 1
        self.void += 1

    def make_void(self, item: int, score: float) -> None:
        """Turn an answer that was counted into a void one."""
        gain = self._grid.answer(item, score)
        against_high, against_low = self._grid.worst(item)
        self.up, self.down = self.up + against_high - gain, self.down + against_low - gain
        self.plain = self.plain - gain
        self.void += 1

    def log_evidence(self) -> tuple[FloatArray, FloatArray]:
        """Log evidence at each ability b of the grid against "at most b" and against "at least b"."""
        weight = self._grid.log_weight
        above = _beyond(weight + self.up, weight)
        below = _beyond((weight + self.down)[::-1], weight[::-1])[::-1]
        return above - self.up, below - self.down

    def limits(self, threshold: float) -> Limits:
        """Give the ability's limits, where log evidence that reaches the threshold rejects."""
        against_low, against_high = self.log_evidence()
        nodes = self._grid.nodes
        # All lower abilities must be rejected too: then one is rejected that is at or above the true one.
        lower, upper = _leading(against_low >= threshold), _leading((against_high >= threshold)[::-1])
        return Limits(
            float(nodes[lower - 1]) if lower else -np.inf, float(nodes[nodes.size - upper]) if upper else np.inf
        )

    def estimate(self) -> tuple[float, float]:
        """Give the posterior mean and standard deviation."""
        log_posterior = self._grid.log_weight + self.plain
        posterior = np.exp(log_posterior - log_posterior.max())
        posterior /= posterior.sum()
        mean = float(posterior @ self._grid.nodes)
        return mean, float(np.sqrt(posterior @ (self._grid.nodes - mean) ** 2))

    def copy(self) -> Self:
        """Give a copy that can go its own way."""
        return type(self).from_state(self._grid, self.state())

    def state(self) -> dict[str, Any]:
        """Give everything as strict JSON."""
        logs = {name: getattr(self, name).tolist() for name in ("up", "down", "plain")}
        return {**logs, "answers": self.answers, "void": self.void}

    @classmethod
    def from_state(cls, grid: AbilityGrid, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`."""
        new = cls(grid)
        new.up, new.down, new.plain = (np.array(state[name]) for name in ("up", "down", "plain"))
        new.answers, new.void = state["answers"], state["void"]
        return new


def _beyond(log_values: FloatArray, log_weight: FloatArray) -> FloatArray:
    """Log of the weighted mean over all later entries; minus infinity at the last, which has none."""
    sums, weights = (np.logaddexp.accumulate(x[::-1])[::-1] for x in (log_values, log_weight))
    return np.append(sums[1:] - weights[1:], -np.inf)


def _leading(held: NDArray[np.bool_]) -> int:
    """How many entries hold before the first that does not."""
    return int(held.size if held.all() else np.argmin(held))
