"""Columns of times, and moments as users give them: dates, times, years and months, or numbers."""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

import polars as pl

from equipoise.core.errors import ColumnError, ParameterError, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import TIMES, find, named
from equipoise.data.select.selection import Moment

DATE_FORMS = (
    "%Y-%m-%d", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z",
    "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M",
)  # fmt: skip
"""Forms of dates in ISO order; those without a zone are taken for UTC."""
SAMPLE = 1000
"""Rows that are looked at to tell what a column holds."""
SECONDS, UNITS = (1e8, 1e11), {"": 1.0, "milli": 1e3, "micro": 1e6, "nano": 1e9}
"""Numbers that are seconds since 1970 lie here, from 1973 to 5138; finer units are so many times as large."""
NAME_IT = (Advice("name the column of times with ", Option("time")),)
LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column of times: dates, or numbers of which ``second`` make a second (None where they are no dates)."""

    name: str
    when: pl.Expr
    numeric: bool
    second: float | None = None

    @classmethod
    def of(cls, table: Table, name: str | None) -> "TimeColumn":
        """Take the column that the user named, one that is called after time, or the only one that holds dates."""
        column = _found(table) if name is None else named(table.columns, name, "time")
        kind = table.rows.collect_schema()[column]
        written, numbers = _sample(table, column, table.number(column)) if kind == pl.String else (0, None)
        if kind.is_numeric() or (numbers is not None and 0 < written == numbers.len() - numbers.null_count()):
            values = _sample(table, column, table.number(column))[1]
            return cls(column, table.number(column), True, _per_second(values))
        if not (kind == pl.String or kind in (pl.Date, pl.Datetime)) or not _share_of_dates(table, column):
            raise ColumnError(f'{table.name}: column "{column}" holds no times', advice=NAME_IT)
        return cls(column, _dates(pl.col(column), kind), False)

    def since(self, moment: Moment) -> pl.Expr:
        """Tell which times are not before a moment."""
        start, _ = self._limits(moment, "since")
        return (self.when >= start).fill_null(False)

    def until(self, moment: Moment) -> pl.Expr:
        """Tell which times are not after a moment, a day, a month or a year."""
        _, end = self._limits(moment, "until")
        if isinstance(end, float) and self.second is None:
            return (self.when <= end).fill_null(False)
        return (self.when < end).fill_null(False)

    def _limits(self, moment: Moment, option: str) -> tuple[float | datetime, float | datetime]:
        """Give the first moment, and the first one after; of bare numbers both are the number."""
        if self.numeric and (number := _number(moment)) is not None and not (self.second and 1000 <= number <= 9999):
            return number, number if self.second is None else number + 1e-6
        start, end = _period(moment, option)
        if not self.numeric:
            return start, end
        if self.second is None:
            raise ParameterError(
                Option(option), f': column "{self.name}" holds numbers that are no dates; give a number, not {moment}'
            )
        return start.timestamp() * self.second, end.timestamp() * self.second


def days_of(table: Table, name: str | None) -> tuple[date, date] | None:
    """Give the first and the last day of a log; None where no column is called after time, or it holds no dates.

    Texts in ISO order are compared as they are, and only the first and the last of them is understood.
    """
    column = find(table.columns, TIMES) if name is None else name
    if column is None:
        return None
    try:
        times = TimeColumn.of(table, column)
    except ColumnError:
        return None
    if times.numeric and times.second is None:
        return None
    kind = table.rows.collect_schema()[column]
    text = kind == pl.String and not times.numeric
    values = table.text(column) if text else times.when
    ends = collect(table.rows.select(first=values.min(), last=values.max()), table.name)
    if text:
        ends = ends.select(_dates(pl.col("first"), kind), _dates(pl.col("last"), kind))
    first, last = ends.row(0)
    if first is None or last is None:
        return None
    if times.second is None:
        return first.date(), last.date()
    try:
        return _day(first / times.second), _day(last / times.second)
    except (OverflowError, ValueError, OSError):  # a number that is no moment: NaN, or beyond the calendar
        return None


def _day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds, UTC).date()


def _found(table: Table) -> str:
    usual = find(table.columns, TIMES)
    if usual is not None:
        return usual
    dated = [column for column in table.columns if _share_of_dates(table, column) == 1]
    if len(dated) == 1:
        return dated[0]
    there = f"several columns hold dates: {some_of(dated, 12)}" if dated else "no column holds dates"
    raise ColumnError(f"{table.name}: {there}", advice=NAME_IT)


def _share_of_dates(table: Table, column: str) -> float:
    kind = table.rows.collect_schema()[column]
    if kind in (pl.Date, pl.Datetime):
        return 1.0
    if kind != pl.String:
        return 0.0
    written, values = _sample(table, column, _dates(pl.col(column), kind))
    return (values.len() - values.null_count()) / written if written else 0.0


def _sample(table: Table, column: str, values: pl.Expr) -> tuple[int, pl.Series]:
    """Give how many of the first cells have something in them, and their values."""
    sample = collect(table.rows.select(text=table.text(column), value=values).head(SAMPLE), table.name)
    written = sample.filter(pl.col("text").is_not_null())
    return written.height, written["value"]


def _per_second(values: pl.Series) -> float | None:
    """Tell in which unit numbers count time since 1970; None where they are something else, such as rounds."""
    middle = values.drop_nulls().abs().median()
    if not isinstance(middle, float):
        return None
    return next((unit for unit in UNITS.values() if SECONDS[0] * unit <= middle < SECONDS[1] * unit), None)


def _dates(times: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Give moments in UTC; null where there is none."""
    if kind == pl.String:
        text = times.str.strip_chars()
        return pl.coalesce(
            text.str.to_datetime(form, strict=False, time_unit="us", time_zone="UTC") for form in DATE_FORMS
        )
    if getattr(kind, "time_zone", None):
        return times.dt.convert_time_zone("UTC").dt.cast_time_unit("us")
    return times.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")


def _number(moment: Moment) -> float | None:
    try:
        return None if isinstance(moment, date) else float(moment)
    except ValueError:
        return None


def _period(moment: Moment, option: str) -> tuple[datetime, datetime]:
    """Give the start of a year, month, day or moment, and where it is over."""
    if isinstance(moment, datetime):
        start = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return start, _later(start, timedelta(microseconds=1))
    if isinstance(moment, date):
        start = datetime.combine(moment, time(), UTC)
        return start, _later(start, timedelta(days=1))
    text = str(moment).strip()
    try:
        if re.fullmatch(r"\d{4}", text):
            start = datetime(int(text), 1, 1, tzinfo=UTC)
            return start, _later(start, timedelta(days=366 if calendar.isleap(start.year) else 365))
        if re.fullmatch(r"\d{4}-\d{2}", text):
            start = datetime(int(text[:4]), int(text[5:]), 1, tzinfo=UTC)
            return start, _later(start, timedelta(days=calendar.monthrange(start.year, start.month)[1]))
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return _period(date.fromisoformat(text), option)
        return _period(datetime.fromisoformat(text), option)
    except ValueError:
        raise ParameterError(
            Option(option), f' "{moment}" is no date; write 2024-12-31, 2024-12-31T18:30:00, 2024-12 or 2024'
        ) from None


def _later(start: datetime, by: timedelta) -> datetime:
    return start + by if LATEST - start > by else LATEST
