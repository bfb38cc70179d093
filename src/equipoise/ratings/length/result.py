"""What length-controlled win rates give: rates of each model, plain and controlled, with their uncertainty."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from equipoise.core.errors import ParameterError, did_you_mean, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Estimate, FloatArray, FrozenMap, IntArray, Interval, Result
from equipoise.inference.ranks import Ranks, two_sided_quantile

COLUMNS = ("lc_win_rate", "stderr", "low", "high", "rank_low", "rank_high", "win_rate", "phi", "phi_stderr", "psi",
           "theta", "games")  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LengthControlled(Result):
    """Win rates of models against one baseline, in per cent, as if both answers had always been equally long.

    Attributes
    ----------
    baseline
        Whom all were compared with; its own rate is 50 by definition, and it is not among the agents.
    win_rate
        Mean score against the baseline, whatever the lengths.
    lc_win_rate, stderr, low, high
        The length-controlled rate with its uncertainty; NaN where no fit exists, which a diagnostic says.
    rank_low, rank_high
        Best and worst rank by controlled rate that the data allow, all models together at the level. They are worked
        out when they are first asked for.
    ranks
        Gives both of them.
    phi, phi_stderr
        Log-odds lost where the baseline's answer is much longer; below 0 where longer answers win.
    psi, theta
        What a unit of difficulty is worth (NaN without difficulties), and log-odds at equal length and no difficulty.
    spread
        Standard deviation of the difference of length: the unit behind ``phi``.
    games
        Matches against the baseline.
    covariance
        Of the controlled rates, in squared per cent: models judged on the same questions rise and fall together.
    difficulty
        Of each question, by name, where it was estimated; larger where it is harder for the baseline.
    degrees
        Degrees of freedom behind each error: questions less coefficients.
    """

    main: ClassVar[str] = "lc_win_rate"
    units: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("win_rate", "lc_win_rate", "stderr", "low", "high"), "%"),
        **dict.fromkeys(("phi", "phi_stderr", "psi", "theta"), "coefficient of log-odds"),
    }

    agents: tuple[str, ...]
    baseline: str
    win_rate: FloatArray
    lc_win_rate: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    ranks: Ranks
    phi: FloatArray
    phi_stderr: FloatArray
    psi: FloatArray
    theta: FloatArray
    spread: FloatArray
    games: FloatArray
    interval: Interval
    covariance: FloatArray
    degrees: FloatArray
    difficulty: Mapping[str, float] = field(default_factory=lambda: FrozenMap({}))

    @property
    def rank_low(self) -> IntArray:
        """Best rank that the data allow each model."""
        return self.ranks()[0]

    @property
    def rank_high(self) -> IntArray:
        """Worst rank that the data allow each model."""
        return self.ranks()[1]

    def frame(self) -> "pl.DataFrame":
        """Give the models, highest controlled rate first; those without one come last."""
        table = pl.DataFrame({"agent": list(self.agents), **{name: getattr(self, name) for name in COLUMNS}})
        return table.with_columns(pl.col(pl.Float64).fill_nan(None)).sort(
            "lc_win_rate", descending=True, nulls_last=True, maintain_order=True
        )

    def summary(self) -> dict[str, object]:
        """Give the baseline, the interval's kind, and difficulties where they were estimated."""
        summary: dict[str, object] = {"baseline": self.baseline, "interval": self.interval}
        return summary | ({"difficulty": dict(self.difficulty)} if self.difficulty else {})

    def difference(self, first: str, second: str) -> Estimate:
        """Give how much higher one controlled rate is than another, with an interval that knows they move together.

        Fails when
            one of them is not among the agents.
        """
        i, j = (self._at(name) for name in (first, second))
        gap = float(self.lc_win_rate[i] - self.lc_win_rate[j])
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        error = float(np.sqrt(np.clip(variance, 0, None)))
        reach = two_sided_quantile(self.interval.level, float(np.fmin(self.degrees[i], self.degrees[j]))) * error
        return Estimate(gap, error, gap - reach, gap + reach)

    def _at(self, name: str) -> int:
        if name not in self.agents:
            raise ParameterError(f'no agent "{name}"{did_you_mean(name, self.agents)}')
        return self.agents.index(name)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who leads at equal length, how sure that is, and what length was worth."""
        known = np.flatnonzero(np.isfinite(self.lc_win_rate))
        best = int(known[np.argmax(self.lc_win_rate[known])])
        rate, low, high = (float(values[best]) for values in (self.lc_win_rate, self.low, self.high))
        lead = (
            f"At equal length {some_of([self.agents[best]])} wins {rate:.1f}% ({low:.1f} to {high:.1f}) against"
            f" {some_of([self.baseline])}; with the lengths they have, {self.win_rate[best]:.1f}%."
        )
        return (lead, *self._open_words(known), self._length_words(known))

    def _open_words(self, known: IntArray) -> tuple[str, ...]:
        first = int(np.sum(self.rank_low[known] == 1))
        if first == 1:
            return ()
        others = f"{first - 1} of the other {len(known) - 1} agents"
        return (f"{others} cannot be ruled out as best ({100 * self.interval.level:g}%, simultaneous).",)

    def _length_words(self, known: IntArray) -> str:
        reach = np.array([two_sided_quantile(self.interval.level, float(self.degrees[k])) for k in known])
        sure = np.sign(self.phi[known]) * (np.abs(self.phi[known]) > reach * self.phi_stderr[known])
        longer, shorter, n = int(np.sum(sure < 0)), int(np.sum(sure > 0)), len(known)
        return (
            f"Longer answers won more for {longer} of {n} models and less for {shorter}, beyond noise;"
            f" rates move by up to {np.abs(self.lc_win_rate - self.win_rate)[known].max():.1f} points at equal length."
        )
