"""Plans from a pilot: predicted reduction, hands for a width, and the split of a budget."""

import numpy as np
import pytest

import equipoise as eq


def pilot(n: int, seed: int = 0, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    return y + noise * rng.normal(size=n), y


def test_the_predicted_reduction_is_close_to_the_one_found_later() -> None:
    x, y = pilot(200)
    plan = eq.methods.plan_hands(x, y, hands=5000)
    later = eq.control_variates(*pilot(5000, seed=1))
    assert plan.reduction == pytest.approx(later.reduction, abs=4)
    assert plan.reduction_low < later.reduction < plan.reduction_high
    assert plan.half_width == pytest.approx((later.high - later.low) / 2, rel=0.15)


def test_hands_for_a_width_give_that_width() -> None:
    x, y = pilot(400)
    plan = eq.methods.plan_hands(x, y, half_width=0.03)
    later = eq.control_variates(*pilot(plan.hands, seed=2))
    assert (later.high - later.low) / 2 == pytest.approx(0.03, rel=0.1)
    plain = pilot(plan.plain_hands, seed=3)[0]
    assert 1.96 * plain.std() / np.sqrt(len(plain)) == pytest.approx(0.03, rel=0.1)
    assert plan.hands <= plan.hands_high


def test_one_hand_fewer_is_too_wide() -> None:
    x, y = pilot(60)
    plan = eq.methods.plan_hands(x, y, half_width=0.08)
    assert eq.methods.plan_hands(x, y, hands=plan.hands).half_width <= 0.08
    assert eq.methods.plan_hands(x, y, hands=plan.hands - 1).half_width > 0.08


def test_width_and_hands_are_each_others_inverse_and_seeded() -> None:
    x, y = pilot(100)
    one, two = (eq.methods.plan_hands(x, y, half_width=0.05, rng=7).to_dict() for _ in range(2))
    assert one == two


def test_a_small_pilot_says_so() -> None:
    assert [d.code for d in eq.methods.plan_hands(*pilot(20), half_width=0.1).diagnostics] == ["small-pilot"]


def deals(n: int, spread: float, seed: int = 0, repeats: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    deal = rng.normal(size=n)
    return deal + 0.3 * rng.normal(size=n), deal[:, None] + spread * rng.normal(size=(n, repeats))


def test_the_split_is_that_of_the_formula() -> None:
    x, y = deals(4000, 2.0)
    split = eq.methods.split_budget(x, y, hand_cost=50, control_cost=1, budget=10_000)
    # Known here: sigma^2 = 1.09, C = 1, tau^2 = 1, nu^2 = 4.
    r = np.arange(101)
    left = np.where(r > 0, 1.09 - 1.0 / (1.0 + 4.0 / np.maximum(r, 1)), 1.09)
    truth = np.sqrt(left * (50 + r) / 10_000)
    assert truth[split.repeats] <= 1.02 * truth.min()
    assert split.hands == int(10_000 / (50 + split.repeats))
    np.testing.assert_allclose(split.stderr, truth, rtol=0.1)


def test_a_simulated_budget_confirms_the_choice() -> None:
    x, y = deals(2000, 2.0)
    best = eq.methods.split_budget(x, y, hand_cost=20, control_cost=1, budget=4000).repeats

    def spread(repeats: int) -> float:
        hands = int(4000 / (20 + repeats))
        estimates = []
        for seed in range(400):
            u, v = deals(hands, 2.0, seed=seed + 10, repeats=max(1, repeats))
            estimates.append(u.mean() if repeats == 0 else eq.control_variates(u, v.mean(axis=1)).estimate)
        return float(np.std(estimates))

    assert spread(best) < min(spread(0), spread(1))


def test_cheap_control_gets_more_repeats_than_dear_control() -> None:
    x, y = deals(1000, 2.0)
    cheap = eq.methods.split_budget(x, y, hand_cost=100, control_cost=1, budget=1e5).repeats
    dear = eq.methods.split_budget(x, y, hand_cost=1, control_cost=1, budget=1e3).repeats
    assert cheap > dear


def test_a_useless_control_gets_nothing() -> None:
    rng = np.random.default_rng(5)
    split = eq.methods.split_budget(
        rng.normal(size=500), rng.normal(size=(500, 2)), hand_cost=1, control_cost=10, budget=100
    )
    assert split.repeats == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: eq.methods.plan_hands(*pilot(50)), "either half_width or hands"),
        (lambda: eq.methods.plan_hands(*pilot(50), half_width=0.1, hands=10), "either"),
        (lambda: eq.methods.plan_hands(*pilot(50), half_width=-1.0), "half_width is a number above 0"),
        (lambda: eq.methods.plan_hands(*pilot(50), hands=2), "at least 4"),
        (lambda: eq.methods.plan_hands(*pilot(3), hands=20), "too few"),
        (lambda: eq.methods.plan_hands([1.0] * 9, range(9), hands=20), "no variance"),
        (lambda: eq.methods.plan_hands([1.0, np.nan] * 9, range(18), hands=20), "rows 2"),
        (
            lambda: eq.methods.split_budget(*pilot(50), hand_cost=1, control_cost=1, budget=10),
            "at least two self-plays",
        ),
        (lambda: eq.methods.split_budget(*deals(50, 1.0), hand_cost=0, control_cost=1, budget=10), "hand_cost"),
    ],
)
def test_misuse_is_answered_in_words(call: object, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words):
        call()
