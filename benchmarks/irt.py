"""Two-parameter fits beside girth and PyPI's mirt: time, memory and the log-likelihood each comes to.

Usage: python benchmarks/irt.py [--sizes 2000x200 5000x500] [--large] [--girth-cells 500000]

Peers (pip install girth mirt) are used where they are installed. All three fit the same simulated answers, in which
all slopes are positive, because neither peer can give a negative one; ours also computes standard errors, fit
statistics and flags. Every fit's items are then put on the same fine grid to compare log-likelihoods: a peer's own
figure depends on its grid. Ratios are of processor time. ``--large`` adds 5,000 x 10,000 (ours alone) and prints the
peak of memory.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np

import equipoise as eq
from equipoise.irt.models import Items
from equipoise.irt.quadrature import marginal_log_likelihood, uniform_grid
from equipoise.irt.responses import from_counts

Fitted = tuple[np.ndarray, np.ndarray]


def simulate(agents: int, items: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    theta, a, b = rng.normal(size=agents), rng.lognormal(0, 0.3, items), rng.normal(size=items)
    answers = np.empty((agents, items), dtype=np.uint8)
    for start in range(0, agents, 500):
        chance = 1 / (1 + np.exp(-a * (theta[start : start + 500, None] - b)))
        answers[start : start + 500] = rng.random(chance.shape) < chance
    return answers


def ours(answers: np.ndarray) -> Fitted:
    fit = eq.irt(eq.Scores.from_matrix(answers), starts=1)
    return fit.discrimination, -fit.discrimination * fit.difficulty


def by_girth(answers: np.ndarray) -> Fitted:
    import girth

    fit = girth.twopl_mml(answers.T.astype(int))
    a, b = np.asarray(fit["Discrimination"]), np.asarray(fit["Difficulty"])
    return a, -a * b


def by_mirt(answers: np.ndarray) -> Fitted:
    import mirt

    fit = mirt.fit_mirt(answers.astype(int), model="2PL", compute_standard_errors=False)
    parameters = fit.model.parameters
    a, b = (np.asarray(parameters[name], dtype=float).reshape(-1) for name in ("discrimination", "difficulty"))
    return a, -a * b


def run(name: str, fit: Callable[[np.ndarray], Fitted], answers: np.ndarray) -> float:
    start, busy = time.perf_counter(), time.process_time()
    try:
        slope, intercept = fit(answers)
    except ImportError:
        print(f"  {name:10} not installed")
        return float("nan")
    took, busy = time.perf_counter() - start, time.process_time() - busy
    items = Items(slope, intercept, np.zeros(len(slope)))
    value = marginal_log_likelihood(from_counts(answers), items, uniform_grid(7.0, 701))
    print(f"  {name:10} {took:9.2f} s   processor {busy:9.2f} s   log-likelihood {value:.3f}")
    return busy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", default=["2000x200", "5000x500"])
    parser.add_argument("--girth-cells", type=int, default=500_000, help="largest table that girth is asked for")
    parser.add_argument("--large", action="store_true", help="add 5,000 x 10,000")
    options = parser.parse_args()
    eq.irt(eq.Scores.from_matrix(simulate(50, 5)), starts=1)  # imports are not part of the comparison
    for size in options.sizes:
        agents, items = (int(part) for part in size.split("x"))
        answers = simulate(agents, items)
        print(f"{agents:,} agents x {items:,} items")
        mine = run("equipoise", ours, answers)
        peers = {"mirt": by_mirt} | ({"girth": by_girth} if answers.size <= options.girth_cells else {})
        for name, fit in peers.items():
            print(f"  {name} takes {run(name, fit, answers) / mine:.0f} times the processor time")
    if options.large:
        print("5,000 agents x 10,000 items")
        run("equipoise", ours, simulate(5000, 10_000))
        print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
