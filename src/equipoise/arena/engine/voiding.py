"""Leaving a trial out after all: its block is void, and decisions that rested on it are looked at again."""

from typing import Any

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.ending import ended_by
from equipoise.arena.engine.leasing import void_open
from equipoise.core.errors import DataError

__all__ = ["void"]


def void(batch: Batch, trial: int, reason: str) -> int:
    """Make the block of a trial void, unfinished or complete; give the number of the event."""
    state = batch.state
    if not 1 <= trial <= state.last_trial:
        raise DataError(f"there is no trial {trial}: the last one is {state.last_trial}")
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
        raise DataError(f"trial {trial} is void already: {before.content()['reason']}")
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
        batch.emit("state", {"state": "running", "ending": "", "words": "a void trial is played again"})
    ended_by(batch, decided=True)
    return state.seq


def _counted(result: dict[str, Any]) -> list[Any]:
    """Give what a result counted as: who sat where, their scores, and those that decisions used."""
    return [result["players"], result["normalised"], result.get("adjusted", result["normalised"])]
