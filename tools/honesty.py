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


def observed_by_test(lines: Iterable[str]) -> dict[str, list[float]]:
    """Collect the recorded shares by test, whatever its parameters."""
    shares: dict[str, list[float]] = defaultdict(list)
    for line in lines:
        entry = json.loads(line)
        name = entry["test"].rpartition("/")[2].partition("[")[0]
        shares[name] += [float(value) for value in _numbers(entry["observed"])]
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


def with_observed(page: str, shares: Mapping[str, list[float]]) -> str:
    """Give the page with the third cell of each row renewed."""
    return "\n".join(_row(line, shares) for line in page.split("\n"))


def _row(line: str, shares: Mapping[str, list[float]]) -> str:
    cells = line.split(" | ")
    recorded = [share for test in TEST.findall(line) for share in shares.get(test, [])]
    if not line.startswith("| ") or len(cells) != 4 or not recorded:
        return line
    low, high = f"{min(recorded):.3g}", f"{max(recorded):.3g}"
    renewed = low if low == high else f"{low} to {high}"
    cells[2] = LEADING.sub(renewed, cells[2], count=1)  # words behind the numbers stay: "0.04 below 0.05"
    return " | ".join(cells)


def main(arguments: list[str]) -> int:
    """Renew the page from the file named."""
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
    PAGE.write_text(with_observed(PAGE.read_text(encoding="utf-8"), observed_by_test(lines)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
