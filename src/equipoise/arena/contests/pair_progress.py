"""How far a contest of pairs is, in one sentence and a forecast."""

import numpy as np
import scipy

from equipoise.arena.contests.contest import BUDGET_USED_UP, POST_HOC, ContestOptions, ContestProgress, Forecast, ended
from equipoise.arena.contests.pair_counts import pair_number
from equipoise.arena.contests.pair_ledger import PairLedger
from equipoise.arena.contests.pair_standing import BoolArray, DecidedPairs, PairGoal, Standing, fitting_order
from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import counted
from equipoise.schedule.pair_evidence import fixed_games, games_left

_LONGEST = 10_000_000
"""More further games than this are no forecast."""
_VARIANCE, _WEIGHT = 0.2, 4.0
"""Variance of a score before anything is known, and how many blocks that counts for."""


def pair_progress(
    ledger: PairLedger, standing: Standing, view: DecidedPairs, options: ContestOptions, goal: PairGoal, used_up: bool
) -> ContestProgress:
    """Say how far a contest is."""
    ending = standing.ending or (BUDGET_USED_UP if used_up and not ledger.blocks_pending else None)
    forecast, bottleneck = (None, None) if ending else _forecast(ledger, standing, view, options, goal)
    answer = None if standing.answer is None else tuple(tuple(ledger.names[i] for i in g) for g in standing.answer)
    sure = "by the pairs decided" if standing.ending is None else f"({_certainty(ledger, standing, options)})"
    words = None if answer is None else f"{goal.words(answer)} {sure}{_unchecked(ledger, standing, options)}"
    trials = ledger.complete * options.trials_per_block
    after = None if ending is None else ended(ending, trials, "game", asked=goal.decides)
    return ContestProgress(
        standing.ending is not None, ending, _sentence(ledger, standing, after, words, forecast, bottleneck),
        forecast, bottleneck, trials, _round_robin(ledger, view.rating, options, goal),
        None if standing.ending is None else answer,
        goal.guarantee(options.level), goal.together,
    )  # fmt: skip


def _sentence(
    ledger: PairLedger,
    standing: Standing,
    after: str | None,
    answer: str | None,
    forecast: Forecast | None,
    bottleneck: tuple[str, str] | None,
) -> str:
    if standing.ending == "cyclic":
        around = [ledger.names[i] for i in (*standing.cycle, standing.cycle[0])]
        return f"{after}: {' > '.join(around)} are decided. The goal profile gives the response graph."
    done = f"{standing.done} of {standing.steps} {standing.what}"
    if after is not None:
        return f"{after}: {done if answer is None else answer}."
    if forecast is None or bottleneck is None:
        return f"{done}."
    return f"{done}; {forecast.words}, mostly {bottleneck[0]} against {bottleneck[1]}."


def _certainty(ledger: PairLedger, standing: Standing, options: ContestOptions) -> str:
    """Say how often an answer may be wrong, which margin makes players equal, and who is equal besides.

    Pairs of different groups can be equal too: a = b and b = c, although a > c, stands as "a = b > c".
    """
    post_hoc = any(one.status == "post hoc" for one in ledger.decisions)
    parts = [POST_HOC if post_hoc else f"error at most {100.0 * options.alpha:.3g}%"]
    if standing.ending == "equal within the margin":
        parts.append(f"equal means within {options.margin:g}")
    named = [f"{ledger.names[i]} = {ledger.names[j]}" for i, j in standing.also_equal]
    return "; ".join([*parts, f"also {some_of(named)}"] if named else parts)


def _unchecked(ledger: PairLedger, standing: Standing, options: ContestOptions) -> str:
    """Name the pairs that an answer takes for granted without having looked at them enough, least played first."""
    played = ledger.counts.games() * options.trials_per_block
    few = sorted((played[i, j], i, j) for i, j in np.argwhere(np.triu(standing.checks, 1)).tolist())
    if not few:
        return ""
    named = some_of(f"{ledger.names[i]}-{ledger.names[j]}: {counted(int(games), 'game')}" for games, i, j in few)
    of = ledger.size * (ledger.size - 1) // 2
    verb = "was" if len(few) == 1 else "were"
    return f"; {len(few):,} of {of:,} pairs {verb} not played enough to notice an upset ({named})"


