"""Run the simulations, and write what they observed into the *observed* column of docs/honesty.md.

    python -m tools.honesty [--jobs N] [--only WORDS]

N processes share the simulations, each of which has a seed of its own: the results are the same for any number of them.
A row gets the share that its tests observed, or the range of shares where there are several settings; rows whose tests
record nothing stay as they are. ``--only`` runs those of which one of the words is part of the file or the name: after
a change of one part, or where there is no time for all of them.
"""

import argparse
import ast
import io
import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from contextlib import redirect_stdout
from pathlib import Path
from threading import Lock

from equipoise.inference.executors import in_order, processes

__all__ = ["chosen", "observed", "observed_by_test", "simulations", "with_observed"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "honesty.md"
TEST = re.compile(r"`(test_\w+\.py::test_\w+)`")
LEADING = re.compile(r"^[\d.]*( to [\d.]+)?")
APART = {"test_honesty.py", "test_reproductions.py"}
"""Long tests of the checks themselves, and of results of papers."""
HERE_ALREADY = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
"""Pytest would rewrite the assertions of the package, whose plugin it knows: this process has imported it before."""
_ONE_AT_A_TIME = Lock()
"""Where a simulation records its shares is set by the environment, of which a process has one."""

Shares = dict[str, list[list[float]]]
"""By test: shares of intervals that cover, and of runs that went wrong."""


def simulations() -> list[str]:
    """Give the tests that check uncertainty, by file and name."""
    files = sorted(path for path in (ROOT / "tests" / "statistical").rglob("test_*.py") if path.name not in APART)
    functions = ((path, node) for path in files for node in ast.parse(path.read_text(encoding="utf-8")).body)
    tests = ((path.name, node.name) for path, node in functions if isinstance(node, ast.FunctionDef))
    return [f"{file}::{name}" for file, name in tests if name.startswith("test_")]


def chosen(tests: Iterable[str], only: str) -> list[str]:
    """Give the tests of which one of the words, with commas between them, is a part; all where there are no words."""
    words = [word.strip() for word in only.split(",") if word.strip()]
    return [test for test in tests if not words or any(word in test for word in words)]


def observed(tests: Iterable[str], executor: Executor | None = None) -> Shares:
    """Run simulations and collect the shares that they observe.

    Parameters
    ----------
    tests
        By file and name, as :func:`simulations` gives them.
    executor
        Who runs them: any ``concurrent.futures.Executor``; this process if not given. The answer is the same.

    Fails when
        a simulation does.
    """
    recorded = in_order(_recorded, ((test,) for test in tests), executor)
    return observed_by_test(line for lines in recorded for line in lines)


def _recorded(test: str) -> list[str]:
    """Run one simulation, with all its parameters, and give the lines that it records."""
    import pytest

    file, _, name = test.partition("::")
    (found,) = (ROOT / "tests" / "statistical").rglob(file)
    place, said = f"{found}::{name}", io.StringIO()
    with _ONE_AT_A_TIME, tempfile.TemporaryDirectory() as folder, redirect_stdout(said):
        lines = Path(folder, "observed.jsonl")
        os.environ["EQUIPOISE_HONESTY"] = str(lines)
        try:
            failed = pytest.main(["-q", "-p", "no:cacheprovider", "-W", HERE_ALREADY, "--rootdir", str(ROOT), place])
        finally:
            del os.environ["EQUIPOISE_HONESTY"]
        if failed:
            raise RuntimeError(f"{test} does not pass\n{said.getvalue()}")
        return lines.read_text(encoding="utf-8").splitlines() if lines.exists() else []


def observed_by_test(lines: Iterable[str]) -> Shares:
    """Collect the recorded shares by test, whatever its parameters."""
    shares: Shares = defaultdict(lambda: [[], []])
    for line in lines:
        entry = json.loads(line)
        name = entry["test"].rpartition("/")[2].partition("[")[0]
        for share in _numbers(entry["observed"]):
            # Whatever its level, an interval covers more often than not, and a rule is wrong less often.
            shares[name][0 if share >= 0.5 else 1].append(share)
    return dict(shares)


def _numbers(value: object) -> list[float]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return []
    if isinstance(value, int | float):
        return [float(value)]
    if isinstance(value, Mapping):
        return [number for part in value.values() for number in _numbers(part)]
    if isinstance(value, Iterable):
        return [number for part in value for number in _numbers(part)]
    return []


def with_observed(page: str, shares: Shares) -> str:
    """Give the page with the third cell of each row renewed; words behind a number stay: "0.04 below 0.05"."""
    return "\n".join(_row(line, shares) for line in page.split("\n"))


def _row(line: str, shares: Shares) -> str:
    cells = line.split(" | ")
    kinds = [[share for test in TEST.findall(line) for share in shares.get(test, ([], []))[kind]] for kind in (0, 1)]
    if not line.startswith("| ") or len(cells) != 4 or not any(kinds):
        return line
    if all(kinds):
        cells[2] = f"{_range(kinds[0])} cover, {_range(kinds[1])} wrong"
    else:
        cells[2] = LEADING.sub(_range(kinds[0] or kinds[1]), cells[2], count=1)
    return " | ".join(cells)


def _range(shares: list[float]) -> str:
    low, high = f"{min(shares):.3g}", f"{max(shares):.3g}"
    return low if low == high else f"{low} to {high}"


def main(arguments: list[str]) -> int:
    """Run all simulations and renew the page."""
    parser = argparse.ArgumentParser(description="Run the simulations and renew docs/honesty.md.")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share them")
    parser.add_argument("--only", default="", help="parts of files or names, with commas between them")
    asked = parser.parse_args(arguments)
    with processes(asked.jobs) as executor:
        shares = observed(chosen(simulations(), asked.only), executor)
    PAGE.write_text(with_observed(PAGE.read_text(encoding="utf-8"), shares), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
