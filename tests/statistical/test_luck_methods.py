"""The public methods against luck: their intervals cover, whatever the method, and planned hands are enough."""

import numpy as np

import equipoise as eq

RUNS = 400


def hands(rng, deals, twice):
    """Two-seat hands of two agents: agent a is better by 0.2 on average, a deal's luck is worth several times that."""
    plays = np.tile(np.arange(deals), 2 if twice else 1)
    luck = rng.normal(scale=1.5, size=deals)[plays]
    swapped = np.arange(len(plays)) >= deals if twice else rng.random(len(plays)) < 0.5
    first = luck + np.where(swapped, -0.2, 0.2) + rng.normal(size=len(plays))
    own = luck + 0.3 * rng.normal(size=deals)[plays]
    names = np.where(swapped[:, None], ["b", "a"], ["a", "b"])
    return eq.Episodes.from_columns(
        names.ravel().tolist(),
        np.repeat(plays, 2),
        np.stack([first, -first], axis=1).ravel(),
        seat=np.tile([0, 1], len(plays)),
        hand=np.repeat(np.arange(len(plays)), 2),
        controls={"bot": np.stack([own, -own], axis=1).ravel()},
    )


def share_covered(method, deals, twice, seed):
    rng = np.random.default_rng(seed)
    inside, widths = [], []
    for _ in range(RUNS):
        found = method(hands(rng, deals, twice))
        at = found.agents.index("a")
        inside.append(found.low[at] <= 0.2 <= found.high[at])
        widths.append(found.high[at] - found.low[at])
    return float(np.mean(inside)), float(np.mean(widths))


def test_baseline_and_duplicate_cover_the_true_advantage():
    # 400 runs: a standard error of 1.1%.
    covered, width = share_covered(lambda e: eq.baseline(e, control="bot"), 60, False, 31)
    assert 0.915 <= covered <= 0.985
    again, narrow = share_covered(eq.duplicate, 60, True, 32)
    assert 0.915 <= again <= 0.985
    # And they are worth having: a plain mean of 60 hands has an interval about 0.93 wide.
    assert width < 0.65
    assert narrow < 0.5


def test_control_variates_advantage_sums_and_antithetic_pairs_cover():
    rng = np.random.default_rng(33)
    inside = {"control": [], "advantage": [], "antithetic": []}
    for _ in range(RUNS):
        luck = rng.normal(size=50)
        x = 1.0 + 2 * luck + rng.normal(size=50)
        found = {
            "control": eq.control_variates(x, luck),
            "advantage": eq.advantage_sum(x, 2 * luck),
            "antithetic": eq.antithetic(x, 1.0 - 2 * luck + rng.normal(size=50)),
        }
        for name, result in found.items():
            inside[name].append(float(result.low) <= 1.0 <= float(result.high))
    assert all(0.92 <= np.mean(held) <= 0.98 for held in inside.values()), {k: np.mean(v) for k, v in inside.items()}


def test_a_planned_number_of_hands_gives_about_the_width_asked_for():
    rng = np.random.default_rng(34)
    luck = rng.normal(size=400)
    plan = eq.plan_hands(1.0 + 2 * luck + rng.normal(size=400), luck, half_width=0.15)
    widths = []
    for _ in range(100):
        y = rng.normal(size=plan.hands)
        found = eq.control_variates(1.0 + 2 * y + rng.normal(size=plan.hands), y)
        widths.append((float(found.high) - float(found.low)) / 2)
    assert 0.13 <= np.mean(widths) <= 0.17
