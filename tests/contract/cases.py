"""Data and settings with which the contract suite calls each method of the catalogue."""

from typing import Any

import numpy as np

import equipoise as eq
from equipoise.catalogue import Method, catalogue

SETTINGS: dict[str, dict[str, Any]] = {"baseline": {"control": "bot"}}
"""Keyword arguments that keep a method quick in the contract suite, by the method's name."""

NOT_A_METHOD_OF_ITS_OWN = {"bootstrap"}
"""Takes another method as its first argument; it has tests of its own."""

NAMES = ["ada", "bea", "cyd", "dan", "eve"]


def methods_taking(kind: str) -> list[Method]:
    return [
        method for method in catalogue() if kind in method.declared.takes and method.name not in NOT_A_METHOD_OF_ITS_OWN
    ]


def run(method: Method, data: Any) -> Any:
    return method.function(data, **SETTINGS.get(method.name, {}))


def columns(seed: int = 1, games: int = 400) -> tuple[list[str], list[str], list[float]]:
    """Draw a connected log of wins, losses and ties in which every agent wins and loses."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, -1, len(NAMES))
    a = rng.integers(len(NAMES), size=games)
    b = (a + rng.integers(1, len(NAMES), size=games)) % len(NAMES)
    won = rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))
    outcome = np.where(rng.random(games) < 0.2, 0.5, won.astype(float))
    return [NAMES[i] for i in a], [NAMES[i] for i in b], outcome.tolist()


def matches(seed: int = 1) -> eq.Matches:
    return eq.Matches.from_columns(*columns(seed))


def hand_columns(deals: int = 40, seed: int = 1) -> dict[str, Any]:
    """Deal zero-sum hands to two agents, each deal in both seats, with a control that knows the deal in part."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(size=deals)
    rows = []
    for d in range(deals):
        for first, second in (("ada", "bea"), ("bea", "ada")):
            won = luck[d] + (0.3 if first == "ada" else -0.3) + rng.normal(scale=0.5)
            own = luck[d] + rng.normal(scale=0.3)
            rows += [(first, d, f"{d}{first}", 0, won, own), (second, d, f"{d}{first}", 1, -won, -own)]
    agent, deal, hand, seat, utility, bot = zip(*rows, strict=True)
    return {"agent": agent, "deal": deal, "hand": hand, "seat": seat, "utility": utility, "controls": {"bot": bot}}


def hands() -> eq.Episodes:
    return eq.Episodes.from_columns(**hand_columns())


def estimates_by_agent(result: Any) -> dict[str, Any]:
    values = np.asarray(getattr(result, result.main))
    return dict(zip(result.agents, values, strict=True))
