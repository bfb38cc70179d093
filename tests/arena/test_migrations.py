"""Files of older and newer versions, and the journal as the way from one store to another."""

import contextlib
import json
import sqlite3
import threading
from pathlib import Path

import pytest

from equipoise.arena.arena import Arena
from equipoise.arena.journal.journal import journal_lines, restore_arena, write_journal
from equipoise.arena.store import schema
from equipoise.core.errors import DataError, EquipoiseError, ReadError
from tests.arena.killing import Victims, downgrade, standings
from tests.arena.playing import finish, outcome_of, small

VERSION_1 = Path(__file__).parent / "fixtures" / "version-1.sql"


@pytest.fixture
def old(tmp_path):
    """An arena in a file of version 1."""
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(VERSION_1.read_text())
    return path


def version_of(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        views = database.execute("SELECT COUNT(*) FROM sqlite_master WHERE type = 'view'").fetchone()[0]
        return (
            database.execute("SELECT version FROM arena").fetchone()[0],
            database.execute("PRAGMA user_version").fetchone()[0],
            views,
        )


def test_a_file_of_version_1_is_upgraded_and_played_on(old):
    assert version_of(old) == (1, 1, 0)
    with Arena.open(old) as arena:
        assert arena.spec.name == "of version 1"
        assert arena.look(lambda state: (state.counted, state.voids)) == (5, 1)
        assert arena.verify().ok
        assert arena.transcript(1) == "trial 1"
    assert version_of(old) == (schema.VERSION, schema.VERSION, len(schema.VIEWS))
    with Arena.open(old) as arena:
        for lease in arena.ask(n=12):
            arena.tell(lease, outcome_of(lease.trial))
        assert arena.verify().ok


def test_an_upgrade_that_is_killed_in_the_middle_has_not_happened(old):
    with Victims() as victims:
        life = {"place": str(old), "spec": None, "create": False, "seconds": None, "threads": 0, "name": "w"}
        assert victims.live(**life, failpoint="in-migration")["killed"]
        assert version_of(old) == (1, 1, 0)
        with Arena.open(old) as arena:
            assert arena.verify().ok
    assert version_of(old)[0] == schema.VERSION


def test_an_arena_in_postgresql_is_upgraded_too(postgres_place):
    with Arena.create(postgres_place, small()) as arena:
        finish(arena)
        before = standings(arena)
    downgrade(postgres_place)
    with Arena.open(postgres_place) as arena:
        assert standings(arena) == before
        with arena.store.read() as transaction:
            assert transaction._connection.execute(schema.arena.select()).mappings().one()["version"] == schema.VERSION


def test_an_arena_of_a_newer_version_is_refused_in_one_line(place):
    with Arena.create(place, small()) as arena, arena.store.write() as transaction:
        transaction._connection.execute(schema.arena.update().values(version=99))
    for way in (Arena.open, Arena.look_at):
        with pytest.raises(ReadError, match=r"made by a newer Equipoise.*99.*upgrade Equipoise") as refusal:
            way(place)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("target", ["sqlite", "postgresql"])
def test_a_backup_taken_while_it_plays_is_restored_into_either_store(place, target, tmp_path, request):
    backup = tmp_path / "backup.jsonl"
    with Arena.create(place, small(budget=120)) as arena:
        for lease in arena.ask(n=20):
            arena.tell(lease, outcome_of(lease.trial), transcript=f"trial {lease.trial.number}")
        other = threading.Thread(target=finish, args=(arena,))
        other.start()
        write_journal(arena, backup)
        other.join()
        whole = tmp_path / "whole.jsonl"
        write_journal(arena, whole)
        shown = standings(arena)
    new = str(tmp_path / "restored.db") if target == "sqlite" else request.getfixturevalue("postgres").fresh()
    restore_arena(whole, new)
    with Arena.open(new) as arena:
        assert standings(arena) == shown
        assert arena.verify().ok
        assert arena.transcript(7) == "trial 7"
        again = [json.loads(line) for line in journal_lines(arena)]
        assert again == [json.loads(line) for line in whole.read_text().splitlines()]
    part = str(tmp_path / "part.db")
    restore_arena(backup, part)
    with Arena.open(part) as arena:
        assert arena.verify().ok
        finish(arena)
        assert arena.verify().ok


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda lines: lines[:-1], "cut short after event"),
        (lambda lines: lines[:5], "cut short after event 4"),
        (lambda lines: [*lines[:5], *lines[6:]], "does not follow"),
        (lambda lines: [line.replace('"scores": [1.0', '"scores": [0.5') for line in lines], "does not follow"),
        (lambda lines: [line.replace('"text": "trial', '"text": "trail') for line in lines], "transcript.*changed"),
        (lambda lines: [*lines[:4], '{"seq": 4}', *lines[4:]], "no event"),
        (lambda lines: [*lines[:4], "{", *lines[4:]], "line 5 is no JSON"),
        (lambda lines: lines[1:], "no journal of an arena"),
        (lambda _: [], "no journal of an arena"),
        (lambda lines: [lines[0]], "cut short after event 0"),
    ],
)
def test_a_journal_that_was_changed_or_cut_is_refused_and_nothing_is_left(tmp_path, spoil, words):
    with Arena.create(tmp_path / "a.db", small()) as arena:
        for lease in arena.ask(n=6):
            arena.tell(lease, (1.0, 0.0), transcript=f"trial {lease.trial.number}")
        lines = list(journal_lines(arena))
    with pytest.raises((DataError, ReadError), match=words):
        restore_arena(spoil(lines), tmp_path / "b.db")
    with pytest.raises(EquipoiseError):
        Arena.open(tmp_path / "b.db")
    restore_arena(lines, tmp_path / "b.db")
    with Arena.open(tmp_path / "b.db") as arena:
        assert arena.verify().ok


def test_what_was_changed_in_the_file_is_found(tmp_path):
    changes = {
        "UPDATE events SET body = replace(body, '1.0', '0.5') WHERE kind = 'result' AND trial = 2": "was changed",
        "UPDATE transcripts SET text = 'other' WHERE text = 'trial 3'": "the transcript of game 3 was changed",
        "DELETE FROM events WHERE kind = 'result' AND trial = 4": "follows event",
        "UPDATE events SET trial = 99 WHERE kind = 'lease' AND trial = 5": "columns",
    }  # fmt: skip
    for number, (change, words) in enumerate(changes.items()):
        path = tmp_path / f"{number}.db"
        with Arena.create(path, small()) as arena:
            for lease in arena.ask(n=6):
                arena.tell(lease, (1.0, 0.0), transcript=f"trial {lease.trial.number}")
        with contextlib.closing(sqlite3.connect(path)) as database:
            assert database.execute(change).rowcount == 1
            database.commit()
        with Arena.open(path) as arena:
            verification = arena.verify()
            assert not verification.ok
            assert any(words in problem for problem in verification.problems), verification.problems
