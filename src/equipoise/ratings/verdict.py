"""The verdict in words: is one number per agent honest?"""

import math
from dataclasses import dataclass

__all__ = ["SURE", "Cycle", "Evidence", "verdict_text"]

SURE = 0.05
"""A p-value below this says that cycles are not chance."""
SMALL_SHARE = 0.25
"""A cyclic share up to this leaves the rating the larger part of the truth by far."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Agents each of which beats the next, and the last the first.

    Attributes
    ----------
    log_odds
        Of each link, in the same order: the first is that of ``agents[0]`` beating ``agents[1]``.
    clarity
        How many standard errors the weakest link is from even; None without counts.
    """

    agents: tuple[str, ...]
    log_odds: tuple[float, ...]
    clarity: float | None

    @property
    def curl(self) -> float:
        """Sum of the log-odds around the cycle; a rating always gives 0."""
        return sum(self.log_odds)

    def __str__(self) -> str:
        return " > ".join((*self.agents, self.agents[0]))

    def to_dict(self) -> dict[str, object]:
        """Give the JSON form."""
        return {
            "agents": list(self.agents),
            "log_odds": list(self.log_odds),
            "curl": self.curl,
            "clarity": self.clarity,
        }


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the sentence is made of."""

    share: float
    low: float
    high: float
    level: float
    p_value: float
    simulated: int
    df: float
    cycles: tuple[Cycle, ...]


def verdict_text(found: Evidence) -> str:
    """Say in one sentence whether a rating is an honest summary, with share and p-value."""
    if found.df <= 1e-3:
        return "Nobody can say whether one number is honest here: the pairs that met form no closed loop."
    if math.isnan(found.p_value):
        return _without_counts(found)
    if found.p_value >= SURE:
        return _no_sign(found)
    how_much = f"{found.share:.0%} of what the games show beyond noise is cyclic ({_range(found)}; {_p(found)})"
    if found.share <= SMALL_SHARE:
        return (
            f"One number is mostly honest here, but not all of the truth: only {how_much}, so that part is small but"
            f" real{_example(found, ', as in ')}."
        )
    return f"{_warning(found)}{how_much}."


def _no_sign(found: Evidence) -> str:
    if math.isnan(found.share):
        return f"One number is honest here: the agents differ by no more than noise, and no cycle shows ({_p(found)})."
    if found.share > SMALL_SHARE:
        return (
            f"These games cannot tell whether one number is honest: {found.share:.0%} of what they show beyond noise is"
            f" cyclic ({_range(found)}), but that can be chance ({_p(found)})."
        )
    explained = f"ratings explain the games up to noise (cyclic share {found.share:.0%}"
    if found.high > SMALL_SHARE:
        unsure = f"the share could still be up to {found.high:.0%}"
        return f"One number is honest here, as far as so few games can tell: {explained}; {_p(found)}), but {unsure}."
    return f"One number is honest here: {explained}, {_range(found)}; {_p(found)})."


def _without_counts(found: Evidence) -> str:
    if math.isnan(found.share):
        return "One number is honest here: all win probabilities are even."
    unknown = "how much of that is noise cannot be said without the number of games"
    if found.share <= 0.01:
        return f"One number is honest here: ratings explain all but {found.share:.1%} of the log-odds."
    if found.share <= SMALL_SHARE:
        return (
            f"One number is mostly honest here: {found.share:.0%} of the log-odds is cyclic"
            f"{_example(found, ', as in ')}; {unknown}."
        )
    return f"{_warning(found)}{found.share:.0%} of the log-odds is cyclic; {unknown}."


def _warning(found: Evidence) -> str:
    return f"Do not trust one number: {_example(found, '')}{'; ' if found.cycles else ''}"


def _example(found: Evidence, before: str) -> str:
    if not found.cycles:
        return ""
    odds = ", ".join(f"{value:.2f}" for value in found.cycles[0].log_odds)
    return f"{before}{found.cycles[0]} (log-odds {odds})"


def _range(found: Evidence) -> str:
    return f"{found.level:.0%} interval {found.low:.0%} to {found.high:.0%}"


def _p(found: Evidence) -> str:
    least = 1 / (found.simulated + 1) if found.simulated else 1e-6
    return f"p ≤ {least:.3g}" if found.p_value <= least * 1.0001 else f"p = {found.p_value:.2g}"
