"""Tables in Markdown, as they stand in pages of text: rows between upright lines, below a header with its rule."""

import re
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?\s*")
"""The line below a header."""
CELL_END = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKS = re.compile(r"(\*\*|__|`|~~)(.+?)\1|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")
BREAK = re.compile(r"<br\s*/?>|&nbsp;", re.IGNORECASE)


def markdown_tables(text: str) -> dict[str, pl.DataFrame]:
    r"""Give the tables of a page by the heading above each; a heading with several numbers them.

    >>> markdown_tables("# Scores\n| a | b |\n|---|--:|\n| x | **1** |\n")["Scores"].rows()
    [('x', '1')]
    """
    tables: dict[str, pl.DataFrame] = {}
    lines = text.removeprefix("\ufeff").splitlines()
    heading, fenced = "", False
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        if line.startswith("#") and not fenced:
            heading = line.strip("# \t")
        if number and "|" in lines[number - 1] and "|" in line and RULE.fullmatch(line) and not fenced:
            frame = _frame(lines[number - 1], lines[number + 1 :])
            if frame is not None:
                tables[_free(heading or "table", tables)] = frame
    return tables


def holds_table(text: str) -> bool:
    """Say whether a page has a table."""
    lines = text.splitlines()
    return any("|" in above and "|" in line and RULE.fullmatch(line) for above, line in pairwise(lines))


def _free(name: str, taken: dict[str, pl.DataFrame]) -> str:
    number = 1
    while (named := name if number == 1 else f"{name} {number}") in taken:
        number += 1
    return named


def _frame(header: str, below: Sequence[str]) -> pl.DataFrame | None:
    """Read a table: rows go on as long as lines have upright lines; short rows end in gaps, as pages show them."""
    names = _named_once(_cells(header))
    rows = []
    for line in below:
        if "|" not in line:
            break
        cells = _cells(line)
        if len(cells) > len(names) and any(cells[len(names) :]):
            raise ValueError(f"a row of a table has {len(cells)} cells, its header {len(names)}: {line.strip()[:60]}")
        rows.append((cells + [""] * len(names))[: len(names)])
    if len(names) < 2 or not rows:
        return None
    return pl.DataFrame({name: pl.Series([row[at] for row in rows], dtype=pl.String) for at, name in enumerate(names)})


def _named_once(names: Sequence[str]) -> list[str]:
    """Mark names that come again, as readers of delimited text do."""
    seen: dict[str, int] = {}
    once = []
    for name in names:
        again = seen[name] = seen.get(name, -1) + 1
        once.append(f"{name}_duplicated_{again - 1}" if again else name)
    return once


def _cells(line: str) -> list[str]:
    """Give the cells of a line without their marks: bold type, code, links."""
    inside = line.strip()
    inside = inside.removeprefix("|")
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    return [_plain(cell) for cell in CELL_END.split(inside)]


def _plain(cell: str) -> str:
    text = LINK.sub(r"\1", BREAK.sub(" ", cell.replace("\\|", "|")))
    text = MARKS.sub(lambda found: found[2] or found[3], text)
    return text.strip()
