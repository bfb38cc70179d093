"""Files of recorded scores: the baseline that a test compares with, and the first one ever, its anchor.

Each is a table in JSON lines that every command reads (``agent``, ``task``, ``run``, ``score``): ``equipoise gate
scores.jsonl --base anchor --new baseline --margin 0.05 --tasks fixed`` says what all small changes since add up to.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.core.errors import DataError, ReadError

if TYPE_CHECKING:
    from equipoise.data.types.scores import Scores

BASELINE, ANCHOR = "baseline", "anchor"
UPDATE = "--equipoise-update"
"""The option of pytest that records."""


def read_baselines(path: Path) -> "dict[str, Scores]":
    """Give what a test compares with, by name: the baseline, and the anchor where there is another one.

    Any table or log of one agent will do as a baseline.

    Fails when
        there is no such file, or several agents and none of them is called so.
    """
    from equipoise.analyses.source import open_source

    if not path.exists():
        raise ReadError(f"there is no baseline {path}: record one with pytest {UPDATE}")
    scores = open_source(path, ("scores",), asked_by="gate").data
    names = [name for name in (BASELINE, ANCHOR) if name in scores.agents]
    if not names and len(scores.agents) > 1:
        raise DataError(f"{path} has {len(scores.agents):,} agents, and none is called {BASELINE}")
    found = {}
    for name in names or scores.agents:
        row = scores.agents.index(name)
        found[name] = scores.take(agents=[row], tasks=~scores.missing[row])
    return found


def rows_of(scores: "Scores") -> list[dict[str, Any]]:
    """Give a row for each run of one agent."""
    if scores.repeats is None or scores.run_labels is None or scores.run_labels[0] is None:
        raise DataError("a baseline has runs with names")
    return [
        {"task": task, "run": run, "score": float(scores.repeats[0, j, k])}
        for j, task in enumerate(scores.tasks)
        for k, run in enumerate(scores.run_labels[0])
    ]


def write_baseline(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Put another baseline into the file; the first that was ever there stays as the anchor.

    The file is replaced as a whole: whoever reads it meanwhile has the old one or the new one.
    """
    before = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    anchor = [row for row in before if row["agent"] == ANCHOR] or [{**row, "agent": ANCHOR} for row in before]
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    lines = [json.dumps(row) for row in (*({"agent": BASELINE, **row} for row in rows), *anchor)]
    draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    os.replace(draft, path)
