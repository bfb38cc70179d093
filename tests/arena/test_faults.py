"""What can happen to an arena besides a kill, and what is promised for each."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager

import pytest

from equipoise.arena.arena import Arena
from equipoise.arena.engine import batch, commits, failpoints, reported_results
from equipoise.arena.store import schema
from equipoise.core.errors import LeaseError, StoreError
from tests.arena.killing import ROOT
from tests.arena.playing import finish, outcome_of, small


@pytest.fixture
def wall(monkeypatch):
    """A wall clock and a stopwatch that a test moves."""
    now = {"wall": 1_000_000.0, "watch": 50.0}
    monkeypatch.setattr("equipoise.arena.engine.clock.time.monotonic", lambda: now["watch"])
    monkeypatch.setattr("equipoise.arena.engine.clock.time.time", lambda: now["wall"])
    return now


def results(arena):
    return [event.trial for event in arena.events() if event.kind == "result"]


def test_a_lost_reply_is_made_good_by_saying_it_again(place):
    """The worker cannot know whether its message arrived: it repeats, and nothing is there twice."""
    with Arena.create(place, small()) as arena:
        for number in range(12):
            arena.ask(request=f"r-{number}")  # the reply is lost
            (lease,) = arena.ask(request=f"r-{number}")
            first = arena.tell(lease, outcome_of(lease.trial))  # so is this one
            again = arena.tell(lease, outcome_of(lease.trial))
            assert (again.seq, again.counted, again.duplicate) == (first.seq, True, True)
        assert results(arena) == list(range(1, 13))
        assert arena.verify().ok


def test_tells_that_come_doubled_and_out_of_order_count_once(place):
    with Arena.create(place, small()) as arena:
        leases = arena.ask(n=12)
        for lease in [*leases[::-2], *leases, *leases[::2]]:
            arena.tell(lease, outcome_of(lease.trial))
        assert sorted(results(arena)) == list(range(1, 13))
        assert arena.verify().ok


def test_a_stopped_worker_never_crashes_and_its_result_counts_unless_somebody_was_first(tmp_path, wall):
    with Arena.create(tmp_path / "a.db", small(lease=10.0, stall_after=10.0)) as arena:
        slow, other = arena.ask(n=2, worker="slow")
        wall["wall"] += 20.0
        wall["watch"] += 20.0
        assert arena.tell(slow, (1.0, 0.0)).counted, "nobody else had finished it"
        (again,) = arena.ask(worker="quick")
        assert (again.trial, again.attempt) == (other.trial, 2)
        with pytest.raises(LeaseError, match="taken back: another worker has it"):
            arena.renew(other, progress=1)
        assert arena.tell(again, (0.0, 1.0)).counted
        late = arena.tell(other, (1.0, 0.0))
        assert (late.counted, late.duplicate) == (False, False)
        assert sorted(results(arena)) == [1, 2]
        assert arena.verify().ok


WORKER = """
import json, sys, time
from equipoise.arena.arena import Arena
from tests.arena.playing import outcome_of
arena = Arena.open(sys.argv[1])
lease = arena.ask(worker="stopped")[0]
print("asked", flush=True)
sys.stdin.readline()
receipt = arena.tell(lease, outcome_of(lease.trial))
print(json.dumps([lease.trial.number, receipt.counted, receipt.duplicate]), flush=True)
arena.close()
"""


def python(code, *arguments):
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip


def test_a_process_stopped_for_twice_its_lease_and_continued(postgres_place):
    with Arena.create(postgres_place, small(lease=0.3, stall_after=0.3)) as arena:
        worker = python(WORKER, postgres_place)
        assert worker.stdout.readline() == "asked\n"
        os.kill(worker.pid, signal.SIGSTOP)
        time.sleep(0.6)
        (lease,) = arena.ask(worker="other")
        assert (lease.trial.number, lease.attempt) == (1, 2)
        arena.tell(lease, outcome_of(lease.trial))
        os.kill(worker.pid, signal.SIGCONT)
        said, complaints = worker.communicate("\n", timeout=60)
        assert (json.loads(said), complaints) == ([1, False, False], "")
        assert arena.look(lambda state: (state.counted, state.late)) == (1, 1)


def test_no_progress_takes_a_lease_back_although_it_is_renewed(tmp_path, wall):
    def later(seconds):
        wall["wall"] += seconds
        wall["watch"] += seconds

    with Arena.create(tmp_path / "a.db", small(lease=10.0, stall_after=15.0)) as arena:
        (lease,) = arena.ask()
        arena.renew(lease, progress=1)
        later(9)
        arena.renew(lease, progress=2)
        for _ in range(2):
            later(7)
            arena.renew(lease, progress=2)
        later(2)
        with pytest.raises(LeaseError, match="no progress in 16 s"):
            arena.renew(lease, progress=2)
        arena.sweep()
        (gone,) = [event.content() for event in arena.events() if event.kind == "expired"]
        assert gone["cause"] == "no progress"
        with pytest.raises(LeaseError, match="waits for a worker"):
            arena.renew(lease, progress=3)


def test_a_clock_set_back_neither_goes_back_nor_stands_still(tmp_path, wall):
    with Arena.create(tmp_path / "a.db", small(lease=10.0, stall_after=10.0)) as arena:
        (lease,) = arena.ask()
        wall["wall"] -= 3600.0
        wall["watch"] += 4.0
        arena.ask(request="x")
        wall["watch"] += 7.0
        arena.sweep()
        times = [event.time for event in arena.events()]
        assert times == sorted(times)
        assert [event.kind for event in arena.events()][-1] == "expired", "an hour of waiting for a dead worker"
        assert lease.until == 1_000_010.0
    with Arena.open(tmp_path / "a.db") as arena:
        finish(arena)
        times = [event.time for event in arena.events()]
        assert times == sorted(times)


FORKS = """
import os, sys
from equipoise.arena.arena import Arena
from tests.arena.playing import outcome_of
gates = []
for number in range(int(sys.argv[3])):
    reader, writer = os.pipe()
    gates.append(writer)
    if not os.fork():
        arena = getattr(Arena, sys.argv[2])(sys.argv[1])
        os.read(reader, 1)
        work(arena, f"p{number}")
        arena.close()
        os._exit(0)
