"""The maximum-entropy equilibrium of a game, on a growing set of strategies.

A small set of strategies is solved exactly; whatever could gain against its equilibrium joins the
set, and at the end so does whatever could be *played* beside it (slack zero). When no such strategy
is left, the equilibrium of the part is that of the whole, and of maximum entropy there: strategies
outside have positive slack at an equilibrium, so no equilibrium plays them (double oracle of McMahan,
Gordon and Blum 2003, closed under ties).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.nash.games import NashGame
from equipoise.nash.interior_point import Centre, skew_centre
from equipoise.nash.optimal_face import FacePoint, most_even

BoolArray = npt.NDArray[np.bool_]

WHOLE = 192  # a game of so few strategies is solved at once
FIRST = 64
NEXT = 32  # the same of each block where a similar game has been solved
TIGHT = 1e-9  # of the largest payoff: a slack below this counts as zero when strategies are let in
EXACT = 1e-10  # of the payoffs in play: a partition is accepted when its equilibrium is this good
ROUNDING = 1e-13
CERTIFIED = 1e-9  # of the largest payoff: what the certificate asks for at the least, with a margin
ROUNDED = (1e-12, 1e-11, 1e-10)  # differences that are overlooked where nothing else helps
NEAR = 1e-6  # a larger slack means a strategy that is not played


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """Masses of all strategies; how far the entropy conditions are from exact; the work it took."""

    mass: FloatArray
    kkt: float
    dimension: int
    steps: int
    rounds: int
    converged: bool


_Partition = tuple[FloatArray, BoolArray, float]
"""Masses inside the face, which strategies are played, and the differences between payoffs to be overlooked."""


@dataclass(frozen=True, slots=True)
class _Part:
    mass: FloatArray
    theta: FloatArray
    kkt: float
    dimension: int
    exact: bool


def maxent_equilibrium(game: NashGame, near: FloatArray | None = None) -> Equilibrium:
    """Solve ``game``, whose largest payoff should be near 1.

    ``near`` is what playing each strategy would lose in a similar game: a large game begins with those that lose least.
    """
    block = game.block
    if len(block) == 1:
        return Equilibrium(np.ones(1), 0.0, 0, 0, 1, True)
    chosen = _first(game, block, near)
    steps = rounds = 0
    while True:
        rounds += 1
        part = game.part(chosen)
        whole = len(chosen) == len(block)
        centre = skew_centre(part, block[chosen])
        steps += centre.steps
        if not whole:
            theta = _theta(part, centre.mass, block[chosen])
            more = _joining(game, block, chosen, centre.mass, theta, -TIGHT)
            if len(more):
                chosen = _enlarged(chosen, more, len(block))
                continue
        solution = _solved(game, part, chosen, centre)
        more = chosen[:0] if whole else _joining(game, block, chosen, solution.mass, solution.theta, TIGHT)
        if len(more) == 0:
            mass = np.zeros(len(block))
            mass[chosen] = solution.mass
            return Equilibrium(mass, solution.kkt, solution.dimension, steps, rounds, solution.exact)
        chosen = _enlarged(chosen, more, len(block))


def _first(game: NashGame, block: IntArray, near: FloatArray | None) -> IntArray:
    """All strategies of a small game, the most promising ones of each block of a large game."""
    if len(block) <= WHOLE:
        return np.arange(len(block))
    worst, most = (-game.first_guess(), FIRST) if near is None else (near, max(NEXT, int((near < TIGHT).sum())))
    best = [own[np.argsort(worst[own], kind="stable")[:most]] for own in _members(block)]
    return np.sort(np.concatenate(best))


def _members(block: IntArray) -> list[IntArray]:
    return [np.flatnonzero(block == b) for b in range(int(block.max()) + 1)]


def _joining(
    game: NashGame, block: IntArray, chosen: IntArray, mass: FloatArray, theta: FloatArray, margin: float
) -> IntArray:
    """Strategies outside whose slack is below ``margin``, the smallest slack first."""
    slack = game.push(chosen, mass) + theta[block]
    slack[chosen] = np.inf
    below = np.flatnonzero(slack < margin)
    return np.asarray(below[np.argsort(slack[below], kind="stable")])


def _enlarged(chosen: IntArray, more: IntArray, size: int) -> IntArray:
    """Half as many again; everything once a third is in, since rounds then cost more than they save."""
    grown = np.concatenate([chosen, more[: max(32, len(chosen) // 2)]])
    return np.arange(size) if 3 * len(grown) > size else np.sort(grown)


def _theta(part: FloatArray, mass: FloatArray, block: IntArray) -> FloatArray:
    """The value of each block's best strategy: the least theta that leaves no negative slack."""
    push = part @ mass
    return np.array([-push[own].min() for own in _members(block)])


