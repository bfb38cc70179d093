"""The audit of a benchmark in sentences."""

from collections.abc import Sequence

import numpy as np

from equipoise.core.errors import some_of
from equipoise.nash.resampling import settled
from equipoise.nash.task_structure import LatentSkills, Redundancy
from equipoise.nash.tasks import TaskNash

__all__ = ["audit_words", "latent_words", "told_apart"]

Change = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A task that is left out, who then joins the top, and who leaves it."""


def audit_words(nash: TaskNash, redundant: Sequence[Redundancy], without_task: Sequence[Change]) -> tuple[str, ...]:
    """Say who leads and why, what carries the verdict, what repeats, and how firmly it stands."""
    return (*nash.words, *_against_plain_averages(nash, nash.top), _repeats(redundant), _stability(without_task))


def _against_plain_averages(nash: TaskNash, top: tuple[str, ...]) -> list[str]:
    """Where uniform and Nash averaging differ at the top, and which tasks make the difference."""
    leader = int(nash.uniform_skill.argmax())
    if nash.first is not None and not settled(np.isin(nash.agents, top), nash.first):
        return [f"The plain average puts {nash.agents[leader]} first ({nash.uniform_skill[leader]:.2f})."]
    sentences = [_of_plain_leader(nash, leader, nash.agents[leader] in top)]
    rank = 1 + (nash.uniform_skill[:, None] < nash.uniform_skill).sum(axis=1)
    lifted = max((i for i in range(len(nash.agents)) if nash.agents[i] in top), key=lambda i: int(rank[i]))
    if rank[lifted] > max(len(top), 1):
        # Core tasks on which it does better than agents do on average.
        gain = nash.task_p * (nash.scores[lifted] - nash.scores.mean(axis=0))
        best = [nash.tasks[j] for j in np.argsort(-gain, kind="stable")[:3] if gain[j] > 0]
        because = f", for what it does on {some_of(best)}" if best else ""
        sentences.append(
            f"{nash.agents[lifted]} is number {rank[lifted]} by plain average but first by Nash averaging{because}."
        )
    return sentences


def _of_plain_leader(nash: TaskNash, leader: int, in_top: bool) -> str:
    name = nash.agents[leader]
    if in_top:
        return f"The plain average agrees on {name}."
    # Where the leader lags behind the value of the game, weighted as the hardest suite weighs.
    short = nash.task_p * (nash.value - nash.scores[leader])
    worst = [nash.tasks[j] for j in np.argsort(-short, kind="stable")[:3] if short[j] > 0]
    surplus = (1.0 / len(nash.tasks) - nash.task_p) * (nash.scores[leader] - nash.scores.mean(axis=0))
    source = [nash.tasks[j] for j in np.argsort(-surplus, kind="stable")[:3] if surplus[j] > 0]
    own, best = told_apart(float(nash.skill[leader]), nash.value)
    because = f"; it falls short on {some_of(worst)}" if worst else ""
    and_from = f", and its average comes from tasks such as {some_of(source)} that tell the best apart less"
    return (
        f"The plain average puts {name} first ({nash.uniform_skill[leader]:.2f}), Nash averaging does not"
        f" ({own} against {best}){because}{and_from if source else ''}."
    )


def told_apart(one: float, other: float, digits: int = 2) -> tuple[str, str]:
    """Two different numbers with as many digits as show that they differ.

    >>> told_apart(0.8571, 0.8611)
    ('0.857', '0.861')
    """
    while digits < 15 and f"{one:.{digits}f}" == f"{other:.{digits}f}":
        digits += 1
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def _repeats(redundant: Sequence[Redundancy]) -> str:
    if not redundant:
        return "No two tasks are duplicates in effect."
    pairs = some_of(f"{pair.other} = {pair.one} ({pair.correlation:.3f})" for pair in redundant)
    return f"Duplicates in effect, by correlation over the agents: {pairs}."


def _stability(without_task: Sequence[Change]) -> str:
    if not without_task:
        return "With one task only, nothing can be left out."
    changed = [change for change in without_task if change[1] or change[2]]
    if not changed:
        return "Leaving out any single task leaves the same agents at the top."
    name, joined, left = changed[0]
    what = [
        f"{some_of(joined)} {'joins' if len(joined) == 1 else 'join'}" if joined else "",
        f"{some_of(left)} {'leaves' if len(left) == 1 else 'leave'}" if left else "",
    ]
    how = " and ".join(part for part in what if part)
    if len(changed) == 1:
        return f"The top depends on one task: without {name}, {how}."
    more = len(changed) - 1
    others = "1 other task changes it too" if more == 1 else f"{more} other tasks change it too"
    return f"The top depends on single tasks: without {name}, {how}; {others}."


def latent_words(latent: LatentSkills) -> str:
    """Say what averages explain, and what the strongest latent skill beyond them is."""
    if len(latent.share) == 0 or latent.average_share > 0.999:
        return "Plain averages explain all differences between the agents: one number is an honest summary."
    first = latent.ends[0]
    return (
        f"Averages explain {latent.average_share:.0%} of the differences between agents; of the rest"
        f" {latent.share[0]:.0%} is one latent skill: {some_of(first['tasks_high'])} against"
        f" {some_of(first['tasks_low'])}."
    )
