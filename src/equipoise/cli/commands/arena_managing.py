"""``equipoise arena pause``, ``resume``, ``stop`` and ``void``: also while another process plays the arena."""

from typing import Annotated

import typer

from equipoise.cli.options.arena import DatabaseOption, managed

__all__ = ["arena_pause", "arena_resume", "arena_stop", "arena_void"]


def arena_pause(database: DatabaseOption) -> None:
    """Hand out nothing more until it is resumed; what is being played is still taken.

    In Python: `arena.pause()`
    """
    with managed(database) as arena:
        arena.pause()
    print("Paused.")


def arena_resume(database: DatabaseOption) -> None:
    """Go on after a pause or a stop.

    In Python: `arena.resume()`
    """
    with managed(database) as arena:
        arena.resume()
    print("Running.")


def arena_stop(database: DatabaseOption) -> None:
    """End play: nothing more is handed out.

    In Python: `arena.stop()`
    """
    with managed(database) as arena:
        arena.stop()
    print("Stopped.")


def arena_void(
    number: Annotated[int, typer.Argument(help="Number of the trial.")],
    database: DatabaseOption,
    reason: Annotated[str, typer.Option(help="Why; it stands in the journal.")],
) -> None:
    """Leave out the block of a trial; decisions that lose their support are withdrawn.

    A void block counts against every claim, so that leaving out games can never make a decision.

    In Python: `arena.void(12, "the clock was wrong")`

    Examples
    --------
    - `equipoise arena void 12 -d ladder.db --reason "the clock was wrong"`
    """
    with managed(database) as arena:
        arena.void(number, reason)
    print(f"Trial {number} is void, and so is its block.")
