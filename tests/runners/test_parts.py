import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading

import pytest

import equipoise as eq
from equipoise.arena.access.activity import is_gone, name_of_this_play
from equipoise.arena.spec.trial import Lease, PlayerFault, Trial
from equipoise.runners import reporting
from equipoise.runners.ending import Interrupts, descendants, kill_family
from equipoise.runners.messages import Done, receive, send
from equipoise.runners.reporting import ResultReporter
from tests.runners.ended import has_ended


def test_messages_come_out_as_they_went_in():
    stream = io.BytesIO()
    said = [Done(1, 1, None, PlayerFault(1, "late", costs={"s": 2.0}), 0.1), [1, 2]]
    for one in said:
        send(stream, one)
    stream.seek(0)
    fault = receive(stream).fault
    assert (fault.seat, fault.message, fault.costs) == (1, "late", {"s": 2.0})
    assert receive(stream) == [1, 2]
    with pytest.raises(EOFError):
        receive(stream)


@pytest.mark.parametrize("cut", [3, 12])
def test_a_message_that_breaks_off_is_the_end(cut):
    stream = io.BytesIO()
    send(stream, list(range(100)))
    with pytest.raises(EOFError):
        receive(io.BytesIO(stream.getvalue()[:cut]))


def test_a_family_is_killed_whatever_sessions_it_is_in():
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert parent.stdout.readline() == b"up\n"
    (child,) = descendants(parent.pid)
    kill_family(parent.pid)
    parent.wait()
    parent.stdout.close()
    assert has_ended(child)


def test_a_play_is_gone_when_its_process_is():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    here = socket.gethostname()[:60]
    dead = f"play@{here}:{process.pid}"
    assert is_gone(dead, alone=False)
    assert not is_gone(name_of_this_play(), alone=True)
    assert is_gone("play@elsewhere:1", alone=True)
    assert not is_gone("play@elsewhere:1", alone=False)
    assert not is_gone("play@elsewhere:one", alone=True)


def test_interrupts_ask_first_and_then_insist():
    woken = []
    with Interrupts() as interrupts:
        interrupts.wakes(lambda: woken.append(1))
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.asked
        assert not interrupts.now.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupts.now.is_set()
        assert len(woken) == 2
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # as it was before
        os.kill(os.getpid(), signal.SIGINT)


LEASE = Lease(Trial(1, 1, ("a", "b"), None, 0), 1, "worker", "", 0.0, "", "")


class Away:
    """An arena whose database is away for a while."""

    def __init__(self, calls):
        self.calls = calls

    def fail(self, *_, message):
        self.calls -= 1
        if self.calls >= 0:
            raise eq.StoreError("the database is away")
        return message


def test_what_is_told_waits_for_a_database_that_is_away():
    arena = Away(2)
    reporter = ResultReporter(arena, threading.Event())
    reporter.fail(LEASE, "the network")
    assert arena.calls == -1
    assert (reporter.failures, reporter.in_a_row, reporter.last_failure) == (1, 1, "game 1 of a, b: the network")


def test_a_database_that_stays_away_ends_play(monkeypatch):
    monkeypatch.setattr(reporting, "OUTAGE", 0.1)
    with pytest.raises(eq.StoreError, match="away"):
        ResultReporter(Away(10**9), threading.Event()).fail(LEASE, "the network")


def test_snapshots_and_what_was_played_can_be_pickled(tmp_path):
    spec = eq.ArenaSpec(
        name="p", game="python:tests.runners.bots:strength", players=["a", "b"], goal="budget", budget=2
    )
    seen = []
    played = eq.play(spec, workers=1, engine="threads", on_change=seen.append)
    assert pickle.loads(pickle.dumps(played)).trials == 2
    assert pickle.loads(pickle.dumps(seen[-1])).counted == 2
