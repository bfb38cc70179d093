"""Results of an arena as a table in a file: CSV, JSON lines or Parquet."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from equipoise.arena.access.readable import Readable
from equipoise.arena.journal.journal import write_journal
from equipoise.arena.journal.results import counted_results
from equipoise.core.errors import DataError, ParameterError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Exported", "export_arena", "results_frame"]

Exported = Literal["results", "journal"]
SUFFIXES = (".csv", ".jsonl", ".parquet")


def results_frame(arena: Readable) -> "pl.DataFrame":
    """Give one row for each seat of each trial that counts: who, on what, against whom, with which score."""
    import polars as pl

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
        raise DataError("the arena has no complete block yet: there is nothing to export")
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
