r"""Tables of a view for a paper: LaTeX (booktabs) and Markdown, in the columns that people read.

Whoever cannot be ruled out as best is bold, and numbers of a column stand with their points below each other.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import NOTHING, Row, TableView, View

LONGEST_CELL = 200
NUMBER = re.compile(r"([+−-]?)(\d[\d,]*)(\.\d+)?(%?)")
"""A number of a cell: its sign, its whole part, its decimals, and whether it is a percentage."""
IN_LINE = re.compile(r"[^\w]*0(?:[^\w]+(?:to )?0)*[^\w]*")
"""What is padded, with 0 for each number: a number alone, or several with marks or a "to" between them."""
ESTIMATES = ("rating", "estimate", "ability", "iqm", "skill", "mean")
"""Columns of estimates of agents that say who is best, where a table has no ranks."""
LATEX: Mapping[str, str] = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "−": "$-$", "–": "--", "≥": r"$\geq$", "≤": r"$\leq$", "±": r"$\pm$", "×": r"$\times$", "∞": r"$\infty$",
}  # fmt: skip
"""Characters that LaTeX would take for commands, and those that not every font has."""
MARKDOWN: Mapping[str, str] = {each: f"\\{each}" for each in "\\|`*_<[]"}


def to_latex(view: View, *, command: str = "", title: str | None = None, caption: str | None = None) -> str:
    r"""Give each table as a booktabs ``tabular``; with a caption as a float. A comment holds the command.

    >>> from equipoise.report.views.cells import text
    >>> from equipoise.report.views.view import Column
    >>> table = TableView("agents", [{"agent": "a_1"}], [Column("agent", text("agent"), right=False)])
    >>> print(to_latex(View((table,)), command="equipoise rank x.csv"))
    % equipoise rank x.csv
    \begin{tabular}{l}
    \toprule
    agent \\
    \midrule
    a\_1 \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    """
    head = [f"% {' '.join(command.split())}"] if command else []
    head += [f"% bold: {why}" for why in dict.fromkeys(_best(table)[1] for table in view.tables) if why]
    rows = [row for table in view.tables for row in table.rows if row.get("provisional")]
    late = dict.fromkeys(" ".join(str(row["agent"]).split()) for row in rows)
    head += [f"% provisional, so last and outside the others' ranks: {', '.join(late)}"] if late else []
    said = [_escaped(text, LATEX) for text in (title, caption) if text]
    lines = [line for table in view.tables for line in _tabular(table)]
    if said:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{' '.join(said)}}}", *lines, r"\end{table}"]
    return "\n".join([*head, *lines]) + "\n"


def _tabular(table: TableView) -> list[str]:
    rows = [" & ".join(row) + r" \\" for row in _cells(table, LATEX, r"\textbf{{{}}}", aligned=True)]
    sides = "".join("r" if column.right else "l" for column in table.columns if not column.aside)
    return [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule",
            r"\end{tabular}"]  # fmt: skip


def to_markdown(view: View, *, title: str | None = None, caption: str | None = None) -> str:
    r"""Give the title, each table, and the caption.

    >>> from equipoise.report.views.cells import text
    >>> from equipoise.report.views.view import Column
    >>> table = TableView("agents", [{"agent": "a|b"}], [Column("agent", text("agent"), right=False)])
    >>> print(to_markdown(View((table,)), caption="All games."))
    | agent |
    |:---|
    | a\|b |
    <BLANKLINE>
    All games.
    <BLANKLINE>
    """
    parts = [f"## {_escaped(title, MARKDOWN)}"] if title else []
    for table in view.tables:
        rows = [f"| {' | '.join(row)} |" for row in _cells(table, MARKDOWN, "**{}**")]
        sides = "|".join("---:" if column.right else ":---" for column in table.columns if not column.aside)
        named = [f"**{_escaped(table.title, MARKDOWN)}**"] if table.title and len(view.tables) > 1 else []
        parts += [*named, "\n".join([rows[0], f"|{sides}|", *rows[1:]])]
    return "\n\n".join([*parts, *([_escaped(caption, MARKDOWN)] if caption else [])]) + "\n"


def _cells(table: TableView, special: Mapping[str, str], bold: str, *, aligned: bool = False) -> list[list[str]]:
    """Give the headings, then the cells of each row: the best are bold, and numbers ``aligned`` by phantoms."""
    columns = [column for column in table.columns if not column.aside]
    best, _ = _best(table)
    marked = _bold_columns(table)
    made: list[list[str]] = []
    for column in columns:
        shown = [column.cell(row) for row in table.rows]
        cells = [_escaped(cell, special) for cell in shown]
        if aligned:
            cells = [_padded(cell, shown, column.right) or written for cell, written in zip(shown, cells, strict=True)]
        if column.heading in marked:
            cells = [bold.format(cell) if k in best else cell for k, cell in enumerate(cells)]
        made.append([_escaped(column.heading, special), *cells])
    return [list(row) for row in zip(*made, strict=True)] or [[]]


def _bold_columns(table: TableView) -> set[str]:
    """Name the two columns that are bold for the best: whose row it is, and the estimate, which stands after it."""
    names = [column.heading for column in table.columns if not column.aside]
    first = next((k for k, column in enumerate(table.columns) if not column.right), 0)
    return set(names[first : first + 2])


def _best(table: TableView) -> tuple[set[int], str]:
    """Give the places of the rows that may be best, and what makes them so; none where that can be said of everybody.

    Ranks say it where there are any, else the estimate that the rows are in the order of, as it is printed.
    """
    rows = table.rows
    if len(rows) < 2 or not {"agent", "player"} & rows[0].keys():
        return set(), ""
    ranked = {k for k, row in enumerate(rows) if row.get("rank_low") == 1 and not row.get("provisional")}
    known = ranked and any(row.get(end) is not None for row in rows for end in ("low", "iqm_low", "mean_low"))
    if 0 < len(ranked) < len(rows):
        bold = (
            "cannot be ruled out as best (rank 1 is in the simultaneous interval)" if known else "first, or tied for it"
        )
        return ranked, bold
    key = next((name for name in ESTIMATES if _falls(rows, name)), None)
    if key is None or known:
        return set(), ""
    cell = next(column.cell for column in table.columns if column.heading in _bold_columns(table) and column.right)
    same = {k for k, row in enumerate(rows) if cell(row) == cell(rows[0])}
    return same, f"highest {key}, and what prints the same; the table says nothing of significance"


def _falls(rows: Sequence[Row], name: str) -> bool:
    """Say whether the rows are in the order of a column of numbers, highest first."""
    values = [row[name] for row in rows if isinstance(row.get(name), float | int)]
    return len(values) == len(rows) and all(one >= two for one, two in pairwise(values))


def _padded(cell: str, column: Sequence[str], right: bool) -> str:
    """Write a cell of numbers as wide as the widest of its column, so that signs and points stand in line.

    Nothing where the column has other texts than numbers in one form, such as intervals.
    """
    forms = {NUMBER.sub("0", other) for other in column if other != NOTHING}
    if len(forms) != 1 or cell == NOTHING or not IN_LINE.fullmatch(form := forms.pop()):
        return ""
    numbers = [NUMBER.findall(other) for other in column if other != NOTHING]
    parts = []
    for k, (sign, whole, decimals, percent) in enumerate(NUMBER.findall(cell)):
        signs, wholes, points, _ = zip(*(found[k] for found in numbers), strict=True)
        longest, most = max(wholes, key=len), max(points, key=len)
        before = longest[: len(longest) - len(whole)]
        missing = [*(["$-$"] if any(signs) and not sign else []), *([before] if before else [])]
        lead = "" if right and k == 0 else "".join(rf"\phantom{{{part}}}" for part in missing)
        after = most[len(decimals) :]
        tail = rf"\phantom{{{after}}}" if after else ""
        parts.append(f"{lead}{_escaped(sign + whole + decimals, LATEX)}{tail}{_escaped(percent, LATEX)}")
    between = [_escaped(text, LATEX) for text in form.split("0")]
    return "".join(text + part for text, part in zip(between, [*parts, ""], strict=True))


def main_table(view: View) -> View:
    """Give the view with its main table alone."""
    return replace(view, tables=view.tables[:1])


def _escaped(text: str, special: Mapping[str, str]) -> str:
    return "".join(special.get(letter, letter) for letter in harmless(text, LONGEST_CELL))
