"""When play ends: the question is answered, or the budget is spent."""

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.proposing import fits_budget

__all__ = ["ended_by"]


def ended_by(batch: Batch, *, decided: bool = False) -> None:
    """Say that play has ended, if it has.

    That is asked after a decision, and whenever nothing is being played: the last blocks that an answer waits for need
    not decide anything themselves. Only an end is put into words: what a result leaves open is said when somebody asks.
    The budget is spent once no block fits and nothing is being played.
    """
    state = batch.state
    if state.phase != "running":
        return
    if (decided or not state.outstanding) and state.contest.answered:
        progress = state.contest.progress()
        ending = {"state": "answered", "ending": progress.ending or "decided", "words": progress.sentence}
        batch.emit("state", ending)
        return
    if not state.outstanding and not fits_budget(state):
        batch.emit("state", {"state": "spent", "ending": "budget spent"})
