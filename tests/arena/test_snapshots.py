"""A snapshot saves reading, and nothing else: what is shown is always the state of the whole journal."""

import contextlib
import shutil
import sqlite3

import psycopg
import pytest

import equipoise as eq
from tests.arena.playing import finish, outcome_of, small


def shown(arena):
    """Give what everybody sees of an arena."""
    return arena.state, arena.verify().head, arena.standings(verdict=False).to_dict()


def play(arena, trials, turned=False):
    """Bring results of some trials; ``turned`` gives each seat the other's score."""
    for lease in arena.ask(n=trials):
        scores = outcome_of(lease.trial)
        arena.tell(lease, scores[::-1] if turned else scores)


@pytest.fixture
def two(postgres_place):
    """Give an arena that two processes have open, as two objects."""
    with eq.Arena.create(postgres_place, small(lease=10.0, stall_after=60.0)) as one:
        other = eq.Arena.open(postgres_place)
        with contextlib.closing(other):
            yield one, other, postgres_place


def test_who_closes_late_leaves_the_renewals_of_others_as_they_are(two, later):
    """The snapshot of one who did not see what others wrote would forget the leases that they renewed."""
    one, other, place = two
    finished = one.ask(worker="one")
    held, told = other.ask(n=2, worker="other")
    later(8)
    other.renew(held, progress=1)
    one.close()
    later(5)
    other.tell(told, outcome_of(told.trial))
    other.sweep()
    gone = [event.trial for event in other.events() if event.kind == "expired"]
    assert gone == [finished[0].trial.number], "only the lease that nobody renewed has run out"
    assert other.renew(held, progress=2).until > held.until
    with eq.Arena.open(place) as again:
        assert shown(again) == shown(other)


def test_who_closes_late_does_not_put_an_older_snapshot_over_a_newer_one(two):
    one, other, place = two
    play(one, 4)
    finish(other)
    wanted, last = shown(other), max(event.seq for event in other.events())
    other.close()
    one.close()
    with psycopg.connect(place) as database:
        assert database.execute("SELECT seq FROM snapshots").fetchall() == [(last,)]
    with eq.Arena.open(place) as again:
        assert shown(again) == wanted


def tables(path, *statements):
    """Run statements on the file of an arena that nobody has open; give the rows of the last."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        for statement in statements:
            rows = database.execute(*statement).fetchall()
        database.commit()
    return rows


def put_snapshot(path, source):
    """Put the snapshot of one file into another."""
    rows = tables(source, ("SELECT seq, body FROM snapshots",))
    assert len(rows) == 1
    tables(path, ("DELETE FROM snapshots",), ("INSERT INTO snapshots (seq, body) VALUES (?, ?)", rows[0]))


@pytest.mark.parametrize("trials", [1, 4, 7])
def test_what_came_after_a_snapshot_is_read_from_the_journal(tmp_path, trials):
    path, early = tmp_path / "a.db", tmp_path / "early.db"
    with eq.Arena.create(path, small()) as arena:
        play(arena, trials)
    shutil.copy(path, early)
    with eq.Arena.open(path) as arena:
        finish(arena)
        wanted = shown(arena)
    put_snapshot(path, early)
    with eq.Arena.open(path) as arena:
        assert shown(arena) == wanted
        assert arena.verify().ok


@pytest.mark.parametrize("trials", [4, 6, 8])
def test_a_snapshot_of_other_events_than_the_journals_is_passed_over(tmp_path, trials):
    """It may be of a copy of the arena that went another way: as long as the journal, longer or shorter."""
    path, copy = tmp_path / "a.db", tmp_path / "copy.db"
    with eq.Arena.create(path, small()) as arena:
        play(arena, 2)
    shutil.copy(path, copy)
    with eq.Arena.open(copy) as arena:
        play(arena, 6, turned=True)
    with eq.Arena.open(path) as arena:
        play(arena, trials)
        wanted = shown(arena)
    put_snapshot(path, copy)
    with eq.Arena.open(path) as arena:
        assert (arena.state, arena.standings(verdict=False).to_dict()) == (wanted[0], wanted[2])
        finish(arena)
        assert arena.state == "spent"
        assert sorted(event.trial for event in arena.events() if event.kind == "result") == list(range(1, 13))
    with eq.Arena.open(path) as arena:
        assert arena.verify().ok, "the next snapshot is right again"