def _solved(game: NashGame, part: FloatArray, chosen: IntArray, centre: Centre) -> _Part:
    """The most even equilibrium of the part, from the first credible partition into played and not played.

    Games that are degenerate but for differences near rounding may have none that is exact at its own scale; then the
    most even of those that are good enough for the certificate is taken, and at worst the centre itself.
    """
    good: list[_Part] = []
    for mass, played, noise in _partitions(game, part, chosen, centre):
        solution = _on_faces(game, part, chosen, mass, played, noise)
        if solution.exact:
            return solution
        if solution.mass.min() >= 0.0 and solution.kkt <= CERTIFIED and solution.theta.sum() <= CERTIFIED:
            good.append(replace(solution, exact=True))
    if good:
        return max(good, key=lambda solution: float(scipy.special.entr(solution.mass).sum()))
    return _Part(centre.mass, _theta(part, centre.mass, game.block[chosen]), np.inf, 0, False)


def _partitions(game: NashGame, part: FloatArray, chosen: IntArray, centre: Centre) -> Iterator[_Partition]:
    """Partitions in order of trust: at the smallest scale first, then a linear program's, then rounded games'."""
    yield from _at_smallest_scale(game, chosen, centre)
    yield centre.mass, centre.played(), 0.0
    block = game.block[chosen]
    deeper = skew_centre(part, block, floor=1e-22)
    yield deeper.mass, deeper.played(), 0.0
    again = _complementary(part, block)
    if again is not None:
        yield *again, 0.0
    for noise in ROUNDED:
        rough = skew_centre(part, block, floor=noise)
        yield rough.mass, rough.played(), noise


def _at_smallest_scale(game: NashGame, chosen: IntArray, centre: Centre) -> Iterator[_Partition]:
    """The best strategies may differ by far less than the worst lose by: look at them in their own units."""
    block = game.block[chosen]
    near = np.flatnonzero((centre.slack < NEAR) | centre.played())
    unit = game.unit(chosen[near])
    if not 0.0 < unit < 1e-3 * game.unit(chosen) or not np.bincount(block[near], minlength=int(block.max()) + 1).all():
        return
    inner = game.rescaled(chosen[near])
    for mass_near, played_near, noise in _partitions(game, inner, chosen[near], skew_centre(inner, block[near])):
        mass, played = np.zeros(len(chosen)), np.zeros(len(chosen), dtype=np.bool_)
        mass[near], played[near] = mass_near, played_near
        yield mass, played, noise * unit


def _on_faces(
    game: NashGame, part: FloatArray, chosen: IntArray, mass: FloatArray, played: BoolArray, noise: float
) -> _Part:
    block = game.block[chosen]
    optimum = np.zeros(len(mass))
    points: list[FacePoint] = []
    inner = 0.0
    for face in game.faces(chosen, played):
        if len(face.inside) == 0:
            return _Part(mass, _theta(part, mass, block), np.inf, 0, False)
        points.append(most_even(face.level, face.below, mass[face.inside], max(face.noise, noise)))
        optimum[face.inside] = points[-1].mass
        inner = max(inner, float(np.abs(face.level).max(initial=0.0)))
    theta = _theta(part, optimum, block)
    kkt = max(point.kkt for point in points)
    good = float(theta.sum()) <= max(EXACT * inner, ROUNDING) and kkt <= EXACT
    exact = good and bool(optimum[played].min() > 0.0)
    return _Part(optimum, theta, kkt, max(point.dimension for point in points), exact)


def _complementary(part: FloatArray, block: IntArray) -> tuple[FloatArray, BoolArray] | None:
    """A strictly complementary equilibrium by one linear program.

    Over the cone ``p >= 0``, ``slack = K p + theta >= 0`` with equal masses of the blocks, maximise
    ``sum(min(1, p + slack))``: at the optimum every term is 1.
    """
    size, blocks = len(part), int(block.max()) + 1
    member = np.zeros((size, blocks))
    member[np.arange(size), block] = 1.0
    cost = np.concatenate([np.zeros(size + blocks), -np.ones(size)])
    slack = np.hstack([-part, -member, np.zeros((size, size))])
    terms = np.hstack([-part - np.eye(size), -member, np.eye(size)])
    balance = np.zeros((blocks, 2 * size + blocks))
    balance[0, size : size + blocks] = 1.0
    for b in range(1, blocks):
        balance[b, :size] = member[:, b] - member[:, 0]
    program = scipy.optimize.linprog(
        cost,
        A_ub=np.vstack([slack, terms]),
        b_ub=np.zeros(2 * size),
        A_eq=balance,
        b_eq=np.zeros(blocks),
        bounds=[(0, None)] * size + [(None, None)] * blocks + [(0, 1)] * size,
        method="highs",
    )
    if program.status != 0:
        return None
    p = program.x[:size]
    rest = part @ p + member @ program.x[size : size + blocks]
    total = p[block == 0].sum()
    return (p / total, p > rest) if total > 0.0 else None
