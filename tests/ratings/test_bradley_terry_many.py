"""Ratings of very many agents: every compiled pass against its plain definition, the fit against the general method."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.ratings.paired import newton
from equipoise.ratings.paired._sparse_kernels import (
    expected_wins,
    laid_out,
    laplacian_product,
    log_totals,
    squared_weights,
)
from equipoise.ratings.paired.errors import ErrorKind, approximate_variances
from equipoise.ratings.paired.large import ManyAgents, fit_of_many
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts

Table = tuple[PairedModel, PairCounts]


def model_of(agents: int, first: np.ndarray, second: np.ndarray, precision: float = 0.0) -> PairedModel:
    components = np.zeros(agents, dtype=np.int64)
    return PairedModel(agents, first.astype(np.int32), second.astype(np.int32), "half", False, components, precision)


def table_of(seed: int, agents: int, first: np.ndarray, second: np.ndarray, precision: float = 0.0) -> Table:
    """Counts of pairs in which both sides scored, so that a finite optimum exists where all are joined."""
    rng = np.random.default_rng(seed)
    wins, losses, ties = rng.integers(1, 4, (3, len(first))).astype(float)
    return model_of(agents, first, second, precision), PairCounts(wins, losses, ties * rng.integers(0, 2, len(first)))


def pairs_of(seed: int, agents: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Random pairs, some of them twice or both ways round; a chain joins all agents."""
    rng = np.random.default_rng(seed)
    first = rng.integers(agents, size=count)
    second = (first + rng.integers(1, agents, size=count)) % agents
    chain = np.arange(agents - 1)
    return np.concatenate([first, second[:5], chain]), np.concatenate([second, first[:5], chain + 1])


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(5, 60), st.booleans())
@settings(max_examples=40, deadline=None)
def test_passes_are_their_definitions(seed: int, agents: int, count: int, single: bool) -> None:
    rng = np.random.default_rng(seed)
    first, second = pairs_of(seed, agents, count)
    games = np.ones(len(first)) if single else rng.integers(1, 4, len(first)) * 0.5
    played, met = np.zeros((agents, agents)), np.zeros((agents, agents))
    for i, j, number in zip(first, second, games, strict=True):
        played[i, j] += number
        played[j, i] += number
    met[played > 0] = 1.0
    start, opponent, of_each = laid_out(first.astype(np.int32), second.astype(np.int32), games, agents)
    rating, other = rng.normal(size=(2, agents))
    weight = np.empty(len(opponent), dtype=np.float32)
    expected, information = expected_wins(start, opponent, of_each, np.exp(rating), weight)
    chance = 1 / (1 + np.exp(rating[None, :] - rating[:, None]))
    known = played * chance * (1 - chance)
    np.testing.assert_allclose(expected, (played * chance).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(information, known.sum(axis=1), rtol=1e-12)
    total = np.triu(played * np.logaddexp(rating[:, None], rating[None, :])).sum()
    assert log_totals(start, opponent, of_each, np.exp(rating)) == pytest.approx(total, rel=1e-12, abs=1e-12)
    found = laplacian_product(start, opponent, weight, information, other)
    np.testing.assert_allclose(found, information * other - known @ other, rtol=1e-5, atol=1e-5)
    squares = squared_weights(start, opponent, weight, np.exp(other))
    np.testing.assert_allclose(squares, known**2 @ np.exp(-other), rtol=1e-5)


def general(monkeypatch: pytest.MonkeyPatch, model: PairedModel, cells: PairCounts) -> newton.Solution:
    """Fit by the method for smaller tables, every step by a factorisation."""
    with monkeypatch.context() as patched:
        patched.setattr("equipoise.ratings.paired.large.fit_of_many", lambda *_: None)
        patched.setattr(newton, "DIRECT", 10_000)
        return newton.bradley_terry_newton(model, cells)


def grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    place = np.arange(side**2).reshape(side, side)
    return (
        np.concatenate([place[:, 1:].ravel(), place[1:].ravel()]),
        np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()]),
    )


@pytest.mark.parametrize(
    ("agents", "pairs"),
    [
        (400, pairs_of(1, 400, 4000)),
        (400, pairs_of(2, 400, 300)),
        (900, grid(30)),
        (300, (np.arange(299), np.arange(1, 300))),
    ],
    ids=["well joined", "badly joined", "neighbours on a grid", "a chain"],
)
@pytest.mark.parametrize("precision", [0.0, 0.04])
def test_the_fit_is_that_of_the_general_method(
    monkeypatch: pytest.MonkeyPatch, agents: int, pairs: tuple[np.ndarray, np.ndarray], precision: float
) -> None:
    model, cells = table_of(3, agents, *pairs, precision)
    found = fit_of_many(ManyAgents.of(model, cells), None, newton.TOLERANCE)
    wanted = general(monkeypatch, model, cells)
    assert found is not None
    rating, value, fit = found
    assert fit.converged
    np.testing.assert_allclose(rating, wanted.x, atol=3e-9 * (1 + np.abs(wanted.x).max()))
    assert value == pytest.approx(wanted.objective, rel=1e-12)


def test_agents_very_far_apart_are_left_to_the_general_method() -> None:
    chain = np.arange(299)
    model = model_of(300, chain, chain + 1)
    many, one = np.full(299, 9.0), np.ones(299)
    assert fit_of_many(ManyAgents.of(model, PairCounts(many, one, np.zeros(299))), None, newton.TOLERANCE) is None


def test_an_agent_without_games_stays_at_its_prior() -> None:
    first, second = pairs_of(5, 50, 200)
    model, cells = table_of(6, 51, first, second, 0.04)
    found = fit_of_many(ManyAgents.of(model, cells), None, newton.TOLERANCE)
    assert found is not None
    assert abs(found[0][50]) < 1e-9


@pytest.mark.parametrize("kind", ["information", "sandwich"])
@pytest.mark.parametrize("fractional", [False, True])
def test_approximate_variances_are_those_of_the_sparse_matrix(kind: ErrorKind, fractional: bool) -> None:
    model, cells = table_of(7, 60, *pairs_of(7, 60, 400))
    if fractional:
        cells = PairCounts(cells.wins, cells.losses, cells.ties, 0.1 * cells.wins)
    x = np.random.default_rng(0).normal(size=60)
    plain = approximate_variances(model, cells, x, kind)
    by_agent = approximate_variances(model, cells, x, kind, ManyAgents.of(model, cells))
    np.testing.assert_allclose(by_agent, plain, rtol=1e-6)
