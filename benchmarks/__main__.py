"""What ``make bench`` runs: ``python -m benchmarks``; ``--help`` lists its options."""

import argparse
import compileall
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.change import page_of_changes
from benchmarks.measure import Limits, Record, left_out, measure
from benchmarks.page import document, machine, page, table

NAMES = (
    "command",
    "rank",
    "column",
    "rating",
    "style",
    "vote",
    "choice",
    "exact",
    "flow",
    "item",
    "count",
    "table",
    "log",
    "run",
    "game",
    "play",
    "arena",
    "web",
)
MODULES = tuple(f"benchmarks.{name}_jobs" for name in NAMES)
"""What users do first comes first: if the time runs out, it is the peers' long runs that are left out."""
WHOLE = Limits(repeats=4, call=40.0, slow=2.0, share=20.0, minutes=20.0)
QUICK = Limits(repeats=2, call=6.0, slow=0.4, share=6.0, minutes=5.0)
UNFINISHED = Path(".bench") / "unfinished.jsonl"
SETTINGS = (
    *(f"{name}_THREADS" for name in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMBA_NUM", "POLARS_MAX")),
    "PYTHONDONTWRITEBYTECODE",
    "NUMBA_CACHE_DIR",
)
"""What users do not set, and may be set here."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; at most five minutes")
    parser.add_argument("--only", default="", help="jobs whose name contains this, or one of these, with commas")
    parser.add_argument("--refresh", type=Path, help="with --only: keep what this run measured of the other jobs")
    parser.add_argument("--minutes", type=float, help="end after so many minutes [20; quick 5]")
    parser.add_argument("--resume", action="store_true", help="take over what an interrupted run has measured")
    parser.add_argument("--patience", type=float, default=1.0, help="times as long for each call, on a busy machine")
    parser.add_argument("--repeats", type=int, help="of calls that are short, where speeds change [4; quick 2]")
    parser.add_argument("--json", type=Path, help="write everything measured here; what was there goes to --previous")
    parser.add_argument("--previous", type=Path, help="the run before, to compare with")
    parser.add_argument("--page", type=Path, help="write the page of the docs here")
    parser.add_argument("--changes", type=Path, help="write the page that compares with --previous here")
    parser.add_argument("--from", dest="saved", type=Path, help="measure nothing: make the pages from this JSON")
    options = parser.parse_args()
    if options.saved:
        found = read(options.saved)
    else:
        with tempfile.TemporaryDirectory(prefix="bench-") as place:
            os.environ["TMPDIR"] = place  # nothing stays behind, not even of a side that was given up
            found = run(options)
    print(table(found))
    if options.json:
        # What compares two runs compares whole ones: a run that was measured anew in parts takes no other's place.
        keep(found, options.json, None if options.refresh else options.previous)
    if options.page:
        options.page.write_text(page(found), encoding="utf-8")
    if options.changes:
        then = read(options.previous) if options.previous and options.previous.exists() else None
        options.changes.write_text(page_of_changes(then, found), encoding="utf-8")


def read(path: Path) -> dict[str, Any]:
    """Read a run."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def whole(found: dict[str, Any]) -> bool:
    """Tell whether a run came to its last job in time."""
    return not any("left out" in record.get("failure", "") for record in found["records"])


def keep(found: dict[str, Any], path: Path, previous: Path | None) -> None:
    """Write a run, a record a line; the run that was there becomes the previous one if it was whole."""
    if previous and path.exists() and whole(read(path)):
        path.replace(previous)
    records = ",\n".join(json.dumps(record) for record in found["records"])
    rest = {key: value for key, value in found.items() if key != "records"}
    path.write_text(f'{json.dumps(rest)[:-1]},\n"records": [\n{records}\n]}}\n', encoding="utf-8")


def taken_over(path: Path) -> dict[str, list[Record]]:
    """Give the jobs that an interrupted run has finished, by name; those that were left out are not among them."""
    jobs: dict[str, list[Record]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        record = Record(**json.loads(line))
        jobs.setdefault(record.job, []).append(record)
    return {name: rows for name, rows in jobs.items() if not all("left out" in row.failure for row in rows)}


def kept_of(found: dict[str, Any]) -> dict[str, list[Record]]:
    """Give what a run measured, by job, each with the commit that it measured."""
    names = {one.name for one in fields(Record)}
    jobs: dict[str, list[Record]] = {}
    for row in found["records"]:
        record = Record(**{name: value for name, value in row.items() if name in names})
        record.commit = record.commit or found["machine"]["commit"]
        jobs.setdefault(record.job, []).append(record)
    return jobs


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the jobs that were asked for, with the threads that users have."""
    for name in SETTINGS:
        os.environ.pop(name, None)
    compileall.compile_dir("src", quiet=1)  # as an installer leaves it
    limits = QUICK if options.quick else WHOLE
    limits = replace(
        limits,
        minutes=options.minutes or limits.minutes,
        call=limits.call * options.patience,
        share=limits.share * options.patience,
        repeats=options.repeats or limits.repeats,
        loading=limits.loading * options.patience,
    )
    where, runs, start = machine(), [], time.perf_counter()
    past = taken_over(UNFINISHED) if options.resume else {}
    kept = kept_of(read(options.refresh)) if options.refresh else {}
    wanted = [part.strip().lower() for part in options.only.split(",")]
    UNFINISHED.parent.mkdir(exist_ok=True)
    UNFINISHED.write_text("", encoding="utf-8")
    until = start + 60 * limits.minutes
    for module in MODULES:
        for job in import_module(module).JOBS:
            chosen = any(part in job.name.lower() for part in wanted)
            if not chosen and job.name in kept:
                runs.append((kept[job.name], job.floor, job.grows))
            elif chosen:
                print(f"{time.perf_counter() - start:6.0f} s  {job.name}", file=sys.stderr, flush=True)
                sizes = job.quick if options.quick else job.sizes
                if job.name in past:
                    records = past[job.name]
                elif time.perf_counter() < until:
                    records = measure(module, job, sizes, limits, until)
                    for record in records:
                        record.commit = where["commit"]
                else:
                    records = left_out(job, sizes, f"left out: the {limits.minutes:g} minutes were over")
                runs.append((records, job.floor, job.grows))
                with UNFINISHED.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(vars(record)) + "\n" for record in records)
    return document(where, runs) | {"quick": options.quick, "limits": asdict(limits)}


if __name__ == "__main__":
    main()
