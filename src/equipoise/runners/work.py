"""Work for an arena behind a server: play what it leases, until its question is answered."""

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from equipoise.arena.access.activity import name_of_this_play
from equipoise.arena.engine.state import Phase
from equipoise.core.options import check, positive, switch
from equipoise.runners.driver import Driver, Terms
from equipoise.runners.ending import Interrupts
from equipoise.runners.play import Crew
from equipoise.runners.reporting import ResultReporter
from equipoise.runners.snapshot import Showing
from equipoise.runners.trust import TrustedArena


@dataclass(frozen=True, slots=True)
class Worked:
    """What one worker did.

    Attributes
    ----------
    state
        Of the arena when it ended.
    sentence
        How far the goal is.
    games, forfeits, failures, late
        Results that count, players' faults among them, faults of this worker, and results that came too late.
    seconds
        How long it took.
    interrupted
        Whether it was asked to stop.
    """

    state: Phase
    sentence: str
    games: int
    forfeits: int
    failures: int
    late: int
    seconds: float
    interrupted: bool


def work(
    url: str,
    token: str | None = None,
    workers: int | None = None,
    engine: Literal["processes", "threads"] = "processes",
    *,
    labels: Collection[str] | None = None,
    allow: Collection[str] = (),
    trust: bool = False,
    commands: Mapping[str, str] | None = None,
    at_once: int = 1,
    new_versions: bool = False,
    start_seconds: float = 60.0,
    stop: threading.Event | None = None,
) -> Worked:
    """Play for an arena behind a server until its question is answered, its budget is used up, or it is stopped.

    The spec and the names of games and players come from the server; what runs is what is installed here, and what
    ``allow`` names. Any number of machines may work for one arena: what one of them leaves is played by another.

    Parameters
    ----------
    url
        ``http://HOST:PORT/arenas/NAME``.
    token
        A worker's, from ``equipoise arena token new``.
    workers
        How many play at the same time: one for each core where None.
    engine
        ``processes`` or ``threads``.
    labels
        What this machine has, such as ``gpu``; None for everything.
    allow
        Games and bots that may run here, such as ``uci:stockfish`` or ``python:bots:*``.
    trust
        Run whatever the server names: for machines of one's own only.
    commands
        Bots that play here under players' names, whatever the server names for them: ``{"rocky": "uci:stockfish"}``.
    at_once
        Games that each worker plays at the same time.
    new_versions
        Whether a player may have changed since it last played.
    start_seconds
        How long to wait for a worker.
    stop
        Set by another thread: finish what is being played, and stop.

    Returns
    -------
    Worked
        What was played.

    Fails when
        the server cannot be reached, the token is not good, or something would run that is not allowed here.
    """
    check(switch(), "trust", trust)
    check(switch(), "new_versions", new_versions)
    check(positive(), "start_seconds", start_seconds)
    crew = Crew(workers, engine, at_once, 16, True, False, None, None)
    trusted = TrustedArena(url, token, labels=labels, allow=allow, trust=trust, commands=commands)
    with trusted as arena, Interrupts(stop) as interrupts:
        spec, showing = arena.spec, Showing(arena, None)
        reporter = ResultReporter(arena, interrupts.now)
        if arena.state == "running":
            known = None if labels is None else frozenset(labels)
            terms = Terms(name_of_this_play(), known, at_once, new_versions, start_seconds)
            driver = Driver(arena, crew.team(spec), terms, showing, interrupts)
            driver.run()
            reporter = driver.reporter
        now = arena.counts()
        return Worked(
            now.phase, now.progress.sentence, reporter.counted + reporter.forfeits, reporter.forfeits,
            reporter.failures, reporter.late, showing.seconds, interrupts.asked,
        )  # fmt: skip