for gate in gates:
    os.write(gate, b"!")
sys.exit(max(os.waitstatus_to_exitcode(os.wait()[1]) for _ in gates))
"""
SWEEP = """
def work(arena, name):
    for _ in range(30):
        arena.sweep()
"""
PLAY = """
def work(arena, name):
    while leases := arena.ask(worker=name):
        for lease in leases:
            arena.tell(lease, outcome_of(lease.trial))
"""


def test_two_sweepers_take_a_lease_back_once(postgres_place):
    with Arena.create(postgres_place, small(lease=0.05, stall_after=0.05, budget=100, attempts=2)) as arena:
        arena.ask(n=50)
        time.sleep(0.1)
        racers = python(SWEEP + FORKS, postgres_place, "open", "2")
        assert racers.communicate(timeout=120)[1] == ""
        assert racers.returncode == 0
        gone = [event.trial for event in arena.events() if event.kind == "expired"]
        assert sorted(gone) == list(range(1, 51))
        assert arena.verify().ok


def test_eight_processes_ask_at_once(place):
    """Directly where the store is PostgreSQL, through the owner's socket where it is a file."""
    with Arena.create(place, small(budget=96)) as arena:
        arena.serve()
        players = python(PLAY + FORKS, place, "open" if "://" in place else "connect", "8")
        assert players.communicate(timeout=120)[1] == ""
        assert players.returncode == 0
        assert sorted(results(arena)) == list(range(1, 97))
        workers = {event.content()["worker"] for event in arena.events() if event.kind == "result"}
        assert len(workers) > 1
        assert arena.verify().ok
        assert arena.state == "spent"


def test_a_second_owner_of_a_file_is_refused_and_told_who_has_it(tmp_path):
    path = tmp_path / "a.db"
    with Arena.create(path, small()) as arena:
        (lease,) = arena.ask()
        second = python("import sys; from equipoise.arena.arena import Arena; Arena.open(sys.argv[1])", str(path))
        complaint = second.communicate(timeout=60)[1].strip().splitlines()[-1]
        assert f"in use by process {os.getpid()}" in complaint
        with pytest.raises(StoreError, match="in use by process"):
            Arena.open(path)
        with Arena.look_at(path) as reader:
            assert reader.state == "running"
        assert arena.tell(lease, (1.0, 0.0)).counted
    with Arena.open(path) as arena:
        assert results(arena) == [1]


