"""One schedule: everything that goes wrong in it follows from its seed."""

from collections import Counter
from dataclasses import dataclass

from equipoise.arena.engine import commits
from tests.arena.playing import small
from tests.arena.simulation.clients import Operator, Worker
from tests.arena.simulation.network import Network
from tests.arena.simulation.owner import Owner
from tests.arena.simulation.world import BrokenPromiseError, World

__all__ = ["Schedule", "simulate"]

SPECS = tuple(
    small(lease=20.0, stall_after=30.0, **options)
    for options in (
        {"budget": 12},
        {"budget": 12, "forfeit": "void"},
        {"budget": 9, "mirrored": False, "attempts": 2},
        {"budget": 12, "seats": 1, "tasks": ("x", "y"), "attempts": 2},
        {"budget": 12, "players": list("abcd"), "goal": "order", "policy": "ranking"},
        {"budget": 12, "players": ["a", "b", {"name": "c", "concurrency": 1}]},
    )
)
JUMPS = (-86_400.0, -3_600.0, -60.0, 60.0, 3_600.0)
"""Seconds by which somebody sets the wall clock."""
TURBULENT, LONGEST = 240.0, 5_000.0
"""Seconds for which things go wrong, at most; seconds after which play must have ended."""


@dataclass(frozen=True)
class Schedule:
    """What came of one: the end of the journal, the seconds that passed, and what happened how often."""

    head: str
    seconds: float
    seen: Counter[str]


def simulate(seed: int, owned: type[Owner] = Owner) -> Schedule:
    """Play a schedule to its end, at an arena that is owned in this way.

    Fails when
        something that is promised does not hold: the message names the seed, with which the same happens again.
    """
    world, seen = World(seed), Counter[str]()
    every, share = commits.SNAPSHOT_EVERY, commits.SNAPSHOT_SHARE
    commits.SNAPSHOT_EVERY, commits.SNAPSHOT_SHARE = 11, float("inf")
    try:
        owner = owned(world, SPECS[seed % len(SPECS)], seen)
        network = Network(world, seen)
        for at in range(world.random.randint(2, 4)):
            Worker(world, network, owner, seen, f"w{at}")
        Operator(world, network, owner, seen, "operator")
        _set_clocks(world, seen)
        world.later(world.random.uniform(30.0, TURBULENT), lambda: _calm(world))
        world.run(lambda: world.calm and owner.ended, LONGEST)
        owner.finish(recount=seed % 4 == 0)
        seen["results"] = owner.journal.counted
        return Schedule(owner.journal.head, world.now, seen)
    except Exception as error:
        raise BrokenPromiseError(f"schedule {seed}, after {world.now:.1f} s: {error}") from error
    finally:
        commits.SNAPSHOT_EVERY, commits.SNAPSHOT_SHARE = every, share


def _calm(world: World) -> None:
    world.calm = True


def _set_clocks(world: World, seen: Counter[str]) -> None:
    """Set the wall clock now and then."""

    def jump() -> None:
        if not world.calm:
            world.set_by += world.random.choice(JUMPS)
            seen["clock jumps"] += 1
            world.later(world.random.uniform(10.0, 120.0), jump)

    world.later(world.random.uniform(5.0, 60.0), jump)
