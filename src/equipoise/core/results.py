"""What every method gives back: a frozen value that can be read, framed, printed and sent as JSON."""

import html
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import MissingDependencyError
from equipoise.core.former import former_attribute, with_former_keys
from equipoise.core.lazy import pl

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

__all__ = [
    "Estimate",
    "Fit",
    "FloatArray",
    "FrozenMap",
    "IntArray",
    "Interval",
    "Later",
    "Result",
    "frozen",
    "frozen_params",
    "jsonable",
    "owned",
]

_Value_co = TypeVar("_Value_co", covariant=True)
_Kept = TypeVar("_Kept")
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fit:
    """How an iteration ended: did it converge, after how many steps, how far from the optimum."""

    converged: bool
    iterations: int
    residual: float


@dataclass(frozen=True, slots=True)
class Interval:
    """What ``low`` and ``high`` mean: the kind of interval and its level.

    >>> str(Interval("sandwich", 0.95))
    '95% sandwich interval'
    """

    kind: str
    level: float

    def __str__(self) -> str:
        return f"{100 * self.level:g}% {self.kind} interval"


class _Keeper:
    """Has room for what is made once; it is no field, so that copies and pickles leave it behind."""

    __slots__ = ("_made",)
    _made: dict[Callable[[Any], Any], Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Result(_Keeper):
    """Base of all results.

    Subclasses add their estimates as read-only arrays in the data's own order of agents, tasks or items;
    ``frame``, tables and JSON are sorted, best first. Frames and sentences are made once, whoever asks for them, and
    kept. ``source`` is what the question was asked of, where that was a
    file: the data as they were read, and where they come from.
    """

    rows_name: ClassVar[str] = "agents"
    """What one row of ``frame`` is about; the key of the rows in ``to_dict``."""
    main: ClassVar[str] = "rating"
    """Name of the array that a bootstrap collects when nothing else is asked for."""
    units: ClassVar[Mapping[str, str]] = {}
    """Units of columns of ``frame``, and of numbers in ``summary``; what is not named is a plain number."""
    in_summary: ClassVar[tuple[str, ...]] = ()
    """Names of what ``summary`` gives as it is."""

    params: Mapping[str, object] = field(default_factory=lambda: FrozenMap({}))
    fit: Fit | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    source: Any = None

    def __init_subclass__(cls, **options: Any) -> None:
        super(Result, cls).__init_subclass__(**options)
        for name in MADE_ONCE & vars(cls).keys():
            own = vars(cls)[name]
            once = made_once(getattr(own, "fget", own))
            setattr(cls, name, property(once) if isinstance(own, property) else once)

    @abstractmethod
    def frame(self) -> "pl.DataFrame":
        """Give the main table, best first."""

    def summary(self) -> dict[str, object]:
        """Give what the main table does not hold: single numbers, intervals, sentences."""
        return {name: getattr(self, name) for name in self.in_summary}

    @property
    def answer(self) -> tuple[str, ...]:
        """What the result says, in whole sentences, first things first."""
        former: property | None = getattr(type(self), "words", None)  # classes of others may still call it so
        return () if former is None else former.__get__(self)

    @property
    def table(self) -> "pl.DataFrame":
        """The main table, best first: what ``frame`` gives."""
        return self.frame()

    @property
    def tables(self) -> Mapping[str, "pl.DataFrame"]:
        """All tables by name, the main one first."""
        further = {"items": "item_frame", "tasks": "task_frame"}
        made = {name: getattr(self, method)() for name, method in further.items() if hasattr(type(self), method)}
        return {self.rows_name: self.frame(), **made}

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are more than notes, each with its ``advice``."""
        return tuple(note for note in self.diagnostics if note.severity == "warning")

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON: no NaN or Infinity; ``null`` instead, with a diagnostic that says so."""
        rows = with_former_keys(self, self.frame().to_dicts())
        gaps: set[str] = set()
        body = {self.rows_name: [jsonable(row, gaps) for row in rows]}
        body |= {key: jsonable(value, gaps, key) for key, value in self.summary().items()}
        notes = list(self.diagnostics)
        if gaps:
            names = sorted(gaps)
            notes.append(
                info("no-finite-value", f"null stands where no finite number exists: {', '.join(names)}.", names)
            )
        return body | {
            "units": dict(self.units),
            "params": jsonable(self.params),
            "fit": jsonable(asdict(self.fit)) if self.fit else None,
            "diagnostics": [note.to_dict() for note in notes],
        }

    def plot(
        self,
        kind: str | None = None,
        *,
        width: float | str | None = None,
        height: float | str | None = None,
        theme: str | None = None,
        title: str | None = None,
        caption: str | None = None,
        font_size: float | None = None,
        agents_shown: "Sequence[str] | str | None" = None,
        legend: bool | str | None = None,
        colours: "Mapping[str, str] | str | None" = None,
    ) -> Any:
        """Draw a chart of the result, the main one if no ``kind`` is given; its ``save(path)`` writes it.

        ``width`` and ``height`` are pixels, lengths like ``"3.25in"`` and ``"82mm"``, ``"column"`` or ``"page"``: with
        both a picture is exactly of that size, and a height alone is the most it has. ``theme`` is ``"screen"``;
        ``"paper"``, without title and caption; or ``"slides"``, with larger letters. ``title`` and ``caption`` stand in
        the place of its own. ``font_size`` of names and numbers is in points. ``agents_shown`` are drawn alone, though
        all are computed with. ``legend="off"`` leaves out the key. ``colours`` are by agent,
        ``{"IQN": "#b3470b"}``. An empty title or caption leaves it out.

        Fails when
            there is no such chart, the error names those that there are; or a size or an agent makes no sense.
        """
        look = _reports().look_of(
            width=width, height=height, theme=theme, title=title, caption=caption, font_size=font_size,
            agents_shown=agents_shown, legend=legend, colours=colours,
        )  # fmt: skip
        return _reports().plot(self, kind, look)

    def save(self, path: "str | PathLike[str]", *, title: str | None = None, caption: str | None = None) -> "Path":
        """Write the result to a file in the form that its suffix says, and give its path.

        .json, .csv, .tex, .md and .txt have the table, .html is a page with everything, .svg, .png and .pdf have the
        main chart.

        Fails when
            the suffix is another one, or the file cannot be written.
        """
        written: Path = _reports().save(self, path, title=title, caption=caption)
        return written

    def to_latex(self, *, title: str | None = None, caption: str | None = None) -> str:
        """Give the main table for a paper: a booktabs ``tabular``, with a caption in a float."""
        return str(_reports().to_latex(self, title=title, caption=caption))

    def to_markdown(self, *, title: str | None = None, caption: str | None = None) -> str:
        """Give the main table in Markdown."""
        return str(_reports().to_markdown(self, title=title, caption=caption))

    if not TYPE_CHECKING:  # a type checker is not to take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            return former_attribute(self, name)

    def __repr__(self) -> str:
        notes = "".join(f"\n- {note.message}" for note in self.diagnostics)
        return f"{type(self).__name__}\n{self.frame()}{notes}"

    def _repr_html_(self) -> str:
        return _drawn(self) or _plain(self)


MADE_ONCE = {"frame", "answer"}
"""What a result makes when somebody first asks; subclasses only say how."""


def made_once(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let a method of results make its value once for each; a frame is given as a copy that shares its columns."""
    if hasattr(make, "made_once"):  # a class with slots is made twice, of the same methods
        return make

    @wraps(make)
    def kept(result: Result) -> Any:
        try:
            made = result._made
        except AttributeError:
            object.__setattr__(result, "_made", made := {})
        if make not in made:
            made[make] = make(result)
        value = made[make]
        return value.clone() if make.__name__ == "frame" else value

    kept.made_once = True  # type: ignore[attr-defined]  # functions may have attributes
    return kept


def _plain(result: Result) -> str:
    """Give the result as HTML without anybody's help: its answer, its frame and its notes."""
    answer = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in result.answer)
    notes = "".join(f"<li>{html.escape(note.message)}</li>" for note in result.diagnostics)
    return answer + result.frame()._repr_html_() + (f"<ul>{notes}</ul>" if notes else "")


def _drawn(result: Result) -> str:
    """Give the result as HTML, drawn by whoever offers to (the entry point group ``equipoise.notebook``).

    Results stand left of everything and know no drawing; the room of reports announces itself in the metadata.
    """
    from importlib.metadata import entry_points

    return "".join(str(point.load()(result)) for point in entry_points(group="equipoise.notebook"))


def _reports() -> Any:
    """Give the module of reports that announces itself in the metadata; :func:`_drawn` says why.

    Fails when
        the package was not installed, only put on the path.
    """
    from importlib import import_module
    from importlib.metadata import entry_points

    for point in entry_points(group="equipoise.notebook", name="drawing"):
        return import_module(point.module)
    raise MissingDependencyError("reports are found by the package's metadata: install equipoise with pip")


def frozen(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Give a read-only array that shares nothing writable with its source."""
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def owned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Make an array read-only that nobody else holds: long ones are not copied for it."""
    array.setflags(write=False)
    return array


class FrozenMap(Mapping[str, _Value_co]):
    """A mapping that nobody changes and that pickles, which the standard library's read-only view does not."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, _Value_co]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> _Value_co:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)


class Later(Generic[_Kept]):
    """What is worked out when somebody first asks, because it may take longer than all else; once, and kept.

    >>> later = Later(lambda: print("now") or 7)
    >>> later(), later()
    now
    (7, 7)
    """

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], _Kept]) -> None:
        self._find: Callable[[], _Kept] | None = find

    def __call__(self) -> _Kept:
        """Give it."""
        if self._find is not None:
            self._found, self._find = self._find(), None  # what it was made of may be forgotten
        return self._found

    def __getstate__(self) -> _Kept:
        return self()

    def __setstate__(self, found: _Kept) -> None:
        self._found, self._find = found, None


def frozen_params(**params: object) -> Mapping[str, object]:
    """Record the parameters of a call so that nobody changes them afterwards."""
    return FrozenMap(params)


def jsonable(value: object, gaps: set[str] | None = None, key: str = "value") -> Any:
    """Turn numbers, arrays and containers into strict JSON values; note in ``gaps`` what became null."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Estimate):
        return jsonable(value.to_dict(), gaps, key)
    if isinstance(value, float) and not math.isfinite(value):
        if gaps is not None:
            gaps.add(key)
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(name): jsonable(item, gaps, str(name)) for name, item in value.items()}
    if isinstance(value, np.ndarray | Sequence | set | frozenset):
        return [jsonable(item, gaps, key) for item in value]
    if isinstance(value, Diagnostic):
        return value.to_dict()
    if isinstance(value, Fit | Interval):
        return jsonable(asdict(value), gaps, key)
    return str(value)


class Estimate(float):
    """A number that knows how sure it is.

    >>> e = Estimate(0.3, 0.1, 0.104, 0.496)
    >>> e + 1, e.low
    (1.3, 0.104)
    """

    __slots__ = ("high", "low", "stderr")
    stderr: float
    low: float
    high: float

    def __new__(cls, value: float, stderr: float, low: float, high: float) -> "Estimate":  # noqa: D102  # what it takes is said above
        self = super().__new__(cls, value)
        self.stderr, self.low, self.high = float(stderr), float(low), float(high)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # The standard way keeps only the number: its uncertainty would be lost between processes.
        return Estimate, (float(self), self.stderr, self.low, self.high)

    def to_dict(self) -> dict[str, float]:
        """Give the number with its uncertainty."""
        return {"value": float(self), "stderr": self.stderr, "low": self.low, "high": self.high}
