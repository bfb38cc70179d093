"""Votes: the next pair for somebody, votes within their window, votes taken back, voters left out and let in again.

A lease begins when a pair is seen. A vote is written at once and counts when its window is over, in the order in which
pairs were leased and not in that of the votes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.leasing import sweep, void_if_tried, void_open
from equipoise.arena.engine.proposing import absent, ended_by, open_block
from equipoise.arena.engine.reported_results import SubmittedResult, tell
from equipoise.arena.engine.sessions import Given
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.engine.voter_book import VoterAccount, VoterBook
from equipoise.arena.journal.results import counted
from equipoise.arena.spec.names import checked_text
from equipoise.arena.spec.outcome import Outcome, digest
from equipoise.arena.spec.trial import Lease, Trial
from equipoise.arena.spec.votes import SCORES, Choice, VoteOptions
from equipoise.core.errors import DataError

LONGEST_REASON = 2_000
NOT_YOURS = "this pair is not yours any more: it was offered to somebody else after a long wait"


class SeenPair(NamedTuple):
    """What a voter sees: a trial, or a pair with a known answer (``gold`` is its number), since and until when."""

    trial: Trial | None
    gold: int | None
    since: float
    until: float


def book_of(state: ArenaState) -> VoterBook:
    """Give the voters of an arena of votes; refuse another one."""
    if state.votes is None:
        raise DataError("this is no arena of votes")
    return state.votes


def next_pair(batch: Batch, voter: str, golds: int = 0) -> SeenPair | None:
    """Give a voter the pair that waits for them, or the next one; None where there is none for them.

    Parameters
    ----------
    voter
        Who asks.
    golds
        How many pairs with known answers there are.
    """
    settle(batch)
    sweep(batch)
    state = batch.state
    book, options = book_of(state), VoteOptions.of(state.spec.options)
    mine = next((at for at, held in state.held.items() if held.worker == voter and at not in book.casts), None)
    if mine is not None:
        return _seen(batch, mine)
    account = book.account(voter)
    if account.finished or state.phase != "running" or state.admission.refuses(voter) is not None:
        return None
    waiting = sum(cast.voter == voter for cast in book.casts.values())
    if options.votes_each is not None and account.votes + waiting >= options.votes_each:
        return None
    if account.golds < golds and _is_gold(state, voter, account, waiting, options.gold):
        return SeenPair(None, account.golds, batch.now, batch.now + options.patience)
    trial = _waiting_for(batch, voter, options) or _opened_for(batch, voter, options)
    if trial is None:
        ended_by(batch)
        return None
    given = Given(trial, state.attempts.get(trial, 0) + 1, batch.now + options.patience)
    batch.emit("lease", {**given._asdict(), "worker": voter})
    return _seen(batch, trial)


def _is_gold(state: ArenaState, voter: str, account: VoterAccount, waiting: int, share: float) -> bool:
    """Draw whether a pair with a known answer comes next: the same until something is answered."""
    text = f"{state.spec.seed}/{voter}/{account.votes + waiting}/{account.golds}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") < share * 2**32


def _seen(batch: Batch, trial: int) -> SeenPair:
    block, held = batch.state.block_of(trial), batch.state.held[trial]
    assert block is not None
    return SeenPair(block.trial(trial), None, held.until - batch.state.spec.lease, held.until)


def _waiting_for(batch: Batch, voter: str, options: VoteOptions) -> int | None:
    """Find a trial that was opened and that this voter may have: the rest of a block of theirs, or one that was left.

    Nobody is given a pair twice, but for the votes of their own block; a panel has one vote of each on every prompt.
    """
    state, book = batch.state, book_of(batch.state)
    account = book.account(voter)
    for trial in state.queue:
        block = state.block_of(trial)
        assert block is not None
        had = book.given.get(block.number, {})
        if options.panel is not None:
            if voter not in had.values():
                return trial
            continue
        met = account.blocks.get(tuple(sorted(block.players)), [])
        owner = next(reversed(had.values()), None)
        if owner == voter and trial not in had:
            return trial
        left = owner is None or trial in had or batch.now > book.account(owner).last + options.patience
        if not met and left:
            return trial
    return None


def _opened_for(batch: Batch, voter: str, options: VoteOptions) -> int | None:
    state = batch.state
    met = () if options.panel is not None else book_of(state).account(voter).blocks
    first = state.last_trial + 1
    barred = [(pair[0], pair[1]) for pair in met]
    return first if open_block(batch, barred) else None


def cast(batch: Batch, voter: str, trial: int, choice: Choice, *, reason: str = "", tags: Sequence[str] = ()) -> None:
    """Take a vote; the same again is taken once. It counts when its window is over."""
    state, book = batch.state, book_of(batch.state)
    if choice not in SCORES:
        raise DataError(f"a vote is one of {', '.join(SCORES)}")
    before, held = book.casts.get(trial), state.held.get(trial)
    if before is not None and before.voter == voter:
        if before.choice != choice:
            raise DataError("this pair has your vote: take it back to change it")
        return
    if before is not None or held is None or held.worker != voter:
        if any(_said_before(event.content(), voter, choice) for event in batch.journal.events_of(trial)):
            return
        raise DataError(NOT_YOURS)
    options = VoteOptions.of(state.spec.options)
    seconds = round(max(batch.now - (held.until - state.spec.lease), 0.0), 3)
    body: dict[str, Any] = {
        "do": "cast", "trial": trial, "attempt": held.attempt, "worker": voter, "choice": choice, "seconds": seconds,
        "until": batch.now + options.window,
    }  # fmt: skip
    if tags:
        body["tags"] = sorted(set(tags))
    if reason.strip():
        text = checked_text(f"{batch.state.arena} {trial} {reason.strip()}", "a reason", LONGEST_REASON)
        body["text"] = digest(text)
        batch.keep_text(body["text"], text)
    batch.emit("vote", body)
    settle(batch)


def _said_before(body: Mapping[str, Any], voter: str, choice: str) -> bool:
    return body.get("worker") == voter and body.get("choice") == choice and "scores" in body


def undo(batch: Batch, voter: str) -> int:
    """Take the last vote back, within its window; the pair is seen again. Gives its trial."""
    settle(batch)
    state, book = batch.state, book_of(batch.state)
    mine = [trial for trial, one in book.casts.items() if one.voter == voter]
    if not mine:
        raise DataError("there is no vote to take back: they count after a while, and then stay")
    until = batch.now + state.spec.lease
    batch.emit("vote", {"do": "undone", "trial": mine[-1], "worker": voter, "until": until})
    return mine[-1]


def settle(batch: Batch, *, voter: str | None = None) -> None:
    """Count the votes whose window is over; those of a ``voter`` at once."""
    state, book = batch.state, book_of(batch.state)
    for trial, one in list(book.casts.items()):
        if (one.until > batch.now and one.voter != voter) or trial not in book.casts:
            continue
        block = state.block_of(trial)
        assert block is not None
        lease = Lease(block.trial(trial), one.attempt, one.voter, block.reason, one.until, state.arena, "")
        said = {"choice": one.choice, **({} if one.text is None else {"text": one.text})}
        outcome = Outcome(SCORES[one.choice], costs={"seconds": one.seconds})
        tell(batch, SubmittedResult(lease, outcome, vote=said))


def settle_all(batch: Batch) -> None:
    """Count every vote: the page is going away, and nobody can take one back any more."""
    for voter in {one.voter for one in book_of(batch.state).casts.values()}:
        settle(batch, voter=voter)


def answer_gold(batch: Batch, voter: str, number: int, choice: Choice, better: str) -> None:
    """Take the answer to a pair with a known answer; ``better`` is the side of the better one."""
    account = book_of(batch.state).account(voter)
    if choice not in SCORES:
        raise DataError(f"a vote is one of {', '.join(SCORES)}")
    if number != account.golds:
        return
    body = {"do": "gold", "worker": voter, "number": number, "choice": choice, "right": choice == better}
    batch.emit("vote", body)


def finish(batch: Batch, voter: str) -> None:
    """Show the names to a voter: all their votes count, and they are asked nothing more."""
    settle(batch, voter=voter)
    if not book_of(batch.state).account(voter).finished:
        batch.emit("vote", {"do": "finished", "worker": voter})
    let_go(batch, voter, "the voter is done")


def let_go(batch: Batch, voter: str, cause: str) -> None:
    """Take pairs out of a voter's hands."""
    state, book = batch.state, book_of(batch.state)
    for trial, held in list(state.held.items()):
        if held.worker == voter and trial in state.held:
            if trial in book.casts:
                batch.emit("vote", {"do": "undone", "trial": trial, "worker": voter, "until": batch.now})
            batch.emit("expired", {"trial": trial, "attempt": held.attempt, "worker": voter, "cause": cause})
            void_if_tried(batch, trial, cause)


