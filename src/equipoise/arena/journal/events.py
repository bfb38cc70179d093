"""The journal: every fact that an arena committed, in order, each one's hash chained to the one before.

Everything that an arena shows is a function of this sequence. Transcripts are kept outside, by their hash, so that they
can be purged without breaking the chain; renewals of leases are not facts about play and are kept outside too.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from equipoise.arena.spec.outcome import canonical

EventKind = Literal[
    "created",
    "player",
    "open",
    "lease",
    "replay",
    "result",
    "late",
    "failed",
    "expired",
    "void",
    "decision",
    "state",
    "version",
    "admission",
    "vote",
]
"""An arena was made; a player joined; a block was opened; a trial was leased; a
finished one was leased to another worker, to be compared; its result; a result that came after
another; a worker failed; a lease ran out; a block was made void; a pair was decided; play began, rested or ended; a
player's version was seen; a token was made or revoked, a worker excluded or let in again; a vote was cast, taken back,
withheld or restored."""

BEGINNING = "0" * 64
"""What the first event is chained to."""


@dataclass(frozen=True, slots=True)
class Event:
    """A committed fact.

    Attributes
    ----------
    seq
        Its number, from 1 without gaps.
    time
        Seconds since 1970 by the arena's clock, never before the last event's.
    kind
        What happened.
    body
        What there is to say about it, as JSON text in its one canonical form.
    hash
        SHA-256 of the hash before and of this event.
    trial, block, key
        The trial and the block that it is about, and the worker's key of a result: columns of their own, so that the
        database itself keeps a trial from counting twice.
    """

    seq: int
    time: float
    kind: str
    body: str
    hash: str
    trial: int | None = None
    block: int | None = None
    key: str | None = None

    @classmethod
    def after(
        cls, before: str, seq: int, time: float, kind: EventKind, body: Mapping[str, Any], key: str | None = None
    ) -> Self:
        """Chain a new event to the hash of the one before."""
        text = canonical(body)
        at = body.get("trial"), body.get("block")
        return cls(seq, time, kind, text, chained(before, seq, time, kind, text), *at, key)

    def content(self) -> dict[str, Any]:
        """Give the body as a mapping."""
        content: dict[str, Any] = json.loads(self.body)
        return content

    def holds_after(self, before: str) -> bool:
        """Say whether the hash is the one that this event must have after another."""
        return self.hash == chained(before, self.seq, self.time, self.kind, self.body)

    def to_dict(self) -> dict[str, Any]:
        """Give the event as JSON, for a line of a journal."""
        return {
            "seq": self.seq, "time": self.time, "kind": self.kind, "body": self.content(), "key": self.key,
            "hash": self.hash,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, line: Mapping[str, Any]) -> Self:
        """Read a line of a journal."""
        body = line["body"]
        text = canonical(body)
        at = body.get("trial"), body.get("block")
        return cls(line["seq"], line["time"], line["kind"], text, line["hash"], *at, line.get("key"))


def chained(before: str, seq: int, time: float, kind: str, body: str) -> str:
    """Give the hash of an event that follows another."""
    return hashlib.sha256(f"{before}\n{seq}\n{time!r}\n{kind}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()
