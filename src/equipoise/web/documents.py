"""JSON documents of an arena: each is a function of the journal's end, and is made once for it."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from equipoise.arena.access.past import past_reader
from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.contests.pair_contest import PairContest
from equipoise.arena.desk import PlayCounts
from equipoise.arena.engine.state import ArenaState
from equipoise.core.results import jsonable
from equipoise.report.views.arena import arena_view
from equipoise.web.chronicle import Chronicle

LEAST_AGE, SHARE = 0.5, 0.05
"""Seconds that a document is good for while games come in, and the most of the time that making them may take."""
KEPT = 32
LOOKED_AT, LONGEST_SHOWN = 20, 20_000
"""Games among which the last one with a transcript is looked for, and how much of it is kept."""
QUICK = ("summary",)
"""What is always made for the present: runners look at it to learn whether play goes on."""


class Documents:
    """Documents of one arena, now and as it stood at an earlier event.

    Parameters
    ----------
    arena
        The arena.
    """

    def __init__(self, arena: ArenaReader) -> None:
        self._arena = arena
        self._lock = threading.Lock()
        self._made: dict[str, tuple[int, float, float, Any]] = {}
        self._past: dict[tuple[str, int], Any] = {}
        self.chronicle = Chronicle()

    def now(self, name: str, seq: int) -> tuple[int, Any]:
        """Give a document and the event that it stands at: the present one, or one half a second old."""
        with self._lock:
            kept = self._made.get(name)
            if kept is not None:
                at, made, took, document = kept
                age = time.monotonic() - made
                if at == seq or (name not in QUICK and age < max(LEAST_AGE, took / SHARE)):
                    return at, document
            begun = time.monotonic()
            at = self._arena.look(lambda state: state.seq)
            self.chronicle.catch_up(self._arena)
            document = MAKERS[name](self._arena, self.chronicle)
            self._made[name] = at, begun, time.monotonic() - begun, document
            return at, document

    def at(self, name: str, seq: int) -> Any:
        """Give a document as it stood at an event: it never changes."""
        with self._lock:
            if (name, seq) not in self._past:
                while len(self._past) >= KEPT:
                    self._past.pop(next(iter(self._past)))
                reader = past_reader(self._arena, seq)
                chronicle = Chronicle()
                chronicle.catch_up(self._arena, seq)
                self._past[name, seq] = MAKERS[name](reader, chronicle)
            return self._past[name, seq]


def _summary(arena: ArenaReader, _chronicle: Chronicle) -> dict[str, Any]:
    def seen(state: ArenaState) -> dict[str, Any]:
        counts = PlayCounts.of(state)
        return {
            "arena": state.arena, "name": state.spec.name, "game": state.spec.game, "goal": state.spec.goal,
            "level": state.spec.level, "policy": state.spec.policy, "seats": state.spec.seats, "seq": state.seq,
            "time": state.time, "state": counts.phase, "counted": counts.counted, "budget": counts.budget,
            "voids": counts.voids, "forfeits": counts.forfeits, "in_play": len(state.held),
            "players": list(state.players), "progress": counts.progress.to_dict(),
        }  # fmt: skip

    document: dict[str, Any] = jsonable(arena.look(seen))
    return document


def _progress(arena: ArenaReader, _chronicle: Chronicle) -> dict[str, Any]:
    document: dict[str, Any] = jsonable(arena.look(lambda state: state.contest.progress().to_dict()))
    return document


def _standings(arena: ArenaReader, chronicle: Chronicle) -> dict[str, Any]:
    standings = arena.standings(verdict=False)
    rows = standings.frame().to_dicts()
    for row in rows:
        record = chronicle.players.get(row["agent"])
        games = (0, 0, 0, 0) if record is None else (record.won, record.drawn, record.lost, record.forfeits)
        row |= dict(zip(("won", "drawn", "lost", "forfeits"), games, strict=True))
    view = arena_view(standings)
    assert view.card is not None
    card = view.card()
    notes = [{"code": one.code, "severity": one.severity, "message": one.message} for one in standings.diagnostics]
    document: dict[str, Any] = jsonable(
        {
            "question": card.question,
            "answer": list(card.sentences),
            "players": rows,
            "interval": standings.interval,
            "notes": notes,
        }
    )
    return document


def _decisions(arena: ArenaReader, _chronicle: Chronicle) -> dict[str, Any]:
    rows = [{**one.to_dict(), "sentence": one.decision.sentence} for one in arena.decisions()]
    document: dict[str, Any] = jsonable({"decisions": rows})
    return document


def _pairs(arena: ArenaReader, _chronicle: Chronicle) -> dict[str, Any]:
    def seen(state: ArenaState) -> list[dict[str, Any]]:
        games, points = state.tally.games(), state.tally.points()
        names = state.tally.names
        known = state.contest.evidence() if isinstance(state.contest, PairContest) else {}
        return [
            {
                "first": names[i], "second": names[j], "games": float(games[i, j]),
                "score": float((points[i, j, 0] + points[i, j, 2] / 2.0) / max(points[i, j].sum(), 1)),
                **dict(zip(("evidence", "needs"), known.get((names[i], names[j]), (None, None)), strict=True)),
            }
            for i in range(len(names)) for j in range(i + 1, len(names)) if games[i, j] > 0
        ]  # fmt: skip

    document: dict[str, Any] = jsonable({"pairs": arena.look(seen)})
    return document


def _players(arena: ArenaReader, chronicle: Chronicle) -> dict[str, Any]:
    def seen(state: ArenaState) -> list[dict[str, Any]]:
        trials = dict(zip(state.tally.names, state.tally.trials.tolist(), strict=True))
        return [
            {
                "name": name, "games": trials.get(name, 0), "version": state.versions.get(name),
                "changed": name in state.changed, "out": name in state.out,
            }
            for name in state.players
        ]  # fmt: skip

    rows = arena.look(seen)
    for row in rows:
        record = chronicle.players.get(row["name"])
        row["forfeits"] = 0 if record is None else record.forfeits
        row["reasons"] = [] if record is None else list(record.reasons)
    return {"players": rows}


def _workers(arena: ArenaReader, chronicle: Chronicle) -> dict[str, Any]:
    excluded = arena.look(lambda state: dict(state.admission.excluded))
    rows = [
        {
            "name": name, "games": one.games, "faults": one.faults, "late": one.late, "last": one.last,
            "since": one.since, "playing": sorted(one.held), "excluded": excluded.get(name.partition("/")[0]),
            **chronicle.comparison.of(name),
        }
        for name, one in sorted(chronicle.workers.items())
    ]  # fmt: skip
    return {"workers": rows, "faults": list(chronicle.faults)}


def _feed(arena: ArenaReader, chronicle: Chronicle) -> dict[str, Any]:
    in_play = arena.look(
        lambda state: [
            {
                "trial": trial, "players": list(block.trials[trial]), "task": block.task, "reason": block.reason,
                "worker": held.worker,
            }
            for trial, held in state.held.items() if (block := state.block_of(trial)) is not None
        ]
    )  # fmt: skip
    games = list(chronicle.games)[::-1]
    return {"in_play": in_play, "games": games, "last": _last_played(arena, games)}


def _last_played(arena: ArenaReader, games: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Give the last game whose transcript may be read: its block is closed, so that nobody can use it any more."""
    kept = [game for game in games[:LOOKED_AT] if game["transcript"]]
    closed = arena.look(lambda state: [game for game in kept if state.block_of(game["trial"]) is None])
    for game in closed:
        text = arena.transcript(game["trial"])
        if text is not None:
            return {**game, "text": text[:LONGEST_SHOWN]}
    return None


def _interventions(_arena: ArenaReader, chronicle: Chronicle) -> dict[str, Any]:
    return {"interventions": list(chronicle.interventions)[::-1]}


MAKERS: Mapping[str, Callable[[ArenaReader, Chronicle], dict[str, Any]]] = {
    "summary": _summary,
    "progress": _progress,
    "standings": _standings,
    "decisions": _decisions,
    "pairs": _pairs,
    "players": _players,
    "workers": _workers,
    "feed": _feed,
    "interventions": _interventions,
}
"""How each document is made."""