# Voters who are left out, and let in again.


def blocks_of(batch: Batch, voter: str) -> tuple[dict[int, list[dict[str, Any]]], set[int]]:
    """Give the results of a voter's complete blocks that count or are withheld, and which of them are withheld."""
    withheld: set[int] = set()
    for event in batch.journal.events(kinds=["vote"]):
        body = event.content()
        if body["do"] in ("withheld", "restored"):
            (withheld.add if body["do"] == "withheld" else withheld.discard)(body["block"])
    results = counted(batch.journal.events(kinds=["result", "void"]))
    found: dict[int, list[dict[str, Any]]] = {}
    for body in results:
        found.setdefault(body["block"], []).append(body)
    return {at: rows for at, rows in found.items() if any(row["worker"] == voter for row in rows)}, withheld


def exclude(batch: Batch, voter: str, reason: str, by: str = "") -> int:
    """Withhold the votes of somebody until they are included again; give how many blocks that are.

    The name of a model withdraws that: it is shown no more, and what was voted on it stays.
    """
    state = batch.state
    if (refusal := state.admission.refuses(voter)) is not None:
        raise DataError(refusal)
    if voter not in book_of(state).accounts and voter in state.players:
        return _withdraw(batch, voter, reason, by)
    if voter not in book_of(state).accounts:
        raise DataError(f'no voter "{voter}" has voted here')
    settle(batch, voter=voter)
    batch.emit("admission", {"do": "exclude", "worker": voter, "reason": reason, **({"by": by} if by else {})})
    let_go(batch, voter, "the voter was excluded")
    theirs, withheld = blocks_of(batch, voter)
    gone = [at for at in theirs if at not in withheld]
    for at in gone:
        _recount(batch, "withheld", at, theirs[at], f"voter {voter} was excluded: {reason}")
    return len(gone)