def _pairs(table: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Give the pairs of a symmetric table: number, lower and higher player."""
    low, high = np.nonzero(np.triu(table, 1))
    return np.array([pair_number(int(i), int(j)) for i, j in zip(low, high, strict=True)], dtype=np.int64), low, high


def _variance(ledger: PairLedger, pairs: IntArray) -> FloatArray:
    """Variance of a score of each pair, drawn to that of all pairs where there are few blocks."""
    counts = ledger.counts
    within = counts.square - counts.total**2 / np.maximum(counts.count, 1.0)
    freedom = np.maximum(counts.count - 1.0, 0.0)
    pooled = (within.sum() + _WEIGHT * _VARIANCE) / (freedom.sum() + _WEIGHT)
    return np.asarray((within[pairs] + _WEIGHT * pooled) / (freedom[pairs] + _WEIGHT))


def _forecast(
    ledger: PairLedger, standing: Standing, view: DecidedPairs, options: ContestOptions, goal: PairGoal
) -> tuple[Forecast | None, tuple[str, str] | None]:
    """Add up what the pairs need that would finish the goal if ratings are right."""
    if not goal.decides or ledger.size < 2:
        return None, None
    rating, counts = view.rating, ledger.counts
    order = fitting_order(rating, ledger.above)
    pairs, low, high = _pairs(goal.expected(standing, order))
    missing = np.triu(goal.expected_checks(view, standing, order), 1)
    checks = float(missing.sum())
    if not pairs.size:
        i, j = divmod(int(missing.argmax()), ledger.size)
        who = (ledger.names[i], ledger.names[j]) if checks else None
        return _rounded(checks, checks, checks, options.trials_per_block), who
    left = games_left(
        ledger.evidence.log_evidence(pairs), ledger.threshold[pairs], counts.total[pairs], counts.count[pairs],
        scipy.special.expit(rating[low] - rating[high]), _variance(ledger, pairs), options.margin,
    )  # fmt: skip
    more = goal.rounds_left(standing)
    expected = more * float(left.expected.sum()) + checks
    down = float(np.sqrt(((left.expected - left.low) ** 2).sum()))
    up = float(np.sqrt(((left.high - left.expected) ** 2).sum()))
    worst = int(left.expected.argmax())
    who = (ledger.names[low[worst]], ledger.names[high[worst]])
    return _rounded(expected, max(expected - more * down, 1.0), expected + more * up, options.trials_per_block), who


def _rounded(expected: float, low: float, high: float, trials: int) -> Forecast | None:
    """Give trials to two significant digits; nothing where no end is in sight."""
    if expected * trials > _LONGEST:
        return None
    low, expected, high = (float(f"{max(x * trials, 1.0):.2g}") for x in (low, expected, min(high, _LONGEST)))
    return Forecast(int(expected), int(low), int(high))


def _round_robin(ledger: PairLedger, rating: FloatArray, options: ContestOptions, goal: PairGoal) -> int | None:
    """Estimate the trials of a round-robin of fixed length that would have decided the same with the same error.

    All pairs play as often as the closest pair that matters needs.
    """
    counts = ledger.counts
    if not goal.decides or not counts.count.any():
        return None
    matter = goal.fixed_pairs(fitting_order(rating, ledger.above).tolist())
    if not matter:
        return None
    pairs = np.array([pair_number(i, j) for i, j in matter], dtype=np.int64)
    played = pairs[counts.count[pairs] > 0]
    if not played.size:
        return None
    offset = counts.total[played] / counts.count[played] - 0.5
    each = fixed_games(offset, _variance(ledger, played), options.alpha, goal.comparisons, options.margin).max()
    opponents = goal.round_robin(ledger.size)
    total = each * opponents * options.trials_per_block
    return int(float(f"{total:.3g}")) if total <= 1e3 * _LONGEST else None
