"""Whole contests, played by players whose scores are drawn: blocks overlap, and some become void."""

from collections.abc import Callable

import numpy as np

from equipoise.arena.contests.contest import Contest


def ladder(players: int, gap: float) -> np.ndarray:
    """Chances to win of players who are a gap in Elo apart, the first the best."""
    rating = -np.arange(players) * gap * np.log(10) / 400
    return 1.0 / (1.0 + np.exp(rating[None, :] - rating[:, None]))


def play(
    contest: Contest,
    chance: np.ndarray,
    names: list[str],
    rng: np.random.Generator,
    *,
    workers: int = 1,
    void: Callable[[float], float] | None = None,
    most: int = 10_000,
) -> int:
    """Play until there is nothing to ask, or so many blocks were opened; give how many were.

    ``void`` says with which chance a block of that score of its first player becomes void.
    """
    number, playing = 0, []
    while number < most:
        while len(playing) < workers and (proposal := contest.propose(number)):
            contest.opened(number, proposal.players, proposal.task)
            playing.append((number, proposal.players))
            number += 1
        if not playing:
            break
        block, (a, b) = playing.pop(int(rng.integers(len(playing))))
        score = float(rng.random() < chance[names.index(a), names.index(b)])
        gone = void is not None and rng.random() < void(score)
        contest.closed(block, None if gone else {a: score, b: 1.0 - score})
    return number
