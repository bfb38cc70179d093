"""Results of SWE-bench: the report of its harness, or lists of instances by what became of them.

``denominator`` may be ``submitted``: instances that were submitted count, and those without a patch are not resolved;
or ``all``: those that were not submitted count as not resolved, too. A diagnostic gives both shares. ``per`` is as in
``inspect_ai``. Reading fails when a file does not name the instances that were not submitted where they shall count.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, EquipoiseError, ParameterError
from equipoise.core.options import check, choice
from equipoise.logs.files.json_files import whole_object
from equipoise.logs.format import LogReading, Notes, Run

EVALUATION = "SWE-bench"
"""One name for all its parts: an instance is the same in each."""
WITHOUT_A_NAME = frozenset({"results", "report", "result", "results.json"})
SUBMITTED = ("submitted_ids", "completed_ids", "empty_patch_ids", "error_ids", "unresolved_ids")
LISTED = ("generated", "no_generation", "with_logs", "applied", "install_fail", "reset_failed", "no_apply",
          "test_errored", "test_timeout")  # fmt: skip


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: the agent is called after the file, or after its folder where the file has no name of its own."""
    notes.mapped("file or folder (agent)", "instance (task)", "resolved (score)")
    denominator = how.more.get("denominator", "submitted")
    check(choice("submitted", "all"), "denominator", denominator)
    broken = []
    for path in files:
        try:
            log = whole_object(path)
            solved, tried, beyond = _sets(path, log)
        except ParameterError:
            raise
        except EquipoiseError:
            if how.on_error == "raise":
                raise
            broken.append(path)
            continue
        agent = _agent(path)
        total = log.get("total_instances")
        if total and total > len(tried):
            known = f"{len(solved):,} of {len(tried):,} submitted are resolved ({len(solved) / max(len(tried), 1):.1%})"
            notes.gather(
                "denominator-chosen",
                f"{known}, {len(solved):,} of {total:,} in all ({len(solved) / total:.1%}); {denominator} ones count",
                agent, severity="warning",
            )  # fmt: skip
            if denominator == "all" and len(tried | beyond) < total:
                raise DataError(
                    f"{path}: the {total - len(tried):,} instances that were not submitted are not named in it"
                )
        counted = sorted(tried | beyond) if denominator == "all" else sorted(tried)
        notes.use(len(counted))
        yield Run(agent, EVALUATION, counted, [float(instance in solved) for instance in counted])
    notes.leave_out(broken, "not readable")


def _sets(path: Path, log: Mapping[str, Any]) -> tuple[set[str], set[str], set[str]]:
    """Give the instances resolved, those submitted, and those of the benchmark that were not."""
    if not isinstance(log, dict):
        raise DataError(f"{path}: an object is expected")
    solved = set(log.get("resolved_ids") or log.get("resolved") or ())
    keys = SUBMITTED if "resolved_ids" in log else LISTED
    tried = set().union(solved, *(log.get(key) or () for key in keys))
    if not tried:
        raise DataError(f"{path}: no instance is named in it")
    return solved, tried, set(log.get("incomplete_ids") or ()) - tried


def _agent(path: Path) -> str:
    return path.absolute().parent.name if path.stem.lower() in WITHOUT_A_NAME else path.stem
