"""Pin what the suite runs with: ``python tools/constraints.py FILE < REPORT`` (``make constraints`` does it).

The report is pip's (``pip install --dry-run --ignore-installed --report -``): what it would install. Of each package
the file gets its name and version, never where it came from.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name


def pins_of(report: Mapping[str, Any]) -> list[str]:
    """Give ``name==version`` of everything in a report but what comes from a folder or an address, such as ourselves.

    >>> pins_of({"install": [{"is_direct": False, "metadata": {"name": "Lazy_Loader", "version": "0.5"}}]})
    ['lazy-loader==0.5']
    """
    listed = [entry["metadata"] for entry in report["install"] if not entry["is_direct"]]
    return sorted(f"{canonicalize_name(package['name'])}=={package['version']}" for package in listed)


def main(arguments: list[str]) -> int:
    """Write the file from the report on standard input, and say what changed."""
    (name,) = arguments
    file, pins = Path(name), pins_of(json.load(sys.stdin))
    before = set(file.read_text(encoding="utf-8").split()) if file.exists() else set()
    file.write_text("".join(f"{pin}\n" for pin in pins), encoding="utf-8")
    for word, changed in (("new", set(pins) - before), ("gone", before - set(pins))):
        if changed:
            print(f"{name}, {word}: {', '.join(sorted(changed))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
