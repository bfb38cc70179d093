"""Results as one object, ``{"instance": true, ...}``: what SWE-bench Pro's evaluation writes, one file an agent.

An instance without an answer (null) is none that was tried. Reading fails where a value is neither true, false nor
null, unless ``on_error`` is ``skip``. ``per`` is as in ``inspect_ai``.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from equipoise.core.errors import DataError
from equipoise.logs.files.json_files import whole_object
from equipoise.logs.files.names import agent_of
from equipoise.logs.format import LogReading, Notes, Run
from equipoise.logs.tables.rows import short_name

PRO, ANY = "SWE-bench Pro", "instances"
"""Files do not say what they are of, but names of SWE-bench Pro begin with "instance_"."""
OPEN = "without an answer"


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: the agent is called after the file, or after its folder where the file has no name of its own."""
    notes.mapped("file or folder (agent)", "key (task)", "true or false (score)")
    for path in files:
        solved = whole_object(path)
        if not isinstance(solved, dict):
            raise DataError(f"{path}: an object is expected")
        bad = [name for name, value in solved.items() if value is not None and not isinstance(value, bool)]
        if bad and how.on_error == "raise":
            raise DataError(f"{path}: {short_name(bad[0])}: true or false is expected, not {solved[bad[0]]!r}")
        open_ones = sum(value is None for value in solved.values())
        for reason, count in ((OPEN, open_ones), ("neither true nor false", len(bad))):
            if count:
                notes.drop(reason, count)
        if open_ones:
            notes.gather("samples-without-score", "Instances without an answer (null) are left out", agent_of(path))
        kept = {name: float(value) for name, value in solved.items() if isinstance(value, bool)}
        notes.use(len(kept))
        evaluation = PRO if kept and all(name.startswith("instance_") for name in kept) else ANY
        yield Run(agent_of(path), evaluation, list(kept), list(kept.values()))