def test_a_forked_worker_does_not_keep_the_file_of_an_owner_that_died(tmp_path):
    code = """
import os, sys, time
from equipoise.arena.arena import Arena
from tests.arena.playing import small
arena = Arena.create(sys.argv[1], small())
child = os.fork()
if not child:
    time.sleep(60)
print(child, flush=True)
os.kill(os.getpid(), 9)
"""
    owner = python(code, str(tmp_path / "a.db"))
    child = int(owner.stdout.readline())
    owner.wait(timeout=30)
    try:
        with Arena.open(tmp_path / "a.db") as arena:
            assert arena.state == "running"
    finally:
        os.kill(child, signal.SIGKILL)
        owner.communicate(timeout=30)


SLOW_FORK = """
import os, sys, time
os.register_at_fork(after_in_child=lambda: time.sleep(float(sys.argv[2])))  # a worker that has to wait for a processor
from equipoise.arena.arena import Arena
from tests.arena.playing import small
arena = Arena.open(sys.argv[1]) if os.path.exists(sys.argv[1]) else Arena.create(sys.argv[1], small())
child = os.fork()
if not child:
    time.sleep(60)
print(child, flush=True)
sys.stdin.readline()
"""


@contextmanager
def killed_owner(path, slow):
    """Kill the owner of an arena whose forked worker still has the lock open, for so many seconds."""
    owner = python(SLOW_FORK, str(path), str(slow))
    child = int(owner.stdout.readline())
    owner.kill()
    try:
        yield owner
    finally:
        os.kill(child, signal.SIGKILL)
        owner.communicate(timeout=30)


def test_an_arena_opens_at_once_after_each_death_of_its_owner(tmp_path):
    """A lock outlives its owner by a moment: until the system has closed the files of who was killed."""
    for death in range(10):
        with killed_owner(tmp_path / "a.db", 0.3) as owner:
            if death % 2:
                owner.wait(timeout=30)  # or it still seems to run
            with Arena.open(tmp_path / "a.db") as arena:
                assert arena.state == "running"


def test_a_lock_that_somebody_keeps_for_a_dead_owner_is_not_waited_for_forever(tmp_path):
    with killed_owner(tmp_path / "a.db", 60) as owner:
        owner.wait(timeout=30)
        with pytest.raises(StoreError, match=f"in use by process {owner.pid}"):
            Arena.open(tmp_path / "a.db")
        with pytest.raises(StoreError, match="is not open in any process"):
            Arena.connect(tmp_path / "a.db")


def fill(arena):
    """Take results until there is no room; give the trials whose results were acknowledged, and the refusal."""
    told = []
    try:
        while True:
            for lease in arena.ask():
                arena.tell(lease, outcome_of(lease.trial), transcript=os.urandom(4_000).hex())
                told.append(lease.trial.number)
    except StoreError as error:
        return told, str(error)


def test_a_full_disk_is_one_line_and_play_goes_on_when_there_is_room(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        with Arena.create(disk / "a.db", small(budget=2_000)) as arena:
            told, refusal = fill(arena)
            assert told
            assert refusal == f"{disk / 'a.db'}: the database says: database or disk is full"
            assert set(told) <= set(results(arena))
            subprocess.run(["mount", "-o", "remount,size=32m", disk], check=True)
            (lease,) = arena.ask()
            assert arena.tell(lease, outcome_of(lease.trial)).counted
            assert set(told) <= set(results(arena))
            assert arena.verify().ok
        with Arena.open(disk / "a.db") as arena:
            assert arena.verify().ok
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_a_database_that_refuses_in_the_middle_of_a_request_is_one_line_for_everybody(place):
    """A repeated result is looked up in the journal, and what was taken before it is written for that."""
    with Arena.create(place, small()) as arena:
        first, second = arena.ask(n=2)
        arena.tell(first, outcome_of(first.trial))
        result = arena._result(second, outcome_of(second.trial))
        repeated = arena._result(first, outcome_of(first.trial))
        answers = []

        def refuse(reached):
            if reached == "after-insert":
                raise arena.store._driver_errors[0]("no space left")

        for one in (result, repeated):
            arena._commits.submit(
                lambda batch, one=one: reported_results.tell(batch, one), lambda *answer: answers.append(answer)
            )
        with failpoints.calling(refuse):
            arena._commits.carry()
        assert [str(error) for _, error in answers] == [f"{arena.store.place}: the database says: no space left"] * 2
        assert {type(error) for _, error in answers} == {StoreError}
        assert arena.tell(second, outcome_of(second.trial)).counted
        assert arena.verify().ok


def test_a_database_that_may_not_grow_refuses_and_loses_nothing(tmp_path):
    """The same with a limit of SQLite's own, where no disk can be mounted."""
    with Arena.create(tmp_path / "a.db", small(budget=2_000)) as arena:
        with arena.store.write() as transaction:
            pages = transaction._connection.exec_driver_sql("PRAGMA page_count").scalar()
            transaction._connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 20}")
        told, refusal = fill(arena)
        assert told
        assert refusal.endswith("the database says: database or disk is full")
        (lease,) = arena.ask()  # another connection was opened, and it has no limit
        assert arena.tell(lease, outcome_of(lease.trial)).counted
        assert set(told) <= set(results(arena))
        assert arena.verify().ok


