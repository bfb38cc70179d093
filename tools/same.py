"""Run every command, and many calls of the library, in two trees, and show what differs: ``make same BASE=<commit>``.

    python -m tools.same COMMIT [--exact] [--quick] [--only rank,tasks]

The tree of a commit and the present one answer the same cases (:mod:`tools.same_cases`) with the same seeds, at the
same time on the same machine: nothing is stored, for the last digits differ between processors. Without ``--exact``
numbers may differ by a relative 1e-9, keys may be added, and ``parameters`` are left out (versions and paths always).
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from tools.same_cases import Case, all_cases
from tools.same_compare import Difference, compare_runs
from tools.same_made import make_files

ROOT = Path(__file__).parents[1]
SHOWN_LINES = 12
"""Lines of a difference that are shown."""
WIDEST = 200
FOLDERS = ("json", "pages", "imported", "report", "chart", "exported", "arena", "unread")
"""Where cases write."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare a commit with the present tree; give 0 where nothing differs."""
    parser = argparse.ArgumentParser(prog="make same", description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--exact", action="store_true", help="not even near numbers or added keys")
    parser.add_argument("--quick", action="store_true", help="some of the cases")
    parser.add_argument("--only", default="", help="commands, separated by commas; library is one of them")
    parser.add_argument("--keep", type=Path, help="leave the answers of both trees in this new folder")
    given = parser.parse_args(arguments)
    cases = _chosen(all_cases(_public_data(), quick=given.quick), given.only)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep.resolve() if given.keep else Path(temporary)
        base, now = _answers(given.base, cases, folder)
    exact = bool(given.exact)
    found = {name: compare_runs(base[name], now[name], exact=exact) for name in now if name in base}
    skipped = {
        name: answer["code"] for answers in (base, now) for name, answer in answers.items() if _is_skipped(answer)
    }
    print(_summary({name: one for name, one in found.items() if name not in skipped}, exact=exact))
    for name, reason in sorted(skipped.items()):
        print(f"skipped: {name}: {reason}")
    lost = len(cases) - len(found)
    if lost:
        print(f"{lost} cases were not answered: a process ended early")
    used = sum(answer["seconds"] for answer in now.values())
    print(f"{time.monotonic() - started:.0f} s, {used:.0f} s of a processor a tree; slowest: {_slowest(now.values())}")
    return int(lost > 0 or any(one.differs(exact=exact) for name, one in found.items() if name not in skipped))


def _chosen(cases: list[Case], only: str) -> list[Case]:
    """Keep the cases of some commands, and those that others read from."""
    groups = {word.strip() for word in only.split(",") if word.strip()}
    known = {case.group for case in cases}
    if unknown := groups - known:
        raise SystemExit(f"no cases of {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    return _numbered(case for case in cases if not groups or case.group in groups or case.first)


def _numbered(cases: Iterable[Case]) -> list[Case]:
    """Give a case a name of its own where the same line was run before: it asks at another time, of an arena say."""
    times: Counter[str] = Counter()
    result = []
    for case in cases:
        times[case.name] += 1
        result.append(replace(case, name=f"{case.name} (again {times[case.name]})") if times[case.name] > 1 else case)
    return result


def _public_data() -> Path | None:
    folder = Path(os.environ.get("EQUIPOISE_DATA") or ROOT.parent / "shared" / "data")
    return folder.resolve() if folder.is_dir() else None


def _answers(commit: str, cases: list[Case], folder: Path) -> list[dict[str, dict[str, Any]]]:
    """Run the cases in both trees at the same time, a process each."""
    trees = {"base": _checked_out(commit, folder / "base"), "now": ROOT}
    listed = folder / "cases.json"
    listed.write_text(json.dumps([asdict(case) for case in cases]), encoding="utf-8")
    running = [_started(tree, name, listed, folder) for name, tree in trees.items()]
    for name, process in zip(trees, running, strict=True):
        if process.wait():
            print(f"{name}: the process ended with {process.returncode}", file=sys.stderr)
    return [_read(folder / f"{name}.jsonl") for name in trees]


def _checked_out(commit: str, folder: Path) -> Path:
    packed = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _started(tree: Path, name: str, listed: Path, folder: Path) -> "subprocess.Popen[bytes]":
    work = folder / f"{name}-work"
    for sub in FOLDERS:
        (work / sub).mkdir(parents=True)
    make_files(work / "made")
    if data := _public_data():
        (work / "data").symlink_to(data, target_is_directory=True)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(ROOT)]),
        "COLUMNS": "80",
        "TERM": "xterm",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        # Compiled loops are kept by the name and time of their file; each tree compiles its own.
        "NUMBA_CACHE_DIR": str(folder / f"{name}-numba"),
        "PYTHONHASHSEED": "0",
    }
    if data:
        environment["EQUIPOISE_DATA"] = "data"
    command = [sys.executable, "-m", "tools.same_runner", str(tree), str(listed), str(folder / f"{name}.jsonl")]
    return subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.DEVNULL)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {answer["name"]: answer for answer in map(json.loads, lines)}


def _is_skipped(answer: dict[str, Any]) -> bool:
    return str(answer["code"]).startswith("skipped")


def _summary(found: dict[str, Difference], *, exact: bool) -> str:
    """Say how many cases are identical, near or different, and show the first lines of what differs."""
    different = {name: one for name, one in found.items() if one.differs(exact=exact)}
    near = [one for one in found.values() if one.near]
    added = {key.rpartition(".")[2] for one in found.values() for key in one.added}
    deprecated = {line for one in found.values() for line in one.deprecated}
    identical = sum(not (one.different or one.near or one.added) for one in found.values())
    lines = [f"{len(found)} cases: {identical} identical, {len(different)} different"]
    if near:
        largest = max(one.largest for one in near)
        lines.append(f"near: {sum(one.near for one in near)} numbers in {len(near)} cases, at most {largest:.1e} apart")
    if added:
        lines.append(f"added: {', '.join(sorted(added))}")
    lines += [f"deprecated: {line}" for line in sorted(deprecated)]
    for name, one in different.items():
        shown = one.different or [
            *(f"added {key}" for key in one.added),
            *([f"{one.near} near numbers"] if one.near else []),
        ]
        lines += ["", f"== {name}", *(line[:WIDEST] for line in shown[:SHOWN_LINES])]
        if len(shown) > SHOWN_LINES:
            lines.append(f"... {len(shown) - SHOWN_LINES} more")
    return "\n".join(lines)


def _slowest(answers: Iterable[dict[str, Any]]) -> str:
    slow = sorted(answers, key=lambda answer: -answer["seconds"])[:3]
    return ", ".join(f"{answer['name']} ({answer['seconds']:.0f} s)" for answer in slow)


if __name__ == "__main__":
    sys.exit(main())
