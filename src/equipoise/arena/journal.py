"""The journal as JSON lines: a backup that may be taken while play goes on, and the way from one store to another."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from equipoise.arena.events import BEGINNING, Event
from equipoise.arena.outcome import digest
from equipoise.arena.readable import Readable
from equipoise.arena.state import State
from equipoise.arena.store.place import Place
from equipoise.arena.store.store import Store
from equipoise.errors import DataError, ReadError

__all__ = ["journal_lines", "restore", "write_journal"]

TOGETHER = 5_000
"""Events in one transaction of a restoration."""


def journal_lines(arena: Readable) -> Iterator[str]:
    """Give the journal as lines of JSON: every event of one moment, each transcript after its result."""
    kept = set()
    with arena.store.read() as transaction:
        yield json.dumps({"equipoise": "arena journal", "arena": arena.id})
        for event in transaction.events():
            yield json.dumps(event.to_dict(), ensure_ascii=False, allow_nan=False)
            name = event.content().get("transcript") if event.kind in ("result", "late") else None
            if name is not None and name not in kept:
                kept.add(name)
                with arena.store.read() as texts:
                    text = texts.transcript(name)
                if text is not None:
                    yield json.dumps({"transcript": name, "text": text}, ensure_ascii=False)


def write_journal(arena: Readable, path: str | Path) -> int:
    """Write the journal to a file, whole or not at all; give the number of lines."""
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    lines = 0
    with part.open("w", encoding="utf-8") as file:
        for line in journal_lines(arena):
            file.write(f"{line}\n")
            lines += 1
    part.replace(target)
    return lines


def restore(lines: Iterable[str] | str | Path, where: str | Path) -> None:
    """Make an arena from a journal, in a new file or an empty database; its chain of hashes is checked.

    Leases that were open are open again, and run out by themselves.
    """
    if isinstance(lines, str | Path):
        path = Path(lines)
        if not path.is_file():
            raise ReadError(f"there is no journal {path}")
        with path.open(encoding="utf-8") as file:
            _restore(file, where, str(path))
    else:
        _restore(lines, where, "the journal")


def _restore(lines: Iterable[str] | IO[str], where: str | Path, name: str) -> None:
    reader = _lines(lines, name)
    first = next(reader, None)
    if first is None or first.get("equipoise") != "arena journal":
        raise ReadError(f"{name} is no journal of an arena")
    store = Store(Place.of(where), new=True)
    try:
        store.become(str(first["arena"]))
        _fill(store, reader, name)
    finally:
        store.close()


def _fill(store: Store, lines: Iterator[dict[str, Any]], name: str) -> None:
    head, seq, state = BEGINNING, 0, None
    events: list[Event] = []
    texts: dict[str, str] = {}
    for line in lines:
        if "transcript" in line and "text" in line:
            if digest(line["text"]) != line["transcript"]:
                raise DataError(f"{name}: a transcript after event {seq} was changed")
            texts[line["transcript"]] = line["text"]
            continue
        event = Event.from_dict(line)
        if event.seq != seq + 1 or not event.holds_after(head):
            raise DataError(
                f"{name}: event {event.seq} does not follow from the one before: the journal was changed or cut"
            )
        head, seq = event.hash, event.seq
        if state is None:
            state = State.created(event)
        else:
            state.apply(event)
        events.append(event)
        if len(events) >= TOGETHER:
            _write(store, events, texts)
            events, texts = [], {}
    _write(store, events, texts)
    if state is None:
        raise ReadError(f"{name} holds no events")
    with store.write() as transaction:
        transaction.save_snapshot(state.snapshot())


def _write(store: Store, events: list[Event], texts: dict[str, str]) -> None:
    with store.write() as transaction:
        transaction.append(events)
        transaction.put_transcripts(texts)


def _lines(lines: Iterable[str], name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            raise ReadError(f"{name}: line {number} is no JSON") from None
        if not isinstance(value, dict):
            raise ReadError(f"{name}: line {number} is no event")
        yield value
