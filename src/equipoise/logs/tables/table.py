"""Logs as plain tables that every reader takes back."""

from dataclasses import replace
from pathlib import Path

from equipoise.core.diagnostics import info
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.types.matches import Matches
from equipoise.data.types.scores import Scores
from equipoise.logs.files.paths import Source
from equipoise.logs.read import read_logs
from equipoise.logs.tables.frames import LogData, frame_of

__all__ = ["import_logs"]

WRITERS = {".parquet": "write_parquet", ".csv": "write_csv", ".jsonl": "write_ndjson", ".arrow": "write_ipc"}


@former_reading
def import_logs(source: Source, output: str | Path, *, read: ReadOptions | None = None) -> LogData:
    """Convert logs into one table, and give back what was read.

    Parameters
    ----------
    source
        A log, a folder, a glob, or a list of them.
    output
        The table to write: a name that ends in .parquet, .csv, .jsonl or .arrow.
    read
        Which of several metrics is taken, and everything else about reading, as in :func:`read`.

    Fails when
        nothing there can be read, or the table cannot be written.
    """
    target = Path(output)
    writer = WRITERS.get(target.suffix.lower())
    if writer is None:
        raise ParameterError(f"{target}: tables are written as {', '.join(WRITERS)}")
    if not target.parent.is_dir():
        raise ParameterError(f"cannot write {target}: there is no folder {target.parent}")
    data = _told(read_logs(source, read or ReadOptions()))
    try:
        getattr(frame_of(data), writer)(target)
    except OSError as error:
        raise ParameterError(f"cannot write {target}: {error.strerror or error}") from error
    return data


def _told(data: LogData) -> LogData:
    """Say what of the data a table does not keep by itself."""
    if isinstance(data, Scores) and data.trials is not None and data.repeats is None:
        message = "The table holds means without the number of samples behind each, which intervals then do not know."
        advice = Advice("for a row a sample, read with ", Option("per", "sample"))
        return replace(data, diagnostics=(*data.diagnostics, info("counts-not-written", message, advice=[advice])))
    if isinstance(data, Matches) and data.group is not None:
        message = f'Which games belong together is in the column "group" ({len(data.group.labels):,} groups).'
        return replace(data, diagnostics=(*data.diagnostics, info("group-column", message)))
    return data
