"""What differs between two answers: JSON by keys, CSV by cells, text by lines, pages by the words they show.

Numbers that agree to :data:`NEAR` are *near*; keys and columns that only the second answer has are *added*. Both are
told, and count as differences only where the answers must be the same to the last byte (``exact``). Lines that say that
an old spelling will end are told apart: they are no differences.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from difflib import unified_diff
from html.parser import HTMLParser
from typing import Any

__all__ = ["Difference", "compare_runs", "compare_texts", "page_text", "without_deprecations"]

NEAR = 1e-9
"""The largest relative difference of two numbers that count as the same."""
ZERO = 1e-12
"""Two numbers below this are both nothing but rounding."""
LEFT_OUT = frozenset({"parameters"})
VERSIONS = {"equipoise", "version"}
"""Keys that hold the version of the package as text; the version of a schema is a number, and compared."""
DEPRECATED = re.compile(r"the old form ends in|\b(?:Pending)?DeprecationWarning\b|\bFutureWarning\b")
MOMENT = re.compile(r"[\d,]+ bytes|[\d.]+ s \([\d.,]+ a second\)|\b[0-9a-f]{16,64}\b")
"""What words say of an arena that is another each time: sizes, for times differ in length; speeds; hashes."""
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass
class Difference:
    """How far a second answer is from the first."""

    different: list[str] = field(default_factory=list)
    near: int = 0
    largest: float = 0.0
    added: list[str] = field(default_factory=list)
    deprecated: list[str] = field(default_factory=list)

    def differs(self, *, exact: bool) -> bool:
        """Say whether the second answer may not stand for the first."""
        return bool(self.different) or (exact and bool(self.near or self.added))

    def include(self, other: "Difference", name: str) -> None:
        """Take over the differences of a part of the answer."""
        self.different += [f"{name}: {line}" for line in other.different]
        self.added += [f"{name}: {key}" for key in other.added]
        self.deprecated += other.deprecated
        self.near += other.near
        self.largest = max(self.largest, other.largest)


def compare_runs(base: Mapping[str, Any], now: Mapping[str, Any], *, exact: bool = False) -> Difference:
    """Compare what a case gave in two trees: exit code, what was printed, warnings, and the files that were written."""
    found = Difference()
    changing = frozenset(base["changing"])
    if base["code"] != now["code"]:
        found.different.append(f"exit code: {base['code']} was, {now['code']} is")
    if changing:
        base, now = _without_moments(base), _without_moments(now)
    errors = [without_deprecations(run["stderr"]) for run in (base, now)]
    found.deprecated += errors[1][1]
    found.include(compare_texts(errors[0][0], errors[1][0], "text", exact=exact), "stderr")
    found.include(compare_texts(base["stdout"], now["stdout"], base["kind"], changing=changing, exact=exact), "stdout")
    for name in sorted({*base["files"], *now["files"]}):
        if name not in now["files"] or name not in base["files"]:
            found.different.append(f"{name}: is only written {'before' if name in base['files'] else 'now'}")
            continue
        kind = name.rpartition(".")[2]
        found.include(
            compare_texts(base["files"][name], now["files"][name], kind, changing=changing, exact=exact), name
        )
    return found


def _without_moments(run: Mapping[str, Any]) -> Mapping[str, Any]:
    said = {stream: MOMENT.sub("MOMENT", run[stream]) for stream in ("stdout", "stderr")}
    return {**run, **said, "files": {name: MOMENT.sub("MOMENT", text) for name, text in run["files"].items()}}


def compare_texts(
    base: str, now: str, kind: str, *, changing: Set[str] = frozenset(), exact: bool = False
) -> Difference:
    """Compare two texts of a kind: json, jsonl, csv, html, svg, or lines that must be equal (anything else).

    Keys and columns that are ``changing`` with every run are left out.
    """
    if base == now:
        return Difference()
    if kind == "html":
        found = _compare_lines(page_text(base), page_text(now))
    elif kind == "svg":
        found = _compare_lines(base.replace(">", ">\n"), now.replace(">", ">\n"), numbers=True)
    else:
        try:
            found = _compare_parsed(base, now, kind, changing if exact else changing | LEFT_OUT)
        except ValueError:  # an error message where JSON was expected, say
            found = _compare_lines(base, now)
    # Pages hold their style and scripts, which may be written otherwise and show the same.
    if exact and kind != "html" and not changing and not found.different and not found.near and not found.added:
        found.different.append("the same values, in another order or layout")
    return found


def without_deprecations(text: str) -> tuple[str, list[str]]:
    """Separate the lines that say that an old spelling will end."""
    lines = text.splitlines()
    kept = [line for line in lines if not DEPRECATED.search(line)]
    return "\n".join(kept), [line for line in lines if DEPRECATED.search(line)]


def page_text(page: str) -> str:
    """Give the words of a page, a piece of text a line; of scripts only the data in them."""
    reader = _PageReader()
    reader.feed(page)
    return "\n".join(reader.lines)


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag == "style" or (tag == "script" and dict(attrs).get("type") != "application/json")
        self.lines += [value for name, value in attrs if name in {"aria-label", "title", "alt"} and value]

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  # as the parser calls it
        self.hidden = False

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.lines.append(" ".join(data.split()))


def _compare_parsed(base: str, now: str, kind: str, left_out: Set[str]) -> Difference:
    found = Difference()
    if kind == "json":
        _walk(json.loads(base), json.loads(now), "", left_out, found)
    elif kind == "jsonl":
        lines = [[json.loads(line) for line in text.splitlines()] for text in (base, now)]
        _walk(lines[0], lines[1], "", left_out, found)
    elif kind == "csv":
        _compare_tables(list(csv.reader(io.StringIO(base))), list(csv.reader(io.StringIO(now))), left_out, found)
    else:
        found = _compare_lines(base, now)
    return found


def _walk(base: Any, now: Any, path: str, left_out: Set[str], found: Difference) -> None:
    """Compare two values of JSON; what is found goes into ``found``."""
    if isinstance(base, dict) and isinstance(now, dict):
        for key in base:
            if key in left_out or (key in VERSIONS and isinstance(base[key], str)):
                continue
            if key in now:
                _walk(base[key], now[key], f"{path}.{key}", left_out, found)
            else:
                found.different.append(f"{path}.{key} is missing")
        found.added += [f"{path}.{key}" for key in now if key not in base and key not in left_out]
    elif isinstance(base, list) and isinstance(now, list):
        if len(base) != len(now):
            found.different.append(f"{path}: {len(base)} entries were, {len(now)} are")
        for position, (before, after) in enumerate(zip(base, now, strict=False)):
            _walk(before, after, f"{path}[{position}]", left_out, found)
    elif _is_number(base) and _is_number(now):
        _compare_numbers(base, now, path, found)
    elif type(base) is not type(now) or base != now:
        found.different.append(f"{path}: {json.dumps(base)[:200]} was, {json.dumps(now)[:200]} is")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compare_numbers(base: float, now: float, path: str, found: Difference) -> None:
    if base == now or (math.isnan(base) and math.isnan(now)):
        return
    largest = max(abs(base), abs(now))
    apart = abs(base - now) / largest if math.isfinite(largest) else math.inf
    if apart <= NEAR:
        found.near += 1
        found.largest = max(found.largest, apart)
    elif largest < ZERO:
        found.near += 1
    else:
        found.different.append(f"{path}: {base!r} was, {now!r} is ({apart:.1e})")


def _compare_tables(base: list[list[str]], now: list[list[str]], left_out: Set[str], found: Difference) -> None:
    """Compare cell by cell; columns go by their names where the first row has them once each."""
    if base and now and len(set(now[0])) == len(now[0]) and set(base[0]) < set(now[0]):
        found.added += [name for name in now[0] if name not in base[0]]
        columns = [now[0].index(name) for name in base[0]]
        now = [[row[column] for column in columns if column < len(row)] for row in now]
    if len(base) != len(now):
        found.different.append(f"{len(base)} rows were, {len(now)} are")
    for number, (before, after) in enumerate(zip(base, now, strict=False), 1):
        if len(before) != len(after):
            found.different.append(f"row {number}: {len(before)} cells were, {len(after)} are")
        for name, old, new in zip(base[0], before, after, strict=False):
            if old == new or name in left_out:
                continue
            if NUMBER.fullmatch(old) and NUMBER.fullmatch(new):
                _compare_numbers(float(old), float(new), f"row {number}, {name}", found)
            else:
                found.different.append(f"row {number}, {name}: {old!r} was, {new!r} is")


def _compare_lines(base: str, now: str, *, numbers: bool = False) -> Difference:
    found = Difference()
    before, after = base.splitlines(), now.splitlines()
    if numbers and len(before) == len(after):
        pairs = list(zip(before, after, strict=True))
        if all(NUMBER.sub("#", old) == NUMBER.sub("#", new) for old, new in pairs):
            for line, (old, new) in enumerate(pairs, 1):
                for was, now_is in zip(NUMBER.findall(old), NUMBER.findall(new), strict=True):
                    _compare_numbers(float(was), float(now_is), f"line {line}", found)
            return found
    found.different += _changed_lines(before, after)
    return found


def _changed_lines(before: list[str], after: list[str]) -> Iterator[str]:
    changes = unified_diff(before, after, "base", "now", n=1, lineterm="")
    return (line for line in changes if not line.startswith(("---", "+++")))
