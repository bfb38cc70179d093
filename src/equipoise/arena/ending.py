"""When play ends: the question is answered, or the budget is spent."""

from equipoise.arena.commits import Batch
from equipoise.arena.proposing import fits_budget

__all__ = ["ended_by"]


def ended_by(batch: Batch, *, decided: bool = False) -> None:
    """Say that play has ended, if it has.

    Only a decision can answer the question, so progress is looked at after one; the budget is spent once no block fits
    and nothing is being played.
    """
    state = batch.state
    if state.phase != "running":
        return
    if decided:
        progress = state.contest.progress()
        if progress.answered:
            batch.emit(
                "state", {"state": "answered", "ending": progress.ending or "decided", "words": progress.sentence}
            )
            return
    if not state.outstanding and not fits_budget(state):
        batch.emit("state", {"state": "spent", "ending": "budget spent"})
