"""What the journal says of players, workers and games, folded as it grows: each event is read once."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.journal.events import Event
from equipoise.arena.spec.trial import REPLAYED
from equipoise.web.worker_comparison import WorkerComparison

LAST_FAULTS, FEED = 3, 200
STATES: Mapping[str, str] = {
    "running": "play goes on", "paused": "play pauses", "stopped": "play was ended",
    "answered": "the question is answered", "spent": "the budget is used up",
}  # fmt: skip
EXCLUSIONS: Mapping[str, str] = {"exclude": "worker {} excluded", "include": "worker {} let in again"}


@dataclass(slots=True)
class WorkerRecord:
    """What one worker did."""

    games: int = 0
    faults: int = 0
    late: int = 0
    last: float = 0.0
    since: float = 0.0
    held: set[int] = field(default_factory=set)


@dataclass(slots=True)
class PlayerRecord:
    """What became of one player's games."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    forfeits: int = 0
    reasons: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_FAULTS))


class Chronicle:
    """Records of players and workers, and the last games.

    Attributes
    ----------
    seq
        The last event that is in it.
    workers, players, games, faults
        By name; the last games, newest last; the last workers' faults in words.
    interventions
        Pauses, games left out, workers excluded, players that joined or changed: when, by whom, and why.
    comparison
        Each worker's results beside those of the others.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.workers: dict[str, WorkerRecord] = {}
        self.players: dict[str, PlayerRecord] = {}
        self.games: deque[dict[str, Any]] = deque(maxlen=FEED)
        self.faults: deque[str] = deque(maxlen=LAST_FAULTS)
        self.interventions: deque[dict[str, Any]] = deque(maxlen=FEED)
        self._holders: dict[int, str] = {}
        self._begun: dict[int, float] = {}
        self._versions: dict[str, str] = {}
        self.comparison = WorkerComparison()

    def catch_up(self, arena: ArenaReader, until: int | None = None) -> None:
        """Read what is new."""
        for event in arena.events(after=self.seq):
            if until is not None and event.seq > until:
                return
            self._take(event, event.content())
            self.seq = event.seq

    def _take(self, event: Event, body: Mapping[str, Any]) -> None:
        trial = body.get("trial")
        if event.kind == "lease":
            record = self._worker(body["worker"], event.time)
            record.held.add(body["trial"])
            self._holders[body["trial"]] = body["worker"]
            self._begun[body["trial"]] = event.time
        elif event.kind in ("failed", "expired"):
            record = self._worker(body["worker"], event.time)
            if not body.get("stopped"):
                record.faults += 1
                why = body.get("message") or body.get("cause") or "no reason given"
                self.faults.append(f"game {trial}, {body['worker']}: {why}")
            self._release(body["trial"])
        elif event.kind == "late" and body["attempt"] == REPLAYED:
            self.comparison.played_again(body)
        elif event.kind == "replay":
            self.comparison.leased_again(body)
        elif event.kind == "late":
            self._worker(body["worker"], event.time).late += 1
        elif event.kind == "result":
            self._worker(body["worker"], event.time).games += 1
            self._result(event, body)
            self.comparison.result(body)
            self._release(body["trial"])
        else:
            self._intervention(event, body)

    def _intervention(self, event: Event, body: Mapping[str, Any]) -> None:
        """Take note of what was done to the arena, by people or by its rules."""
        what, by, block = "", body.get("by") or "", None
        if event.kind == "state":
            what = STATES[body["state"]]
            by = by or ("the arena's rules" if body.get("ending") or body.get("words") else "")
        elif event.kind == "void":
            rule = "player" in body or " was tried " in body["reason"]
            what, by, block = "games left out", by or ("the arena's rules" if rule else ""), body["block"]
        elif event.kind == "admission" and body["do"] in EXCLUSIONS:
            what = EXCLUSIONS[body["do"]].format(body["worker"])
            self.comparison.excluded(body["worker"], out=body["do"] == "exclude")
        elif event.kind == "player":
            what = f"{body['player']['name']} joined"
        elif event.kind == "version" and self._versions.get(body["player"], body["version"]) != body["version"]:
            what, by = f"{body['player']} has changed", "its worker"
        if event.kind == "version":
            self._versions[body["player"]] = body["version"]
        if what:
            said = {"what": what, "by": by or "the arena's owner", "why": body.get("reason") or body.get("words") or ""}
            self.interventions.append({"seq": event.seq, "time": event.time, "block": block, **said})

    def _worker(self, name: str, time: float) -> WorkerRecord:
        record = self.workers.setdefault(name, WorkerRecord(since=time))
        record.last = time
        return record

    def _release(self, trial: int) -> None:
        holder = self._holders.pop(trial, None)
        if holder is not None:
            self.workers[holder].held.discard(trial)

    def _result(self, event: Event, body: Mapping[str, Any]) -> None:
        forfeit = body.get("forfeit")
        scores = body["normalised"]
        for seat, name in enumerate(body["players"]):
            record = self.players.setdefault(name, PlayerRecord())
            if len(scores) > 1:
                best = max(scores[:seat] + scores[seat + 1 :])
                record.won += scores[seat] > best
                record.lost += scores[seat] < best
                record.drawn += scores[seat] == best
            if forfeit is not None and forfeit["seat"] == seat:
                record.forfeits += 1
                record.reasons.append(forfeit["message"])
        begun = self._begun.pop(body["trial"], None)
        self.games.append(finished(event, body, None if begun is None else event.time - begun))


def finished(event: Event, body: Mapping[str, Any], seconds: float | None = None) -> dict[str, Any]:
    """Give a finished game as those who watch may see it: no seed."""
    return {
        "seq": event.seq, "trial": body["trial"], "block": body["block"], "players": body["players"],
        "task": body["task"], "scores": body["scores"], "worker": body["worker"], "time": event.time,
        "seconds": seconds, "forfeit": body.get("forfeit"), "transcript": "transcript" in body,
    }  # fmt: skip


SECRET_KEYS = ("seed", "request", "secret")
PLAYER_KEYS = ("name", "labels", "concurrency", "per_minute")
"""What others than organisers learn of a player: options may hold passwords, commands are nobody's business."""


def shown_event(event: Event, *, whole: bool) -> dict[str, Any]:
    """Give an event as JSON; without seeds, options of players, hashes of tokens and transcripts unless ``whole``."""
    line = event.to_dict()
    if whole:
        return line
    body = {key: value for key, value in line["body"].items() if key not in (*SECRET_KEYS, "transcript")}
    if event.kind == "created":
        spec = {key: value for key, value in body["spec"].items() if key not in ("seed", "options")}
        spec["players"] = [_player(one) for one in spec.get("players", [])]
        body["spec"] = spec
    elif event.kind == "player":
        body["player"] = _player(body["player"])
    elif event.kind == "admission" and "token" in body and isinstance(body["token"], dict):
        body["token"] = {**body["token"], "hash": ""}
    elif event.kind in ("open", "result"):
        body["seed"] = 0
    return {**line, "body": body}


def _player(player: Any) -> Any:
    return {key: value for key, value in player.items() if key in PLAYER_KEYS} if isinstance(player, dict) else player


def shown_events(arena: ArenaReader, after: int, most: int, *, whole: bool) -> Iterator[dict[str, Any]]:
    """Give a page of the journal."""
    for event in arena.events(after=after, most=most):
        yield shown_event(event, whole=whole)
