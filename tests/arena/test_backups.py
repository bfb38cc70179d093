"""A journal that is exported is whole and on disk; one that was cut is not restored."""

import json
import os

import pytest

import equipoise as eq
from tests.arena.playing import finish, outcome_of, small


@pytest.fixture
def journal(tmp_path):
    """Give an exported journal in which blocks were decided, voided and left open."""
    path = tmp_path / "journal.jsonl"
    with eq.Arena.create(tmp_path / "source.db", small(open=True)) as arena:
        for lease in arena.ask(n=5):
            arena.tell(lease, outcome_of(lease.trial), transcript=f"trial {lease.trial.number}")
        arena.void(1, "wrong book")
        eq.export_arena(arena, path, what="journal")
    return path


def refused(source, where):
    """Tell whether a journal is refused and leaves no arena behind."""
    try:
        eq.restore_arena(source, where)
    except (eq.DataError, eq.ReadError):
        with pytest.raises(eq.EquipoiseError, match="no arena"):
            eq.Arena.open(where)
        return True
    return False


def test_a_journal_whose_last_events_are_missing_is_refused_although_its_end_is_there(journal, tmp_path):
    lines = journal.read_text().splitlines()
    taken = [kept for kept in range(1, len(lines) - 1) if not refused([*lines[:kept], lines[-1]], tmp_path / "b.db")]
    assert taken == []
    with pytest.raises(eq.DataError, match="is not the last one: the journal was cut"):
        eq.restore_arena([*lines[:-2], lines[-1]], tmp_path / "b.db")


def test_a_journal_that_misses_any_one_event_is_refused(journal, tmp_path):
    lines = journal.read_text().splitlines()
    events = [at for at, line in enumerate(lines) if "seq" in json.loads(line)]
    assert len(events) == 15
    assert [at for at in events if not refused([*lines[:at], *lines[at + 1 :]], tmp_path / "b.db")] == []


def test_a_file_that_was_cut_anywhere_is_refused(journal, tmp_path):
    """At the end of a line, in the middle of one, within the last one."""
    whole = journal.read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == ord("\n")]
    cuts = {0, 1, len(whole) - 2, *range(0, len(whole), 997), *ends[:-1], *(end + 1 for end in ends[:-1])}
    part = tmp_path / "part.jsonl"
    taken = []
    for cut in sorted(cuts):
        part.write_bytes(whole[:cut])
        if not refused(part, tmp_path / "b.db"):
            taken.append(cut)
    assert taken == []


def test_an_end_with_another_hash_or_number_is_refused(journal, tmp_path):
    *lines, last = journal.read_text().splitlines()
    end = json.loads(last)
    for change in ({"end": end["end"] + 1}, {"end": end["end"] - 1}, {"head": "0" * 64}, {"head": None}):
        with pytest.raises(eq.DataError, match="the journal was cut"):
            eq.restore_arena([*lines, json.dumps(end | change)], tmp_path / "b.db")


def test_events_after_the_end_of_a_journal_are_refused(journal, tmp_path):
    """A later export that was put behind an earlier one and then cut has an end, but not at its end."""
    with eq.Arena.open(tmp_path / "source.db") as arena:
        finish(arena)
        eq.export_arena(arena, tmp_path / "later.jsonl", what="journal")
    early, late = journal.read_text().splitlines(), (tmp_path / "later.jsonl").read_text().splitlines()
    both = [*early, *late[len(early) - 1 : -3]]
    with pytest.raises(eq.DataError, match="follows its end"):
        eq.restore_arena(both, tmp_path / "b.db")
    assert refused(both, tmp_path / "b.db")


def test_a_journal_under_the_first_line_of_another_arena_is_refused(journal, tmp_path):
    lines = journal.read_text().splitlines()
    other = json.loads(lines[0]) | {"arena": "0123456789abcdef"}
    with pytest.raises(eq.DataError, match="different arenas"):
        eq.restore_arena([json.dumps(other), *lines[1:]], tmp_path / "b.db")


def test_a_journal_that_was_cut_leaves_the_place_free_for_the_whole_one(place, tmp_path):
    path = tmp_path / "journal.jsonl"
    with eq.Arena.create(tmp_path / "source.db", small()) as arena:
        finish(arena)
        eq.export_arena(arena, path, what="journal")
        head = arena.verify().head
    lines = path.read_text().splitlines()
    with pytest.raises(eq.DataError, match="the journal was cut"):
        eq.restore_arena([*lines[:-2], lines[-1]], place)
    eq.restore_arena(path, place)
    with eq.Arena.open(place) as arena:
        verification = arena.verify()
        assert (verification.ok, verification.head) == (True, head)


class Disk:
    """What the system was asked to bring to the disk, in order: each file by its inode and size, and each new name."""

    def __init__(self, monkeypatch):
        self.calls = []
        fsync, replace = os.fsync, os.replace

        def synced(file):
            there = os.fstat(file)
            fsync(file)
            self.calls.append(("sync", there.st_ino, there.st_size))

        def named(source, target, **options):
            inode = os.stat(source).st_ino
            replace(source, target, **options)
            self.calls.append(("name", inode, str(target)))

        monkeypatch.setattr(os, "fsync", synced)
        monkeypatch.setattr(os, "replace", named)
        monkeypatch.setattr(os, "rename", named)


def test_an_exported_journal_is_on_disk_before_it_has_its_name_and_its_name_before_it_is_said(
    place, tmp_path, monkeypatch
):
    path = tmp_path / "backup" / "journal.jsonl"
    path.parent.mkdir()
    with eq.Arena.create(place, small()) as arena:
        finish(arena)
        disk = Disk(monkeypatch)
        lines = eq.export_arena(arena, path, what="journal")
        inodes = {path.stat().st_ino, path.parent.stat().st_ino}
        calls = [call for call in disk.calls if call[1] in inodes]
    assert [call[0] for call in calls] == ["sync", "name", "sync"]
    assert calls[0] == ("sync", path.stat().st_ino, path.stat().st_size), "nothing is written after the sync"
    assert calls[1] == ("name", path.stat().st_ino, str(path))
    assert calls[2][1] == path.parent.stat().st_ino, "a file whose name is not on disk is lost with the power"
    assert len(path.read_text().splitlines()) == lines


def test_an_export_that_fails_leaves_the_backup_before_it_whole(journal, tmp_path, monkeypatch):
    before = journal.read_bytes()

    def refuse(_file):
        raise OSError(5, "Input/output error")

    with eq.Arena.open(tmp_path / "source.db") as arena:
        finish(arena)
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", refuse)
            with pytest.raises(eq.StoreError, match="Input/output error"):
                eq.export_arena(arena, journal, what="journal")
    assert journal.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} <= {"journal.jsonl", "source.db", "source.db.lock"}
