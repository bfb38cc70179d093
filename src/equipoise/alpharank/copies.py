"""Copies among strategies: alpha-Rank counts strategies as mutants, so three names for one are three chances to invade.

Merging a class of copies into one strategy, with its mass shared among them afterwards, makes the answer one that does
not depend on how often anybody was entered. Only exact copies can be merged: near ones would make the masses jump.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.alpharank.deviations import TIE_ULPS
from equipoise.alpharank.games import PayoffTables
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.transitivity.near_duplicates import clone_groups

CHANGED = 0.01
"""Folded masses that move by more than this when copies are merged are worth a warning."""
MOST_COMPARED = 100
"""Agents up to which copies within the noise of their games are looked for."""

Classes = tuple[IntArray, ...]
"""For each player, the class of each of its strategies."""


def exact_classes(game: PayoffTables) -> Classes:
    """Number the classes of strategies that have the same payoffs, for everybody, in all profiles."""
    size = TIE_ULPS * np.finfo(float).eps * max(float(np.abs(table).max()) for table in game.payoffs)
    return tuple(_alike(_rows(game, player), size) for player in range(len(game.shape)))


def _rows(game: PayoffTables, player: int) -> FloatArray:
    """Give what happens where a strategy of a player is played: in one population, on either side."""
    axes = (0, 1) if len(game.payoffs) == 1 else (player,)
    count = game.shape[player]
    return np.hstack([np.moveaxis(table, axis, 0).reshape(count, -1) for table in game.payoffs for axis in axes])


def _alike(rows: FloatArray, size: float) -> IntArray:
    classes = np.full(len(rows), -1, dtype=np.int64)
    count = 0
    for i in range(len(rows)):
        if classes[i] < 0:
            classes[(np.abs(rows - rows[i]).max(axis=1) <= size) & (classes < 0)] = count
            count += 1
    return classes


def near_classes(game: PayoffTables) -> Classes | None:
    """Number the classes of agents whose games agree within noise; None where there are no such games."""
    table: PairTable | None = game.table
    if table is None or not table.counted or game.incomplete or not 4 <= len(table.agents) <= MOST_COMPARED:
        return None
    plain = table.unordered()
    odds = np.clip(plain.probabilities(smooth=0.5), 1e-9, 1 - 1e-9)
    rating = np.log(odds / (1 - odds)).mean(axis=1)
    groups = clone_groups(plain, rating, cyclic=True)
    if not groups:
        return None
    classes = np.arange(len(table.agents))
    for group in groups:
        classes[group] = min(group)
    return (np.unique(classes, return_inverse=True)[1].astype(np.int64),)


def has_copies(classes: Classes) -> bool:
    """Tell whether any class has two members."""
    return any(int(own.max()) + 1 < len(own) for own in classes)


def merged(payoffs: Sequence[FloatArray], classes: Classes) -> tuple[FloatArray, ...]:
    """Average payoffs within classes, on every axis."""
    own = classes * payoffs[0].ndim if len(classes) == 1 else classes
    out = []
    for table in payoffs:
        small = table
        for axis, of in enumerate(own):
            mean = np.eye(int(of.max()) + 1)[of] / np.bincount(of)[of][:, None]
            small = np.moveaxis(np.tensordot(mean.T, small, axes=(1, axis)), 0, axis)
        out.append(small)
    return tuple(out)


@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """Which profile of the merged game each profile is, and how many are."""

    of: IntArray

    @classmethod
    def by(cls, classes: Classes) -> "Folding":
        """Number the profiles of the merged game in its own order."""
        shape = tuple(int(own.max()) + 1 for own in classes)
        return cls(np.ravel_multi_index(np.ix_(*classes), shape).ravel().astype(np.int64))

    def folded(self, mass: FloatArray) -> FloatArray:
        """Add up masses within classes."""
        out: FloatArray = np.bincount(self.of, mass).astype(float)
        return out

    def shared(self, mass: FloatArray) -> FloatArray:
        """Share the mass of each class equally."""
        out: FloatArray = (mass / np.bincount(self.of))[self.of]
        return out

    def members(self, chain: Sequence[str], merged_names: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Name all profiles of the classes that a chain of the merged game names."""
        kept = {merged_names.index(name) for name in chain}
        return tuple(name for name, of in zip(names, self.of, strict=True) if int(of) in kept)


def copy_notes(names: Sequence[tuple[str, ...]], classes: Classes, change: float | None) -> tuple[Diagnostic, ...]:
    """Name copies; warn where merging them would change folded masses by more than ``CHANGED``."""
    found = []
    for own, labels in zip(classes, names, strict=True):
        members = [[labels[int(k)] for k in np.flatnonzero(own == one)] for one in range(int(own.max()) + 1)]
        found += [" = ".join(some) for some in members if len(some) > 1]
    if change is None:
        text = f"Copies are merged, and share their mass: {some_of(found)}."
        return (info("merged-clones", text, found),)
    said = f"Strategies with the same payoffs throughout: {some_of(found)}."
    if change <= CHANGED:
        return (info("copies", f"{said} Here they change nothing for the others.", found),)
    more = (
        f"{said} alpha-Rank counts strategies as mutants, so copies are further chances to invade: merging them moves"
        f" masses by up to {change:.2f}."
    )
    advice = [Advice("merge them with ", Option("merge_clones", True)), Advice("read deviation ratings")]
    return (warning("copies-change-alpha-rank", more, found, advice=advice),)
