"""What repeated runs say: aggregates, comparisons and performance profiles, in one policy."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import ParameterError
from equipoise.core.results import Later
from equipoise.core.wording import Option
from equipoise.data.types.normalisation import Missing, Units, informative, without_gaps
from equipoise.data.types.scores import RunsShared, Scores

if TYPE_CHECKING:
    from equipoise.aggregates.aggregate import Aggregates
    from equipoise.aggregates.compare import Comparison
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.analyses.scores.score_board import BoardStatistic, ScoreBoard


MOST_NUMBERS = 200_000
"""Of runs: beyond this aggregates are only made when asked for."""
RUN_RESAMPLES = 1000
"""Bootstrap samples of runs."""
PROFILED, FEWEST_RESAMPLES = 6_000_000, 50
"""Numbers looked at in the bootstrap samples of a profile, and samples below which its intervals would be rough."""


@dataclass(frozen=True, slots=True)
class OverRuns:
    """Aggregates with intervals, tied groups with chances of improvement, ranks by both, and performance profiles."""

    aggregates: "Aggregates | None" = None
    comparison: "Comparison | None" = None
    board: "ScoreBoard | None" = None
    profiled: "Later[PerformanceProfile] | None" = None

    @property
    def profile(self) -> "PerformanceProfile | None":
        """Performance profiles, which only charts and documents show: drawn when they are asked for."""
        return None if self.profiled is None else self.profiled()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the aggregates have to say; the others say the same."""
        return () if self.aggregates is None else self.aggregates.diagnostics

    @property
    def words(self) -> tuple[str, ...]:
        """Who is best over runs, who may be, and how often the first two beat each other."""
        if self.aggregates is None or self.comparison is None:
            return ()
        return (*self.aggregates.answer, *self.comparison.answer, *_first_two(self.aggregates, self.comparison))


def over_runs(
    scores: Scores,
    missing: Missing,
    wanted: bool | None,
    level: float,
    rng: int | np.random.Generator,
    units: Units = "min-max",
    runs: RunsShared | None = None,
    statistic: "BoardStatistic" = "iqm",
) -> OverRuns:
    """Aggregate where asked, or where there are repeated runs and not too many."""
    repeated = scores.repeats is not None or scores.trials is not None
    size = scores.values.size * (1 if scores.repeats is None else scores.repeats.shape[2])
    if not (wanted or (wanted is None and repeated and size <= MOST_NUMBERS)):
        return OverRuns()
    if missing == "complete" and scores.missing.any():
        if wanted:
            raise ParameterError(
                "aggregates need real runs in every cell: ", Option("missing", "complete"), " does not go with them"
            )
        return OverRuns()
    from equipoise.aggregates.aggregate import aggregate
    from equipoise.aggregates.compare import probability_of_improvement
    from equipoise.aggregates.profiles import performance_profile
    from equipoise.aggregates.runs import runs_of
    from equipoise.analyses.scores.score_board import board_over_runs

    whole, _ = without_gaps(scores, missing)
    whole, _ = informative(whole)
    resamples = min(RUN_RESAMPLES, PROFILED // size)
    profile = None
    if resamples >= FEWEST_RESAMPLES:
        profile = Later(lambda: performance_profile(whole, units=units, level=level, rng=rng, n=resamples))
        if isinstance(rng, np.random.Generator):  # what a generator of the user's draws must be drawn now
            profile()
    found = aggregate(whole, units=units, runs=runs, level=level, rng=rng, n=RUN_RESAMPLES)
    # Scores that were normalised before are not raw.
    notes = tuple(note for note in found.diagnostics if note.code != "raw-units")
    compared = board = None
    if len(whole.agents) > 1:
        compared = probability_of_improvement(
            whole, statistic=statistic, units=units, runs=runs, level=level, rng=rng, n=RUN_RESAMPLES
        )
        board = board_over_runs(found, compared, runs_of(whole, units, None, None, runs).values)
    return OverRuns(replace(found, diagnostics=notes), compared, board, profile)


def _first_two(aggregates: "Aggregates", comparison: "Comparison") -> tuple[str, ...]:
    order = np.argsort(-aggregates.iqm, kind="stable")
    if len(order) < 2:
        return ()
    i, j = (comparison.agents.index(aggregates.agents[k]) for k in order[:2])
    chance, low, high = (getattr(comparison, f"improvement{end}")[i, j] for end in ("", "_low", "_high"))
    if np.isnan(chance):
        return ()
    sure = "" if np.isnan(low) else f" ({low:.0%} to {high:.0%})"
    one, other = comparison.agents[i], comparison.agents[j]
    return (f"A run of {one} beats a run of {other} on the same task in {chance:.0%} of cases{sure}.",)
