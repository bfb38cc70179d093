"""What honest numbers must satisfy, with bounds that follow from the binomial and that a broken number would fail.

Bounds are three standard errors: a right number leaves them once in four hundred runs, and seeds are fixed. Where an
interval is known to be approximate at the size of a simulation, ``slack`` says by how much, beside the reason.
Every check also asks of its own data whether it could have failed: intervals 0.7 or twice as wide, p-values from half
the variance, estimates that are off by half a standard error must leave the bounds.
"""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy

SIGMAS = 3.0
NARROW, WIDE = 0.7, 2.0


def record(what: str, stated: object, observed: object) -> None:
    """Add a line to the file that EQUIPOISE_HONESTY names; docs/honesty.md quotes it."""
    if name := os.environ.get("EQUIPOISE_HONESTY"):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
        with Path(name).open("a", encoding="utf-8") as log:
            log.write(json.dumps({"test": test, "what": what, "stated": stated, "observed": observed}) + "\n")


@dataclass
class Coverage:
    """Intervals of many runs, each with the truth it should hold."""

    level: float = 0.95
    what: str = ""
    runs: list[np.ndarray] = field(default_factory=list)

    def add(self, low, high, truth, estimate=None) -> None:
        """Take the intervals of one run; they are narrowed about the estimate, or their middle if there is none."""
        low, high = np.atleast_1d(low).astype(float).ravel(), np.atleast_1d(high).astype(float).ravel()
        middle = (low + high) / 2 if estimate is None else np.atleast_1d(estimate).astype(float).ravel()
        truth = np.broadcast_to(np.atleast_1d(truth).astype(float).ravel(), low.shape)
        self.runs.append(np.stack([low, middle, high, truth]))

    @classmethod
    def of(cls, low, high, truth, estimate, what: str = "", level: float = 0.95) -> "Coverage":
        """Take one interval of each of many runs at once."""
        truth = np.broadcast_to(truth, np.shape(low))
        return cls(level, what, list(np.stack([low, estimate, high, truth], axis=-1)[..., None]))

    def held(self, width: float = 1.0) -> np.ndarray:
        """Whether each interval holds its truth, runs by rows, had it been ``width`` times as wide."""
        low, middle, high, truth = np.stack(self.runs, axis=1)
        with np.errstate(invalid="ignore"):  # infinite ends stay where they are
            down, up = middle + width * (low - middle), middle + width * (high - middle)
        down, up = np.where(np.isfinite(low), down, low), np.where(np.isfinite(high), up, high)
        tiny = 1e-9 * (1 + np.abs(truth))
        return (down - tiny <= truth) & (truth <= up + tiny)

    def error(self) -> float:
        """Binomial standard error of the share; intervals of one run count as fewer when they hold or miss together."""
        held = self.held()
        runs, each = held.shape
        share = held.mean()
        alone = max(share * (1 - share), 1e-3) / each
        together = float(np.clip(held.mean(axis=1).var(ddof=1) / alone, 1.0, each)) if each > 1 else 1.0
        return float(np.sqrt(self.level * (1 - self.level) * together / (runs * each)))

    def check(self, slack: float = 0.0, over: float | None = 0.0) -> None:
        """Assert that the share of intervals that hold is the level's, and that other widths would not do.

        ``slack`` allows for so much too few, ``over`` for so much too many; None for any number too many.
        """
        share, reach = self.held().mean(), SIGMAS * self.error()
        low, high = self.level - slack - reach, 1.0 if over is None else self.level + over + reach
        said = f"{self.what}: {share:.4f} of {self.held().size} hold, should be within {low:.4f} and {high:.4f}"
        record(self.what, self.level, round(float(share), 4))
        assert low <= share <= high, said
        assert self.held(NARROW).mean() < low, f"{said}; but so would intervals {NARROW} as wide"
        assert over is None or self.held(WIDE).mean() > high, f"{said}; but so would intervals {WIDE} as wide"


def check_uniform(p_values, what: str = "") -> None:
    """Assert that p-values are uniform (Kolmogorov-Smirnov, 1%), and that too sure ones would not pass."""
    p = np.asarray(p_values, dtype=float).ravel()
    record(what, "uniform", f"{np.mean(p <= 0.05):.3f} below 0.05")
    found = scipy.stats.kstest(p, "uniform")
    assert found.pvalue > 0.01, f"{what}: {found}, {np.mean(p <= 0.05):.3f} below 0.05"
    assert scipy.stats.kstest(too_sure(p), "uniform").pvalue < 0.01, f"{what}: too few to notice half the variance"


def check_not_too_small(p_values, what: str = "", levels=(0.01, 0.05, 0.1, 0.2)) -> None:
    """Assert that p-values fall below each level no more often than that, and that too sure ones would."""
    p = np.asarray(p_values, dtype=float).ravel()
    record(what, "at most uniform", f"{np.mean(p <= 0.05):.3f} below 0.05")
    most = [level + SIGMAS * np.sqrt(level * (1 - level) / p.size) for level in levels]
    assert all(np.mean(p <= level) <= top for level, top in zip(levels, most, strict=True)), (what, _shares(p, levels))
    sure = too_sure(p)
    assert any(np.mean(sure <= level) > top for level, top in zip(levels, most, strict=True)), (what, "too few runs")


def too_sure(p: np.ndarray) -> np.ndarray:
    """What p-values would be, had the variance behind a normal statistic been taken as half of what it is."""
    return 2 * scipy.special.ndtr(np.sqrt(2) * scipy.special.ndtri(p / 2))


def _shares(p: np.ndarray, levels) -> dict[float, float]:
    return {level: round(float(np.mean(p <= level)), 4) for level in levels}


def check_guarantee(wrong, most: float, naive=None, what: str = "") -> None:
    """Assert that something goes wrong in at most a share ``most`` of the runs.

    ``naive`` says where a rule without the guarantee goes wrong on the same data: it must break the bound, or these
    data would prove nothing.
    """
    wrong = np.asarray(wrong, dtype=bool)
    top = most + SIGMAS * np.sqrt(most * (1 - most) / wrong.size)
    record(what, f"at most {most:g}", round(float(wrong.mean()), 4))
    assert wrong.mean() <= top, f"{what}: wrong in {wrong.mean():.3f} of {wrong.size}, at most {most:g} ({top:.3f})"
    if naive is not None:
        assert np.mean(naive) > top, f"{what}: even a rule without a guarantee is wrong in {np.mean(naive):.3f} only"


def check_unbiased(estimates, truth, allowed: float = 0.0, what: str = "") -> None:
    """Assert that estimates (runs by rows) are right on average, up to ``allowed`` of their own standard deviation.

    Half a standard deviation must be noticed: that is what the number of runs is for.
    """
    values = np.asarray(estimates, dtype=float)
    values = values.reshape(len(values), -1)
    spread = values.std(axis=0, ddof=1)
    off = np.abs(values.mean(axis=0) - np.ravel(truth)) / spread
    # Three standard errors for one number; for many, what the largest of as many reaches as rarely.
    sigmas = -scipy.special.ndtri(scipy.special.ndtr(-SIGMAS) / values.shape[1])
    reach = allowed + sigmas / np.sqrt(len(values))
    record(what, "unbiased", f"off by {off.mean():.2f} standard errors")
    assert off.max() <= reach, f"{what}: off by up to {off.max():.3f} standard deviations, at most {reach:.3f}"
    assert reach < 0.5, f"{what}: {len(values)} runs cannot tell a bias of half a standard error"
