"""Who voted on what, as far as the next pair depends on it: part of the state of an arena of votes.

The state that it is part of comes with each event. Methods called ``cast``, ``undone``, ``gold``, ``finished``,
``judged``, ``withheld``, ``restored`` and ``forgotten`` take the events of that name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from equipoise.arena.contests.contest import Decision
from equipoise.arena.engine.blocks import mean_by_player


class CastVote(NamedTuple):
    """A vote within its window, so that it can still be taken back.

    ``seconds`` is how long the pair was on the page, ``text`` the hash of a reason.
    """

    attempt: int
    voter: str
    choice: str
    until: float
    seconds: float
    text: str | None


@dataclass(slots=True)
class VoterAccount:
    """What one voter was given.

    Attributes
    ----------
    blocks
        Blocks by pair.
    votes, golds
        Votes that count, and pairs with known answers that were answered.
    last
        When the voter was last given something.
    finished
        Whether the names were shown, after which nothing more is asked.
    """

    blocks: dict[tuple[str, ...], list[int]] = field(default_factory=dict)
    votes: int = 0
    golds: int = 0
    last: float = 0.0
    finished: bool = False


class VoterBook:
    """Voters and their pairs.

    Attributes
    ----------
    accounts
        By voter.
    casts
        Votes within their window, by trial.
    given
        Who had each trial of the open blocks.
    """

    def __init__(self) -> None:
        self.accounts: dict[str, VoterAccount] = {}
        self.casts: dict[int, CastVote] = {}
        self.given: dict[int, dict[int, str]] = {}

    def account(self, voter: str) -> VoterAccount:
        """Give a voter's account; one who never saw a pair has an empty one."""
        return self.accounts.get(voter) or VoterAccount()

    def leased(self, voter: str, block: int, trial: int, players: Iterable[str], time: float) -> None:
        """Take note that a voter sees a pair."""
        account = self.accounts.setdefault(voter, VoterAccount())
        account.last = time
        met = account.blocks.setdefault(tuple(sorted(players)), [])
        if block not in met:
            met.append(block)
        self.given.setdefault(block, {})[trial] = voter

    def counted(self, trial: int, voter: str) -> None:
        """Take note that a vote counts."""
        self.casts.pop(trial, None)
        self.accounts.setdefault(voter, VoterAccount()).votes += 1

    def forget(self, block: int, trials: Iterable[int]) -> None:
        """Drop a block that is closed."""
        self.given.pop(block, None)
        for trial in trials:
            self.casts.pop(trial, None)

    def cast(self, _state: Any, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Take a vote that may still be taken back."""
        self.casts[body["trial"]] = CastVote(
            body["attempt"], body["worker"], body["choice"], body["until"], body["seconds"], body.get("text")
        )
        return ()

    def undone(self, state: Any, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Take a vote back; its voter sees the pair again."""
        self.casts.pop(body["trial"])
        held = state.held[body["trial"]]
        state.held[body["trial"]] = type(held)(held.attempt, held.worker, body["until"])
        return ()

    def gold(self, _state: Any, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Take the answer to a pair with a known answer."""
        self.accounts.setdefault(body["worker"], VoterAccount()).golds += 1
        return ()

    def finished(self, _state: Any, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Take note that a voter has seen the names."""
        self.accounts.setdefault(body["worker"], VoterAccount()).finished = True
        return ()

    forgotten = finished

    def judged(self, _state: Any, _body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Take nothing: what a model judges decides nothing."""
        return ()

    def withheld(self, state: Any, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Leave out a block for as long as its voter is excluded."""
        trials = _trials(body)
        state.recounted(body, trials, -1)
        decisions: tuple[Decision, ...] = state.contest.voided(
            body["block"], tuple(body["players"]), body["task"], mean_by_player(trials)
        )
        return decisions

    def restored(self, state: Any, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        """Count a block again."""
        trials = _trials(body)
        state.recounted(body, trials, 1)
        decisions: tuple[Decision, ...] = state.contest.restored(
            body["block"], tuple(body["players"]), mean_by_player(trials)
        )
        return decisions

    def state(self) -> dict[str, Any]:
        """Give everything as JSON."""
        accounts = []
        for name, one in self.accounts.items():
            blocks = [[list(pair), met] for pair, met in one.blocks.items()]
            accounts.append([name, blocks, one.votes, one.golds, one.last, one.finished])
        given = [[block, [list(one) for one in trials.items()]] for block, trials in self.given.items()]
        return {"accounts": accounts, "casts": [[trial, *cast] for trial, cast in self.casts.items()], "given": given}

    @classmethod
    def from_state(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`state` wrote."""
        new = cls()
        for name, blocks, *rest in saved["accounts"]:
            new.accounts[name] = VoterAccount({tuple(pair): list(met) for pair, met in blocks}, *rest)
        new.casts = {trial: CastVote(*cast) for trial, *cast in saved["casts"]}
        new.given = {block: dict(trials) for block, trials in saved["given"]}
        return new


def _trials(body: Mapping[str, Any]) -> list[tuple[tuple[str, ...], tuple[float, ...]]]:
    return [(tuple(seats), tuple(scores)) for seats, scores, _ in body["trials"]]
