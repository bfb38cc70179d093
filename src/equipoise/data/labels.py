"""Names and the integer codes that stand for them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import DataError, some_of

__all__ = ["Codes", "Factor", "agent_names", "encode", "odd_names", "refuse_nameless", "unique_names"]

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A column of names as codes into ``labels``."""

    labels: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, values: Iterable[object]) -> "Factor":
        """Encode names in order of first appearance."""
        labels, codes = encode([values])
        return cls(labels, codes[0])


def encode(columns: Sequence[Iterable[object]]) -> tuple[tuple[str, ...], list[Codes]]:
    """Encode several columns of names with one set of labels, in order of first appearance by row.

    Names are trimmed, as readers of files do; a missing one is an empty text.

    >>> encode([["x", "y"], [" y", "z"]])[0]
    ('x', 'y', 'z')
    """
    lists = [["" if value is None else str(value).strip() for value in column] for column in columns]
    order: dict[str, int] = {}
    for row in zip(*lists, strict=True):
        for name in row:
            order.setdefault(name, len(order))
    codes = [np.array([order[name] for name in names], dtype=np.int32) for names in lists]
    return tuple(order), codes


def refuse_nameless(columns: Mapping[str, Sequence[object]]) -> None:
    """Refuse columns of names in which a name is missing."""
    for column, values in columns.items():
        empty = [row + 1 for row, value in enumerate(values) if _nameless(value)]
        if empty:
            raise DataError(f"column {column} has no name in rows {some_of(empty)}")


def _nameless(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value)) or not str(value).strip()


def agent_names(names: Iterable[object] | None, count: int, kind: str = "agent") -> tuple[str, ...]:
    """Check given names, or make ``agent 1 ... agent n``."""
    if names is None:
        return tuple(f"{kind} {index + 1}" for index in range(count))
    given = unique_names(names, kind)
    if len(given) != count:
        raise DataError(f"{len(given)} {kind} names for {count} {kind}s; give one name each")
    return given


def odd_names(names: Iterable[str]) -> tuple[Diagnostic, ...]:
    """Point out names that hold a line end or another sign that nobody sees: often two names, or half a quoted text."""
    odd = [name for name in names if not name.isprintable()]
    if not odd:
        return ()
    shown = some_of(odd)
    return (warning("odd-names", f"Names with line ends or other invisible signs: {shown}. Look at the file.", odd),)


def unique_names(names: Iterable[object], kind: str) -> tuple[str, ...]:
    """Give names as trimmed text; refuse empty and repeated ones."""
    try:
        given = tuple(str(name).strip() for name in names)
    except TypeError as error:
        raise DataError(f"{kind} names are a list of names, not a {type(names).__name__}") from error
    if not all(given):
        raise DataError(f"an empty {kind} name; give every {kind} a name")
    repeated = sorted(name for name, count in Counter(given).items() if count > 1)
    if repeated:
        raise DataError(f"{kind} names appear more than once: {some_of(repeated)}; make them unique")
    return given
