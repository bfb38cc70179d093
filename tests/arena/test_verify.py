"""What verify notices when somebody writes into the database, and that it never ends in a traceback."""

import json
import math
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.arena.spec.outcome import canonical
from equipoise.cli.main import main

SPEC = {"name": "x", "game": "python:x:y", "players": ["a", "b", "c"], "goal": "budget", "budget": 12}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(), below, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def place(tmp_path):
    where = tmp_path / "x.db"
    with eq.Arena.create(where, SPEC) as arena:
        for number in range(3):
            for lease in arena.ask(n=2):
                arena.tell(lease, (1.0, 0.0), key=f"mine {lease.trial.number}" if number else None)
    return where


def changed(place, *commands):
    connection = sqlite3.connect(place)
    with connection:
        for command in commands:
            connection.execute(command)
    connection.close()


RESULT = "(SELECT max(seq) FROM events WHERE kind = 'result')"
FIRST_RESULT = "(SELECT min(seq) FROM events WHERE kind = 'result')"
ATTACKS = {
    f"UPDATE events SET key = 'another' WHERE seq = {RESULT}": "key of event",
    f"UPDATE events SET key = 'another' WHERE seq = {FIRST_RESULT}": "key of event",
    f"UPDATE events SET key = NULL WHERE seq = {RESULT}": "key of event",
    f"UPDATE events SET key = 'attempt 2' WHERE seq = {FIRST_RESULT}": "key of event",
    "UPDATE events SET key = 'new' WHERE seq = 2": "key of event 2",
    "UPDATE arena SET id = '0123456789abcdef'": "identity of the arena was changed",
    "UPDATE arena SET secret = '0123456789abcdef'": "secret of the arena was changed",
    f"UPDATE events SET body = '[1, 2]' WHERE seq = {RESULT}": "its body is no object",
    f"UPDATE events SET body = '7' WHERE seq = {FIRST_RESULT}": "its body is no object",
    f"UPDATE events SET body = 'null' WHERE seq = {RESULT}": "its body is no object",
    f"UPDATE events SET body = 'no JSON' WHERE seq = {RESULT}": "cannot follow",
    "UPDATE events SET body = '\"text\"' WHERE seq = 1": "its body is no object",
    "UPDATE events SET body = '{}' WHERE seq = 1": "cannot follow",
    "UPDATE events SET kind = 'nonsense' WHERE seq = 3": "cannot follow",
    "UPDATE snapshots SET body = x'00'": "snapshot beside the journal cannot be read",
}


@pytest.mark.parametrize("without_snapshot", [False, True])
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_noticed_and_named(place, capsys, attack, without_snapshot):
    if without_snapshot and "snapshots" in attack:
        pytest.skip("there is none to spoil")
    changed(place, *(["DELETE FROM snapshots"] if without_snapshot else []), attack)
    assert main(["arena", "verify", "-d", str(place)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert ATTACKS[attack] in said
    assert "The journal has" in said


def test_a_cut_tail_shows_beside_what_was_noted(place, capsys):
    assert main(["arena", "verify", "-d", str(place)]) == 0
    before = " ".join(capsys.readouterr().out.split())
    with eq.Arena.look_at(place) as arena:
        noted = arena.verify()
        events = list(arena.events())
    assert f"The journal has {noted.events} events and ends with {noted.head}." in before
    last = events[-3]
    tail = f"DELETE FROM events WHERE seq > {last.seq}"
    end = f"UPDATE arena SET seq = {last.seq}, head = '{last.hash}', time = {last.time}"
    changed(place, tail, "DELETE FROM snapshots", end)
    with eq.Arena.look_at(place) as arena:
        cut = arena.verify()
    assert cut.ok  # all that is left agrees with itself
    assert (cut.events, cut.head) == (noted.events - 2, last.hash)


def test_a_restored_arena_has_a_secret_of_its_own(place, tmp_path):
    with eq.Arena.look_at(place) as arena:
        eq.export_arena(arena, tmp_path / "x.jsonl", what="journal")
    eq.restore_arena(tmp_path / "x.jsonl", tmp_path / "y.db")
    with eq.Arena.open(tmp_path / "y.db") as copy:
        assert copy.verify().ok


def test_an_arena_of_an_older_equipoise_with_keys_of_its_own_agrees(place, tmp_path, monkeypatch):
    from equipoise.arena.journal.events import Event

    after = Event.after.__func__

    def as_before(cls, before, seq, time, kind, body, key=None):
        plain = {name: value for name, value in body.items() if name not in ("secret", "key")}
        return after(cls, before, seq, time, kind, plain, key)

    monkeypatch.setattr(Event, "after", classmethod(as_before))
    with eq.Arena.create(tmp_path / "old.db", SPEC) as arena:
        (lease,) = arena.ask()
        arena.tell(lease, (1.0, 0.0), key="mine")
        assert arena.verify().ok
    monkeypatch.undo()
    with eq.Arena.open(tmp_path / "old.db") as arena:
        (lease,) = arena.ask()
        assert arena.tell(lease, (1.0, 0.0), key="mine, too").counted
        assert arena.verify().ok


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_events_are_written_as_pythons_own_json_is(body):
    assert canonical(body) == json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_events_have_no_numbers_that_json_has_not(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"scores": [number]})
