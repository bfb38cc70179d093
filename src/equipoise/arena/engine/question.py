"""The contest that answers the question of a spec."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from equipoise.arena.contests.contest import Contest
from equipoise.arena.contests.make import contest_from_state, make_contest
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.items.scoring.calibration import Calibration, calibration_from_dict, load_calibration

__all__ = ["block_size", "contest_again", "contest_of", "self_contained"]


def block_size(spec: ArenaSpec) -> int:
    """Trials of a block: both orders of a pair, the rotations of more, one for each player where one sits alone.

    Antithetic ones are played twice.
    """
    if spec.goal == "ability":
        return 1
    seatings = min(2, len(spec.players)) if spec.seats == 1 else spec.seats if spec.mirrored else 1
    return 2 * seatings if spec.antithetic else seatings


def contest_of(spec: ArenaSpec) -> Contest:
    """Make the contest of a spec, before anything is played."""
    return make_contest(
        spec.names, goal=spec.goal, policy=spec.policy, level=spec.level, margin=spec.margin, check=spec.check,
        seed=spec.seed, tasks=spec.tasks, trials_per_block=block_size(spec), seats=spec.seats, budget=spec.budget,
        open_=spec.open, calibration=_calibration(spec), criterion=spec.criterion,
    )  # fmt: skip


def contest_again(spec: ArenaSpec, state: Mapping[str, Any]) -> Contest:
    """Take the contest of a spec up again."""
    return contest_from_state(dict(state), _calibration(spec))


def self_contained(spec: ArenaSpec) -> ArenaSpec:
    """Put the content of the calibration in the place of its file, so that a journal needs nothing else."""
    if not isinstance(spec.calibration, str):
        return spec
    return replace(spec, calibration=load_calibration(spec.calibration).to_dict())


def _calibration(spec: ArenaSpec) -> Calibration | None:
    if isinstance(spec.calibration, Mapping):
        return calibration_from_dict(dict(spec.calibration))
    return None if spec.calibration is None else load_calibration(spec.calibration)
