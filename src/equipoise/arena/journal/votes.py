"""What the journal says of votes and voters beyond who won: seconds, gold questions, pairs that were left, entries."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from equipoise.arena.contests.contest import Decision
from equipoise.arena.contests.pair_contest import PairContest
from equipoise.arena.engine.blocks import OpenBlock
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.events import Event
from equipoise.arena.journal.results import Readable, counted, votes_as_matches
from equipoise.core.results import FloatArray
from equipoise.data.types.matches import Matches
from equipoise.schedule.leaving import BearableLeaving


@dataclass(slots=True)
class VoteRecord:
    """Votes with everything that is known of them.

    Attributes
    ----------
    votes, seconds
        Votes that count, and how long each took; None before there are any.
    everything
        The same with the votes of excluded voters.
    excluded
        Voters who are left out, with the reason, who said so, and when.
    gold
        Right answers and questions of each voter.
    left
        Blocks that a voter left open, by pair.
    shown
        How often each model was shown, and how often that pair was left.
    sides
        The same of each model on the first side.
    reasons
        How many votes have a reason.
    entered, moves
        When each model came in; when it was withdrawn or came back: its name, which of both, reason, by whom, when.
    groups
        Group of each voter: the first label of their invitation, where it has one.
    judges
        Votes of models that judge, in both orders.
    """

    votes: Matches | None = None
    seconds: FloatArray | None = None
    everything: Matches | None = None
    excluded: dict[str, tuple[str, str, float]] = field(default_factory=dict)
    gold: dict[str, tuple[int, int]] = field(default_factory=dict)
    left: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    shown: dict[str, tuple[int, int]] = field(default_factory=dict)
    sides: dict[str, tuple[int, int]] = field(default_factory=dict)
    reasons: int = 0
    entered: dict[str, float] = field(default_factory=dict)
    moves: list[tuple[str, str, str, str, float]] = field(default_factory=list)
    groups: dict[str, str] = field(default_factory=dict)
    judges: dict[str, Matches] = field(default_factory=dict)


LEFT = ("lease ran out", "no progress")
"""Causes of a lease that ended because its voter left."""


def pairs_left(events: Iterable[Event]) -> dict[tuple[str, str], list[int]]:
    """Give the blocks of each pair that a voter left, among openings and ends of leases."""
    opened: dict[int, tuple[int, tuple[str, ...]]] = {}
    found: dict[tuple[str, str], list[int]] = {}
    for event in events:
        body = event.content()
        if event.kind == "open":
            block = OpenBlock.from_dict(body)
            opened |= {trial: (block.number, seats) for trial, seats in block.trials.items()}
        elif event.kind == "expired" and body["cause"] in LEFT:
            number, seats = opened[body["trial"]]
            found.setdefault((min(seats), max(seats)), []).append(number)
    return found


def with_leaving(arena: Readable, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Let each decision of an arena of votes say how much leaving it bears, where anybody left before it."""
    left = pairs_left(arena.events(kinds=["open", "expired"]))

    def bears(state: ArenaState) -> dict[tuple[str, str], BearableLeaving]:
        return state.contest.bearable(left) if left and isinstance(state.contest, PairContest) else {}

    borne = arena.look(bears)

    def said(one: Decision) -> Decision:
        known = borne.get((one.first, one.second or ""))
        if known is None or not known.left or one.status == "withdrawn":
            return one
        return replace(one, sentence=f"{one.sentence.rstrip('.')}; this {known.words}.")

    return tuple(said(one) for one in decisions)


def vote_record(arena: Readable) -> VoteRecord:
    """Read the journal of an arena of votes."""
    new, events = VoteRecord(), list(arena.events())
    blocks: dict[int, OpenBlock] = {}
    at: dict[int, int] = {}
    judged: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        body = event.content()
        if event.kind == "created":
            new.entered = dict.fromkeys((one["name"] for one in body["spec"]["players"]), event.time)
        elif event.kind == "player":
            new.entered[body["player"]["name"]] = event.time
        elif event.kind == "open":
            blocks[body["block"]] = block = OpenBlock.from_dict(body)
            at |= dict.fromkeys(block.trials, body["block"])
        elif event.kind in ("lease", "expired"):
            gone = event.kind == "expired" and body["cause"] in LEFT
            if event.kind == "lease" or gone:
                seats = blocks[at[body["trial"]]].trials[body["trial"]]
                _count(new, seats, left=gone)
        elif event.kind == "admission" and body["do"] == "admit":
            if body["token"]["role"] == "voter" and body["token"]["labels"]:
                new.groups[body["token"]["name"]] = body["token"]["labels"][0]
        elif event.kind == "admission" and body["do"] == "exclude":
            new.excluded[body["worker"]] = (body["reason"], body.get("by", ""), event.time)
        elif event.kind == "admission" and body["do"] == "include":
            new.excluded.pop(body["worker"], None)
        elif event.kind == "vote" and body["do"] == "judged":
            judged.setdefault(body["judge"], []).append(body)
        elif event.kind == "vote" and body["do"] == "gold":
            right, asked = new.gold.get(body["worker"], (0, 0))
            new.gold[body["worker"]] = (right + bool(body["right"]), asked + 1)
        new.reasons += event.kind == "result" and "text" in body
    new.left = pairs_left(events)
    _part(new, {event.content()["worker"] for event in events if event.kind == "lease"}, events)
    rows = list(counted(iter([one for one in events if one.kind in ("result", "void", "vote")])))
    whole = list(counted(iter([one for one in events if one.kind in ("result", "void")])))
    new.votes = votes_as_matches(rows) if rows else None
    new.everything = votes_as_matches(whole) if whole else None
    new.seconds = np.array([row.get("costs", {}).get("seconds", np.nan) for row in rows]) if rows else None
    new.judges = {name: _judged(bodies) for name, bodies in judged.items()}
    return new


def _part(record: VoteRecord, voters: Collection[str], events: Iterable[Event]) -> None:
    """Take models that were withdrawn from among the voters who are left out."""
    for event in events:
        body = event.content()
        if event.kind == "admission" and body["do"] in ("exclude", "include"):
            name = body["worker"]
            if name in record.entered and name not in voters:
                what = "withdrawn" if body["do"] == "exclude" else "back"
                record.moves.append((name, what, body["reason"], body.get("by", ""), event.time))
                record.excluded.pop(name, None)


def _judged(bodies: list[dict[str, Any]]) -> Matches:
    """Give what a model judged: each pair twice, in both orders."""
    first = [player for body in bodies for player in body["players"]]
    second = [player for body in bodies for player in body["players"][::-1]]
    score = [one for body in bodies for one in (body["both"][0], 1.0 - body["both"][1])]
    return Matches.from_columns(first, second, score, task=[body["task"] for body in bodies for _ in "ab"])


def _count(record: VoteRecord, seats: tuple[str, ...], *, left: bool) -> None:
    for kept, names in ((record.shown, seats), (record.sides, seats[:1])):
        for name in names:
            times, gone = kept.get(name, (0, 0))
            kept[name] = (times + (not left), gone + left)
