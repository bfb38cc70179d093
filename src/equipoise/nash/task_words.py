"""Nash averages of agents on tasks in sentences: a headline is only what resamples repeat."""

from typing import TYPE_CHECKING

import numpy as np

from equipoise.errors import some_of
from equipoise.nash.resampling import OFTEN, SELDOM, settled, with_shares

if TYPE_CHECKING:
    from equipoise.nash.tasks import TaskNash

__all__ = ["task_words"]


def task_words(nash: "TaskNash") -> tuple[str, ...]:
    """Say who is first, which tasks carry that, and what filled-in cells have to do with it."""
    return (_leaders(nash), _core(nash), *_filled(nash))


def _where(nash: "TaskNash") -> str:
    """What the shares are of."""
    over = nash.interval.kind.rsplit(" over ", 1)[-1] if nash.interval else ""
    return {"tasks": "suites drawn from these tasks", "completions": "completions"}.get(over, "resamples")


def _leaders(nash: "TaskNash") -> str:
    top = nash.top
    if nash.first is None or settled(np.isin(nash.agents, top), nash.first):
        if len(top) == 1:
            return f"{top[0]} is first by Nash averaging."
        return f"{len(top)} agents tie for first by Nash averaging: {some_of(top, 8)}."
    sure = with_shares(nash.agents, nash.first, OFTEN)
    unsure = with_shares(nash.agents, nash.first, SELDOM, OFTEN)
    if sure:
        verb = "is" if len(sure) == 1 else "are"
        others = f"; others in some: {some_of(unsure, 6)}" if unsure else ""
        return f"{some_of(sure, 6)} {verb} first by Nash averaging in nearly all {_where(nash)}{others}."
    return f"Who is first by Nash averaging is not settled; in {_where(nash)}: {some_of(unsure, 6)}."


def _core(nash: "TaskNash") -> str:
    if nash.carries is not None and not settled(nash.task_p > 0, nash.carries):
        return _unsettled_core(nash, nash.carries)
    order = np.argsort(-nash.task_p.round(9), kind="stable")
    core = [f"{nash.tasks[j]} ({nash.task_p[j]:.0%})" for j in order if nash.task_p[j] > 0]
    if len(core) == len(nash.tasks):
        if len(core) == 1:
            return f"There is one task only, {nash.tasks[0]}: it carries the verdict."
        return f"All {len(core)} tasks carry the verdict: {some_of(core, 8)}."
    idle = len(nash.tasks) - len(core)
    others = "the other one changes no skill" if idle == 1 else f"the other {idle} change no skill"
    carry = "carries" if len(core) == 1 else "carry"
    return f"{len(core)} of {len(nash.tasks)} tasks {carry} the verdict: {some_of(core, 8)}; {others}."


def _unsettled_core(nash: "TaskNash", share: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> str:
    """Which tasks carry the verdict nearly always, which in some resamples."""
    sure, unsure = with_shares(nash.tasks, share, OFTEN), with_shares(nash.tasks, share, SELDOM, OFTEN)
    where = _where(nash)
    if not sure:
        return f"Which tasks carry the verdict is not settled; in {where}: {some_of(unsure, 6)}."
    carries = "carries" if len(sure) == 1 else "carry"
    if not unsure:
        return f"In nearly all {where} {some_of(sure, 6)} {carries} the verdict."
    others = "1 other does" if len(unsure) == 1 else f"{len(unsure)} others do"
    return f"In nearly all {where} {some_of(sure, 6)} {carries} the verdict; {others} in some: {some_of(unsure, 6)}."


def _filled(nash: "TaskNash") -> list[str]:
    sentences = []
    if nash.deciding:
        cells = "A filled-in cell decides" if len(nash.deciding) == 1 else "Filled-in cells decide, each alone,"
        sentences.append(f"{cells} who is first: {some_of(nash.deciding, 6)}.")
    if nash.unranked:
        sentences.append(f"Listed, not ranked, for want of scores of their own: {some_of(nash.unranked, 6)}.")
    return sentences
