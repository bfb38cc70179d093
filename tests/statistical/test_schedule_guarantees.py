"""Guarantees over many seeded runs: the learner's graph, stopping rules, and bounds on masses."""

import functools

import numpy as np
import pytest

import equipoise as eq
from equipoise.schedule.stopping import log_capital


def learn(win: np.ndarray, delta: float, seed: int, **options: object) -> eq.ResponseGraphUCB:
    ucb = eq.ResponseGraphUCB((2, 2), delta=delta, rng=seed, **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(50_000 + seed)
    while not ucb.done:
        proposal = ucb.ask()
        x = float(rng.random() < win[proposal.profile])
        ucb.tell(proposal, (x, 1 - x))
    return ucb


def wrong_edges(ucb: eq.ResponseGraphUCB, win: np.ndarray) -> int:
    payoffs = [win, 1 - win]
    wrong = 0
    for edge in ucb.graph().resolved:
        source, target = (tuple(int(x) for x in profile) for profile in (edge.source, edge.target))
        gain = payoffs[edge.player][target] - payoffs[edge.player][source]
        wrong += (gain > 0) != (edge.better == "target")
    return wrong


@pytest.mark.parametrize(
    ("sampling", "confidence"), [("uniform-exhaustive", "hoeffding"), ("count-weighted", "clopper-pearson")]
)
def test_the_guaranteed_form_is_wrong_in_at_most_a_delta_fraction(sampling: str, confidence: str) -> None:
    delta, runs, wrong = 0.4, 40, 0
    win = np.array([[0.5, 0.8], [0.2, 0.5]])
    options = {"union_bound": True, "time_dependent": True, "sampling": sampling, "confidence": confidence}
    for seed in range(runs):
        ucb = learn(win, delta, seed, budget=20_000, **options)
        assert "0.6" in ucb.guarantee
        wrong += wrong_edges(ucb, win) > 0
    assert wrong <= delta * runs


def test_one_delta_checked_after_every_game_breaks_its_level() -> None:
    """Why the other forms are labelled: an exact interval looked at after every game is wrong more often than delta."""
    delta, runs, wrong = 0.1, 100, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        plain = eq.ResponseGraphUCB(
            ["a", "b"], constant_sum=1.0, delta=delta, confidence="clopper-pearson", budget=1000
        )
        while not plain.done:
            plain.tell(("a", "b"), float(rng.random() < 0.52))
        wrong += plain.graph().edges == ((("a",), ("b",)),)
    assert wrong > 1.5 * delta * runs


def decisions(score: float, draws: float, runs: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """First game at which each run decides (or one past the end), and whether it decided for the second."""
    u = np.random.default_rng(seed).random((runs, games))
    wins = np.cumsum(u < score - draws / 2, axis=1)
    losses = np.cumsum(u >= score + draws / 2, axis=1)
    threshold = eq.StoppingRule(0.05).threshold
    # The capital depends on wins and losses alone: look each pair of counts up once.
    capital = functools.cache(lambda w, l: log_capital(np.array([1.0, 0.0]), np.array([w, l], dtype=float), 0.5))
    first, second = np.full(runs, games + 1), np.zeros(runs, dtype=bool)
    for run in range(runs):
        for at, (w, l) in enumerate(zip(wins[run].tolist(), losses[run].tolist(), strict=True)):
            if abs(w - l) ** 2 > w + l and capital(max(w, l), min(w, l)) >= threshold:
                first[run], second[run] = at + 1, l > w
                break
    return first, second


def test_equal_players_are_rarely_called_unequal_however_often_one_looks() -> None:
    """Half draws, a look after each of 2,000 games: at most 5% wrong, where a plain interval is wrong half the time."""
    first, _ = decisions(0.5, 0.5, runs=250, games=2000, seed=1)
    share = np.mean(first <= 2000)
    assert share <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 250)
    rng = np.random.default_rng(2)
    x = rng.choice([0.0, 0.5, 1.0], p=[0.25, 0.5, 0.25], size=(250, 2000))
    n = np.arange(1, 2001)
    mean, spread = (
        np.cumsum(x, 1) / n,
        np.sqrt(np.maximum(np.cumsum(x**2, 1) / n - (np.cumsum(x, 1) / n) ** 2, 1e-12) / n),
    )
    plain = (np.abs(mean - 0.5) > 1.96 * spread)[:, 9:].any(axis=1).mean()
    assert plain > 0.35


@pytest.mark.parametrize(
    ("score", "games", "most", "mixture"), [(0.55, 2500, 541, 805), (0.60, 800, 110, 238), (0.70, 250, 27, 88)]
)
def test_betting_decides_sooner_than_a_confidence_sequence(
    score: float, games: int, most: float, mixture: float
) -> None:
    """Median games to decide with half draws; known figures are 541, 97 and 24, and 805, 238 and 88 for the mixture."""
    first, second = decisions(score, 0.5, runs=200, games=games, seed=3)
    assert np.median(first) <= most < mixture
    assert second.mean() <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / 200)


def test_equal_players_end_with_a_margin() -> None:
    rule = eq.StoppingRule(0.05, margin=0.1)
    rng = np.random.default_rng(4)
    ends = []
    for _ in range(40):
        u = rng.random(4000)
        wins, losses = np.cumsum(u < 0.25), np.cumsum(u >= 0.75)
        looks = range(49, 4000, 50)
        verdicts = [rule.verdict(wins[t], t + 1 - wins[t] - losses[t], losses[t]) for t in looks]
        ends.append(next((v for v in verdicts if v != "undecided"), "undecided"))
    assert ends.count("equal") >= 36
    assert ends.count("undecided") == 0


def test_the_confidence_sequence_holds_at_every_look() -> None:
    rng = np.random.default_rng(5)
    missed = 0
    for _ in range(100):
        mean = np.cumsum(rng.random(1000) < 0.3) / np.arange(1, 1001)
        missed += any(
            not low <= 0.3 <= high for low, high in (eq.mixture_interval(m, n + 1) for n, m in enumerate(mean))
        )
    assert missed <= 0.05 * 100


def test_bounds_from_counts_hold_the_true_masses() -> None:
    rng = np.random.default_rng(6)
    win = np.array([[0.5, 0.62, 0.36, 0.7], [0.38, 0.5, 0.66, 0.6], [0.64, 0.34, 0.5, 0.58], [0.3, 0.4, 0.42, 0.5]])
    truth = eq.alpha_rank(eq.PairTable.from_matrix(win)).pi
    i, j = np.triu_indices(4, 1)
    missed = 0
    for _ in range(200):
        wins = rng.binomial(60, win[i, j])
        table = eq.PairTable.from_columns(tuple("abcd"), i, j, wins, 60 - wins)
        found = eq.alpha_rank(table, level=0.9)
        assert found.low is not None
        assert found.high is not None
        missed += not (np.all(found.low <= truth + 1e-9) and np.all(truth <= found.high + 1e-9))
    assert missed <= 0.1 * 200
