"""Martinez-Plumed and Hernandez-Orallo (2018): what is asked of both of their benchmarks, by their items and by ours.

The slopes of their figure 9 follow the rule of their program. Items of no negative discrimination are put into four
bins of difficulty; a bin stands at the median difficulty of its items. Going from easy to hard, the first step from a
share of successes above one half to one below gives the slope; a share of one half or less before that makes it
missing. The variable that holds the slope is not reset between agents: one whose shares never fall below one half keeps
the slope of the agent before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray
from equipoise.data.types.scores import Scores
from equipoise.items.generality.agent_curves import bin_between
from equipoise.items.generality.generality import Generality, generality
from equipoise.items.marginal.quadrature import Grid, marginal_log_likelihood, uniform_grid
from equipoise.items.models.models import Items
from equipoise.items.models.responses import Responses, from_counts
from equipoise.items.result import IRT
from equipoise.items.scoring.ability import estimate_abilities

OPTIMUM = "our fit is at another, better optimum (see the log-likelihoods)"
ItemParameters = Mapping[str, tuple[float, float]]
"""Discrimination and difficulty of each item that has them."""


def read_parameters(path: Path) -> ItemParameters:
    """Read the authors' fitted items."""
    table = pl.read_csv(path).select("item", "discrimination", "difficulty")
    return {name: (slope, place) for name, slope, place in table.iter_rows()}


def correlation(x: FloatArray, y: FloatArray) -> float:
    """Correlate what both have."""
    both = np.isfinite(x) & np.isfinite(y)
    return float(np.corrcoef(x[both], y[both])[0, 1])


@dataclass(frozen=True, slots=True, eq=False)
class FittedBenchmark:
    """A benchmark of the paper.

    Attributes
    ----------
    binary
        Successes of agents on items.
    fit
        Our 2PL of them, by marginal maximum likelihood.
    theirs
        The published items.
    edges
        Of their bins of difficulty.
    """

    binary: Scores
    fit: IRT
    theirs: ItemParameters
    edges: tuple[float, ...]

    def items(self, published: bool) -> ItemParameters:
        """Give the published items, or those of our fit."""
        if published:
            return self.theirs
        every = zip(self.fit.items, self.fit.discrimination, self.fit.difficulty, strict=True)
        return {task: (float(a), float(b)) for task, a, b in every if not np.isnan(b)}

    def ranges(self, published: bool) -> tuple[float, ...]:
        """Give least and greatest difficulty, least and greatest discrimination."""
        slope, place = np.array(list(self.items(published).values())).T
        return tuple(float(x) for x in (place.min(), place.max(), slope.min(), slope.max()))

    def ends(self, by: int, most: int, published: bool = False) -> str:
        """Name the items of positive discrimination at both ends of discrimination (0) or difficulty (1)."""
        positive = {task: item for task, item in self.items(published).items() if item[0] > 0}
        names = sorted(positive, key=lambda task: -positive[task][by])
        return f"most: {', '.join(names[:most])}; least: {', '.join(names[: -most - 1 : -1])}"

    def negative(self, published: bool = False) -> str:
        """Name the items of negative discrimination."""
        return ", ".join(sorted(task for task, (slope, _) in self.items(published).items() if slope < 0))

    def positive(self, published: bool = False) -> str:
        """Count the items of positive discrimination."""
        slopes = [slope for slope, _ in self.items(published).values()]
        return f"{sum(slope > 0 for slope in slopes)} of {len(slopes)} positive"

    def log_likelihood(self, points: int = 0) -> float:
        """Give that of the published items on so many Gauss-Hermite points, or on a converged grid for 0."""
        responses, curves = self._published()
        if not points:
            return marginal_log_likelihood(responses, curves, uniform_grid(8.0, 3201))
        nodes, weights = np.polynomial.hermite_e.hermegauss(points)
        return marginal_log_likelihood(responses, curves, Grid(nodes, np.log(weights / weights.sum())))

    def abilities(self) -> FloatArray:
        """Give the abilities that the published items imply: the modes of posteriors, as the authors' package has."""
        return estimate_abilities(*self._published(), estimator="map").estimate

    def _published(self) -> tuple[Responses, Items]:
        slope, place = np.array([self.theirs[task] for task in self.binary.tasks if task in self.theirs]).T
        known = self.binary.take(tasks=[task in self.theirs for task in self.binary.tasks])
        return from_counts(known.values), Items(slope, -slope * place, np.zeros(len(slope)))

    def general(self) -> Generality:
        """Give the authors' agent curves: successes in their bins, by the published items."""
        return generality(self.binary, self._difficulties(), bins=self.edges, units="none", n=0)

    def places(self) -> FloatArray:
        """Give where their bins stand: the medians of the difficulties in them."""
        known = self._difficulties()
        inside = bin_between(known[~np.isnan(known)], self.edges)
        return np.array([np.median(known[~np.isnan(known)][inside == k]) for k in range(len(self.edges) - 1)])

    def bin_sizes(self) -> str:
        """Say whether each of their bins has ten items, and count them."""
        known = self._difficulties()
        sizes = np.bincount(bin_between(known[~np.isnan(known)], self.edges))
        least = "at least 10 in each" if sizes.min() >= 10 else "fewer than 10 in some"
        return f"{least} ({', '.join(map(str, sizes))})"

    def hardest(self, published: bool) -> str:
        """Name the most difficult item of positive discrimination, and those that tie with it."""
        positive = {task: place for task, (slope, place) in self.items(published).items() if slope > 0}
        top = [task for task, place in positive.items() if place > max(positive.values()) - 1e-6]
        return f"{top[-1]} (tied with {', '.join(top[:-1])})" if top[:-1] else top[0]

    def slopes(self, carried: bool) -> FloatArray:
        """Give the slopes by the authors' rule, with or without what their variable keeps."""
        places, out = self.places(), []
        slope = np.nan
        for shares in self.general().curves.mean:
            slope = _slope(shares, places, slope if carried else np.nan)
            out.append(slope)
        return np.array(out)

    def _difficulties(self) -> FloatArray:
        """Give the published difficulties, NaN for items without one and of negative discrimination."""
        slope, place = np.array([self.theirs.get(task, (np.nan, np.nan)) for task in self.binary.tasks]).T
        return np.where(slope >= 0, place, np.nan)


def _slope(shares: FloatArray, places: FloatArray, before: float) -> float:
    slope = before
    for (left, easy), (right, hard) in pairwise(zip(places, shares, strict=True)):
        if easy > 0.5 > hard:
            return float(abs(hard - easy) / abs(right - left))
        if easy <= 0.5:
            slope = np.nan
    return slope
