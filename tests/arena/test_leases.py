"""Whose a trial is while leases are renewed, run out and pass to others, over both stores."""

import time

import pytest

import equipoise as eq
from tests.arena.playing import outcome_of, small


def kinds(arena, *wanted):
    """Give the events of some kinds, as kind, trial and attempt."""
    events = [(event, event.content()) for event in arena.events() if event.kind in wanted]
    return [(event.kind, event.trial, body["attempt"]) for event, body in events]


def test_a_renewed_lease_outlives_its_first_end_and_ends_at_its_second(place, later):
    with eq.Arena.create(place, small(lease=10.0, stall_after=60.0)) as arena:
        renewed, left = arena.ask(n=2, worker="first")
        later(8)
        assert arena.renew(renewed, progress=1).until >= left.until + 7
        later(5)
        arena.sweep()
        assert kinds(arena, "expired") == [("expired", left.trial.number, 1)]
        (other,) = arena.ask(worker="second")
        assert other.trial == left.trial, "the renewed trial is still the first worker's"
        later(6)
        arena.sweep()
        gone = [event.content() for event in arena.events() if event.kind == "expired"]
        assert [(body["trial"], body["cause"]) for body in gone] == [
            (left.trial.number, "lease ran out"), (renewed.trial.number, "lease ran out"),
        ]  # fmt: skip


def test_a_renewal_outlives_the_process_that_took_it(place, later):
    with eq.Arena.create(place, small(lease=10.0, stall_after=60.0)) as arena:
        renewed, other = arena.ask(n=2)
        later(8)
        arena.renew(renewed, progress=1)
        later(5)
        arena.tell(other, outcome_of(other.trial))  # the journal has the time: who opens it does not go back before it
    with eq.Arena.open(place) as arena:
        arena.sweep()
        assert kinds(arena, "expired") == []
        assert arena.renew(renewed, progress=2).until > renewed.until


def test_a_renewal_by_a_wall_clock_that_is_set_back_ends_in_time_for_the_next_owner(place, monkeypatch):
    if "://" in place:
        pytest.skip("the clock of a PostgreSQL server cannot be set here")
    wall, ahead, passed = time.time, [0.0], [0.0]
    watch = time.monotonic
    monkeypatch.setattr(time, "time", lambda: wall() + ahead[0] + passed[0])
    monkeypatch.setattr(time, "monotonic", lambda: watch() + passed[0])
    with eq.Arena.create(place, small(lease=10.0, stall_after=10.0)) as arena:
        (lease,) = arena.ask()
        ahead[0] = 3600.0
        arena.renew(lease, progress=1)
        ahead[0] = 0.0
    with eq.Arena.open(place) as arena:
        passed[0] = 11.0
        arena.sweep()
        assert kinds(arena, "expired") == [("expired", 1, 1)], "it would hold for another hour"


def test_a_renewal_of_an_earlier_lease_does_not_hold_for_the_next_worker(place, later):
    with eq.Arena.create(place, small(lease=10.0, stall_after=60.0)) as arena:
        (first,) = arena.ask(worker="first")
        later(9)
        arena.renew(first, progress=1)
        arena.fail(first, "worker")
        (second,) = arena.ask(worker="second")
        assert second.trial == first.trial
        later(11)
        arena.sweep()
        assert kinds(arena, "failed", "expired") == [("failed", 1, 1), ("expired", 1, 2)]


def test_progress_is_counted_from_the_last_progress_not_from_the_last_renewal(place, later):
    with eq.Arena.create(place, small(lease=10.0, stall_after=25.0)) as arena:
        (lease,) = arena.ask()
        arena.renew(lease, progress=1)
        for progress in (2, 2, 3):
            later(9)
            last = arena.renew(lease, progress=progress)
        later(9)
        arena.renew(lease, progress=3)
        later(9)
        assert arena.renew(lease, progress=3).until == pytest.approx(last.until + 15, abs=0.5), "25 s after progress 3"
        later(9)
        with pytest.raises(eq.LeaseError, match=r"no progress in 27\S* s"):
            arena.renew(lease, progress=3)


def test_a_stale_workers_failure_leaves_the_lease_of_the_next_worker_alone(place, later):
    with eq.Arena.create(place, small(lease=10.0, stall_after=10.0, attempts=2)) as arena:
        (stale,) = arena.ask(worker="first")
        later(11)
        (held,) = arena.ask(worker="second")
        assert (held.trial, held.attempt) == (stale.trial, 2)
        before = list(arena.events())
        receipt = arena.fail(stale, "worker", message="no network")
        assert (receipt.counted, receipt.duplicate) == (False, True), "there was nothing left to take back"
        assert list(arena.events()) == before
        assert held.trial.number not in {lease.trial.number for lease in arena.ask(n=12, worker="third")}
        assert arena.renew(held, progress=1).worker == "second"
        assert arena.tell(held, outcome_of(held.trial)).counted
        assert arena.verify().ok


def test_a_failure_that_is_reported_twice_takes_the_trial_back_once(place):
    with eq.Arena.create(place, small(attempts=3)) as arena:
        (lease,) = arena.ask(worker="first")
        assert not arena.fail(lease, "worker").duplicate
        assert arena.fail(lease, "worker").duplicate, "the trial waits for a worker"
        (again,) = arena.ask(worker="first")
        assert (again.trial, again.attempt) == (lease.trial, 2)
        assert arena.fail(lease, "worker").duplicate, "the same worker has it under another lease"
        assert arena.tell(again, outcome_of(again.trial)).counted
        assert kinds(arena, "failed") == [("failed", 1, 1)]


def test_a_lease_ends_when_no_progress_would_end_it(place):
    with eq.Arena.create(place, small(lease=50.0, stall_after=10.0)) as arena:
        (lease,) = arena.ask()
        begun = max(event.time for event in arena.events())
        assert lease.until == begun + 10.0
        assert arena.renew(lease, progress=1).until == pytest.approx(begun + 10.0, abs=5.0)


def test_no_more_trials_are_opened_for_a_worker_that_may_play_none_of_them(place):
    """Its labels fit nobody: opening blocks for it until the budget is spent would decide what others play."""
    players = [{"name": name, "labels": ["gpu"]} for name in "abc"]
    with eq.Arena.create(place, small(players=players, budget=500)) as arena:
        assert arena.ask(n=3, labels=[]) == []
        opened = [event.content() for event in arena.events() if event.kind == "open"]
        assert sum(len(body["trials"]) for body in opened) == 64
        assert arena.ask(labels=["cpu"]) == []
        assert len([event for event in arena.events() if event.kind == "open"]) == len(opened)
        assert [lease.trial.number for lease in arena.ask(n=70, labels=["gpu", "cpu"])] == list(range(1, 71))


def test_a_limit_per_minute_looks_back_one_minute(place, later):
    players = ["a", "b", {"name": "c", "per_minute": 2}]
    with eq.Arena.create(place, small(players=players, budget=200)) as arena:

        def begun():
            return sum("c" in lease.trial.players for lease in arena.ask(n=8))

        assert begun() == 2
        later(40)
        assert begun() == 0
        later(30)
        assert begun() == 2
        later(40)
        assert begun() == 0


def test_round_robin_at_a_table_of_three_begins_with_the_first_players_and_gives_all_the_same(place):
    with eq.Arena.create(place, small(players=list("abcd"), seats=3, budget=36)) as arena:
        leases = arena.ask(n=36)
        assert set(leases[0].trial.players) == set("abc")
        blocks = {lease.trial.block: frozenset(lease.trial.players) for lease in leases}
        assert sorted(sum(name in who for who in blocks.values()) for name in "abcd") == [9] * 4
