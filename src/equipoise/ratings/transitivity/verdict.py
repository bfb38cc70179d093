"""The verdict in words: is one number per agent honest?"""

import math
from dataclasses import dataclass

from equipoise.ratings.transitivity.cycles import Cycle

SURE = 0.05
"""A p-value below this says that cycles are not chance."""
NEGLIGIBLE = 0.01
"""A cyclic share up to this changes nothing that anybody would do, however sure it is."""
CLEAR = 2.0
"""Standard errors from even that every link of a cycle needs to be named as an example."""
SMALL_SHARE = 0.25
"""A cyclic share up to this leaves the rating the larger part of the truth by far."""


@dataclass(frozen=True, slots=True)
class CycleEvidence:
    """What the sentence is made of."""

    share: float
    low: float | None
    high: float | None
    level: float
    p_value: float
    simulated: int
    df: float
    cycles: tuple[Cycle, ...]
    too_regular: bool = False
    stopped: bool = False
    """Whether the p-value is that of a simulation that stopped early: far above 5%, and only about known."""


def verdict_text(evidence: CycleEvidence) -> str:
    """Say in one sentence whether a rating is an honest summary, with share and p-value."""
    if evidence.df <= 1e-3:
        return "Nobody can say whether one number is honest here: the pairs that met form no closed loop."
    if math.isnan(evidence.p_value):
        return _without_counts(evidence)
    if evidence.too_regular:
        return (
            "These games cannot tell whether one number is honest: they agree with ratings better than games do by"
            " chance, as averages or made-up counts would; give the number of games behind each pair."
        )
    if evidence.p_value >= SURE:
        return _no_sign(evidence)
    if evidence.share <= NEGLIGIBLE:
        return (
            f"One number is honest here: so many games show that ratings do not explain all ({_p(evidence)}), but what"
            f" they leave is {_percent(evidence.share)} of what the games show beyond noise ({_range(evidence)}),"
            " too little to matter."
        )
    how_much = (
        f"{evidence.share:.0%} of what the games show beyond noise is cyclic ({_range(evidence)}; {_p(evidence)})"
    )
    if evidence.share <= SMALL_SHARE:
        return (
            f"One number is mostly honest here, but not all of the truth: only {how_much}, so that part is small but"
            f" real{_example(evidence, ', as in ')}."
        )
    return f"{_warning(evidence)}{how_much}."


def _no_sign(evidence: CycleEvidence) -> str:
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


def _without_counts(evidence: CycleEvidence) -> str:
    if math.isnan(evidence.share):
        return (
            "One number would be honest here if these rates are exact: all are even; how much noise hides cannot be"
            " said without the number of games."
        )
    unknown = "how much of that is noise cannot be said without the number of games"
    if evidence.share <= 0.01:
        return (
            f"One number would be honest here if these rates are exact: ratings explain all but {evidence.share:.1%} of"
            " the log-odds; how much noise hides cannot be said without the number of games."
        )
    if evidence.share <= SMALL_SHARE:
        return (
            f"One number is mostly honest here: {evidence.share:.0%} of the log-odds is cyclic"
            f"{_example(evidence, ', as in ')}; {unknown}."
        )
    return f"{_warning(evidence)}{evidence.share:.0%} of the log-odds is cyclic; {unknown}."


def _warning(evidence: CycleEvidence) -> str:
    return f"Do not trust one number: {_example(evidence, '')}{'; ' if _clear(evidence) else ''}"


def _example(evidence: CycleEvidence, before: str) -> str:
    if not _clear(evidence):
        return ""
    odds = ", ".join(f"{value:.2f}" for value in evidence.cycles[0].log_odds)
    return f"{before}{evidence.cycles[0]} (log-odds {odds})"


def _clear(evidence: CycleEvidence) -> bool:
    """Whether there is a cycle to name: one whose every link is clear, or any where nobody knows how clear they are."""
    return bool(evidence.cycles) and (evidence.cycles[0].clarity is None or evidence.cycles[0].clarity >= CLEAR)


def _range(evidence: CycleEvidence) -> str:
    low, high = evidence.low or 0.0, evidence.high or 0.0
    return f"{evidence.level:.0%} interval {_percent(low)} to {_percent(high)}"


def _percent(share: float) -> str:
    """Whole percent; finer where that would be 0 for something that is not."""
    if 0 < share < 0.005:
        return f"{share:.2%}" if share >= 0.00005 else "less than 0.01%"
    return f"{share:.0%}"


def _p(evidence: CycleEvidence) -> str:
    if evidence.stopped:
        return f"p about {evidence.p_value:.1g}"
    least = 1 / (evidence.simulated + 1) if evidence.simulated else 1e-6
    return f"p ≤ {least:.3g}" if evidence.p_value <= least * 1.0001 else f"p = {evidence.p_value:.2g}"
