"""Who plays an arena at this moment, when the last result came, and why games failed."""

import os
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from equipoise.arena.engine.record import Mishap, WorkerResults
from equipoise.arena.engine.state import ArenaState, Phase
from equipoise.arena.store.ownership import owner_of, process_runs
from equipoise.core.wording import counted

if TYPE_CHECKING:
    from equipoise.arena.journal.results import Readable

# Names of plays in the journal, by which a play that died is known.


def name_of_this_play() -> str:
    """Give the name under which this process leases trials."""
    return f"play@{_host()}:{os.getpid()}"


def is_gone(worker: str, *, alone: bool) -> bool:
    """Say whether a play has died, as far as can be known from here.

    Parameters
    ----------
    worker
        Its name in the journal; others than plays are never known to be gone.
    alone
        Whether this process alone writes to the arena: who did so from another machine has ended.

    >>> is_gone("worker 7", alone=True), is_gone(name_of_this_play(), alone=True)
    (False, False)
    """
    host, colon, number = worker.removeprefix("play@").rpartition(":")
    if not worker.startswith("play@") or not colon or not number.isdecimal():
        return False
    return not process_runs(int(number)) if host == _host() else alone


def _host() -> str:
    return socket.gethostname()[:60] or "here"


@dataclass(frozen=True, slots=True)
class WorkerActivity:
    """What a worker does: games in its hands, results it brought, seconds since the last one (None before)."""

    worker: str
    playing: int
    results: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class ArenaActivity:
    """Who plays, and what went wrong.

    Attributes
    ----------
    state
        Whether play goes on.
    playing
        Games in workers' hands whose leases are good and whose workers are not known to be gone.
    seconds
        Since the last result; None before the first.
    workers
        Who plays, then who brought results, the last first.
    mishaps
        Games that failed or were forfeited, the last first, each with the player at fault, or else who sat there.
    """

    state: Phase
    playing: int
    seconds: float | None
    workers: tuple[WorkerActivity, ...]
    mishaps: tuple[tuple[str, Mishap], ...]

    @property
    def answer(self) -> tuple[str, ...]:
        """Who plays and when the last result came, while play is to go on."""
        if self.state not in ("running", "paused"):
            return ()
        since = "" if self.seconds is None else duration(self.seconds)
        busy = sum(one.playing > 0 for one in self.workers)
        if busy:
            last = f"the last result came {since} ago" if since else "there is no result yet"
            who = f"{counted(busy, 'worker')} {'plays' if busy == 1 else 'play'}"
            return (f"{who} {counted(self.playing, 'game')}; {last}.",)
        return (f"Nobody has played for {since}." if since else "Nobody is playing.",)

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        mishaps = [{"player": who, **one._asdict()} for who, one in self.mishaps]
        return {**asdict(self), "mishaps": mishaps}


def duration(seconds: float) -> str:
    """Write seconds for people.

    >>> duration(0.31), duration(75.0), duration(7300.0)
    ('0.3 s', '1 min', '2 h')
    """
    for size, unit in ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s" if seconds < 10.0 else f"{seconds:.0f} s"


def activity_of(arena: "Readable") -> ArenaActivity:
    """Say who plays an arena at this moment."""
    file = arena.store.place.file
    unowned = file is not None and not arena.store.owner and not owner_of(file)
    now, leases = arena.store.moment()
    return arena.look(lambda state: _seen(state, now, leases, unowned))


def _seen(state: ArenaState, now: float, leases: dict[int, float], unowned: bool) -> ArenaActivity:
    playing: dict[str, int] = {}
    for trial, held in state.held.items():
        until = max(held.until, leases.get(trial, held.until))
        if until > now and not unowned and not is_gone(held.worker, alone=False):
            playing[held.worker] = playing.get(held.worker, 0) + 1
    known = state.record.workers
    names = sorted({*playing, *known}, key=lambda name: (name not in playing, -known.get(name, NEVER).last))
    last = max((one.last for one in known.values()), default=None)
    mishaps = [(who, one) for who, some in state.record.mishaps.items() for one in some]
    return ArenaActivity(
        state.phase, sum(playing.values()), None if last is None else max(0.0, now - last),
        tuple(_workers(names, playing, known, now)), tuple(sorted(mishaps, key=lambda one: -one[1].time)),
    )  # fmt: skip


NEVER = WorkerResults(0, 0.0)
"""Of a worker that brought no result yet."""


def _workers(
    names: list[str], playing: dict[str, int], known: dict[str, WorkerResults], now: float
) -> Iterator[WorkerActivity]:
    for name in names:
        results = known.get(name)
        seconds = None if results is None else max(0.0, now - results.last)
        yield WorkerActivity(name, playing.get(name, 0), 0 if results is None else results.results, seconds)
