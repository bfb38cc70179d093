r"""Tables of a view for a paper: LaTeX (booktabs) and Markdown, in the columns that people read."""

from collections.abc import Mapping, Sequence

from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import TableView, View

LONGEST_CELL = 200
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
    said = [_escaped(text, LATEX) for text in (title, caption) if text]
    lines = [line for table in view.tables for line in _tabular(table)]
    if said:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{' '.join(said)}}}", *lines, r"\end{table}"]
    return "\n".join([*head, *lines]) + "\n"


def _tabular(table: TableView) -> list[str]:
    rows = [" & ".join(row) + r" \\" for row in _cells(table, LATEX)]
    sides = "".join("r" if column.right else "l" for column in table.columns)
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
        rows = [f"| {' | '.join(row)} |" for row in _cells(table, MARKDOWN)]
        sides = "|".join("---:" if column.right else ":---" for column in table.columns)
        named = [f"**{_escaped(table.title, MARKDOWN)}**"] if table.title and len(view.tables) > 1 else []
        parts += [*named, "\n".join([rows[0], f"|{sides}|", *rows[1:]])]
    return "\n\n".join([*parts, *([_escaped(caption, MARKDOWN)] if caption else [])]) + "\n"


def _cells(table: TableView, special: Mapping[str, str]) -> list[list[str]]:
    """Give the headings, then the cells of each row."""
    shown: list[Sequence[str]] = [[column.heading for column in table.columns]]
    shown += [[column.cell(row) for column in table.columns] for row in table.rows]
    return [[_escaped(cell, special) for cell in row] for row in shown]


def _escaped(text: str, special: Mapping[str, str]) -> str:
    return "".join(special.get(letter, letter) for letter in harmless(text, LONGEST_CELL))
