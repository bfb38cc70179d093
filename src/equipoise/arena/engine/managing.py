"""Running an arena: pausing and ending play, letting players join, recording their versions, leaving trials out.

A trial that is left out after all makes its block void, and decisions that rested on it are looked at again.
"""

from collections.abc import Mapping
from typing import Any, Literal

from equipoise.arena.engine import voting
from equipoise.arena.engine.admission import is_of
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.leasing import void_open
from equipoise.arena.engine.proposing import ended_by
from equipoise.arena.engine.state import Phase
from equipoise.arena.spec.access_token import AccessToken
from equipoise.arena.spec.look_alikes import refuse_look_alikes
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.core.errors import DataError, did_you_mean

Command = Literal["pause", "resume", "stop"]
COMMANDS: Mapping[Command, tuple[Phase, tuple[Phase, ...]]] = {
    "pause": ("paused", ("running",)),
    "resume": ("running", ("paused", "stopped")),
    "stop": ("stopped", ("running", "paused", "answered", "spent")),
}
"""What a command makes of the phase, and in which phases it may be given."""


class VersionChangedError(DataError):
    """A player is not the one that played before, and nobody agreed to that."""


def go(batch: Batch, command: Command, by: str = "") -> None:
    """Change whether play goes on; ``by`` is who says so, here as elsewhere, where that is known."""
    phase, before = COMMANDS[command]
    now = batch.state.phase
    if now == phase:
        return
    if now not in before:
        raise DataError(f"the arena is {now}: it cannot become {phase}")
    batch.emit("state", {"state": phase, **_by(by)})


def _by(who: str) -> dict[str, str]:
    return {"by": who} if who else {}


def add(batch: Batch, player: PlayerSpec, by: str = "") -> None:
    """Let one more play, where the spec allows it."""
    state = batch.state
    if not state.spec.open:
        raise DataError(
            "players join open arenas only (open = true in the spec): make a new arena, it is a new question"
        )
    if player.name in state.players:
        raise DataError(f'there is a player "{player.name}" already')
    if state.votes is not None:
        raise DataError(f"a vote has no answers of {player.name}: make a new one with them, it is a new question")
    refuse_look_alikes([player.name], [*state.players])
    batch.emit("player", {"player": player.to_dict(), **_by(by)})
    if state.phase in ("answered", "spent"):
        batch.emit("state", {"state": "running", "ending": "", "words": f"{player.name} joined"})


def record(batch: Batch, versions: Mapping[str, str], *, changed: bool = True) -> None:
    """Write down versions of players that are new; one that replaces another may be refused."""
    state = batch.state
    unknown = [name for name in versions if name not in state.players]
    if unknown:
        raise DataError(f'there is no player "{unknown[0]}"')
    other = [name for name, version in versions.items() if state.versions.get(name, version) != version]
    if other and not changed:
        raise VersionChangedError(
            f'player "{other[0]}" is not the one that played before (version {state.versions[other[0]]} became '
            f"{versions[other[0]]})"
        )
    for name, version in versions.items():
        if state.versions.get(name) != version:
            batch.emit("version", {"player": name, "version": version})


def admit(batch: Batch, token: AccessToken) -> None:
    """Write down a token; the name of a worker or a voter is its alone."""
    own = token.role in ("worker", "voter")
    same = [one.name for one in batch.state.admission.tokens.values() if own and one.role == token.role]
    if token.name in same:
        raise DataError(f'there is a token of a {token.role} "{token.name}" already: revoke it, or choose another name')
    batch.emit("admission", {"do": "admit", "token": token.to_dict()})


def revoke(batch: Batch, token: str) -> None:
    """Let nobody in with a token any more."""
    known = batch.state.admission.tokens
    if token not in known:
        raise DataError(f'there is no token "{token}"{did_you_mean(token, [*known])}')
    batch.emit("admission", {"do": "revoke", "token": token})


def exclude(batch: Batch, worker: str, reason: str, by: str = "") -> int:
    """Withdraw everything that a worker played, and give it nothing more; give how many blocks became void.

    The votes of a voter are withheld, so that they may count again.
    """
    state = batch.state
    if state.votes is not None:
        return voting.exclude(batch, worker, reason, by)
    refusal = state.admission.refuses(worker)
    if refusal is not None:
        raise DataError(refusal)
    theirs: dict[int, int] = {}
    void_before = set()
    for event in batch.journal.events(kinds=["result", "void"]):
        body = event.content()
        if event.kind == "void":
            void_before.add(body["block"])
        elif is_of(body["worker"], worker):
            theirs[body["block"]] = body["trial"]
    if not theirs and not any(is_of(held.worker, worker) for held in state.held.values()):
        raise DataError(f'no worker "{worker}" has played here')
    batch.emit("admission", {"do": "exclude", "worker": worker, "reason": reason, **_by(by)})
    gone = [trial for block, trial in theirs.items() if block not in void_before]
    for trial in gone:
        void(batch, trial, f"worker {worker} was excluded: {reason}", by)
    return len(gone)


def include(batch: Batch, worker: str, reason: str, by: str = "") -> None:
    """Let a worker play again; what was withdrawn stays withdrawn, but votes that were withheld count again."""
    if batch.state.votes is not None:
        voting.include(batch, worker, reason, by)
        return
    if worker not in batch.state.admission.excluded:
        raise DataError(f'the worker "{worker}" is not excluded')
    batch.emit("admission", {"do": "include", "worker": worker, "reason": reason, **_by(by)})


def void(batch: Batch, trial: int, reason: str, by: str = "") -> int:
    """Make the block of a trial void, unfinished or complete; give the number of the event."""
    state = batch.state
    if not 1 <= trial <= state.last_trial:
        raise DataError(f"there is no game {trial}: the last one is {state.last_trial}")
    block = state.block_of(trial)
    if block is not None:
        void_open(batch, block.number, reason, by=by)
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
        "trials": [_counted(result) for result in results], **_by(by),
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


def forget_voter(batch: Batch, voter: str) -> int:
    """Delete what a voter wrote, void all their votes for good and revoke their tokens; give how many blocks."""
    state = batch.state
    voting.settle(batch, voter=voter)
    if not voting.book_of(state).account(voter).finished:
        batch.emit("vote", {"do": "forgotten", "worker": voter})
    voting.let_go(batch, voter, "the voter asked to be forgotten")
    texts = [
        event.content().get("text")
        for event in batch.journal.events(kinds=["vote"])
        if event.content().get("worker") == voter
    ]
    batch.journal.purge_texts([text for text in texts if text is not None])
    theirs, withheld = voting.blocks_of(batch, voter)
    for at, rows in theirs.items():
        if at not in withheld:
            void(batch, rows[0]["trial"], "its voter asked to be forgotten")
    for token in [one.id for one in state.admission.tokens.values() if one.role == "voter" and one.name == voter]:
        revoke(batch, token)
    return len(theirs)
