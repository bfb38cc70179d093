"""Difficulties of questions, estimated with the length-controlled rates of all models together.

``logit y_mi = phi_m tanh(D_mi / s_m) + psi_m d_i + theta_m`` with d_i normal, of mean 0 and standard deviation 1. It is
integrated over (on a grid of equal steps, on which the trapezoid rule is as good as exact), not fitted: a number fitted
to each question would follow its own noise. Each psi_m has a weak normal prior of standard deviation 3, which says next
to nothing where there are a hundred questions, and keeps psi finite where a few models agree too well. A few steps of
EM come near the maximum of the marginal (quasi-)likelihood; Newton's method with Louis' information ends there. The
controlled rate of a model is the mean over its questions of what ``sigma(psi_m d + theta_m)`` is expected to be, given
all scores on the question: without any effect of length it is the plain win rate.

Errors are those of estimates in steps: each question is one draw, and its influence on a rate goes through all
coefficients, the units s of all lengths, and the mean over questions.

References
----------
Bock and Aitkin (1981), Marginal maximum likelihood estimation of item parameters.
Louis (1982), Finding the observed information matrix when using the EM algorithm.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.errors import ConvergenceError
from equipoise.core.progress import STEPS, tell
from equipoise.core.results import FloatArray, IntArray
from equipoise.ratings.length.model import Judged, lengths_in_units

REACH, STEP, COARSE_MODELS = 6.0, 0.2, 300
"""The grid's ends and step; the step shrinks above so many models, whose answers say more of each question."""
EM_STEPS, NEWTON_STEPS, TOLERANCE = 12, 60, 1e-8
FLAT = 1e-4
"""Share of the usual curvature below which a direction counts as flat."""
PRECISION = 1 / 3.0**2
"""Of the weak prior on what a unit of difficulty is worth to a model."""
AT_ONCE = 4_000_000
"""Numbers that are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The fit of all models: coefficients (models by phi, psi, theta), rates, and influences by question and model."""

    coefficients: FloatArray
    rate: FloatArray
    spread: FloatArray
    rate_influence: FloatArray
    phi_influence: FloatArray
    difficulty: FloatArray
    steps: int


@dataclass(frozen=True, slots=True, eq=False)
class _QuestionRows:
    """Matches in the order of their questions; ``moved`` is how a squashed length moves with its unit."""

    question: IntArray
    model: IntArray
    score: FloatArray
    weight: FloatArray
    squashed: FloatArray
    moved: FloatArray
    unit_influence: FloatArray
    models: int
    questions: int

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum by model."""
        return np.bincount(self.model, values, self.models).astype(np.float64)

    def take(self, part: slice) -> "_QuestionRows":
        """Give some of the matches; questions are counted from the first of them."""
        names = ("question", "model", "score", "weight", "squashed", "moved", "unit_influence")
        few = {name: getattr(self, name)[part] for name in names}
        start = int(few["question"][0])
        few["question"] = few["question"] - start
        return _QuestionRows(**few, models=self.models, questions=int(few["question"][-1]) + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What a grid of difficulties says of some matches: chances and residuals (matches by nodes), and posteriors."""

    rows: _QuestionRows
    chance: FloatArray
    residual: FloatArray
    posterior: FloatArray
    likelihood: float

    def mean(self, values: FloatArray) -> FloatArray:
        """Average values of matches by nodes over the posterior of their questions."""
        return np.asarray(np.einsum("rk,rk->r", self.posterior[self.rows.question], values))


def estimate_difficulty(judged: Sequence[Judged], questions: Sequence[IntArray]) -> Joint:
    """Fit all models with the difficulties of their questions.

    Fails when
        the fit does not converge.
    """
    rows, spread = _rows(judged, questions)
    grid = _grid(rows.models)
    x = _start(rows, judged)
    value = -np.inf
    for step in range(EM_STEPS):
        x, value = _em_step(rows, grid, x)
        tell(STEPS, step + 1)
    for step in range(EM_STEPS, EM_STEPS + NEWTON_STEPS):
        second = _second_order(rows, grid, x)
        tell(STEPS, step + 1)
        move, sure = _uphill(second.information, second.score.sum(axis=0) - _prior(x)[1])
        if sure and np.abs(move).max() < TOLERANCE:
            tell(STEPS, step + 1, step + 1)
            return _joint(rows, x, second, spread, step + 1)
        x, value = _searched(rows, grid, x, move, value)
    raise ConvergenceError("the fit with estimated difficulties does not converge: give them, or leave them out")


