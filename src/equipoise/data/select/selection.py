"""What a user wants of a source: which table of a database, which rows, which agents."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.select.cleaning_steps import cleaning_steps

if TYPE_CHECKING:
    from equipoise.data.encode.cells import OddCells


Moment = str | int | float | date | datetime
"""A date, a time, or a number where times are numbers."""
Data = TypeVar("Data", bound=Any)
Components = Literal["largest"]
"""Which connected component of agents is kept."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is wanted of a source; None, which is everything, in all parts by default.

    Attributes
    ----------
    table
        Table of a database, or sheet of a workbook.
    where
        Condition that rows must meet, such as ``language == "English" and turn <= 3``.
    since, until
        First and last moment.
    time
        Column of times.
    min_games
        Games (scores, hands) that an agent needs.
    components
        ``largest`` keeps the largest set of agents that are joined by games.
    clean
        Steps of cleaning, each of which leaves votes of a match log out.
    """

    table: str | None = None
    where: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    time: str | None = None
    min_games: int | None = None
    components: Components | None = None
    clean: str | Sequence[str] | None = None

    def named(self) -> dict[str, Any]:
        """Give the parts that were set."""
        return {name: value for name in self.__slots__ if (value := getattr(self, name)) is not None}

    def of(self, source: Any) -> "Wanted":
        """Ask for this of a source.

        Fails when
            a column of times is named without ``since`` or ``until``, or a number of games or a step of cleaning makes
            no sense.
        """
        from equipoise.core.options import check, whole

        check(whole(1, none=True), "min_games", self.min_games)
        cleaning_steps(self.clean)
        refuse_time_alone(self.time, self.since, self.until)
        return Wanted(source, self)


def refuse_time_alone(time: str | None, since: object, until: object) -> None:
    """Refuse a column of times where nothing but the limits would look at it, and there are none."""
    if time is not None and since is None and until is None:
        raise ParameterError(Option("time"), " has no effect without ", Option("since"), " or ", Option("until"))


def _no_cells() -> "OddCells":
    # The options of the command line are made from what may be wanted: help must not load a library of frames.
    from equipoise.data.encode.cells import OddCells

    return OddCells()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A source, what is wanted of it, and what was done to its cells on the way."""

    source: Any
    selection: Selection = field(default_factory=Selection)
    cells: "OddCells" = field(default_factory=_no_cells)

    def noted(self, data: Data) -> Data:
        """Say in the diagnostics of data what was done to the cells of their columns."""
        notes = () if data.account is None else self.cells.notes(data.account.columns)
        return replace(data, diagnostics=(*data.diagnostics, *notes)) if notes else data


def refuse_selection(selection: Selection) -> None:
    """Refuse a choice among rows or agents of data that have none, or were read already."""
    for name in selection.named():
        raise ParameterError(
            Option(name), " has no effect: it tells how to read a table, and these data are no file of one"
        )


def refuse_cleaning(selection: Selection) -> None:
    """Refuse steps of cleaning where there are no votes to leave out."""
    if selection.clean:
        raise ParameterError(Option("clean"), " has no effect: it leaves votes of a match log out, and this is none")
