"""Each worker's results beside those of the others: games played again, and scores of each player on the same pairs.

Looked at whenever the number of results has doubled, from fifty on, so that all looks together accuse an honest worker
with probability at most one in a hundred: look k has alpha / (k (k + 1)), shared by all workers and players. What is
said follows from the journal alone.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from equipoise.arena.engine.replaying import owner_of
from equipoise.inference.stratified import group_differences

ALPHA, FIRST_LOOK, LEAST_COMPARED = 0.01, 50, 10.0
"""Probability of accusing anybody wrongly; results at the first look; comparisons that a worker needs for its test."""
Stratum = tuple[tuple[str, ...], str | None]


@dataclass(slots=True)
class Sums:
    """Games of one worker in one stratum: how many, and by seat the sum of the scores and of their squares."""

    games: int = 0
    scores: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)

    def add(self, scores: list[float]) -> None:
        """Count a game."""
        self.games += 1
        self.scores = [one + score for one, score in zip(self.scores or [0.0] * len(scores), scores, strict=True)]
        self.squares = [one + score**2 for one, score in zip(self.squares or [0.0] * len(scores), scores, strict=True)]


class WorkerComparison:
    """What the journal says about whether workers agree."""

    def __init__(self) -> None:
        self._strata: dict[Stratum, dict[str, Sums]] = {}
        self._again: dict[int, Mapping[str, Any]] = {}
        self._replayed: dict[str, list[int]] = {}
        self._out: set[str] = set()
        self._results = self._looks = 0
        self._next = FIRST_LOOK
        self._found: dict[str, dict[str, Any]] = {}

    def result(self, body: Mapping[str, Any]) -> None:
        """Count a result."""
        by_worker = self._strata.setdefault((tuple(body["players"]), body["task"]), {})
        by_worker.setdefault(owner_of(body["worker"]), Sums()).add(body["normalised"])
        self._results += 1
        if self._results >= self._next:
            self._next *= 2
            self._looks += 1
            self._look()

    def leased_again(self, body: Mapping[str, Any]) -> None:
        """Take note that a game is played again."""
        self._again[body["trial"]] = body

    def played_again(self, body: Mapping[str, Any]) -> None:
        """Compare what came out with what was reported first."""
        first = self._again.pop(body["trial"], None)
        if first is not None:
            counts = self._replayed.setdefault(owner_of(first["of"]), [0, 0])
            counts[0] += 1
            counts[1] += first["scores"] != body["scores"]

    def excluded(self, worker: str, *, out: bool) -> None:
        """Compare a worker with nobody any more, or again."""
        (self._out.add if out else self._out.discard)(worker)
        self._look()

    def of(self, worker: str) -> dict[str, Any]:
        """Say how a worker compares."""
        name = owner_of(worker)
        replayed, differing = self._replayed.get(name, [0, 0])
        if name in self._out:
            found: Mapping[str, Any] = {"fit": "not compared", "differs": False}
        elif len(self._names()) < 2:
            found = {"fit": "no other worker to compare with", "differs": False}
        else:
            found = self._found.get(name, {"fit": "too few games to compare", "differs": False})
        return {**found, "replayed": replayed, "differing": differing}

    def _names(self) -> list[str]:
        return sorted({name for by in self._strata.values() for name in by} - self._out)

    def _look(self) -> None:
        """Test each player's scores with each worker against the others', on the same pairs in the same seats.

        Who differs most is named, and the others are compared again without it, for its results spoil theirs. Two
        workers alone differ equally, and both are named.
        """
        names, self._found = self._names(), {}
        while len(names) > 1 and self._looks:
            worst = self._tests(names)
            if not worst or all(found["p"] >= 1.0 for found in worst.values()):
                self._found |= worst
                return
            least = min(found["p"] for found in worst.values())
            named = {name: found for name, found in worst.items() if found["p"] <= least * (1.0 + 1e-9)}
            self._found |= named
            names = [name for name in names if name not in named]

    def _tests(self, names: list[str]) -> dict[str, dict[str, Any]]:
        """Give what each worker that can be compared differs in most, with p = 1 where that may be chance."""
        tests = [
            (name, player, excess, variance, compared)
            for player, rows in self._by_player().items()
            for name, excess, variance, compared in self._tested(names, rows)
        ]
        share = ALPHA / (self._looks * (self._looks + 1)) / max(len(tests), 1)
        worst: dict[str, dict[str, Any]] = {}
        for name, player, excess, variance, compared in tests:
            p = 2.0 * float(scipy.stats.norm.sf(abs(excess) / math.sqrt(variance)))
            said = worst.setdefault(name, {"fit": "agrees with the others", "differs": False, "p": 1.0})
            if p < share and p < said["p"]:
                more = "more" if excess > 0 else "less"
                words = f"differs: {player} scores {abs(excess) / compared:.2f} a game {more} than with the others"
                worst[name] = {"fit": words, "differs": True, "p": p}
        return worst

    def _by_player(self) -> dict[str, list[tuple[int, dict[str, Sums]]]]:
        """Give the strata that each player sits in, with its seat."""
        rows: dict[str, list[tuple[int, dict[str, Sums]]]] = {}
        for (players, _), by_worker in self._strata.items():
            for seat, player in enumerate(players):
                rows.setdefault(player, []).append((seat, by_worker))
        return rows

    def _tested(
        self, names: list[str], rows: list[tuple[int, dict[str, Sums]]]
    ) -> list[tuple[str, float, float, float]]:
        none = Sums(0, [0.0] * 64, [0.0] * 64)
        sums = [[(by.get(name, none), seat) for name in names] for seat, by in rows]
        counts = np.array([[float(one.games) for one, _ in row] for row in sums])
        scores = np.array([[one.scores[seat] for one, seat in row] for row in sums])
        squares = np.array([sum(one.squares[seat] for one, seat in row) for row in sums])
        found = group_differences(counts, scores, squares)
        return [
            (name, *values)
            for name, *values in zip(names, *(part.tolist() for part in found), strict=True)
            if values[2] >= LEAST_COMPARED and values[1] > 0.0
        ]