def _uphill(information: FloatArray, gradient: FloatArray) -> tuple[FloatArray, bool]:
    """Give Newton's step, and whether it leads to a maximum.

    Where the likelihood bends the wrong way, and where it hardly bends, the step follows the slope for a while.
    """
    values, vectors = np.linalg.eigh(information)
    curvatures = np.maximum(np.abs(values), FLAT * np.median(np.abs(values)))
    move = vectors @ ((vectors.T @ gradient) / curvatures)
    return move / max(1.0, float(np.abs(move).max())), bool(values[0] > 0)


def _rows(judged: Sequence[Judged], questions: Sequence[IntArray]) -> tuple[_QuestionRows, FloatArray]:
    units = [lengths_in_units(each.longer, each.weight) for each in judged]
    spread = np.array([unit[1] for unit in units])
    question = np.concatenate(questions)
    model = np.repeat(np.arange(len(judged)), [len(each.score) for each in judged])
    order = np.lexsort((model, question))
    share = [each.weight * unit[2] / each.weight.sum() for each, unit in zip(judged, units, strict=True)]
    length = np.concatenate([unit[0] for unit in units])[order]
    squashed = np.tanh(length)
    return _QuestionRows(
        question=question[order],
        model=model[order],
        score=np.concatenate([each.score for each in judged])[order],
        weight=np.concatenate([each.weight for each in judged])[order],
        squashed=squashed,
        moved=-(1 - squashed**2) * length / spread[model[order]],
        unit_influence=np.concatenate(share)[order],
        models=len(judged),
        questions=int(question.max()) + 1,
    ), spread


def _grid(models: int) -> tuple[FloatArray, FloatArray]:
    """Give nodes of a standard normal difficulty and the logarithms of their weights."""
    step = STEP * min(1.0, np.sqrt(COARSE_MODELS / models))
    nodes = np.linspace(-REACH, REACH, 1 + 2 * int(np.ceil(REACH / step)))
    return nodes, -0.5 * nodes**2 - scipy.special.logsumexp(-0.5 * nodes**2)


def _start(rows: _QuestionRows, judged: Sequence[Judged]) -> FloatArray:
    """Begin without an effect of length; whether a model does well where others do says the sign of its psi."""
    rate = np.clip([each.weight @ each.score / each.weight.sum() for each in judged], 0.01, 0.99)
    left = rows.weight * (rows.score - rate[rows.model])
    weight = np.bincount(rows.question, rows.weight, rows.questions)
    others = np.bincount(rows.question, left, rows.questions)[rows.question] - left
    others /= np.maximum(weight[rows.question] - rows.weight, 1e-9)
    along = rows.sums(left * others) >= 0
    return np.concatenate([np.zeros(rows.models), np.where(along, 0.7, -0.7), np.log(rate / (1 - rate))])


