r"""Anchor items: a small part of a benchmark that was chosen, and what it says of the whole.

*stratified*: items in order of difficulty are cut into strata of which each gives two at random. The prediction is a
difference estimator within strata (:math:`\sum_h W_h \bar r_h` of the residuals r), and right on average whatever the
model is, as that of a random part is.

*information*: the items that tell most about the abilities that agents have. Others are never asked, so what is said of
them is the model's word alone: the interval holds given the calibration.

Reference: Cochran (1977), Sampling Techniques, chapter 5.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import ParameterError
from equipoise.core.options import check, choice, generator
from equipoise.core.results import FloatArray
from equipoise.core.wording import Option
from equipoise.items.models.models import Items, information, probability
from equipoise.items.models.responses import from_counts
from equipoise.items.scoring.ability import estimate_abilities
from equipoise.items.scoring.calibration import Calibration

Chosen = Literal["random", "stratified", "information"]
CHOSEN = choice("random", "stratified", "information")
LEAST = 10
"""Items that a prediction needs."""
ABILITIES = np.linspace(-2.5, 2.5, 41)
"""Where information is looked at, in standard deviations of abilities."""


def anchor_items(
    calibration: Calibration, n: int, *, chosen: Chosen = "stratified", rng: int | np.random.Generator = 0
) -> tuple[str, ...]:
    """Choose items that stand for the whole benchmark: :func:`predict` with the same ``chosen`` says what they show.

    Parameters
    ----------
    calibration
        All items of the benchmark.
    n
        How many to choose: at least 10, and fewer than there are.
    chosen
        ``stratified``: two at random of each stratum of difficulty; ``information``: those that tell most about the
        abilities that agents have; ``random``.
    rng
        Seed or generator.

    Examples
    --------
    >>> bank = Calibration.from_parameters([f"i{k}" for k in range(40)], difficulty=np.linspace(-2, 2, 40))
    >>> len(anchor_items(bank, 12)), anchor_items(bank, 10, chosen="information")[0]
    (12, 'i15')
    """
    check(CHOSEN, "chosen", chosen)
    size = len(calibration.items)
    if not LEAST <= n < size:
        raise ParameterError(Option("n"), f" lies between {LEAST} and {size - 1:,}: there are {size:,} items")
    draws = generator(rng)
    if chosen == "random":
        places = draws.permutation(size)[:n]
    elif chosen == "information":
        weights = np.exp(-0.5 * ABILITIES**2)
        gain = information(ABILITIES * calibration.ability_sd, calibration.parameters) @ weights
        places = np.argsort(-gain, kind="stable")[:n]
    else:
        code = strata(calibration.parameters, n)
        spare = n - 2 * (n // 2)  # of an odd number the first stratum gives one more
        counts = [2 + (h < spare) for h in range(n // 2)]
        places = np.concatenate([draws.permutation(np.flatnonzero(code == h))[:k] for h, k in enumerate(counts)])
    return tuple(calibration.items[k] for k in np.sort(places))


def strata(items: Items, n: int) -> npt.NDArray[np.int64]:
    """Give the stratum of each item where ``n`` are chosen: as many of one size, in order of difficulty."""
    order = np.argsort(-probability(np.zeros(1), items)[:, 0], kind="stable")
    code = np.empty(len(order), dtype=np.int64)
    for h, part in enumerate(np.array_split(order, n // 2)):
        code[part] = h
    return code


def predict_chosen(
    answers: FloatArray, where: npt.NDArray[np.intp], items: Items, chosen: Chosen
) -> tuple[float, float, float]:
    """Give the score of the whole, its standard error and the degrees of freedom of that."""
    known = items.take(where)
    fitted = estimate_abilities(from_counts(answers[None, :]), known)
    chance = probability(fitted.estimate, items)[:, 0]
    if chosen == "stratified":
        return _stratified(answers, where, items, chance)
    rest = np.ones(len(chance), dtype=bool)
    rest[where] = False
    step = 1e-3
    slope = (probability(fitted.estimate + step, items)[:, 0] - chance)[rest].sum() / step
    variance = float((chance * (1.0 - chance))[rest].sum() + (slope * fitted.stderr[0]) ** 2)
    score = float((answers.sum() + chance[rest].sum()) / len(chance))
    return score, variance**0.5 / len(chance), np.inf


def _stratified(
    answers: FloatArray, where: npt.NDArray[np.intp], items: Items, chance: FloatArray
) -> tuple[float, float, float]:
    """The difference estimator by strata; one ability for two answers a stratum takes one degree of freedom."""
    code = strata(items, len(answers))
    residual, own = answers - chance[where], code[where]
    sizes, counts = np.bincount(code), np.bincount(own, minlength=code.max() + 1)
    if counts.min() < 2:
        raise ParameterError(Option("chosen", "stratified"), " needs the items that anchor_items chose, all answered")
    means = np.bincount(own, residual) / counts
    squares = np.bincount(own, (residual - means[own]) ** 2) / (counts - 1)
    share = sizes / sizes.sum()
    variance = float(np.sum(share**2 * (1.0 - counts / sizes) * squares / counts))
    # Few answers may all be as predicted: the error is at least what the model itself admits, as in a random part.
    chances = np.bincount(code, chance * (1.0 - chance)) / sizes
    admitted = float(np.sum(share**2 * (1.0 - counts / sizes) * chances / counts))
    score = float(chance.mean() + np.sum(share * means))
    return min(max(score, 0.0), 1.0), max(variance, admitted) ** 0.5, float(len(answers) - len(sizes))