def copied(path, folder):
    """Copy a file in use, as a careless backup would."""
    folder.mkdir()
    for name in (path.name, f"{path.name}-wal"):
        shutil.copy(path.with_name(name), folder / name)
    return folder / path.name


def test_a_truncated_log_leaves_a_whole_arena_of_an_earlier_moment(tmp_path):
    """Nothing brings back what was cut off; but no half of a transaction is left, and a lease of the future is told."""
    path = tmp_path / "a.db"
    with Arena.create(path, small(budget=40)) as arena:
        leases = arena.ask(n=20)
        for lease in leases[:10]:
            arena.tell(lease, outcome_of(lease.trial))
        heads = {event.seq: event.hash for event in arena.events()}
        for cut in (1, 2_000, 9_999, 30_000):
            copy = copied(path, tmp_path / f"cut-{cut}")
            log = copy.with_name(f"{copy.name}-wal")
            os.truncate(log, log.stat().st_size - cut)
            with Arena.open(copy) as cropped:
                assert cropped.verify().ok
                seq, head = cropped.look(lambda state: (state.seq, state.head))
                assert heads[seq] == head
                if seq < 3:  # the leases were cut off, too
                    with pytest.raises(LeaseError, match="copy"):
                        cropped.tell(leases[-1], outcome_of(leases[-1].trial))
                    continue
                for lease in leases[:10]:
                    cropped.tell(lease, outcome_of(lease.trial))
                assert sorted(results(cropped)) == list(range(1, 11)), "workers that say it again make it good"
                assert cropped.verify().ok


def test_a_copy_of_a_live_file_without_its_log_says_so(tmp_path):
    path = tmp_path / "a.db"
    with Arena.create(path, small()):
        pass
    with Arena.open(path) as arena:
        assert arena.notes == ()
        (lease,) = arena.ask()
        arena.tell(lease, (1.0, 0.0))
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA wal_checkpoint(PASSIVE)")
        whole, torn = copied(path, tmp_path / "whole"), copied(path, tmp_path / "torn")
        torn.with_name("a.db-wal").unlink()
        with Arena.open(torn) as copy:
            assert "copied" in copy.notes[0]
            assert copy.verify().ok
        with Arena.open(whole) as copy:
            assert copy.notes == ()
            assert results(copy) == [1]
    with Arena.open(path) as arena:
        assert arena.notes == ()


def test_readers_that_take_their_time_do_not_keep_the_writer_waiting(place):
    with Arena.create(place, small()) as arena:
        readers = [arena.events() for _ in range(10)]
        for reader in readers:
            next(reader)
        finish(arena)
        assert arena.state == "spent"
        for reader in readers:
            assert len(list(reader)) < 12, "a reader sees one moment"


def test_a_snapshot_that_cannot_be_read_is_passed_over(place):
    with Arena.create(place, small()) as arena:
        finish(arena)
        before = arena.look(lambda state: state.snapshot()["tally"])
    with Arena.open(place) as arena, arena.store.write() as transaction:
        transaction._connection.execute(schema.snapshots.update().values(body=b"spoilt"))
    with Arena.open(place) as arena:
        assert arena.look(lambda state: state.snapshot()["tally"]) == before
        assert arena.verify().problems == ("the snapshot beside the journal cannot be read",)


