"""Play an arena: here in threads or processes, or on a cluster."""

import contextlib
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from equipoise.arena.access.activity import name_of_this_play
from equipoise.arena.access.standings import ArenaStandings
from equipoise.arena.arena import Arena
from equipoise.arena.desk import Desk
from equipoise.arena.engine.state import Phase
from equipoise.arena.processes.sandbox import sandbox_here
from equipoise.arena.remote.arena import RemoteArena
from equipoise.arena.spec.spec import ArenaSpec, PlayerSpec
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.store import is_free
from equipoise.core.errors import ParameterError, some_of
from equipoise.core.options import check, choice, positive, shown, switch, whole
from equipoise.core.wording import Option
from equipoise.runners.driver import Driver, Terms
from equipoise.runners.ending import Interrupts
from equipoise.runners.messages import Setup, Team
from equipoise.runners.processes import ProcessTeam, usable_cores
from equipoise.runners.snapshot import Listener, Showing
from equipoise.runners.threads import ThreadTeam
from equipoise.runners.trust import TrustedArena

# Which workers are wanted: how many, of which kind, with what.

Engine = Literal["processes", "threads", "ray"]
PULSE, PULSES = 0.25, 10.0
"""Seconds between signs of progress, and how many there must fit into a lease."""


class ClusterOptions(TypedDict, total=False):
    """Of a Ray cluster: its address, and what each worker claims."""

    address: str | None
    resources: Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers as they are asked for; the attributes are the options of :func:`equipoise.play`."""

    workers: int | None
    engine: Engine
    at_once: int
    warm: int
    pin: bool
    crowded: bool
    address: str | None
    resources: Mapping[str, float] | None

    def __post_init__(self) -> None:
        check(whole(1, none=True), "workers", self.workers)
        check(choice("processes", "threads", "ray"), "engine", self.engine)
        check(whole(1), "at_once", self.at_once)
        check(whole(1), "warm", self.warm)
        check(switch(), "pin", self.pin)
        check(switch(), "crowded", self.crowded)
        if self.engine == "threads" and self.at_once != 1:
            raise ParameterError(Option("at_once"), " is for processes: give more ", Option("workers"), " instead")
        for name, value in (("address", self.address), ("resources", self.resources)):
            if value is not None and self.engine != "ray":
                raise ParameterError(Option(name), " is for ", Option("engine", "ray"))

    @property
    def places(self) -> int:
        """How many processes or threads there will be."""
        cores = len(usable_cores())
        wanted = self.workers or cores
        return wanted if self.crowded or self.engine == "threads" else min(wanted, cores)

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about it."""
        if self.engine == "processes" and self.workers is not None and self.places < self.workers:
            few = f"{self.places} workers play, not {self.workers}: there are no more cores (crowded lets them share)."
            return (few,)
        return ()

    def team(self, spec: ArenaSpec) -> Team:
        """Get the workers ready to start."""
        pulse = min(PULSE, min(spec.lease, spec.stall_after) / PULSES)
        setup = Setup(spec.game, dict(spec.options), self.warm, self.at_once, pulse)
        if self.engine == "ray":
            from equipoise.runners.cluster import RayTeam

            return RayTeam(setup, self.workers, address=self.address, resources=self.resources)
        if self.engine == "threads":
            return ThreadTeam(setup, self.places)
        cores = usable_cores()
        return ProcessTeam(setup, self.places, cores if self.pin and self.places <= len(cores) else ())


@dataclass(frozen=True, slots=True)
class Played:
    """What one play did.

    Attributes
    ----------
    state
        Of the arena when it ended.
    sentence
        How far the goal is.
    trials
        Results of this play that count, forfeits included.
    forfeits, failures, late
        Players' faults, workers' faults, and results that came after another worker's.
    seconds
        How long it took.
    interrupted
        Whether it was asked to stop; play again to go on.
    notes
        What there is to say about it.
    standings
        When it ended.
    """

    state: Phase
    sentence: str
    trials: int
    forfeits: int
    failures: int
    late: int
    seconds: float
    interrupted: bool
    notes: tuple[str, ...]
    standings: ArenaStandings