def _pieces(rows: _QuestionRows, nodes: int, columns: int) -> Iterator[tuple[slice, _QuestionRows]]:
    """Give matches of whole questions, so many that what is worked out of them fits; and where their questions are."""
    ends = np.searchsorted(rows.question, np.arange(rows.questions), side="right")
    most = max(1, int(AT_ONCE // (nodes * columns)))
    for first in range(0, rows.questions, most):
        last = min(first + most, rows.questions)
        here = slice(int(ends[first - 1]) if first else 0, int(ends[last - 1]))
        yield slice(first, last), rows.take(here)


def _seen(rows: _QuestionRows, grid: tuple[FloatArray, FloatArray], x: FloatArray) -> _Seen:
    eta, joint, whole = _joint_likelihood(rows, grid, x)
    chance = scipy.special.expit(eta)
    residual = rows.weight[:, None] * (rows.score[:, None] - chance)
    return _Seen(rows, chance, residual, np.exp(joint - whole[:, None]), float(whole.sum()))


def _joint_likelihood(
    rows: _QuestionRows, grid: tuple[FloatArray, FloatArray], x: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Give log-odds of matches by nodes, log-likelihoods of questions by nodes with the prior, and of questions."""
    nodes, weights = grid
    phi, psi, theta = x.reshape(3, -1)
    eta = (phi[rows.model] * rows.squashed + theta[rows.model])[:, None] + psi[rows.model][:, None] * nodes
    each = rows.weight[:, None] * (rows.score[:, None] * eta - np.logaddexp(0.0, eta))
    starts = np.searchsorted(rows.question, np.arange(rows.questions))
    joint = np.add.reduceat(each, starts, axis=0) + weights
    return eta, joint, np.asarray(scipy.special.logsumexp(joint, axis=1))


def _likelihood(rows: _QuestionRows, grid: tuple[FloatArray, FloatArray], x: FloatArray) -> float:
    columns = 3 * rows.models
    pieces = _pieces(rows, len(grid[0]), columns)
    return sum(float(_joint_likelihood(piece, grid, x)[2].sum()) for _, piece in pieces) - _prior(x)[0]


def _prior(x: FloatArray) -> tuple[float, FloatArray]:
    """Give what the weak prior takes from the log-likelihood, and its slope."""
    slope = PRECISION * x * (np.arange(len(x)) // (len(x) // 3) == 1)
    return float(slope @ x) / 2, slope


def _em_step(rows: _QuestionRows, grid: tuple[FloatArray, FloatArray], x: FloatArray) -> tuple[FloatArray, float]:
    """Take one step of Newton for each model by itself, difficulties weighted by what is known of them."""
    nodes = grid[0]
    taken, slope = _prior(x)
    gradient, curvature, value = -slope.reshape(3, -1).T, np.zeros((rows.models, 3, 3)), -taken
    curvature[:, 1, 1] = PRECISION
    for _, piece in _pieces(rows, len(nodes), 3 * rows.models):
        seen = _seen(piece, grid, x)
        flat, tilted = seen.mean(seen.residual), seen.mean(seen.residual * nodes)
        gradient += np.stack([piece.sums(part) for part in (piece.squashed * flat, tilted, flat)], axis=1)
        curvature += _own_information(seen, nodes)
        value += seen.likelihood
    moves = np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0].T.ravel(), dtype=np.float64)
    return _searched(rows, grid, x, moves, value)


def _own_information(seen: _Seen, nodes: FloatArray) -> FloatArray:
    """Give the information on each model's coefficients, had difficulties been seen."""
    rows = seen.rows
    known = rows.weight[:, None] * seen.chance * (1 - seen.chance)
    a, b, c = (seen.mean(known * power) for power in (1.0, nodes, nodes**2))
    parts = [
        [rows.squashed**2 * a, rows.squashed * b, rows.squashed * a],
        [rows.squashed * b, c, b],
        [rows.squashed * a, b, a],
    ]
    return np.stack([np.stack([rows.sums(part) for part in line], axis=1) for line in parts], axis=1)


def _searched(
    rows: _QuestionRows, grid: tuple[FloatArray, FloatArray], x: FloatArray, move: FloatArray, value: float
) -> tuple[FloatArray, float]:
    """Move as far as the likelihood does not fall."""
    for _ in range(40):
        new = _likelihood(rows, grid, x + move)
        if new >= value - 1e-10 * (1 + abs(value)):
            return x + move, new
        move = move / 2
    return x, value


@dataclass(frozen=True, slots=True, eq=False)
class _Second:
    """Scores of questions, the information, and how rates move; columns are phi, psi, theta and units of all models."""

    score: FloatArray
    information: FloatArray
    by_unit: FloatArray
    rate: FloatArray
    parts: FloatArray
    slopes: FloatArray
    unit: FloatArray
    difficulty: FloatArray


def _second_order(rows: _QuestionRows, grid: tuple[FloatArray, FloatArray], x: FloatArray) -> _Second:
    nodes, n = grid[0], rows.models
    phi, psi, theta = x.reshape(3, -1)
    games = rows.sums(rows.weight)
    equal = scipy.special.expit(psi[:, None] * nodes + theta[:, None])
    turned = equal * (1 - equal)
    score, parts = np.zeros((rows.questions, 3 * n)), np.zeros((rows.questions, n))
    unit, difficulty = np.zeros((rows.questions, n)), np.zeros(rows.questions)
    information, slopes = np.zeros((3 * n, 4 * n)), np.zeros((n, 4 * n))
    own, by_unit = np.zeros((n, 3, 3)), np.zeros((3, n))
    own[:, 1, 1] = PRECISION
    for at, piece in _pieces(rows, len(nodes), 5 * n):
        seen = _seen(piece, grid, x)
        own += _own_information(seen, nodes)
        known = piece.weight[:, None] * seen.chance * (1 - seen.chance)
        flat, a, b = seen.mean(seen.residual), seen.mean(known), seen.mean(known * nodes)
        shift = phi[piece.model] * piece.moved
        for line, part in enumerate((shift * piece.squashed * a - piece.moved * flat, shift * b, shift * a)):
            by_unit[line] += piece.sums(part)
        difficulty[at] = seen.posterior @ nodes
        np.add.at(unit[at], (piece.question, piece.model), piece.unit_influence)
        share = np.zeros((piece.questions, n))
        np.add.at(share, (piece.question, piece.model), piece.weight)
        share /= games
        tall = _tall(seen, shift, nodes)
        mean = np.einsum("qk,qkc->qc", seen.posterior, tall)
        score[at] = mean[:, : 3 * n]
        parts[at] = share * (seen.posterior @ equal.T)
        for line, slope in ((1, turned * nodes), (2, turned)):
            slopes[np.arange(n), line * n + np.arange(n)] += (share * (seen.posterior @ slope.T)).sum(axis=0)
        root = np.sqrt(seen.posterior)[..., None]
        centred = ((tall - mean[:, None]) * root).reshape(-1, 4 * n)
        information -= centred[:, : 3 * n].T @ centred
        rates = share[:, None, :] * equal.T * root
        slopes += rates.reshape(-1, n).T @ centred  # the columns are centred, so the rates need not be
    for i in range(3):
        for j in range(3):
            information[i * n + np.arange(n), j * n + np.arange(n)] += own[:, i, j]
        information[i * n + np.arange(n), 3 * n + np.arange(n)] += by_unit[i]
    square = information[:, : 3 * n]
    return _Second(
        score, (square + square.T) / 2, -information[:, 3 * n :], parts.sum(axis=0), parts, slopes, unit, difficulty
    )


def _tall(seen: _Seen, shift: FloatArray, nodes: FloatArray) -> FloatArray:
    """Give the scores of questions at each node, a column for each coefficient and unit: questions, nodes, columns."""
    rows, n = seen.rows, seen.rows.models
    cell = rows.question * n + rows.model
    places = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])
    tall = np.zeros((rows.questions, 4, n, len(nodes)))
    columns: list[FloatArray] = [rows.squashed[:, None], nodes, np.ones(1), shift[:, None]]
    for line, column in enumerate(columns):
        values = seen.residual * column
        summed = values if len(places) == len(cell) else np.add.reduceat(values, places, axis=0)
        tall[rows.question[places], line, rows.model[places]] = summed
    return np.ascontiguousarray(tall.reshape(rows.questions, 4 * n, len(nodes)).transpose(0, 2, 1))


def _joint(rows: _QuestionRows, x: FloatArray, second: _Second, spread: FloatArray, steps: int) -> Joint:
    n = rows.models
    moved = (second.score + second.unit @ second.by_unit.T).T
    influence = np.asarray(np.linalg.solve(second.information, moved), dtype=np.float64).T
    games = rows.sums(rows.weight)
    share = np.zeros((rows.questions, n))
    np.add.at(share, (rows.question, rows.model), rows.weight / games[rows.model])
    rate = second.parts - share * second.rate
    rate += influence @ second.slopes[:, : 3 * n].T + second.unit @ second.slopes[:, 3 * n :].T
    phi, psi, theta = x.reshape(3, -1)
    sign = -1.0 if psi.sum() < 0 else 1.0
    return Joint(
        coefficients=np.column_stack([phi, sign * psi, theta]),
        rate=second.rate,
        spread=spread,
        rate_influence=rate,
        phi_influence=influence[:, :n],
        difficulty=sign * second.difficulty,
        steps=steps,
    )