def test_a_request_with_a_bug_takes_nobody_else_with_it(tmp_path):
    with Arena.create(tmp_path / "a.db", small()) as arena:
        (lease,) = arena.ask()

        def broken(written: batch.Batch):
            written.emit("version", {"player": "a", "version": "1"})
            raise ZeroDivisionError("a bug")

        gate, ended = threading.Event(), []

        def run(function):
            gate.wait()
            try:
                ended.append(function())
            except ZeroDivisionError as error:
                ended.append(str(error))

        calls = [lambda: arena._commits.run(broken), lambda: arena.tell(lease, (1.0, 0.0)).counted]
        threads = [threading.Thread(target=run, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        gate.set()
        for thread in threads:
            thread.join(timeout=30)
        assert sorted(map(str, ended)) == ["True", "a bug"]
        assert not [event for event in arena.events() if event.kind == "version"]
        assert arena.verify().ok


def test_a_leader_that_is_interrupted_leaves_nobody_asleep(tmp_path, monkeypatch):
    with Arena.create(tmp_path / "a.db", small()) as arena:
        writer = arena._commits
        gathering, go_on = threading.Event(), threading.Event()

        def interrupted():
            gathering.set()
            go_on.wait()
            monkeypatch.setattr(writer, "_gather", lambda: None)
            raise KeyboardInterrupt

        monkeypatch.setattr(writer, "_gather", interrupted)
        ended = []

        def lead():
            with pytest.raises(KeyboardInterrupt):
                arena.ask()
            ended.append("interrupted")

        leader = threading.Thread(target=lead)
        leader.start()
        gathering.wait()
        follower = threading.Thread(target=lambda: ended.append(len(arena.ask())))
        follower.start()
        while len(writer._waiting) < 2:
            time.sleep(0.001)
        go_on.set()
        leader.join(timeout=30)
        follower.join(timeout=30)
        assert sorted(map(str, ended)) == ["1", "interrupted"]
        assert arena.look(lambda state: len(state.held)) == 1, "the request of the interrupted thread was taken back"


def woken(request):
    """Tell whether a request's thread was woken."""
    return request.wait(blocking=False)


@pytest.mark.parametrize("when", ["before the answers", "after the answers", "never"])
def test_a_thread_that_is_interrupted_in_its_sleep_leaves_nobody_asleep(tmp_path, when):
    """Threads wake each other, one by one: one that is gone must not end the chain."""
    with Arena.create(tmp_path / "a.db", small()) as arena:
        writer = arena._commits
        first, gone, third = three = [commits._PendingRequest(lambda _: None, False) for _ in range(3)]
        if when == "before the answers":
            writer._leave(gone)
        writer._answer([(request, "answer", None) for request in three])
        if when == "after the answers":
            writer._leave(gone)
            assert woken(third)
        assert woken(first)
        first.wake_following()
        if when == "before the answers":
            assert woken(third)
        elif when == "never":
            assert woken(gone)
            assert not woken(third)
            gone.wake_following()
            assert woken(third)


def test_of_requests_that_wait_together_results_come_before_questions(tmp_path):
    with Arena.create(tmp_path / "a.db", small()) as arena:
        (lease,) = arena.ask()
        writer = arena._commits
        carried = []
        requests = [
            commits._PendingRequest(lambda _: carried.append("asks"), True),
            commits._PendingRequest(lambda _: carried.append("tells"), False),
        ]
        writer._waiting.extend(requests)
        with writer._writing:
            writer._commit_waiting()
        assert carried == ["tells", "asks"]
        assert arena.tell(lease, outcome_of(lease.trial)).counted


def test_snapshots_are_made_while_it_plays_and_agree_with_the_journal(place, monkeypatch):
    monkeypatch.setattr(commits, "SNAPSHOT_EVERY", 5)
    monkeypatch.setattr(commits, "SNAPSHOT_SHARE", float("inf"))
    with Arena.create(place, small()) as arena:
        finish(arena)
        with arena.store.read() as transaction:
            assert transaction.snapshot()["seq"] > 5
        assert arena.verify().ok
