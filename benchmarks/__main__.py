"""What ``make bench`` runs: ``python -m benchmarks``; ``--help`` lists its options."""

import argparse
import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.measure import Limits, measure
from benchmarks.page import document, machine, page, table

MODULES = tuple(f"benchmarks.{name}_jobs" for name in ("rating", "flow", "table", "run", "game", "item"))
WHOLE, QUICK = Limits(repeats=5, call=150.0, slow=10.0), Limits(repeats=3, call=6.0, slow=0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes; about three minutes")
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--json", type=Path, help="write everything measured here")
    parser.add_argument("--page", type=Path, help="write the page of the docs here")
    parser.add_argument("--from", dest="saved", type=Path, help="measure nothing: make the page from this JSON")
    options = parser.parse_args()
    found = json.loads(options.saved.read_text(encoding="utf-8")) if options.saved else run(options)
    print(table(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.page:
        options.page.write_text(page(found), encoding="utf-8")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the jobs that were asked for."""
    # One thread of linear algebra on every side: on small matrices more of them wait for each other.
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    where, runs, start = machine(), [], time.perf_counter()
    for module in MODULES:
        for job in import_module(module).JOBS:
            if options.only.lower() in job.name.lower():
                print(f"{time.perf_counter() - start:6.0f} s  {job.name}", file=sys.stderr, flush=True)
                sizes, limits = (job.quick, QUICK) if options.quick else (job.sizes, WHOLE)
                runs.append((measure(module, job, sizes, limits), job.floor))
    return document(where, runs) | {"quick": options.quick}


if __name__ == "__main__":
    main()
