"""Write the *observed* column of docs/honesty.md from what the simulations recorded.

``make honesty`` runs the simulations with ``EQUIPOISE_HONESTY`` set to a file, and then this script on that file. A row
gets the share that its tests observed, or the range of shares where there are several settings; rows whose tests record
nothing stay as they are.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["observed_by_test", "with_observed"]

PAGE = Path(__file__).parents[1] / "docs" / "honesty.md"
TEST = re.compile(r"`(test_\w+\.py::test_\w+)`")
LEADING = re.compile(r"^[\d.]*( to [\d.]+)?")


Shares = dict[str, list[list[float]]]
"""By test: shares of intervals that hold, and of runs that went wrong."""


def observed_by_test(lines: Iterable[str]) -> Shares:
    """Collect the recorded shares by test, whatever its parameters."""
    shares: Shares = defaultdict(lambda: [[], []])
    for line in lines:
        entry = json.loads(line)
        name = entry["test"].rpartition("/")[2].partition("[")[0]
        for share in _numbers(entry["observed"]):
            # Whatever its level, an interval holds more often than not, and a rule is wrong less often.
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
        cells[2] = f"{_range(kinds[0])} hold, {_range(kinds[1])} wrong"
    else:
        cells[2] = LEADING.sub(_range(kinds[0] or kinds[1]), cells[2], count=1)
    return " | ".join(cells)


def _range(shares: list[float]) -> str:
    low, high = f"{min(shares):.3g}", f"{max(shares):.3g}"
    return low if low == high else f"{low} to {high}"


def main(arguments: list[str]) -> int:
    """Renew the page from the file named."""
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
    PAGE.write_text(with_observed(PAGE.read_text(encoding="utf-8"), observed_by_test(lines)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