def play(
    arena: Arena | RemoteArena | ArenaSpec | str | Path | Mapping[str, Any],
    workers: int | None = None,
    engine: Engine | None = None,
    *,
    to: str | Path | None = None,
    at_once: int = 1,
    labels: Collection[str] | None = None,
    warm: int = 16,
    pin: bool = True,
    crowded: bool = False,
    new_versions: bool = False,
    start_seconds: float = 60.0,
    allow: Collection[str] = (),
    on_change: Listener | None = None,
    stop: threading.Event | None = None,
    **cluster: Unpack[ClusterOptions],
) -> Played:
    """Play an arena until its question is answered, its budget is used up, or it is stopped.

    Ctrl-C once finishes the trials that are being played and stops; twice stops now. Play again to go on: nothing that
    was reported is lost, and no trial counts twice.

    Parameters
    ----------
    arena
        An arena; where one is kept (a file, ``postgresql://...``, ``http://HOST/arenas/NAME`` with the token in
        ``EQUIPOISE_TOKEN``); or what to play: an :class:`ArenaSpec` or a TOML file of one.
    workers
        How many play at the same time: one for each core where None.
    engine
        ``processes`` on this machine (None, too), ``threads`` of this process, or a cluster of ``ray``.
    to
        Where an arena is made for a spec, or gone on with; None for a temporary one, of which the standings stay.
    at_once
        Trials that each worker plays at the same time, in threads: for functions that wait for a server.
    labels
        What the workers have; players that need more are not given to them. None for everything.
    warm
        Players that each worker keeps loaded between trials.
    pin
        Whether each worker process keeps to a core of its own, where the system allows it.
    crowded
        Whether there may be more workers than cores. Clocks of players run on while they wait for a core.
    new_versions
        Whether a player may have changed since it last played here. It goes on under its old name, which the journal
        and the standings say.
    start_seconds
        How long to wait for a worker, on a cluster for its resources.
    allow
        Games and bots that may run here for an arena behind a server, such as ``uci:stockfish`` or ``python:bots:*``.
    on_change
        Called with a :class:`Snapshot`, a few times a second at most.
    stop
        Set by another thread: finish what is being played, and stop.
    **cluster
        ``address`` of a Ray cluster (None for the one this program is connected to, or a new one on this machine), and
        ``resources`` that each worker claims: ``{"CPU": 1}`` by itself.

    Returns
    -------
    Played
        What was played, and the standings.

    Fails when
        the game or a player cannot be loaded, a player is not the one that played before, workers do not start, or ten
        trials in a row fail through no player's fault.
    """
    check(switch(), "new_versions", new_versions)
    check(positive(), "start_seconds", start_seconds)
    crew = Crew(workers, engine or "processes", at_once, warm, pin, crowded, *_claims(**cluster))
    with _opened(arena, to, labels, allow) as opened, Interrupts(stop) as interrupts:
        before = opened.state
        notes: list[str] = list(opened.notes)
        terms = Terms(
            name_of_this_play(), None if labels is None else frozenset(labels), at_once, new_versions, start_seconds
        )
        showing = Showing(opened, on_change)
        if before != "running":
            notes.append(f"Nothing was played: the arena is {before}.")
            return _played(opened, None, showing, interrupts, notes)
        notes += [*crew.notes, *_unconfined(opened.spec)]
        driver = Driver(opened, crew.team(opened.spec), terms, showing, interrupts)
        driver.run()
        return _played(opened, driver, showing, interrupts, notes)


def _claims(
    address: str | None = None, resources: Mapping[str, float] | None = None
) -> tuple[str | None, Mapping[str, float] | None]:
    """Read what is asked of a cluster; any other name is refused as Python does."""
    return address, resources


def _played(arena: Desk, driver: Driver | None, showing: Showing, interrupts: Interrupts, notes: list[str]) -> Played:
    did = None if driver is None else driver.reporter
    counts = (0, 0, 0, 0) if did is None else (did.counted + did.forfeits, did.forfeits, did.failures, did.late)
    seconds = showing.seconds
    standings = arena.standings(verdict=False)
    return Played(
        standings.phase, standings.progress.sentence, *counts, seconds, interrupts.asked, tuple(notes), standings
    )


@contextlib.contextmanager
def _opened(
    given: object, to: str | Path | None, labels: Collection[str] | None, allow: Collection[str]
) -> Iterator[Arena | TrustedArena]:
    """Give the arena that is meant; one that is opened here is closed here."""
    if isinstance(given, RemoteArena) or (isinstance(given, str) and given.startswith(("http://", "https://"))):
        if to is not None:
            raise ParameterError(Option("to"), " is for a spec, not for an arena that exists")
        with TrustedArena(given, labels=labels, allow=allow) as far:
            yield far
        return
    if allow:
        raise ParameterError(Option("allow"), " is for an arena behind a server: http://...")
    if isinstance(given, Arena):
        if to is not None:
            raise ParameterError(Option("to"), " is for a spec, not for an arena that exists")
        yield given
        return
    is_file = isinstance(given, str | Path) and Path(given).suffix.lower() == ".toml"
    if isinstance(given, ArenaSpec | Mapping) or is_file:
        with contextlib.ExitStack() as last:
            folder = last.enter_context(tempfile.TemporaryDirectory(prefix="equipoise-")) if to is None else None
            where = Path(folder) / "arena.db" if folder is not None else to
            assert where is not None
            yield last.enter_context(_made(where, given))
        return
    if not isinstance(given, str | Path):
        raise ParameterError(Option("arena"), f" is an Arena, where one is kept, or a spec, not {shown(given)}")
    if to is not None:
        raise ParameterError(Option("to"), " is for a spec, not for an arena that exists")
    with Arena.open(given) as arena:
        if all(map(_cannot_reach_us, arena.spec.players)):
            arena.serve()
        yield arena


def _unconfined(spec: ArenaSpec) -> Iterator[str]:
    """Say which programs play without walls although the spec did not ask for that."""
    free = [player.name for player in spec.players if not _cannot_reach_us(player)]
    if free:
        yield (
            f"Not confined, because bubblewrap is missing or not allowed here: {some_of(free)}. "
            "Other processes cannot reach this arena while they play."
        )


def _cannot_reach_us(player: PlayerSpec) -> bool:
    """Say whether a player that is a program is kept from the owner's socket, or was freed by the spec itself."""
    is_program = (player.bot or "").startswith(("program:", "uci:"))
    return not is_program or player.options.get("sandbox") == "off" or sandbox_here() == "bubblewrap"


def _as_before(spec: ArenaSpec) -> ArenaSpec:
    """Give a spec as it was understood before goal budget played evenly by itself."""
    evenly = (spec.goal, spec.policy) == ("budget", "round-robin")
    return replace(spec, policy="ranking") if evenly else spec


def _made(where: str | Path, given: Any) -> Arena:
    """Make an arena for a spec, or go on with the one that was made for it."""
    spec = ArenaSpec.from_toml(given) if isinstance(given, str | Path) else given
    spec = spec if isinstance(spec, ArenaSpec) else ArenaSpec.from_dict(spec)
    if is_free(StorePlace.of(where)):
        return Arena.create(where, spec)
    arena = Arena.open(where)
    if arena.look(lambda state: state.spec) not in (spec, _as_before(spec)):
        arena.close()
        raise ParameterError(f"{where} contains an arena with another spec: give another place, or open that one")
    return arena
