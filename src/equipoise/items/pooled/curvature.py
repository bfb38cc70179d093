"""How the abilities' curvature H moves with the population, abilities following; and what is made of its eigenvalues.

For one item, with s the information of an agent's answer at a node and g the gradient there in the abilities,
``H = diag E s - Cov g``. Along a direction in which abilities move by u and the log-posterior of a node by l (centred),

    dH = diag(E l s + u E s') - E l (g - E g)(g - E g)' + diag(u) B + B' diag(u),      B = E s (g - E g)'

where s' is the derivative of s in the logit times the slope.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.pooled.item_integrals import blocks, node_mean
from equipoise.items.pooled.item_population import SIZE, Answers, Nodes, density_slopes

#: Where one direction of the abilities is hardly determined, the peak splits in two and the curvature passes zero; the
#: determinant's logarithm would have a spike there that means nothing.
LEAST_CURVATURE = 0.3


class Lifted(NamedTuple):
    """A curvature, its eigenvalues kept away from zero, smoothly: those of one and more hardly move.

    An eigenvalue x becomes ``(x + r) / 2`` with ``r = sqrt(x^2 + 4 c^2)``.
    """

    values: FloatArray
    radius: FloatArray
    vectors: FloatArray

    @classmethod
    def of(cls, curvature: FloatArray) -> "Lifted":
        """Take a curvature apart."""
        values, vectors = np.linalg.eigh(curvature)
        radius = np.sqrt(values**2 + 4.0 * LEAST_CURVATURE**2)
        return cls(0.5 * (values + radius), radius, vectors)

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant."""
        return float(np.log(self.values).sum())

    @property
    def inverse(self) -> FloatArray:
        """The inverse."""
        out: FloatArray = (self.vectors / self.values) @ self.vectors.T
        return out

    @property
    def log_det_slope(self) -> FloatArray:
        """W such that ``log_det`` moves by tr(W dH)."""
        out: FloatArray = (self.vectors / self.radius) @ self.vectors.T
        return out

    def inverse_moved(self, moves: FloatArray) -> FloatArray:
        """Return how the inverse moves with each of some moves of the curvature (Daleckii and Krein 1965)."""
        values, radius = self.values, self.radius
        raw = 2.0 * values - radius
        rise = 0.5 * (1.0 + np.add.outer(raw, raw) / np.add.outer(radius, radius))
        inner = self.vectors.T @ moves @ self.vectors
        out: FloatArray = self.vectors @ (-inner * rise / np.multiply.outer(values, values)) @ self.vectors.T
        return out


class _Moving(NamedTuple):
    """Some items along the directions: centred gradients, information times weights, the directions' moves of nodes.

    ``third`` is E s' of each agent.
    """

    pull: FloatArray
    information: FloatArray
    weight: FloatArray
    along: FloatArray
    third: FloatArray


def _moving(
    answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray, follow: FloatArray
) -> Iterator[_Moving]:
    agents, every = len(ability), density_slopes(population, nodes.slope, nodes.intercept)
    for block in blocks(answers, nodes, ability, population):
        slope, weight = nodes.slope[block.items], block.weight
        pull = np.multiply(block.residual, slope, out=block.residual)
        pull -= node_mean(pull, weight)[:, :, None]
        first = every[:, block.items]
        first = first - node_mean(first, weight)[:, :, None]
        flat = pull.reshape(agents, -1)
        information = np.multiply(block.spread, slope**2 * weight, out=block.spread).reshape(agents, -1)
        steep = slope.ravel()
        chance = block.chance.reshape(agents, -1)
        third = information @ steep - 2.0 * (np.multiply(information, chance, out=chance) @ steep)
        yield _Moving(flat, information, weight.ravel(), first.reshape(SIZE, -1) - follow.T @ flat, third)


def trace_slopes(
    answers: Answers, nodes: Nodes, at: tuple[FloatArray, FloatArray], follow: FloatArray, weigh: FloatArray
) -> FloatArray:
    """Return how tr(W H) moves with each parameter of h at (abilities, h), abilities moving by ``-follow``."""
    out, own = np.zeros(SIZE), np.diag(weigh)
    for part in _moving(answers, nodes, *at, follow):
        lever = weigh @ part.pull
        squares = np.einsum("in,in->n", lever, part.pull)
        out += part.along @ (own @ part.information - part.weight * squares)
        out -= follow.T @ (own * part.third + 2.0 * np.einsum("in,in->i", part.information, lever))
    return out


def curvature_slopes(
    answers: Answers, nodes: Nodes, at: tuple[FloatArray, FloatArray], follow: FloatArray
) -> FloatArray:
    """Return how H moves with each parameter of h at (abilities, h), abilities moving by ``-follow``: h first."""
    agents = len(at[0])
    out, mixed, diagonal = np.zeros((SIZE, agents, agents)), np.zeros((agents, agents)), np.zeros((SIZE, agents))
    for part in _moving(answers, nodes, *at, follow):
        for k, along in enumerate(part.along * part.weight):
            out[k] -= (part.pull * along) @ part.pull.T
        mixed += part.information @ part.pull.T
        diagonal += part.along @ part.information.T - follow.T * part.third
    for k in range(SIZE):
        moved = -follow[:, k, None] * mixed
        out[k] += moved + moved.T + np.diag(diagonal[k])
    return out
