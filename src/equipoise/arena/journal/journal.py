"""An arena in files.

The journal as JSON lines is a backup that may be taken while play goes on, and the way from one store to another; the
results are a table: CSV, JSON lines or Parquet.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal

from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.events import BEGINNING, Event
from equipoise.arena.journal.results import Readable, counted_results
from equipoise.arena.spec.outcome import digest
from equipoise.arena.spec.votes import GAME
from equipoise.arena.store.place import StorePlace
from equipoise.arena.store.store import Store
from equipoise.arena.store.transaction import Transaction
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, ReadError, StoreError
from equipoise.core.lazy import pl

TOGETHER = 5_000
"""Events that are held in memory at once."""


def journal_lines(arena: Readable) -> Iterator[str]:
    """Give the journal as lines of JSON: every event of one moment, each transcript after its result, and an end."""
    kept, seq, head = set(), 0, BEGINNING
    with arena.store.read() as transaction:
        yield json.dumps({"equipoise": "arena journal", "arena": arena.id})
        for event in transaction.events():
            seq, head = event.seq, event.hash
            yield json.dumps(event.to_dict(), ensure_ascii=False, allow_nan=False)
            name = _text_of(event)
            if name is not None and name not in kept:
                kept.add(name)
                with arena.store.read() as texts:
                    text = texts.transcript(name)
                if text is not None:
                    yield json.dumps({"transcript": name, "text": text}, ensure_ascii=False)
        yield json.dumps({"end": seq, "head": head})


def _text_of(event: Event) -> str | None:
    """Give the hash of the text that an event goes with: a transcript, a voter's reason, the answers voted on."""
    if event.kind == "created":
        spec: dict[str, Any] = event.content()["spec"]
        return str(spec["options"]["answers"]) if spec["game"] == GAME else None
    body = event.content() if event.kind in ("result", "late", "vote") else {}
    text: str | None = body.get("transcript") or body.get("text")
    return text


