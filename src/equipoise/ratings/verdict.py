"""The verdict in words: is one number per agent honest?"""

import math
from dataclasses import dataclass

from equipoise.ratings.cycles import Cycle

__all__ = ["SURE", "Evidence", "verdict_text"]

SURE = 0.05
"""A p-value below this says that cycles are not chance."""
SMALL_SHARE = 0.25
"""A cyclic share up to this leaves the rating the larger part of the truth by far."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the sentence is made of."""

    share: float
    low: float | None
    high: float | None
    level: float
    p_value: float
    simulated: int
    df: float
    cycles: tuple[Cycle, ...]


def verdict_text(evidence: Evidence) -> str:
    """Say in one sentence whether a rating is an honest summary, with share and p-value."""
    if evidence.df <= 1e-3:
        return "Nobody can say whether one number is honest here: the pairs that met form no closed loop."
    if math.isnan(evidence.p_value):
        return _without_counts(evidence)
    if evidence.p_value >= SURE:
        return _no_sign(evidence)
    how_much = (
        f"{evidence.share:.0%} of what the games show beyond noise is cyclic ({_range(evidence)}; {_p(evidence)})"
    )
    if evidence.share <= SMALL_SHARE:
        return (
            f"One number is mostly honest here, but not all of the truth: only {how_much}, so that part is small but"
            f" real{_example(evidence, ', as in ')}."
        )
    return f"{_warning(evidence)}{how_much}."


def _no_sign(evidence: Evidence) -> str:
    if math.isnan(evidence.share):
        return (
            f"One number is honest here: the agents differ by no more than noise, and no cycle shows ({_p(evidence)})."
        )
    if evidence.share > SMALL_SHARE:
        return (
            f"These games cannot tell whether one number is honest: {evidence.share:.0%} of what they show beyond noise"
            f" is cyclic ({_range(evidence)}), but that can be chance ({_p(evidence)})."
        )
    explained = f"ratings explain the games up to noise (cyclic share {evidence.share:.0%}"
    if evidence.high is not None and evidence.high > SMALL_SHARE:
        unsure = f"the share could still be up to {evidence.high:.0%}"
        return (
            f"One number is honest here, as far as so few games can tell: {explained}; {_p(evidence)}), but {unsure}."
        )
    return f"One number is honest here: {explained}, {_range(evidence)}; {_p(evidence)})."


def _without_counts(evidence: Evidence) -> str:
    if math.isnan(evidence.share):
        return "One number is honest here: all win probabilities are even."
    unknown = "how much of that is noise cannot be said without the number of games"
    if evidence.share <= 0.01:
        return f"One number is honest here: ratings explain all but {evidence.share:.1%} of the log-odds."
    if evidence.share <= SMALL_SHARE:
        return (
            f"One number is mostly honest here: {evidence.share:.0%} of the log-odds is cyclic"
            f"{_example(evidence, ', as in ')}; {unknown}."
        )
    return f"{_warning(evidence)}{evidence.share:.0%} of the log-odds is cyclic; {unknown}."


def _warning(evidence: Evidence) -> str:
    return f"Do not trust one number: {_example(evidence, '')}{'; ' if evidence.cycles else ''}"


def _example(evidence: Evidence, before: str) -> str:
    if not evidence.cycles:
        return ""
    odds = ", ".join(f"{value:.2f}" for value in evidence.cycles[0].log_odds)
    return f"{before}{evidence.cycles[0]} (log-odds {odds})"


def _range(evidence: Evidence) -> str:
    return f"{evidence.level:.0%} interval {evidence.low:.0%} to {evidence.high:.0%}"


def _p(evidence: Evidence) -> str:
    least = 1 / (evidence.simulated + 1) if evidence.simulated else 1e-6
    return f"p ≤ {least:.3g}" if evidence.p_value <= least * 1.0001 else f"p = {evidence.p_value:.2g}"
