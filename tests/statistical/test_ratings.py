"""Do intervals cover what they promise? Seeded simulations from known strengths."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.labels import Factor

AGENTS, GAMES, RUNS = 8, 1500, 800
STRENGTH = np.linspace(1.2, -1.2, AGENTS)
TIED = np.array([1.0, 0.6, 0.6, 0.2, 0.0, -0.4, -0.8, -1.2])
TIED = TIED - TIED.mean()
SIDE = 0.3


def draw(rng, strength, games, side=0.0):
    a = rng.integers(AGENTS, size=games).astype(np.int32)
    b = ((a + rng.integers(1, AGENTS, size=games)) % AGENTS).astype(np.int32)
    chance = 1 / (1 + np.exp(strength[b] - strength[a] - side))
    outcome = (rng.random(games) < chance).astype(float)
    return eq.Matches.from_codes(tuple("abcdefgh"), a, b, outcome)


def true_ranks(strength):
    best = 1 + (strength[None, :] > strength[:, None] + 1e-9).sum(axis=1)
    worst = AGENTS - (strength[None, :] < strength[:, None] - 1e-9).sum(axis=1)
    return best, worst


@pytest.mark.parametrize("errors", ["sandwich", "information"])
def test_95_percent_intervals_cover_between_93_and_97_percent(errors):
    rng = np.random.default_rng(11)
    inside = []
    for _ in range(RUNS):
        result = eq.bradley_terry(draw(rng, STRENGTH, GAMES), errors=errors)
        inside.append((result.low <= STRENGTH) & (result.high >= STRENGTH))
    assert 0.93 <= np.mean(inside) <= 0.97


def test_the_side_advantage_is_covered_too():
    rng = np.random.default_rng(12)
    inside = []
    for _ in range(RUNS):
        side = eq.bradley_terry(draw(rng, STRENGTH, GAMES, side=SIDE), side=True).side
        inside.append(side.low <= SIDE <= side.high)
    assert 0.93 <= np.mean(inside) <= 0.97


def test_simultaneous_rank_intervals_hold_for_all_agents_at_once():
    rng = np.random.default_rng(13)
    best, worst = true_ranks(TIED)
    held = []
    for _ in range(RUNS):
        result = eq.bradley_terry(draw(rng, TIED, GAMES))
        held.append(((result.rank_low <= worst) & (result.rank_high >= best)).all())
        assert (result.rank_low <= result.rank_high).all()
    assert np.mean(held) >= 0.95


def test_rank_intervals_are_not_trivially_wide():
    result = eq.bradley_terry(draw(np.random.default_rng(1), TIED, GAMES))
    assert (result.rank_high - result.rank_low).mean() < 3


def grouped(rng, groups=60, each=20):
    """Every group (a voter) shifts all strengths by its own taste."""
    taste = rng.normal(scale=0.7, size=(groups, AGENTS))
    a = rng.integers(AGENTS, size=groups * each).astype(np.int32)
    b = ((a + rng.integers(1, AGENTS, size=groups * each)) % AGENTS).astype(np.int32)
    g = np.repeat(np.arange(groups), each)
    gap = STRENGTH[a] + taste[g, a] - STRENGTH[b] - taste[g, b]
    outcome = (rng.random(len(a)) < 1 / (1 + np.exp(-gap))).astype(float)
    return eq.Matches.from_codes(tuple("abcdefgh"), a, b, outcome, group=Factor.of(g))


def test_clustered_errors_are_right_where_plain_ones_are_too_small():
    rng = np.random.default_rng(14)
    # Tastes shrink the average strengths a little; the truth is what many groups would give.
    truth = eq.bradley_terry(grouped(np.random.default_rng(0), groups=60_000, each=20).pairs()).rating
    clustered, plain = [], []
    for _ in range(RUNS):
        m = grouped(rng)
        one, other = eq.bradley_terry(m), eq.bradley_terry(m.pairs())
        clustered.append((one.low <= truth) & (one.high >= truth))
        plain.append((other.low <= truth) & (other.high >= truth))
    assert 0.925 <= np.mean(clustered) <= 0.97
    assert np.mean(plain) < np.mean(clustered) - 0.02


def test_bootstrap_intervals_cover():
    rng = np.random.default_rng(15)
    inside = []
    for run in range(150):
        b = eq.bootstrap(eq.bradley_terry, draw(rng, STRENGTH, 600), n=200, rng=run)
        inside.append((b.low <= STRENGTH) & (b.high >= STRENGTH))
    assert 0.91 <= np.mean(inside) <= 0.975


def test_the_tie_models_cover_their_own_data():
    rng = np.random.default_rng(16)
    tau = np.log(0.8)
    inside = []
    for _ in range(300):
        a = rng.integers(AGENTS, size=GAMES).astype(np.int32)
        b = ((a + rng.integers(1, AGENTS, size=GAMES)) % AGENTS).astype(np.int32)
        d = STRENGTH[a] - STRENGTH[b]
        weights = np.stack([np.exp(d / 2), np.full_like(d, np.exp(tau)), np.exp(-d / 2)])
        u = rng.random(GAMES) * weights.sum(axis=0)
        outcome = np.where(u < weights[0], 1.0, np.where(u < weights[0] + weights[1], 0.5, 0.0))
        result = eq.bradley_terry(eq.Matches.from_codes(tuple("abcdefgh"), a, b, outcome), ties="davidson")
        inside.append(
            [*((result.low <= STRENGTH) & (result.high >= STRENGTH)), result.tie.low <= tau <= result.tie.high]
        )
    assert 0.93 <= np.mean(inside) <= 0.97
