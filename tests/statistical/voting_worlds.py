"""Worlds of votes: crowds with tastes, habits of sides and odd voters; voters who are slow or leave."""

from dataclasses import dataclass, replace

import numpy as np

from equipoise.arena.contests.pair_ledger import PairLedger, Shares
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches


@dataclass(frozen=True)
class Crowd:
    """A crowd; ``odd`` is what its first voter does."""

    voters: int = 60
    votes: int = 50
    models: int = 6
    taste: float = 0.3
    prompts: int = 40
    gap: float = 1.0
    habit: float = 0.2
    odd: str = ""


def crowd_votes(rng, crowd):
    """Let a crowd vote."""
    strength = np.linspace(-crowd.gap, crowd.gap, crowd.models)
    taste = rng.normal(0, crowd.taste, (crowd.voters, crowd.models))
    prompt_taste = rng.normal(0, 0.3, (crowd.prompts, crowd.models))
    side = 0.1 + rng.normal(0, crowd.habit, crowd.voters)
    voter = np.repeat(np.arange(crowd.voters), crowd.votes)
    n = len(voter)
    a = rng.integers(crowd.models, size=n)
    b = (a + rng.integers(1, crowd.models, size=n)) % crowd.models
    prompt = rng.integers(crowd.prompts, size=n)
    worth = strength + taste[voter] + prompt_taste[prompt]
    rows = np.arange(n)
    p = 1 / (1 + np.exp(-(worth[rows, a] - worth[rows, b] + side[voter])))
    score = (rng.random(n) < p).astype(float)
    mine = voter == 0
    if crowd.odd == "fan":
        score[mine & (a == 2)], score[mine & (b == 2)] = 1.0, 0.0
    elif crowd.odd == "side":
        score[mine] = 1.0
    elif crowd.odd == "against":
        score[mine] = (strength[a] < strength[b])[mine]
    elif crowd.odd == "random":
        score[mine] = rng.random(mine.sum()) < 0.5
    votes = Matches.from_columns([f"m{k}" for k in a], [f"m{k}" for k in b], score)
    labels = {"voter": Factor.of([f"v{k}" for k in voter]), "prompt": Factor.of([f"p{k}" for k in prompt])}
    return replace(votes, labels=labels)


@dataclass(frozen=True)
class Pair:
    """Votes on one pair: the share that would be for the first, who takes longer, and who leaves.

    ``slow`` is how much longer votes for the second take; ``leave`` the share of voters who leave whatever they saw,
    ``leave_b`` that of those who would vote for the second.
    """

    p: float = 0.5
    slow: float = 6.0
    leave: float = 0.0
    leave_b: float = 0.0
    together: int = 20
    blocks: int = 300


def decided_wrongly(rng, pair, *, left="again", arrival=False, margin=None):
    """Let voters vote, some at a time, and say what was decided: 0 nothing, 1 the first, 2 the second.

    A real ledger takes the votes in the order of their trials, or of their ``arrival``; one that is left is offered
    again, or counts against every claim.
    """
    ledger = PairLedger(["a", "b"], margin, Shares(0.05, 1, False))
    ledger.threshold[:] = np.log(1.0 / 0.05)  # betting at 5% for the claim that is looked at
    waiting, opened, closed, queue = [], 0, 0, []
    while closed < pair.blocks and not ledger.settled[0]:
        while len(waiting) < pair.together and opened < pair.blocks:
            waiting.append(_seen(rng, pair, opened))
            if not arrival:
                ledger.opened(opened, ("a", "b"))
            opened += 1
        if not waiting:
            break
        waiting.sort()
        now, block, first, gone = waiting.pop(0)
        waiting = [(moment - now, *rest) for moment, *rest in waiting]
        if gone and left == "again":
            waiting.append(_seen(rng, pair, block))
            continue
        closed += 1
        scores = None if gone else {"a": float(first), "b": float(not first)}
        if arrival:
            queue.append(block)
            ledger.opened(len(queue), ("a", "b"))
            ledger.closed(len(queue), scores)
        else:
            ledger.closed(block, scores)
    return int(ledger.settled[0])


def _seen(rng, pair, block):
    """Give when a voter is through with a pair, which, for whom, and whether they leave."""
    first = bool(rng.random() < pair.p)
    gone = bool(rng.random() < (pair.leave if first else max(pair.leave, pair.leave_b)))
    return rng.exponential(1.0) * (1.0 if first else pair.slow), block, first, gone
