"""Results as one object, ``{"instance": true, ...}``: what SWE-bench Pro's evaluation writes, one file an agent.

SWE-bench's harness writes ``{"instance": {"resolved": true, ...}}`` for each instance in a folder of its own, below a
folder for each agent: the files of an agent are one run. An instance without an answer (null) is none that was tried.
Reading fails where a value is neither true, false nor null, unless ``on_error`` is ``skip``. ``per`` is as in
``inspect_ai``.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.logs.files.json_files import whole_object
from equipoise.logs.files.names import agent_of
from equipoise.logs.format import LogReading, Notes, Run
from equipoise.logs.tables.rows import short_name

PRO, SWE, ANY = "SWE-bench Pro", "SWE-bench", "instances"
"""Files do not say what they are of, but names of SWE-bench Pro begin with "instance_"."""
OPEN = "without an answer"


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: the agent is called after the file, or after its folder where the file has no name of its own."""
    notes.mapped("file or folder (agent)", "key (task)", "true or false (score)")
    reports: dict[str, dict[str, float]] = {}
    for path in files:
        whole = whole_object(path)
        if not isinstance(whole, dict):
            raise DataError(f"{path}: an object is expected")
        agent = _agent(path, whole)
        kept = _kept(path, agent, whole, how, notes)
        if not any(isinstance(value, dict) for value in whole.values()):
            pro = kept and all(name.startswith("instance_") for name in kept)
            yield Run(agent, PRO if pro else ANY, list(kept), list(kept.values()))
        elif kept.keys() & reports.setdefault(agent, {}).keys():
            yield Run(agent, SWE, list(kept), list(kept.values()))
        else:
            reports[agent] |= kept
    for agent, kept in reports.items():
        yield Run(agent, SWE, list(kept), list(kept.values()))


def _agent(path: Path, whole: Mapping[str, Any]) -> str:
    """Name the agent; a folder that is called after an instance in it is passed over."""
    agent = agent_of(path)
    return agent_of(path.parent.parent / path.name) if path.parent.name in whole else agent


def _kept(path: Path, agent: str, whole: Mapping[str, Any], how: LogReading, notes: Notes) -> dict[str, float]:
    """Give the instances that were answered."""
    solved = {name: value.get("resolved", value) if isinstance(value, dict) else value for name, value in whole.items()}
    bad = [name for name, value in solved.items() if value is not None and not isinstance(value, bool)]
    if bad and how.on_error == "raise":
        raise DataError(f"{path}: {short_name(bad[0])}: true or false is expected, not {str(solved[bad[0]])[:60]!r}")
    open_ones = sum(value is None for value in solved.values())
    for reason, count in ((OPEN, open_ones), ("neither true nor false", len(bad))):
        if count:
            notes.drop(reason, count)
    if open_ones:
        notes.gather("samples-without-score", "Instances without an answer (null) are left out", agent)
    kept = {name: float(value) for name, value in solved.items() if isinstance(value, bool)}
    notes.use(len(kept))
    return kept
