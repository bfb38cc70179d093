"""Nash averages of agents on tasks in sentences: a headline is only what resamples repeat."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import some_of
from equipoise.core.results import FloatArray, Interval
from equipoise.nash.resampling import OFTEN, SELDOM, settled, with_shares

__all__ = ["Side", "core_words", "filled_words", "leader_words"]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Agents or tasks: who is first, or carries the verdict, and in which share of the resamples of an interval."""

    names: tuple[str, ...]
    members: npt.NDArray[np.bool_]
    share: FloatArray | None
    interval: Interval | None

    @property
    def where(self) -> str:
        """What the shares are of."""
        over = self.interval.kind.rsplit(" over ", 1)[-1] if self.interval else ""
        return {"tasks": "suites drawn from these tasks", "completions": "completions"}.get(over, "resamples")

    def often(self) -> list[str]:
        """Those in nearly all resamples, with their shares."""
        return [] if self.share is None else with_shares(self.names, self.share, OFTEN)

    def sometimes(self) -> list[str]:
        """Those in some, with their shares."""
        return [] if self.share is None else with_shares(self.names, self.share, SELDOM, OFTEN)


def leader_words(agents: Side) -> str:
    """Say who is first, as far as that is settled."""
    if settled(agents.members, agents.share):
        top = [agents.names[i] for i in np.flatnonzero(agents.members)]
        if len(top) == 1:
            return f"{top[0]} is first by Nash averaging."
        return f"{len(top)} agents tie for first by Nash averaging: {some_of(top, 8)}."
    sure, unsure = agents.often(), agents.sometimes()
    if sure:
        verb = "is" if len(sure) == 1 else "are"
        others = f"; others in some: {some_of(unsure, 6)}" if unsure else ""
        return f"{some_of(sure, 6)} {verb} first by Nash averaging in nearly all {agents.where}{others}."
    return f"Who is first by Nash averaging is not settled; in {agents.where}: {some_of(unsure, 6)}."


def core_words(tasks: Side, mass: FloatArray) -> str:
    """Say which tasks carry the verdict, as far as that is settled."""
    if not settled(tasks.members, tasks.share):
        return _unsettled_core(tasks)
    order = np.argsort(-mass.round(9), kind="stable")
    core = [f"{tasks.names[j]} ({mass[j]:.0%})" for j in order if mass[j] > 0]
    if len(core) == len(tasks.names):
        if len(core) == 1:
            return f"There is one task only, {tasks.names[0]}: it carries the verdict."
        return f"All {len(core)} tasks carry the verdict: {some_of(core, 8)}."
    idle = len(tasks.names) - len(core)
    others = "the other one changes no skill" if idle == 1 else f"the other {idle} change no skill"
    carry = "carries" if len(core) == 1 else "carry"
    return f"{len(core)} of {len(tasks.names)} tasks {carry} the verdict: {some_of(core, 8)}; {others}."


def _unsettled_core(tasks: Side) -> str:
    """Which tasks carry the verdict nearly always, which in some resamples."""
    sure, unsure = tasks.often(), tasks.sometimes()
    if not sure:
        return f"Which tasks carry the verdict is not settled; in {tasks.where}: {some_of(unsure, 6)}."
    carries = "carries" if len(sure) == 1 else "carry"
    said = f"In nearly all {tasks.where} {some_of(sure, 6)} {carries} the verdict"
    if not unsure:
        return f"{said}."
    others = "1 other does" if len(unsure) == 1 else f"{len(unsure)} others do"
    return f"{said}; {others} in some: {some_of(unsure, 6)}."


def filled_words(deciding: Sequence[str], unranked: Sequence[str]) -> list[str]:
    """Name the filled-in cells that decide, and the agents that are not ranked."""
    sentences = []
    if deciding:
        cells = "A filled-in cell decides" if len(deciding) == 1 else "Filled-in cells decide, each alone,"
        sentences.append(f"{cells} who is first: {some_of(deciding, 6)}.")
    if unranked:
        sentences.append(f"Listed, not ranked, for want of scores of their own: {some_of(unranked, 6)}.")
    return sentences
