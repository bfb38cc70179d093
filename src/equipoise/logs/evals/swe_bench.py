"""Results of SWE-bench: the report of its harness, or lists of instances by what became of them.

``denominator`` may be ``submitted``: instances that were submitted count, and those without a patch are not resolved;
or ``all``: those that were not submitted count as not resolved, too. A diagnostic gives both shares. Lists without
``generated`` name only some of the instances that were not resolved: how many there are is the sum of the totals in
``resolved_by_repo.json`` beside them, or a number given as ``denominator``, and the share is all that such a file says.
``per`` is as in ``inspect_ai``. Reading fails when a file does not name the instances that were not submitted where
they shall count, or nothing says how many there are.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, EquipoiseError, ParameterError, ReadError
from equipoise.core.options import check, choice
from equipoise.core.wording import Advice, Option
from equipoise.logs.files.json_files import count_of, whole_object
from equipoise.logs.files.names import agent_of
from equipoise.logs.format import LogReading, Notes, Run

EVALUATION = "SWE-bench"
"""One name for all its parts: an instance is the same in each."""
BY_REPOSITORY = "resolved_by_repo.json"
SUBMITTED = ("submitted_ids", "completed_ids", "empty_patch_ids", "error_ids", "unresolved_ids")
LISTED = ("generated", "no_generation", "with_logs", "applied", "install_fail", "reset_failed", "no_apply",
          "test_errored", "test_timeout")  # fmt: skip


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Iterator[Run]:
    """Give the runs: the agent is called after the file, or after its folder where the file has no name of its own."""
    notes.mapped("file or folder (agent)", "instance (task)", "resolved (score)")
    denominator = str(how.more.get("denominator", "submitted"))
    if not denominator.isdecimal():
        check(choice("submitted", "all"), "denominator", denominator)
    broken = []
    for path in _without_counts(files, notes):
        try:
            yield _run(path, denominator, notes)
        except ParameterError:
            raise
        except EquipoiseError:
            if how.on_error == "raise":
                raise
            broken.append(path)
    notes.leave_out(broken, "not readable")


def _run(path: Path, denominator: str, notes: Notes) -> Run:
    log = whole_object(path)
    if not isinstance(log, dict):
        raise DataError(f"{path}: an object is expected")
    agent = agent_of(path)
    if "generated" not in log and "no_generation" in log:
        return _share(path, agent, log, denominator, notes)
    solved, tried, beyond = _sets(path, log)
    total = count_of(log.get("total_instances"))
    if total > len(tried):
        known = f"{len(solved):,} of {len(tried):,} submitted are resolved ({len(solved) / max(len(tried), 1):.1%})"
        notes.gather(
            "denominator-chosen",
            f"{known}, {len(solved):,} of {total:,} in all ({len(solved) / total:.1%}); {denominator} ones count",
            agent, severity="warning",
        )  # fmt: skip
        if denominator == "all" and len(tried | beyond) < total:
            raise DataError(f"{path}: the {total - len(tried):,} instances that were not submitted are not named in it")
    counted = sorted(tried | beyond) if denominator == "all" else sorted(tried)
    notes.use(len(counted))
    return Run(agent, EVALUATION, counted, [float(instance in solved) for instance in counted])


def _without_counts(files: Sequence[Path], notes: Notes) -> list[Path]:
    """Give the files with instances; counts by repository say how many instances there are, and nothing of them.

    Fails when
        only such counts are there.
    """
    counts = [path for path in files if counts_by_repository(path)]
    others = [path for path in files if path not in counts]
    if counts and not others:
        beside = counts[0].parent / "results.json"
        where = beside if beside.is_file() else "the results.json that belongs to it"
        raise DataError(
            f"{counts[0]} counts resolved instances by repository, which are no agents; read {where}, which takes the"
            " numbers of instances from it"
        )
    if counts:
        names = dict.fromkeys(path.name for path in counts)
        notes.info("files-left-out", f"{len(counts):,} files only say how many instances there are: "
                   f"{', '.join(names)}.", names)  # fmt: skip
    return others


def counts_by_repository(path: Path) -> bool:
    """Say whether a file holds ``{"repository": {"resolved": n, "total": n}, ...}``."""
    try:
        whole = whole_object(path)
    except ReadError:
        return False
    return isinstance(whole, dict) and bool(whole) and all(
        isinstance(value, dict) and set(value) == {"resolved", "total"} for value in whole.values()
    )  # fmt: skip


def _share(path: Path, agent: str, log: Mapping[str, Any], denominator: str, notes: Notes) -> Run:
    """Give the share of all instances that were resolved: the file does not name the others."""
    solved = set(log.get("resolved") or ())
    beside = path.parent / BY_REPOSITORY
    if denominator.isdecimal():
        total = int(denominator)
    elif beside.is_file() and counts_by_repository(beside):
        counted = whole_object(beside).values()
        total = sum(count_of(value["total"]) for value in counted)
        resolved = sum(count_of(value["resolved"]) for value in counted)
        if resolved != len(solved):
            raise DataError(f"{path} names {len(solved):,} resolved instances, {beside.name} counts {resolved:,}")
    else:
        raise DataError(
            f"{path} names {len(solved):,} resolved instances and only some of the others, and there is no"
            f" {BY_REPOSITORY} beside it that says how many instances there are",
            advice=[Advice("say it with ", Option("denominator", 500))],
        )
    if not len(solved) <= total or not total:
        raise DataError(f"{path}: {len(solved):,} of {total:,} instances cannot be resolved")
    notes.use(1)
    notes.gather(
        "only-shares",
        "Files that name only some of the instances that were not resolved give the share of all and nothing of single"
        " instances", f"{agent}: {len(solved):,} of {total:,}",
    )  # fmt: skip
    return Run(agent, EVALUATION, (), (len(solved) / total,), stated=True, samples=total)


def _sets(path: Path, log: Mapping[str, Any]) -> tuple[set[str], set[str], set[str]]:
    """Give the instances resolved, those submitted, and those of the benchmark that were not."""
    solved = set(log.get("resolved_ids") or log.get("resolved") or ())
    keys = SUBMITTED if any(key in log for key in ("resolved_ids", *SUBMITTED)) else LISTED
    tried = set().union(solved, *(log.get(key) or () for key in keys))
    if not tried:
        raise DataError(f"{path}: no instance is named in it")
    return solved, tried, set(log.get("incomplete_ids") or ()) - tried