def write_journal(arena: Readable, path: str | Path) -> int:
    """Write the journal to a file, whole and on disk or not at all; give the number of lines."""
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    lines = 0
    try:
        with part.open("w", encoding="utf-8", errors="surrogatepass") as file:
            for line in journal_lines(arena):
                file.write(f"{line}\n")
                lines += 1
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise StoreError(f"the journal cannot be written to {target}: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
    return lines


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk: a file whose name is not there is lost with the power."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems cannot sync a folder
            os.fsync(opened)
    finally:
        os.close(opened)


def restore_arena(lines: Iterable[str] | str | Path, where: str | Path) -> None:
    """Make an arena from a journal, in a new file or an empty database: all of it, or nothing.

    Leases that were open are open again, and run out by themselves; secrets are new, so workers ask anew.

    Fails when
        the journal was changed or cut: its chain of hashes is checked up to its end.
    """
    if isinstance(lines, str | Path):
        path = Path(lines)
        try:
            with path.open(encoding="utf-8", errors="surrogatepass") as file:
                _restore(file, where, str(path))
        except FileNotFoundError:
            raise ReadError(f"there is no journal {path}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise ReadError(f"{path} cannot be read: {error}") from None
    else:
        _restore(lines, where, "the journal")


def _restore(lines: Iterable[str] | IO[str], where: str | Path, name: str) -> None:
    reader = _lines(lines, name)
    first = next(reader, None)
    if first is None or first.get("equipoise") != "arena journal" or not isinstance(first.get("arena"), str):
        raise ReadError(f"{name} is no journal of an arena")
    filling = _Filling(name, first["arena"])
    Store(
        StorePlace.of(where), make=lambda transaction, *_: filling.fill(transaction, reader), identity=first["arena"]
    ).close()


class _Filling:
    """Read a journal line by line into a new arena."""

    def __init__(self, name: str, arena: str) -> None:
        self._name, self._arena = name, arena
        self._head, self._seq, self._ended = BEGINNING, 0, False
        self._state: ArenaState | None = None
        self._events: list[Event] = []
        self._texts: dict[str, str] = {}

    def fill(self, transaction: Transaction, lines: Iterator[dict[str, Any]]) -> None:
        """Write everything into one transaction."""
        for line in lines:
            self._take(line)
            if len(self._events) >= TOGETHER:
                self._write(transaction)
        self._write(transaction)
        if not self._ended or self._state is None:
            raise ReadError(f"{self._name} was cut short after event {self._seq}: its last line is missing")
        transaction.save_snapshot(self._state.snapshot())

    def _take(self, line: dict[str, Any]) -> None:
        if self._ended:
            raise DataError(f"{self._name}: something follows its end after event {self._seq}")
        if "end" in line:
            self._ended = True
            if (line["end"], line.get("head")) != (self._seq, self._head):
                raise DataError(f"{self._name}: event {self._seq} is not the last one: the journal was cut")
        elif "transcript" in line and "text" in line:
            if digest(line["text"]) != line["transcript"]:
                raise DataError(f"{self._name}: a transcript after event {self._seq} was changed")
            self._texts[line["transcript"]] = line["text"]
        else:
            self._event(line)

    def _event(self, line: dict[str, Any]) -> None:
        try:
            event = Event.from_dict(line)
            if event.seq != self._seq + 1 or not event.holds_after(self._head):
                raise DataError(
                    f"{self._name}: event {event.seq} does not follow from the one before: somebody changed it"
                )
            if self._state is None:
                self._state = ArenaState.created(event)
                if self._state.arena != self._arena:
                    raise DataError(f"{self._name}: its first line and its first event are of different arenas")
            else:
                self._state.apply(event)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, EquipoiseError):
                raise
            raise DataError(f"{self._name}: what follows event {self._seq} is no event of an arena") from None
        self._head, self._seq = event.hash, event.seq
        self._events.append(event)

    def _write(self, transaction: Transaction) -> None:
        transaction.append(self._events)
        transaction.put_transcripts(self._texts)
        self._events, self._texts = [], {}


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


Exported = Literal["results", "journal"]
SUFFIXES = (".csv", ".jsonl", ".parquet")


def results_frame(arena: Readable) -> "pl.DataFrame":
    """Give one row for each seat of each trial that counts: who, on what, against whom, with which score."""
    rows = [
        {
            "trial": body["trial"], "block": body["block"], "task": body["task"], "seed": body["seed"],
            "seat": seat, "agent": player, "score": body["scores"][seat], "normalised": body["normalised"][seat],
            "opponents": ", ".join(name for at, name in enumerate(body["players"]) if at != seat) or None,
            **{name: values[seat] for name, values in body.get("controls", {}).items()},
            **body.get("costs", {}), "worker": body["worker"], "time": body["time"],
            "forfeit": body.get("forfeit", {}).get("message") if body.get("forfeit", {}).get("seat") == seat else None,
        }
        for body in counted_results(arena)
        for seat, player in enumerate(body["players"])
    ]  # fmt: skip
    if not rows:
        raise DataError("the arena has no complete set of paired games yet: there is nothing to export")
    return pl.DataFrame(rows, infer_schema_length=None)


def export_arena(arena: Readable, path: str | Path, *, what: Exported = "results") -> int:
    """Write results, or the whole journal as a backup, to a file; give the number of rows or lines.

    Parameters
    ----------
    arena
        Any arena, also while it is played.
    path
        A file: .csv, .jsonl or .parquet for results; .jsonl for the journal.
    what
        ``results``: a row for each seat of each trial that counts. ``journal``: every event, from which
        :func:`restore_arena` makes the same arena again.

    Fails when
        the suffix is none of these, or nothing was played yet.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in ((".jsonl",) if what == "journal" else SUFFIXES):
        wanted = ".jsonl" if what == "journal" else ", ".join(SUFFIXES)
        raise ParameterError(f"{target}: give a file that ends with {wanted}")
    try:
        if what == "journal":
            return write_journal(arena, target)
        frame = results_frame(arena)
        if suffix == ".csv":
            frame.write_csv(target)
        elif suffix == ".jsonl":
            frame.write_ndjson(target)
        else:
            frame.write_parquet(target)
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror or error}") from error
    return len(frame)
