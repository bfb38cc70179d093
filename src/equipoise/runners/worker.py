"""One who plays: it keeps the game and its players warm, resets them between blocks, and says how a trial went.

A program remembers what it likes, whatever it is asked to forget. The games of a set have the same cards, so that each
of them is played by another process of the program, which has seen neither these cards nor the other process.
"""

import os
import queue
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from time import monotonic, perf_counter

from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.protocols import ArenaGame, Player
from equipoise.arena.spec.references import described
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import PlayerFault, WorkerFault
from equipoise.core.errors import EquipoiseError, ParameterError
from equipoise.core.results import FrozenMap
from equipoise.games.load import load_game
from equipoise.players.load import load_player
from equipoise.runners.messages import Done, Job, LoadRequest, Ready, Refused, Report, Setup, SignOfLife

DEALS = 1_000
"""Deals that a process is known to have seen: more than are ever being played at once."""


class Worker:
    """Plays one trial after another.

    Parameters
    ----------
    setup
        What is played.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._game: ArenaGame | None = None
        self._warm: OrderedDict[tuple[str, int], _Seated] = OrderedDict()

    def work(self, work: LoadRequest | Job, progress: Callable[[], None]) -> Report:
        """Do what is asked, and say how it went; nothing is raised."""
        try:
            return self._check(work, progress) if isinstance(work, LoadRequest) else self._play(work, progress)
        except EquipoiseError as error:
            return Refused(error)
        except (Exception, SystemExit) as error:
            return Refused(ParameterError(f"the game or a player cannot be loaded: {described(error)}"))

    def close(self) -> None:
        """Let go of the players and the game."""
        while self._warm:
            self._drop()
        if self._game is not None:
            with suppress(Exception):
                self._game.close()
            self._game = None

    def _opened(self) -> ArenaGame:
        if self._game is None:
            self._game = load_game(self._setup.game, self._setup.options)
        return self._game

    def _check(self, check: LoadRequest, progress: Callable[[], None]) -> Ready:
        game = self._opened()
        least, most = game.seats
        if not least <= check.seats <= most:
            takes = f"{least}" if least == most else f"{least} to {most}"
            raise ParameterError(f"{game.name} takes {takes} players, not seats = {check.seats} as the spec says")
        versions: dict[str, str] = {}
        for spec in check.players:
            self._seated([spec], versions)
            progress()
        return Ready(versions, game.seats, game.score_range)

    def _play(self, job: Job, progress: Callable[[], None]) -> Done:
        versions: dict[str, str] = {}
        outcome: Outcome | None = None
        fault: PlayerFault | WorkerFault | None = None
        begun = perf_counter()
        try:
            seated = self._seated(job.players, versions, job.seed >> 1)  # a seed and its twin deal alike
            begun = perf_counter()
            outcome = self._played(job, seated, progress, begun)
        except (PlayerFault, WorkerFault) as error:
            fault = error
        return Done(job.number, job.attempt, outcome, fault, perf_counter() - begun, versions)

    def _played(self, job: Job, seated: Sequence["_Seated"], progress: Callable[[], None], begun: float) -> Outcome:
        """Play; whatever is raised that is no player's fault is the worker's."""
        try:
            for one in seated:
                one.reset_before(job.block)
            players = [one.player for one in seated]
            played = self._opened().play(players, task=job.task, seed=job.seed, progress=lambda _moves: progress())
            return Outcome(played.scores, played.controls, played.transcript, _with_load(played, begun))
        except (PlayerFault, WorkerFault):
            raise
        except (Exception, SystemExit) as error:  # a bot may call sys.exit
            raise WorkerFault(described(error)) from error

    def _seated(
        self, specs: Sequence[PlayerSpec], versions: dict[str, str], deal: int | None = None
    ) -> list["_Seated"]:
        """Give warm players, loading those that are not; note the versions of what is loaded."""
        seated = [self._fresh(spec, versions, deal) for spec in specs]
        while len(self._warm) > max(self._setup.warm, len(specs)):
            self._drop()
        return seated

    def _fresh(self, spec: PlayerSpec, versions: dict[str, str], deal: int | None) -> "_Seated":
        """Give a warm player that has not seen a deal, if seeing it would help and it could remember."""
        apart = deal is not None and (spec.bot or "").startswith("program:") and getattr(self._opened(), "hides", True)
        copies = (self._loaded(spec, copy, versions) for copy in count())
        one = next(one for one in copies if not apart or deal not in one.deals)
        if apart:
            one.deals.append(deal)
        return one

    def _loaded(self, spec: PlayerSpec, copy: int, versions: dict[str, str]) -> "_Seated":
        one = self._warm.get((spec.name, copy))
        if one is not None and one.spec is not spec and one.spec != spec:
            self._warm.pop((spec.name, copy)).close()
            one = None
        if one is None:
            one = self._warm[spec.name, copy] = _Seated(spec, load_player(spec, self._opened()))
            versions[spec.name] = one.player.version
        self._warm.move_to_end((spec.name, copy))
        return one

    def _drop(self) -> None:
        _, one = self._warm.popitem(last=False)
        one.close()


class _Seated:
    """A warm player, the last block it played, and the last deals it has seen where that matters."""

    def __init__(self, spec: PlayerSpec, player: Player) -> None:
        self.spec, self.player = spec, player
        self.deals: deque[int | None] = deque(maxlen=DEALS)
        self._block: int | None = None

    def reset_before(self, block: int) -> None:
        """Have the player forget the games before, if they were of another block."""
        if self._block is not None and self._block != block:
            self.player.reset()
        self._block = block

    def close(self) -> None:
        with suppress(Exception):  # it is gone either way
            self.player.close()


def _with_load(played: Outcome, begun: float) -> FrozenMap[float]:
    """Keep the seconds, and the load of the machine, beside what the game itself counted: clocks depend on it."""
    measured = {"seconds": round(perf_counter() - begun, 6)}
    if hasattr(os, "getloadavg"):
        with suppress(OSError):
            measured["load"] = round(os.getloadavg()[0], 2)
    return FrozenMap({**measured, **played.costs})


# One after another: a worker plays what is in a queue, and reports. The same in threads, processes and actors.

Work = queue.SimpleQueue[LoadRequest | Job | None]
"""What is to be done, in order; None ends the shift of everybody who takes from it."""


def play_all(setup: Setup, work: Work, report: Callable[[Report], None]) -> None:
    """Do what is in a queue until it says that there is no more.

    Parameters
    ----------
    setup
        What is played.
    work
        The queue; several may take from one.
    report
        Called with each report, signs of progress included.
    """
    worker = Worker(setup)
    try:
        while (one := work.get()) is not None:
            report(worker.work(one, _signs(one, setup.pulse, report)))
        work.put(None)  # for the next one who takes from it
    finally:
        worker.close()


def _signs(one: LoadRequest | Job, pulse: float, report: Callable[[Report], None]) -> Callable[[], None]:
    """Give what a game calls with every move; not every call is reported."""
    last = monotonic()

    def progress() -> None:
        nonlocal last
        if monotonic() - last >= pulse:
            last = monotonic()
            report(SignOfLife(one.number if isinstance(one, Job) else 0))

    return progress
