"""The contest that answers the question of a spec."""

from equipoise.arena.contests.contest import Contest
from equipoise.arena.contests.make import make_contest
from equipoise.arena.spec import ArenaSpec

__all__ = ["block_size", "contest_of"]


def block_size(spec: ArenaSpec) -> int:
    """Trials of a block: both orders of a pair, the rotations of more, one for each player where one sits alone."""
    if spec.seats == 1:
        return 1 if spec.goal.startswith("ability") else min(2, len(spec.players))
    return spec.seats if spec.mirrored else 1


def contest_of(spec: ArenaSpec) -> Contest:
    """Make the contest of a spec, before anything is played."""
    return make_contest(
        spec.names, goal=spec.goal, policy=spec.policy, level=spec.level, margin=spec.margin, check=spec.check,
        seed=spec.seed, tasks=spec.tasks, trials_per_block=block_size(spec), seats=spec.seats, budget=spec.budget,
        open_=spec.open,
    )  # fmt: skip
