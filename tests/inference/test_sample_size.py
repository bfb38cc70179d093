"""Sample sizes against the formulas written out plainly, and the promises they make."""

import math

import numpy as np
import pytest

import equipoise as eq


def test_theorem_3_2_by_hand() -> None:
    found = eq.methods.response_graph_samples((3, 4), gap=0.2, delta=0.1, payoff_bound=1.0)
    assert found.games == math.floor(8 / 0.04 * math.log(2 * 12 * 2 / 0.1)) + 1


def test_theorem_3_1_by_hand() -> None:
    alpha, m, epsilon, delta, bound, s, k = 0.1, 3, 0.1, 0.05, 1.0, 4, 2
    lipschitz = 2 * alpha * math.exp(2 * alpha * bound)
    g = 0.5 * math.expm1(2 * alpha * bound) / math.expm1(2 * alpha * m * bound)
    forest = sum(math.comb(s, n) * n**s for n in range(1, s))
    expected = 648 * bound**2 * math.log(2 * s * k / delta) * (lipschitz * forest / (epsilon * g)) ** 2
    found = eq.methods.alpha_rank_samples((2, 2), alpha=alpha, m=m, epsilon=epsilon, delta=delta, payoff_bound=bound)
    assert found.log_games == pytest.approx(math.log(expected), rel=1e-12)


def test_astronomic_bounds_keep_their_logarithm() -> None:
    found = eq.methods.alpha_rank_samples((10, 10, 10), alpha=100.0, m=50)
    assert math.isinf(found.games)
    assert 1000 < found.log10_games < math.inf


def test_theorem_d_1_and_3_1_say_the_same() -> None:
    """Payoffs known as well as theorem 3.1 makes them give the error it promises."""
    shape, epsilon = (2, 2), 0.1
    size = eq.methods.alpha_rank_samples(shape, alpha=0.1, m=2, epsilon=epsilon, delta=0.05)
    payoff_error = math.sqrt(4 * math.log(2 * 8 / 0.05) / 2) * math.exp(-size.log_games / 2)
    bound = eq.methods.alpha_rank_error_bound(shape, payoff_error=payoff_error, alpha=0.1, m=2)
    assert bound == pytest.approx(epsilon, rel=1e-9)
    logarithm = eq.methods.alpha_rank_error_bound(shape, payoff_error=payoff_error, alpha=0.1, m=2, log=True)
    assert logarithm == pytest.approx(math.log(epsilon), rel=1e-9)
    large = {"payoff_error": 1e-3, "alpha": 0.1, "m": 2}
    assert eq.methods.alpha_rank_error_bound(shape, **large) == 1.0
    assert eq.methods.alpha_rank_error_bound(shape, log=True, **large) > 0.0
    with pytest.raises(eq.ParameterError, match=r"D\.1"):
        eq.methods.alpha_rank_error_bound(shape, payoff_error=0.5, alpha=0.1, m=2)


@pytest.mark.parametrize("gap", [0.9, 0.3, 0.01])
def test_theorem_4_2_is_the_least_that_meets_its_condition(gap: float) -> None:
    found = eq.methods.ucb_samples((3, 2), gap=gap, delta=0.05, payoff_bound=0.5)

    def met(u: float) -> bool:
        inside = math.log(8 * u**3 * math.pi**2 * 6 * 3 / (3 * 0.05))
        return gap > 4 * math.sqrt(4 * 0.25 * inside / u)

    assert met(found.games)
    assert not met(found.games - 2)


def test_theorem_c_1_by_hand() -> None:
    assert eq.methods.elo_samples(8, epsilon=0.5, delta=0.1).games == math.floor(0.5 * 64 / 0.25 * math.log(640)) + 1


def test_theorem_3_2_keeps_its_promise() -> None:
    rng = np.random.default_rng(0)
    win = np.array([[0.5, 0.8], [0.2, 0.5]])
    n = int(eq.methods.response_graph_samples((2, 2), gap=0.3, delta=0.1, payoff_bound=0.5).games)
    truth = set(eq.response_graph(eq.MetaGame.from_payoffs([win, 1 - win])).edges)
    wrong = 0
    for _ in range(300):
        estimate = rng.binomial(n, win) / n
        found = eq.response_graph(eq.MetaGame.from_payoffs([estimate, 1 - estimate])).edges
        wrong += {e[:2] for e in found} != {e[:2] for e in truth}
    assert wrong <= 30


def test_payoffs_within_half_the_gap_leave_the_graph_alone() -> None:
    rng = np.random.default_rng(1)
    payoffs = [rng.permutation(6).reshape(2, 3).astype(float) for _ in range(2)]
    error = eq.methods.tolerated_payoff_error(1.0) * 0.999
    signs = {e[:2] for e in eq.response_graph(eq.MetaGame.from_payoffs(payoffs)).edges}
    for _ in range(30):
        moved = [p + rng.choice([-error, error], p.shape) for p in payoffs]
        assert {e[:2] for e in eq.response_graph(eq.MetaGame.from_payoffs(moved)).edges} == signs


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: eq.methods.response_graph_samples((2, 2), gap=0.0), "gap"),
        (lambda: eq.methods.response_graph_samples((2, 2), gap=5.0), "differ"),
        (lambda: eq.methods.response_graph_samples((1, 1), gap=0.1), "no deviation"),
        (lambda: eq.methods.elo_samples(5, epsilon=0.1, delta=2.0), "delta"),
        (lambda: eq.methods.alpha_rank_samples((2, 2), alpha=1.0, m=1), "m is a whole number of at least 2"),
        (lambda: eq.methods.alpha_rank_samples((2, 2), alpha=1.0, epsilon=1e9), "epsilon"),
        (lambda: eq.methods.alpha_rank_samples((2, 2), alpha=float("nan")), "alpha"),
        (lambda: eq.methods.alpha_rank_samples((2, 2), alpha=1.0, m=2.5), "m is a whole number"),
        (lambda: eq.methods.ucb_samples((2.5, 2), gap=0.1), "shape is a whole number"),
        (lambda: eq.methods.ucb_samples("ab", gap=0.1), "shape is a list"),
        (lambda: eq.methods.ucb_samples(None, gap=0.1), "shape is a list"),
        (lambda: eq.methods.elo_samples(2.5, epsilon=0.1), "agents is a whole number"),
        (lambda: eq.methods.elo_samples(5, epsilon="a"), "epsilon is a number above 0"),
    ],
)
def test_bad_input_is_refused(call: object, words: str) -> None:
    with pytest.raises(eq.ParameterError, match=words):
        call()  # type: ignore[operator]
