"""Data frames of other libraries as those of polars."""

from typing import Any

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, MissingDependencyError, some_of


def native_frame(source: Any) -> tuple[pl.DataFrame | pl.LazyFrame, tuple[Diagnostic, ...]]:
    """Give a data frame of any library as one of polars, and what to say of it."""
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        return source, ()
    import narwhals as nw

    try:
        return nw.from_native(source, eager_only=True).to_polars(), ()
    except nw.exceptions.DuplicateError as error:
        raise DataError("the data frame has two columns of the same name; rename or drop one of them") from error
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"{error.name} is needed to read this data frame; install it") from error
    except Exception as error:
        # Arrow has exceptions of its own for columns of mixed types; only those of pandas have such columns.
        mixed = _pandas_as_text(source)
        if mixed is None:
            raise DataError(f"cannot read a {type(source).__name__}; give a path or a data frame") from error
        return mixed


def _pandas_as_text(source: Any) -> tuple[pl.DataFrame, tuple[Diagnostic, ...]] | None:
    """Give a pandas frame whose columns hold things of several types: those columns as text."""
    if type(source).__module__.partition(".")[0] != "pandas" or not hasattr(source, "columns"):
        return None
    columns, mixed = {}, []
    for place, name in enumerate(source.columns):
        values = source.iloc[:, place]
        try:
            columns[str(name)] = pl.Series(str(name), values)
        except Exception:  # whatever it was that did not fit together
            mixed.append(str(name))
            columns[str(name)] = pl.Series(str(name), [_as_text(value) for value in values], dtype=pl.String)
    if len(columns) < len(source.columns):
        raise DataError("the data frame has two columns of the same name; rename or drop one of them")
    note = info("mixed-types", f"Columns that hold values of several types were read as text: {some_of(mixed)}.", mixed)
    return pl.DataFrame(columns), (note,) if mixed else ()


def _as_text(value: object) -> str | None:
    return None if value is None or value != value or str(value) == "<NA>" else str(value)  # noqa: PLR0124  # NaN
