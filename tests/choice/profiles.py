"""Elections with known outcomes, and slow versions of rules."""

from itertools import permutations

import numpy as np

import equipoise as eq

PENTATHLON = eq.Ballots.from_orders(["ABC", "ACB", "CAB", "BCA"], [1, 1, 2, 1], agents="ABC")
"""The meeple pentathlon of Lanctot et al. (2025), Evaluating agents using social choice theory."""
TENNESSEE = eq.Ballots.from_orders(["MNCK", "NCKM", "CKNM", "KCNM"], [42, 26, 15, 17])
"""The capital of Tennessee: Memphis, Nashville, Chattanooga, Knoxville."""
FORTY_FIVE = eq.Ballots.from_orders(
    ["ACBED", "ADECB", "BEDAC", "CABED", "CAEBD", "CBADE", "DCEBA", "EBADC"], [5, 5, 8, 3, 7, 2, 7, 8], agents="ABCDE"
)
"""The example of Schulze (2011), section 3.1: 45 voters."""


def random_ballots(rng, agents, voters, *, ties=True):
    """Draw weak orders of all agents."""
    levels = rng.integers(0, agents if ties else 1, (voters, agents)) if ties else rng.random((voters, agents))
    return eq.Ballots.from_levels(tuple("abcdefghij"[:agents]), levels.astype(float))


def counted_by_hand(ballots):
    """Count who stands above whom, ballot by ballot."""
    n = len(ballots.agents)
    above = np.zeros((n, n))
    at = {name: k for k, name in enumerate(ballots.agents)}
    for row in range(len(ballots)):
        groups = ballots.named(row)
        for k, upper in enumerate(groups):
            for lower in groups[k + 1 :]:
                for a in upper:
                    for b in lower:
                        above[at[a], at[b]] += ballots.weight[row]
    return above


def best_orders(margins):
    """Go through all orders: the largest sum of margins, and every order that has it."""
    orders = list(permutations(range(len(margins))))
    values = [np.triu(margins[np.ix_(order, order)], 1).sum() for order in orders]
    best = max(values)
    return best, [order for order, value in zip(orders, values, strict=True) if value > best - 1e-9]


def with_copy(ballots, rng):
    """Add an exact copy of one agent, tied with it on every ballot or next to it on all."""
    levels = ballots.levels()
    k = int(rng.integers(levels.shape[1]))
    tied = bool(rng.integers(2))
    copied = 2 * levels
    column = copied[:, k] if tied else copied[:, k] + rng.choice([-1, 1], size=len(levels))
    names = (*ballots.agents, f"{ballots.agents[k]}'")
    return eq.Ballots.from_levels(names, np.column_stack([copied, column]), ballots.weight), ballots.agents[k]
