"""Names and the integer codes that stand for them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, some_of
from equipoise.data.encode.distinct import Distinct, distinct

Codes = npt.NDArray[np.int32]

CROSSED = "\x1f"
"""Stands between the labels of columns that were crossed."""


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A column of names as codes into ``labels``."""

    labels: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, column: Distinct | Iterable[object]) -> "Factor":
        """Encode names in order of first appearance."""
        labels, codes = encode([column if isinstance(column, Distinct) else distinct(column, "names")])
        return cls(labels, codes[0])

    @classmethod
    def crossed(cls, factors: "Sequence[Factor]") -> "Factor":
        """Give a label to each combination of labels that occurs, in order of first appearance.

        >>> Factor.crossed([Factor.of("aab"), Factor.of("xyx")]).apart()[1].labels
        ('x', 'y')
        """
        whole = factors[0]
        for factor in factors[1:]:
            pairs = whole.codes.astype(np.int64) * len(factor.labels) + factor.codes
            seen, first, codes = np.unique(pairs, return_index=True, return_inverse=True)
            order = np.argsort(first)
            place = np.empty(len(order), dtype=np.int32)
            place[order] = np.arange(len(order))
            names = [divmod(int(pair), len(factor.labels)) for pair in seen[order]]
            labels = tuple(f"{whole.labels[i]}{CROSSED}{factor.labels[j]}" for i, j in names)
            whole = cls(labels, place[codes.ravel()])
        return whole

    def apart(self) -> "tuple[Factor, ...]":
        """Give the columns that were crossed, each with the rows of this one."""
        columns = zip(*(label.split(CROSSED) for label in self.labels), strict=True)
        return tuple(Factor(one.labels, one.codes[self.codes]) for one in map(Factor.of, columns))


def encode(columns: Sequence[Distinct]) -> tuple[tuple[str, ...], list[Codes]]:
    """Encode several columns of names with one set of labels, in order of first appearance by row.

    Names are trimmed, as readers of files do; a missing one is an empty text.

    >>> encode([distinct(["x", "y"], "a"), distinct([" y", "z"], "b")])[0]
    ('x', 'y', 'z')
    """
    names = [["" if value is None else str(value).strip() for value in column.values] for column in columns]
    places = np.concatenate([column.places() * len(columns) + side for side, column in enumerate(columns)])
    every = [name for those in names for name in those]
    order = dict.fromkeys(every[at] for at in np.argsort(places))
    number = {name: code for code, name in enumerate(order)}
    translated = [np.array([number[name] for name in those], dtype=np.int32) for those in names]
    return tuple(order), [those.take(column.codes) for those, column in zip(translated, columns, strict=True)]


def refuse_nameless(columns: Mapping[str, Distinct]) -> None:
    """Refuse columns of names in which a name is missing."""
    for name, column in columns.items():
        missing = np.array([_nameless(value) for value in column.values], dtype=bool)
        if missing.any():
            rows = np.flatnonzero(missing[column.codes]) + 1
            raise DataError(f"column {name} has no name in rows {some_of(rows)}")


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
