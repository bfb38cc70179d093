r"""Blocks: trials that belong together, and what a whole block says about its players.

Two seats: both orders of the same seed (``mirrored``), or one trial whose sides the seed draws. One seat: each player
of the block on the same task and seed. K seats: the K rotations. A player's score in the block is the mean of its
normalised scores, and a pair's evidence is

.. math:: x_{ab} = \frac{1 + \bar s_a - \bar s_b}{2} \in [0, 1].
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from equipoise.arena.spec.trial import Trial


def block_seed(seed: int, players: Sequence[str], index: int) -> int:
    """Give the seed of a block: a hash of the spec's seed, the players, and how many blocks they had before.

    >>> block_seed(7, ("a", "b"), 0) == block_seed(7, ("b", "a"), 0) != block_seed(7, ("a", "b"), 1)
    True
    """
    text = "\x1f".join([str(seed), *sorted(players), str(index)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def set_seed(seed: int, players: Sequence[str], index: int, twice: bool) -> int:
    """Give the seed of a set of paired games in a block: the block's own for the first; even where it has a twin."""
    own = seed if index == 0 else block_seed(seed, players, index)
    return own & ~1 if twice else own


def seatings(players: tuple[str, ...], seats: int, mirrored: bool, seed: int) -> list[tuple[str, ...]]:
    """Say who sits where in each trial of a block.

    >>> seatings(("a", "b"), 2, True, 0), seatings(("a", "b"), 1, True, 0)
    ([('a', 'b'), ('b', 'a')], [('a',), ('b',)])
    """
    if seats == 1:
        return [(player,) for player in players]
    if mirrored:
        return [players[turn:] + players[:turn] for turn in range(len(players))]
    order = np.random.default_rng(seed).permutation(len(players))
    return [tuple(players[at] for at in order)]


@dataclass(slots=True)
class OpenBlock:
    """A block that is being played.

    Attributes
    ----------
    number, players, task, seed, reason
        What it is; why it was chosen. An even seed has a twin, the next number, for the second half of the trials.
    trials
        Seats by trial number.
    scores
        Normalised scores by seat of the trials that are finished.
    adjusted
        The same with the luck taken out, where decisions use that.
    coefficient
        What a unit of control takes off a score, fixed before the block is played; None where luck does not decide.
    sets
        Sets of paired games, each with a seed of its own.
    set_tasks
        What each set is played on, where each has a task of its own.
    """

    number: int
    players: tuple[str, ...]
    task: str | None
    seed: int
    reason: str
    trials: dict[int, tuple[str, ...]]
    scores: dict[int, tuple[float, ...]] = field(default_factory=dict)
    coefficient: float | None = None
    antithetic: bool = False
    adjusted: dict[int, tuple[float, ...]] = field(default_factory=dict)
    sets: int = 1
    set_tasks: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every trial is finished."""
        return len(self.scores) == len(self.trials)

    def trial(self, number: int) -> Trial:
        """Give one of its trials."""
        if self.sets == 1 and not self.antithetic:
            return Trial(number, self.number, self.trials[number], self.task, self.seed)
        size = len(self.trials) // self.sets
        index, at = divmod(number - min(self.trials), size)
        seed = set_seed(self.seed, self.players, index, self.antithetic)
        task = self.set_tasks[index] if self.set_tasks else self.task
        return Trial(number, self.number, self.trials[number], task, seed + (self.antithetic and 2 * at >= size))

    def mean_scores(self) -> dict[str, float]:
        """Give what decisions use: each player's mean over the trials that it sat in, in the order of the trials."""
        return mean_by_player([(self.trials[at], self.adjusted.get(at, self.scores[at])) for at in sorted(self.trials)])

    def to_dict(self) -> dict[str, Any]:
        """Give the block as JSON."""
        return {
            "block": self.number, "players": list(self.players), "task": self.task, "seed": self.seed,
            "reason": self.reason, "trials": [[number, list(seats)] for number, seats in self.trials.items()],
            **({"coefficient": self.coefficient} if self.coefficient is not None else {}),
            **({"antithetic": True} if self.antithetic else {}),
            **({"sets": self.sets} if self.sets > 1 else {}),
            **({"set_tasks": list(self.set_tasks)} if self.set_tasks else {}),
            **({"adjusted": [[at, list(scores)] for at, scores in self.adjusted.items()]} if self.adjusted else {}),
            **({"scores": [[number, list(scores)] for number, scores in self.scores.items()]} if self.scores else {}),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        trials = {number: tuple(seats) for number, seats in saved["trials"]}
        scores = {number: tuple(values) for number, values in saved.get("scores", [])}
        adjusted = {number: tuple(values) for number, values in saved.get("adjusted", [])}
        return cls(
            saved["block"], tuple(saved["players"]), saved["task"], saved["seed"], saved["reason"], trials, scores,
            saved.get("coefficient"), saved.get("antithetic", False), adjusted, saved.get("sets", 1),
            tuple(saved.get("set_tasks", ())),
        )  # fmt: skip


def mean_by_player(trials: Sequence[tuple[tuple[str, ...], tuple[float, ...]]]) -> dict[str, float]:
    """Average scores by player over trials given as seats and scores."""
    by_player: dict[str, list[float]] = {}
    for seats, scores in trials:
        for player, score in zip(seats, scores, strict=True):
            by_player.setdefault(player, []).append(score)
    return {player: sum(scores) / len(scores) for player, scores in by_player.items()}
