"""One game, one player or one pair of an arena, with everything that may be shown of it."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from equipoise.arena.contests.contest import Decision
from equipoise.arena.engine.blocks import OpenBlock
from equipoise.arena.engine.record import Mishap
from equipoise.arena.journal.events import Event
from equipoise.core.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from equipoise.arena.journal.results import Readable

LAST_GAMES = 20
"""Games of a pair that are listed."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try to play a game: whose, from when to when, how it ended and why."""

    attempt: int
    worker: str
    began: float
    ended: float | None
    how: str
    reason: str


@dataclass(frozen=True, slots=True)
class GameAccount:
    """What is known of a game.

    Attributes
    ----------
    number, block, of
        Of the game, of the set of paired games that it belongs to, and how many games those are.
    players, task, reason
        Who sits where, on what, and why they were to play.
    state
        ``open``, ``finished`` or ``void``.
    complete
        Whether its whole set is finished or void. Before that, seed and transcript are shown to nobody: the other games
        of the set have the same cards.
    seed, transcript
        Of a complete set; the transcript is None too where none was kept, or all were purged.
    scores, forfeit, costs
        What came out: who forfeited and why; numbers that were kept beside it.
    attempts
        Who tried to play it, and when.
    void
        Why its set is void.
    """

    number: int
    block: int
    of: int
    players: tuple[str, ...]
    task: str | None
    reason: str
    state: str
    complete: bool
    seed: int | None
    transcript: str | None
    scores: tuple[float, ...] | None
    forfeit: Mapping[str, Any] | None
    costs: Mapping[str, float]
    attempts: tuple[Attempt, ...]
    void: str | None

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game of a pair in a list: its number, seats, scores, who forfeited, and when it ended."""

    number: int
    players: tuple[str, ...]
    scores: tuple[float, ...]
    forfeit: str | None
    time: float


@dataclass(frozen=True, slots=True)
class PairAccount:
    """What is known of two players against each other.

    Attributes
    ----------
    first, second
        Who they are.
    won, drawn, lost
        Games of the first against the second in complete sets.
    decision
        What is decided about the two; None where nothing stands.
    games
        The last games, oldest first.
    """

    first: str
    second: str
    won: int
    drawn: int
    lost: int
    decision: Decision | None
    games: tuple[GameLine, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PlayerAccount:
    """What is known of a player.

    Attributes
    ----------
    name, bot, version
        Who it is, and which version played last.
    games, score, mean
        Games that count, the mean normalised score, and the mean in the game's own units.
    forfeits, mishaps
        How often its own fault cost it a game, and the last reasons.
    pairs
        Against each player that it met, in the order of the spec; without their games.
    """

    name: str
    bot: str | None
    version: str | None
    games: int
    score: float | None
    mean: float | None
    forfeits: int
    mishaps: tuple[Mishap, ...]
    pairs: tuple[PairAccount, ...]

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return {**asdict(self), "mishaps": [one._asdict() for one in self.mishaps]}


def game_account(arena: "Readable", number: int) -> GameAccount:
    """Tell everything about a game that may be shown."""
    last, open_blocks = arena.look(lambda state: (state.last_trial, frozenset(state.blocks)))
    if not 1 <= number <= last:
        raise DataError(f"there is no game {number}: the last one is {last}")
    with arena.store.read() as journal:
        opening, events = journal.opening_of(number), journal.events_of(number)
        assert opening is not None
        block = OpenBlock.from_dict(opening.content())
        void, result = journal.void_of(block.number), journal.result_of(number)
        said = {} if result is None else result.content()
        complete = block.number not in open_blocks
        text = journal.transcript(said["transcript"]) if complete and said.get("transcript") is not None else None
    trial = block.trial(number)
    return GameAccount(
        number, block.number, len(block.trials), trial.players, trial.task, block.reason,
        "void" if void is not None else "open" if result is None else "finished", complete,
        trial.seed if complete else None, text, None if result is None else tuple(said["scores"]),
        said.get("forfeit"), said.get("costs") or {}, _attempts(events),
        None if void is None else str(void.content()["reason"]),
    )  # fmt: skip


ENDS = {"result": "result", "late": "late result", "expired": "taken back", "failed": "failed"}
"""How an attempt ended, by the event that says so."""


def _attempts(events: Sequence[Event]) -> tuple[Attempt, ...]:
    found: dict[int, Attempt] = {}
    for event in events:
        body = event.content()
        number = int(body.get("attempt", 0))
        if event.kind == "lease":
            found[number] = Attempt(number, body["worker"], event.time, None, "in play", "")
        elif event.kind in ENDS and number in found:
            before = found[number]
            how = "stopped" if body.get("stopped") else ENDS[event.kind]
            reason = body.get("cause") or body.get("message") or ""
            found[number] = Attempt(number, before.worker, before.began, event.time, how, reason)
    return tuple(found.values())


def player_account(arena: "Readable", name: str) -> PlayerAccount:
    """Tell everything about a player."""
    from equipoise.arena.access.standings import standings_of  # loads what rates players

    standings = standings_of(arena, verdict=False)
    at = _place(standings.agents, name)
    spec, version, mishaps = arena.look(
        lambda state: (state.players[name], state.versions.get(name), state.record.mishaps.get(name, ()))
    )
    met = [k for k in range(len(standings.agents)) if (standings.won + standings.won.T + standings.drawn)[at, k]]
    games = int(standings.trials[at])
    return PlayerAccount(
        name, spec.bot, version, games, float(standings.score[at]) if games else None,
        float(standings.mean[at]) if games else None, int(standings.forfeits[at]), mishaps,
        tuple(_pair(standings, at, k, ()) for k in met),
    )  # fmt: skip


def pair_account(arena: "Readable", first: str, second: str) -> PairAccount:
    """Tell everything about two players against each other."""
    from equipoise.arena.access.standings import standings_of  # loads what rates players

    standings = standings_of(arena, verdict=False)
    i, j = _place(standings.agents, first), _place(standings.agents, second)
    if i == j:
        raise DataError(f'two different players meet: "{first}" was given twice')
    return _pair(standings, i, j, _last_games(arena, first, second))


def _pair(standings: Any, i: int, j: int, games: tuple[GameLine, ...]) -> PairAccount:
    names = {standings.agents[i], standings.agents[j]}
    stands = [one for one in standings.decisions if {one.first, one.second} == names and one.status == "holds"]
    won, drawn = standings.won, standings.drawn
    counts = int(won[i, j]), int(drawn[i, j]), int(won[j, i])
    return PairAccount(standings.agents[i], standings.agents[j], *counts, stands[-1] if stands else None, games)


def _last_games(arena: "Readable", first: str, second: str) -> tuple[GameLine, ...]:
    """Give the last results of two players, of whatever set."""
    found: deque[GameLine] = deque(maxlen=LAST_GAMES)
    spelled = json.dumps(first, ensure_ascii=False), json.dumps(second, ensure_ascii=False)
    with arena.store.read() as journal:
        for event in journal.events(kinds=["result"]):
            if all(name in event.body or not name.isascii() for name in spelled):
                body = event.content()
                if {first, second} <= set(body["players"]):
                    fault = body.get("forfeit")
                    who = None if fault is None else body["players"][fault["seat"]]
                    players, scores = tuple(body["players"]), tuple(body["scores"])
                    found.append(GameLine(body["trial"], players, scores, who, event.time))
    return tuple(found)


def _place(names: Sequence[str], name: str) -> int:
    if name not in names:
        raise DataError(f'there is no player "{name}"{did_you_mean(name, names)}')
    return names.index(name)