def _withdraw(batch: Batch, model: str, reason: str, by: str) -> int:
    """Ask about a model no more; open pairs with it are void unless a vote on them is within its window."""
    state, book = batch.state, book_of(batch.state)
    if len({*state.players} - {*absent(state)}) < 3:
        raise DataError(f"without {model} there are no two models left to vote on")
    batch.emit("admission", {"do": "exclude", "worker": model, "reason": reason, **({"by": by} if by else {})})
    gone = [
        at for at, block in state.blocks.items()
        if model in block.players and not block.scores and not any(trial in book.casts for trial in block.trials)
    ]  # fmt: skip
    for at in gone:
        void_open(batch, at, f"{model} was withdrawn: {reason}", by=by)
    ended_by(batch, decided=True)
    return len(gone)


def include(batch: Batch, voter: str, reason: str, by: str = "") -> int:
    """Count the votes of an excluded voter again; give how many blocks that are."""
    state = batch.state
    if voter not in state.admission.excluded:
        raise DataError(f'the voter "{voter}" is not excluded')
    batch.emit("admission", {"do": "include", "worker": voter, "reason": reason, **({"by": by} if by else {})})
    theirs, withheld = blocks_of(batch, voter)
    out = state.admission.excluded
    back = [at for at in theirs if at in withheld and not any(row["worker"] in out for row in theirs[at])]
    for at in back:
        _recount(batch, "restored", at, theirs[at], f"voter {voter} was included: {reason}")
    return len(back)


def _recount(batch: Batch, do: str, block: int, rows: Sequence[Mapping[str, Any]], reason: str) -> None:
    trials = [[row["players"], row["normalised"], row["normalised"]] for row in rows]
    opening = batch.journal.opening_of(rows[0]["trial"])
    assert opening is not None
    players = opening.content()["players"]
    body = {
        "do": do, "block": block, "players": players, "task": rows[0]["task"], "trials": trials, "reason": reason,
    }  # fmt: skip
    _, decisions = batch.emit("vote", body)
    for decision in decisions:
        batch.emit("decision", decision.to_dict())
    state = batch.state
    if state.phase == "answered" and not state.contest.answered:
        batch.emit("state", {"state": "running", "ending": "", "words": "a decision was withdrawn"})
    ended_by(batch, decided=True)
