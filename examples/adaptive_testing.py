"""How many items does it take? Adaptive order against random order on a calibrated bank.

Usage: python examples/adaptive_testing.py [--agents 200] [--seed 0]

Classifiers on handwritten digits calibrate a bank of items. Simulated agents then sit the test twice: with the most
informative item each time, and in random order. The curve is the root mean squared error of ability against the
number of items; the last lines say how many items each order needs for a standard error of 0.3.
"""

import argparse

import numpy as np

import equipoise as eq

LENGTHS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80)


def bank() -> eq.results.Calibration:
    scores = eq.load("digits")
    assert isinstance(scores, eq.Scores)
    return eq.irt(scores, prior="weak", starts=1).calibration()


def sit(
    calibration: eq.results.Calibration, answers: dict[str, int], select: str, seed: int, longest: int
) -> np.ndarray:
    """Give ability and standard error after each item."""
    stop = eq.methods.TestLimits(length=longest)
    test = eq.AdaptiveTest(calibration, stop=stop, select="random" if select == "random" else "information", rng=seed)
    path = []
    while not test.done:
        item = test.ask().item
        test.tell(item, answers[item])
        path.append((test.ability, test.stderr))
    return np.array(path)


def simulate(calibration: eq.results.Calibration, agents: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Give squared errors and standard errors, agents x items, for both orders."""
    rng = np.random.default_rng(seed)
    longest = min(max(LENGTHS), len(calibration.items))
    paths: dict[str, list[np.ndarray]] = {"information": [], "random": []}
    theta = rng.normal(size=agents)
    for k in range(agents):
        drawn = rng.random(len(calibration.items)) < calibration.probability(theta[k])
        answers = dict(zip(calibration.items, drawn.astype(int).tolist(), strict=True))
        for select, rows in paths.items():
            rows.append(sit(calibration, answers, select, k, longest))
    tables = {select: np.array(rows) for select, rows in paths.items()}
    return {select: ((table[:, :, 0] - theta[:, None]) ** 2, table[:, :, 1]) for select, table in tables.items()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    results = simulate(bank(), options.agents, options.seed)
    print("items   chosen   random   (root mean squared error of ability)")
    for length in LENGTHS:
        errors = [np.sqrt(results[select][0][:, length - 1].mean()) for select in ("information", "random")]
        print(f"{length:5}   {errors[0]:6.3f}   {errors[1]:6.3f}")
    for select, label in (("information", "chosen"), ("random", "at random")):
        reached = results[select][1] <= 0.3
        first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, reached.shape[1] + 1)
        shown = f"{np.median(first):.0f}" if np.median(first) <= reached.shape[1] else f"more than {reached.shape[1]}"
        print(f"items {label}: {shown} for a standard error of 0.3 (median agent)")


if __name__ == "__main__":
    main()
