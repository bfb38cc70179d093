"""Running an arena: pausing and ending play, letting players join, recording their versions."""

from collections.abc import Mapping
from typing import Literal

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.state import Phase
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.core.errors import DataError

__all__ = ["add", "go", "record"]


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
