"""Graphs that can be read: rounds of nodes that reach each other, in layers, and no arrow that follows from others."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["Arrow", "Layout", "layered"]

SLOT, LAYER = 110, 46
"""Room that a node asks for: beside it, and from one layer to the next."""


class Arrow(NamedTuple):
    """An arrow between nodes, and how many more like it are not drawn."""

    source: int
    target: int
    more: int = 0


class Layout(NamedTuple):
    """Places of nodes in pixels from the upper left corner, the height that they take, and the arrows to draw."""

    places: Sequence[tuple[float, float]]
    height: float
    arrows: Sequence[Arrow]


def layered(count: int, edges: Sequence[tuple[int, int]], width: float) -> Layout:
    """Place nodes so that arrows go up: whatever nobody leaves is at the top.

    Nodes that reach each other form a round and stand on a circle. Between rounds only those arrows are drawn that do
    not follow from others (the transitive reduction).
    """
    reach = _reachable(count, edges)
    rounds = _rounds(count, reach)
    of = {node: k for k, nodes in enumerate(rounds) for node in nodes}
    steps = {(of[i], of[j]) for i, j in edges if of[i] != of[j]}
    between_rounds = {a for a, _ in steps}
    kept = {
        (a, b)
        for a, b in steps
        if not any(c != b and (a, c) in steps and rounds[b][0] in reach[rounds[c][0]] for c in between_rounds)
    }
    arrows = [Arrow(i, j) for i, j in edges if of[i] == of[j]]
    for a, b in sorted(kept):
        between = [(i, j) for i, j in edges if (of[i], of[j]) == (a, b)]
        arrows.append(Arrow(*min(between), len(between) - 1))
    places, height = _places(rounds, _layers(len(rounds), kept), width)
    return Layout([places[k] for k in range(count)], height, arrows)


def _reachable(count: int, edges: Sequence[tuple[int, int]]) -> list[set[int]]:
    """Give the nodes that can be reached from each, itself included."""
    reach = [{k} | {j for i, j in edges if i == k} for k in range(count)]
    for middle in range(count):
        for targets in reach:
            if middle in targets:
                targets.update(reach[middle])
    return reach


def _rounds(count: int, reach: Sequence[set[int]]) -> list[list[int]]:
    """Give the strongly connected components, in the order of their first nodes."""
    rounds: list[list[int]] = []
    seen: set[int] = set()
    for k in range(count):
        if k not in seen:
            rounds.append(sorted(j for j in reach[k] if k in reach[j]))
            seen.update(rounds[-1])
    return rounds


def _layers(count: int, steps: set[tuple[int, int]]) -> list[list[int]]:
    """Put each round below all that it leads to."""
    depth = [0] * count
    for _ in range(count):
        for a, b in steps:
            depth[a] = max(depth[a], depth[b] + 1)
    return [[k for k in range(count) if depth[k] == level] for level in range(max(depth, default=-1) + 1)]


def _places(
    rounds: Sequence[Sequence[int]], layers: Sequence[Sequence[int]], width: float
) -> tuple[dict[int, tuple[float, float]], float]:
    places: dict[int, tuple[float, float]] = {}
    top = 0.0
    per_row = max(1, int(width // SLOT))
    for layer in layers:
        cuts = [*range(0, len(layer), per_row), len(layer)]
        for start, end in pairwise(cuts):
            blocks = layer[start:end]
            radii = [_radius(len(rounds[k])) for k in blocks]
            height = 2 * max(radii) + LAYER
            slot = width / len(blocks)
            for position, (block, radius) in enumerate(zip(blocks, radii, strict=True)):
                x, y = slot * (position + 0.5), top + height / 2
                across = min(1.5 * radius, max(0.0, slot / 2 - 60))
                for k, node in enumerate(rounds[block]):
                    turn = math.tau * k / len(rounds[block])
                    places[node] = (x + across * math.sin(turn), y - radius * math.cos(turn))
            top += height
    return places, top


def _radius(count: int) -> float:
    return 0.0 if count == 1 else min(170.0, 30 + 11.0 * count)
