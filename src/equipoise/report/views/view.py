"""The view model: what every form of a report shows, free of how it is shown.

A command makes one view from a result; the terminal's table, JSON, CSV, the chart and the HTML page all render it. A
view computes nothing: its numbers stand in the result, and its charts are made when somebody draws them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.results import Later, Result, jsonable
from equipoise.data.types.accounts import Account

if TYPE_CHECKING:
    from equipoise.report.charts.drawing.canvas import ChartView


Row = Mapping[str, Any]
Cell = Callable[[Row], str]
NOTHING = "–"
"""What stands in a table where there is no value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column for people: how to get the cell's text from a row, its heading, and how it is set.

    Numbers stand to the right; prose and names wrap. Where there is no room for all columns, those with the greatest
    ``drop`` go first; with 0 a column always stays. ``bar`` names the columns of the low end, the estimate and the high
    end of an interval, which a page draws in the row, on one axis, its numbers counted from ``zero``. One that stands
    ``aside`` is not on the first screen.
    """

    heading: str
    cell: Cell
    right: bool = True
    prose: bool = False
    drop: int = 0
    bar: tuple[str, str, str] | None = None
    zero: float = 0.0
    aside: bool = False


class _LaterList(Sequence[Any]):
    """A list that is made when somebody first looks into it."""

    __slots__ = ("_later",)

    def __init__(self, find: Callable[[], Sequence[Any]]) -> None:
        self._later: Later[Sequence[Any]] = Later(find)

    def __len__(self) -> int:
        return len(self._later())

    def __getitem__(self, k: Any) -> Any:
        return self._later()[k]


class LaterRows(_LaterList):
    """Rows that take time, for a table that few ask for."""


class LaterColumns(_LaterList):
    """Columns that follow from such rows."""


@dataclass(frozen=True, slots=True)
class TableView:
    """Rows for programs (``rows``, in ``units`` by column) and columns for people.

    One that stands ``aside`` is printed where it is asked for; documents and pages have it in any case. What it answers
    is in its own ``sentences`` and ``method``, and notes whose code it ``concerns`` are about nothing else: all three
    are said where the table is. ``called`` is its name on the command line, where that is another one; of more rows
    than ``first`` only these are on the first screen.
    """

    name: str
    rows: Sequence[Row]
    columns: Sequence[Column]
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    aside: bool = False
    sentences: tuple[str, ...] = ()
    method: str = ""
    concerns: frozenset[str] = frozenset()
    called: str = ""
    first: int | None = None

    @property
    def asked(self) -> str:
        """How it is asked for."""
        return self.called or self.name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class Card:
    """What a page says first, in the words of the result.

    Attributes
    ----------
    question
        What is asked.
    sentences
        The answer, which is the headline, and how sure it is; a page shows three at most.
    against
        What contradicts the headline.
    counts
        How much it is computed from: games, agents, groups, dates.
    """

    question: str
    sentences: Sequence[str] = ()
    against: Sequence[str] = ()
    counts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class View:
    """What a command has to say.

    Attributes
    ----------
    sentences
        The answer in plain words, first things first.
    tables
        The first is the main one (what CSV contains).
    document
        What JSON contains besides the tables' rows.
    said
        All that the answer says, where the first screen has only the first of it; documents, pages and the long form
        have it in any case.
    further
        Gives more of the document, which takes time and is worked out when JSON is written.
    units
        Units of single numbers of the document, by key.
    method
        The method, in one line.
    footer
        The method and how much data, in a line for the first screen; without it the method.
    charts
        Makes the view models of the charts, the most informative first; called when they are drawn.
    cites
        Names of the catalogue's methods behind the results; without any, the document's ``method`` is looked up.
    title
        What the view is about, as a heading beside other views.
    data
        Gives what identifies the data: file, rows, agents, a hash; None where there are none.
    card
        Makes what a page says first; None where the sentences are all there is.
    together
        Which table a chart belongs to, by their names; a page shows them side by side.
    details
        Gives the games or scores behind each agent, which a page opens at a click.
    leads
        Tables and charts that stand open on a page under the first table, in this order, by their names; the others
        are folded. None for all that there are.
    stands_open
        Whether a page shows it open also where it is not the first view.
    """

    tables: tuple[TableView, ...]
    sentences: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    document: Mapping[str, Any] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    footer: str = ""
    charts: "Callable[[], Sequence[ChartView]]" = tuple
    cites: tuple[str, ...] = ()
    title: str = ""
    data: Callable[[], Mapping[str, object]] | None = None
    card: Callable[[], Card] | None = None
    together: Mapping[str, str] = field(default_factory=dict)
    details: Callable[[], Mapping[str, object]] | None = None
    further: Callable[[], Mapping[str, Any]] | None = None
    said: tuple[str, ...] = ()
    leads: tuple[str, ...] | None = None
    stands_open: bool = False

    @property
    def whole_answer(self) -> tuple[str, ...]:
        """The answer with what the first screen leaves out."""
        return self.said or self.sentences

    @property
    def words(self) -> tuple[str, ...]:
        """All that is said: the answer, then what each table answers."""
        tables = (sentence for table in self.tables for sentence in table.sentences)
        return tuple(dict.fromkeys((*self.whole_answer, *tables)))


def answer_of(result: Result, method: str | None = None) -> dict[str, Any]:
    """Give what most views say of a result: its sentences, its diagnostics, and its summary as the document."""
    named = {} if method is None else {"method": method}
    document = {**named, **jsonable(result.summary()), "params": jsonable(result.params)}
    return {"sentences": result.answer, "diagnostics": result.diagnostics, "document": document}


def account_words(view: View) -> tuple[str, ...]:
    """Say what became of the rows and columns of the file behind a view; nothing where there was none."""
    account: Any = None if view.data is None else view.data().get("account")
    return () if account is None else Account.from_dict(account).words


def origin_of(view: View, chart: "ChartView", facts: Mapping[str, Any] | None = None) -> str:
    """Say which estimator and which data a chart of the view shows, as far as that is known.

    ``facts`` identify the data where the view does not.
    """
    estimator = chart.estimated_by()
    return data_words(view, view.method if estimator is None else estimator, facts)


def data_words(view: View, method: str, facts: Mapping[str, Any] | None = None) -> str:
    """Say by which method, without what was found on the way, and of which data something was made."""
    estimator = method.partition(";")[0].partition(" (")[0].partition(", log-likelihood")[0]
    if facts is None:
        facts = {} if view.data is None else view.data()
    counted = [f"{facts[key]:,} {key}" for key in ("agents", "tasks") if facts.get(key)]
    data = ", ".join(filter(None, [str(facts.get("file") or ""), *counted]))
    words = (estimator.rstrip("."), f"Data: {data}" if data else "")
    return " ".join(f"{part}." for part in words if part)


def known(value: float | None) -> float | None:
    """Give a finite number as it is, and None for what is not one."""
    return None if value is None or not math.isfinite(value) else float(value)


def finite(row: Row) -> dict[str, Any]:
    """Give a row with None for numbers that do not exist."""
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}
