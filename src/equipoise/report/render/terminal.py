"""Views in a terminal: one screen with the answer, or as much of it as was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.text import Text

from equipoise.core.wording import PYTHON, Spelling
from equipoise.report.render.layout import PROSE, lay_out, wrapped
from equipoise.report.render.notes import Note, notes_of
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import TableView, View

ROWS, FEWER = 25, 15
"""A table of up to so many rows is shown whole; of a longer one, so many rows."""
FEWEST = 5
"""Rows that are shown even where the rest of a screen is long."""
LINES, WARNINGS = 45, 3
"""Of a screen, at most."""
NOTES = "notes"
"""What asks for everything that is known about the results and their data."""


@dataclass(frozen=True, slots=True)
class StyledLine:
    """A line of a terminal, or several that are set alike."""

    text: str
    style: str = ""

    @property
    def height(self) -> int:
        """How many lines it is."""
        return self.text.count("\n") + 1


def print_view(
    view: View, console: Console, spelling: Spelling = PYTHON, *, most: int | None = None, usual: bool = False
) -> None:
    """Print the answer in words, the tables, the method, then notes, warnings first.

    Of each table ``most`` rows are shown, or all; with ``usual`` as many as are usual.
    """
    tables = [table for table in view.tables if not table.aside]
    lines = _said(view.sentences, console)
    for table in tables:
        lines += (
            [StyledLine("")] * bool(lines) + _said(table.sentences, console) + [StyledLine("")] * bool(table.sentences)
        )
        lines += _table(table, console, usual_rows(table) if usual else most)
    methods = dict.fromkeys(method for method in (view.method, *(table.method for table in tables)) if method)
    if methods:
        lines += [StyledLine("")] * bool(view.tables) + [_sentence(" ".join(methods), console, "dim")]
    _print([*lines, *(_note(note, console) for note in shown_notes(view, spelling))], console)


def print_screen(
    view: View, console: Console, spelling: Spelling = PYTHON, *, rows: int | None = None, more: Sequence[str] = ()
) -> None:
    """Print one screen: the answer, its table, the method, three warnings, and what ``more`` there is.

    Of a table ``rows`` are shown, or as many as are usual and leave room for the rest.
    """
    tables = [_first_look(table) for table in view.tables if not table.aside]
    head = _said(view.sentences, console)
    tail: list[StyledLine] = []
    if view.footer or view.method:
        tail += [StyledLine("")] * bool(tables) + [_sentence(view.footer or view.method, console, "dim")]
    warned = [note for note in shown_notes(view, spelling) if note.severity == "warning"]
    tail += [_note(note, console) for note in warned[:WARNINGS]]
    if more:
        tail.append(StyledLine("\n".join(_more_lines(more, console.width)), "dim"))
    body: list[StyledLine] = []
    for k, table in enumerate(tables):
        body += [StyledLine("")] * bool(k or head)
        laid = _table(table, console, rows or usual_rows(table))
        room = LINES - sum(line.height for line in [*head, *tail, *body])
        left = min(len(table.rows), usual_rows(table))
        while rows is None and left > FEWEST and sum(line.height for line in laid) > room:
            left -= 1
            laid = _table(table, console, left)
        body += laid
    _print([*head, *body, *tail], console)


def _more_lines(more: Sequence[str], width: int) -> list[str]:
    """Put what else there is on one line; where it is too long without what it is for, and then on several.

    >>> _more_lines(["--show tasks", "page: --page FILE.html"], 80)
    ['More: --show tasks | page: --page FILE.html']
    >>> _more_lines(["--show tasks", "page: --page FILE.html"], 42)
    ['More: --show tasks | --page FILE.html']
    """
    short = [part.rpartition(": ")[2] for part in more]
    for parts in (more, short):
        if len(line := f"More: {' | '.join(parts)}") <= width:
            return [line]
    lines = [f"More: {short[0]}"]
    for part in short[1:]:
        joined = f"{lines[-1]} | {part}"
        lines = [*lines[:-1], joined] if len(joined) <= width else [*lines, f"  {part}"]
    return [piece for line in lines for piece in wrapped(line, width, "  ", " ,")]


def hidden_notes(view: View, spelling: Spelling = PYTHON) -> int:
    """Count the notes that one screen does not show."""
    warned = sum(note.severity == "warning" for note in shown_notes(view, spelling))
    return len(notes_of(view.diagnostics, spelling)) - min(warned, WARNINGS)


def shown_notes(view: View, spelling: Spelling) -> list[Note]:
    """Give the notes about what is shown, warnings first: those about a table that stands aside wait for it."""
    elsewhere = {code for table in view.tables if table.aside for code in table.concerns}
    here = {code for table in view.tables if not table.aside for code in table.concerns}
    notes = [note for note in view.diagnostics if note.code not in elsewhere - here]
    return sorted(notes_of(notes, spelling), key=lambda note: note.severity != "warning")


def usual_rows(table: TableView) -> int:
    """Give how many rows of a table are shown where nobody says how many."""
    usual = len(table.rows) if len(table.rows) <= ROWS else FEWER
    return usual if table.first is None else min(usual, table.first)


def say(sentence: str, console: Console, style: str = "", indent: str = "") -> None:
    """Print a sentence, its later lines indented; a user's text in it is harmless in a terminal."""
    _print([_sentence(sentence, console, style, indent)], console)


def _first_look(table: TableView) -> TableView:
    return replace(table, columns=[column for column in table.columns if not column.aside])


def _said(sentences: Sequence[str], console: Console) -> list[StyledLine]:
    return [_sentence(sentence, console) for sentence in sentences]


def _sentence(sentence: str, console: Console, style: str = "", indent: str = "") -> StyledLine:
    return StyledLine("\n".join(wrapped(harmless(sentence, PROSE), console.width, indent)), style)


def _note(note: Note, console: Console) -> StyledLine:
    mark, style = ("!", "yellow") if note.severity == "warning" else ("·", "dim")
    return _sentence(f"{mark} {note.text}", console, style, indent="  ")


def _table(table: TableView, console: Console, most: int | None) -> list[StyledLine]:
    rows = table.rows[:most]
    laid = lay_out(table, rows, console.width)
    lines = [StyledLine(table.title, "bold")] if table.title else []
    # As one text that fits already: rich takes its time over every line that it may have to break.
    lines.append(StyledLine("\n".join(laid.heading), "bold"))
    lines += [StyledLine("\n".join(laid.rows))] if laid.rows else []
    hidden = len(table.rows) - len(rows)
    if hidden:
        lines.append(_sentence(f"{hidden:,} more: --rows all", console, "dim"))
    if laid.dropped:
        lines.append(_sentence(f"Too narrow for: {', '.join(laid.dropped)}.", console, "dim"))
    return lines


def _print(lines: Sequence[StyledLine], console: Console) -> None:
    for line in lines:
        console.print(Text(line.text, style=line.style), soft_wrap=True)
