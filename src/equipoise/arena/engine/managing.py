"""Running an arena: pausing and ending play, letting players join, recording their versions, leaving trials out.

A trial that is left out after all makes its block void, and decisions that rested on it are looked at again.
"""

from collections.abc import Mapping
from typing import Any, Literal

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.leasing import void_open
from equipoise.arena.engine.proposing import ended_by
from equipoise.arena.engine.state import Phase
from equipoise.arena.spec.look_alikes import refuse_look_alikes
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.core.errors import DataError


def go(batch: Batch, phase: Literal["running", "paused", "stopped"], from_: tuple[Phase, ...]) -> None:
    """Change whether play goes on."""
    now = batch.state.phase
    if now == phase:
        return
    if now not in from_:
        raise DataError(f"the arena is {now}: it cannot become {phase}")
    batch.emit("state", {"state": phase})


def add(batch: Batch, player: PlayerSpec) -> None:
    """Let one more play, where the spec allows it."""
    state = batch.state
    if not state.spec.open:
        raise DataError(
            "players join open arenas only (open = true in the spec): make a new arena, it is a new question"
        )
    if player.name in state.players:
        raise DataError(f'there is a player "{player.name}" already')
    refuse_look_alikes([player.name], [*state.players])
    batch.emit("player", {"player": player.to_dict()})
    if state.phase in ("answered", "spent"):
        batch.emit("state", {"state": "running", "ending": "", "words": f"{player.name} joined"})


def record(batch: Batch, versions: Mapping[str, str]) -> None:
    """Write down versions of players that are new."""
    state = batch.state
    unknown = [name for name in versions if name not in state.players]
    if unknown:
        raise DataError(f'there is no player "{unknown[0]}"')
    for name, version in versions.items():
        if state.versions.get(name) != version:
            batch.emit("version", {"player": name, "version": version})


def void(batch: Batch, trial: int, reason: str) -> int:
    """Make the block of a trial void, unfinished or complete; give the number of the event."""
    state = batch.state
    if not 1 <= trial <= state.last_trial:
        raise DataError(f"there is no game {trial}: the last one is {state.last_trial}")
    block = state.block_of(trial)
    if block is not None:
        void_open(batch, block.number, reason)
        ended_by(batch, decided=True)
        return state.seq
    opening = batch.journal.opening_of(trial)
    assert opening is not None
    number = opening.content()["block"]
    before = batch.journal.void_of(number)
    if before is not None:
        raise DataError(f"game {trial} is void already: {before.content()['reason']}")
    results = [event.content() for event in batch.journal.results_of(number)]
    body = {
        "block": number, "reason": reason, "players": opening.content()["players"], "task": opening.content()["task"],
        "trials": [_counted(result) for result in results],
    }  # fmt: skip
    _, decisions = batch.emit("void", body)
    for decision in decisions:
        batch.emit("decision", decision.to_dict())
    if state.phase == "answered" and not state.contest.answered:
        batch.emit("state", {"state": "running", "ending": "", "words": "a decision was withdrawn"})
    elif state.phase == "spent":
        batch.emit("state", {"state": "running", "ending": "", "words": "a void game is played again"})
    ended_by(batch, decided=True)
    return state.seq


def _counted(result: dict[str, Any]) -> list[Any]:
    """Give what a result counted as: who sat where, their scores, and those that decisions used."""
    return [result["players"], result["normalised"], result.get("adjusted", result["normalised"])]
