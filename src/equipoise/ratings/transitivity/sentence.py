"""The answer in one sentence: does a single rating describe the games?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.ratings.transitivity.cycles import SURE, Cycle

if TYPE_CHECKING:
    from equipoise.ratings.transitivity.explanations import Allowance

NEGLIGIBLE = 0.01
"""An intransitive share up to this changes nothing that anybody would do, however sure it is."""
SMALL_SHARE = 0.25
"""An intransitive share up to this leaves the rating the larger part of the truth by far."""
AT_MOST = 0.05
"""An intransitive share that is at most this, by its interval, leaves nothing to say against a rating."""
COULD_SHOW = 0.2
"""Games whose interval ends above this could not have shown that there is no intransitivity."""
SMALL, HALF = 0.1, 0.5
"""Below the first share a rating describes the games well; from the second on it should not rank agents."""
DIFFERENCES = "of the differences beyond noise are intransitive"


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
    tried: tuple["Allowance", ...] = ()
    clear: bool = True
    """Whether every link of the first cycle is clear."""
    too_regular: bool = False
    p_error: float = 0.0
    """Standard error of the p-value where few tables were simulated, and so it is to be said."""
    stopped: bool = False
    """Whether the p-value is that of a simulation that stopped early: far above 5%, and only about known."""


def transitivity_sentence(evidence: CycleEvidence) -> str:
    """Say in one sentence whether a single rating describes the games, with the intransitive share and its interval.

    The first line whose condition holds is said, so that no sentence says more than its numbers.
    """
    if evidence.df <= 1e-3:
        return "Intransitivity cannot be tested: the pairs that met form no closed loop."
    if math.isnan(evidence.p_value):
        return _without_counts(evidence)
    if evidence.too_regular:
        return (
            "Intransitivity cannot be tested: these games agree with ratings better than games do by chance, as"
            " averages or made-up counts would; give the number of games of each pair."
        )
    if math.isnan(evidence.share):
        return f"No sign of intransitivity: the agents differ by no more than noise ({_p(evidence)})."
    low, high = evidence.low or 0.0, 1.0 if evidence.high is None else evidence.high
    if high <= AT_MOST:
        return f"A single rating describes these games: at most {_percent(high)} {DIFFERENCES}."
    if evidence.p_value >= SURE and low <= 0.0 and high > COULD_SHOW:
        return (
            f"No sign of intransitivity ({_p(evidence)}), but these games could not show it: the share may be up to"
            f" {_percent(high)}."
        )
    if evidence.p_value >= SURE or low <= 0.0:
        share = f"{_percent(evidence.share)}, {_range(evidence)}; {_p(evidence)}"
        return f"There may be some intransitivity ({share})."
    if evidence.tried and evidence.tried[-1].explains:
        return f"Ratings explain these games once {_allowances(evidence.tried[-1])} are allowed for."
    found = _by_size(evidence, "these games", DIFFERENCES, f" ({_range(evidence)}){_example(evidence, ', as in ')}")
    if not evidence.tried or _clear(evidence) or evidence.share < SMALL:
        return found
    listed = _listed(["ratings", *evidence.tried[-1].allowed])
    rest = f"; the largest remainder is {evidence.cycles[0]}, whose links are not each clear" if evidence.cycles else ""
    return f"{found} {listed[0].upper()}{listed[1:]} do not explain these games{rest}."


def _allowances(tried: "Allowance") -> str:
    """Name what ratings need besides, with the share of random results where there are some."""
    words = {"draws": "draws", "position": "the first position", "link": "the shape of the link", "drift": "changes"}
    named = [words[name] for name in tried.allowed]
    if tried.lapse > NEGLIGIBLE:
        named[named.index(words["link"])] = f"random results ({tried.lapse:.0%})"
    return _listed(named)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _by_size(evidence: CycleEvidence, what: str, of_what: str, more: str) -> str:
    """Say what a share that is beyond noise, or of unknown noise, means for a rating."""
    how_much = f"{_percent(evidence.share)} {of_what}{more}"
    if evidence.share < SMALL:
        return f"A single rating describes {what} well: {how_much}."
    if evidence.share < HALF:
        return f"A single rating omits part of the picture, so compare pairs: {how_much}."
    return f"Do not rank these agents by one number: {how_much}."


def _without_counts(evidence: CycleEvidence) -> str:
    unknown = "without numbers of games there is no interval"
    if math.isnan(evidence.share):
        return f"A single rating describes these rates if they are exact: all are even; {unknown}."
    if evidence.share <= NEGLIGIBLE:
        return (
            f"A single rating describes these rates if they are exact: {evidence.share:.1%} of the squared log-odds are"
            f" intransitive; {unknown}."
        )
    of_what = "of the squared log-odds are intransitive"
    return _by_size(evidence, "these rates", of_what, f"{_example(evidence, ', as in ')}; {unknown}")


def _example(evidence: CycleEvidence, before: str) -> str:
    if not _clear(evidence):
        return ""
    odds = ", ".join(f"{value:.2f}" for value in evidence.cycles[0].log_odds)
    return f"{before}{evidence.cycles[0]} (log-odds {odds})"


def _clear(evidence: CycleEvidence) -> bool:
    """Whether there is a cycle to name: one whose every link is clear, or any where nobody knows how clear they are."""
    return evidence.clear and bool(evidence.cycles)


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
    if evidence.p_value <= least * 1.0001:
        return f"p ≤ {least:.3g}"
    rough = f" ± {evidence.p_error:.1g}" if evidence.p_error > 0 else ""
    return f"p = {evidence.p_value:.2g}{rough}"
