"""How a method declares itself: one decorator, from which everything else follows.

>>> @method(takes="scores", answers="How many tasks has each agent solved?", reference="Example (2026)")
... def solved(data, *, level: float = 0.95):
...     return data

The decorator refuses the wrong kind of data and options that make no sense before the method runs, and it leaves the
declaration on the function, where the catalogue (``equipoise.catalogue``), the command line, reports and the contract
suite read it. A package of yours adds a method through the entry point group ``equipoise.methods``.
"""

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from numbers import Integral
from typing import Any, Literal, TypeVar, get_type_hints

import numpy as np

from equipoise.core.errors import DataError, ParameterError
from equipoise.core.options import Check, check, check_options, checks_of, choice, from_annotation, shown
from equipoise.core.wording import Option

__all__ = ["DATA_WORDS", "DataKind", "Declaration", "declaration_of", "method"]

DataKind = Literal[
    "matches", "pairs", "scores", "metagame", "episodes", "calibration", "array", "strategies", "ballots", "rankings"
]
"""Kinds of data; a data type says its own in ``kind``, ``array`` stands for plain numbers, ``strategies`` for names."""

DATA_WORDS: Mapping[str, str] = {
    "matches": "matches (read_matches, Matches.from_columns)",
    "pairs": "pair counts (read_pairs, PairTable)",
    "scores": "scores (read_scores, Scores.from_matrix)",
    "metagame": "payoffs (read_metagame, MetaGame)",
    "episodes": "dealt hands (read_episodes, Episodes.from_columns)",
    "calibration": "calibrations of items (irt(...).calibration(), load_calibration)",
    "array": "arrays of numbers",
    "strategies": "a number of strategies or their names",
    "ballots": "ranked ballots (read_ballots, Ballots.from_orders)",
    "rankings": "places in games of several (read_rankings, Rankings.from_columns)",
}
"""Each kind of data in words, with where to get it."""

SAME_VALUES: Mapping[tuple[str, str], str] = {
    ("islands", "separate"): "each",
    ("components", "separate"): "each",
} | {
    (name, old): now
    for name in ("resample", "unit")
    for old, now in {"match": "matches", "group": "clusters", "task": "tasks", "trial": "runs", "run": "runs"}.items()
}
"""Values that an option had, by the name it is given by, with what they are now."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a method says of itself.

    Attributes
    ----------
    name
        The function's name in ``equipoise``.
    takes
        Kinds of data it accepts as its first argument.
    answers
        The question it answers, in plain words.
    reference
        Where the method comes from.
    rates
        Whether it rates agents by games: such methods are choices of ``equipoise rank --method``.
    section
        The heading under which reports show it where it fits the data; None where no report shows it by itself.
    order_matters
        Whether the order of the matches decides the answer.
    resampled
        Whether :func:`equipoise.bootstrap` can collect its main estimate; otherwise why not, in words.
    renamed
        Former names of options; they keep working for one version, with a ``DeprecationWarning``.
    synonyms
        Other names of options, which stay.
    by_match
        Options with which the method looks at single matches, where it otherwise goes by pair counts.
    """

    name: str
    module: str
    takes: tuple[DataKind, ...]
    answers: str
    reference: str
    rates: bool = False
    section: str | None = None
    order_matters: bool = False
    resampled: bool | str = True
    renamed: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)
    by_match: tuple[str, ...] = ()


def method(
    *,
    takes: DataKind | tuple[DataKind, ...],
    answers: str,
    reference: str,
    checks: Mapping[str, Check] | None = None,
    rates: bool = False,
    section: str | None = None,
    order_matters: bool = False,
    resampled: bool | str = True,
    renamed: Mapping[str, str] | None = None,
    synonyms: Mapping[str, str] | None = None,
    by_match: tuple[str, ...] = (),
) -> Callable[[_Function], _Function]:
    """Declare a method: what it takes, what it answers, where it comes from.

    Parameters are those of :class:`Declaration`; ``checks`` narrows what single options may be beyond what their
    annotations say.
    """
    kinds = (takes,) if isinstance(takes, str) else takes
    for kind in kinds:
        check(choice(*DATA_WORDS), "takes", kind)

    def declare(function: _Function) -> _Function:
        declared = Declaration(
            name=function.__name__, module=function.__module__, takes=kinds, answers=answers, reference=reference,
            rates=rates, section=section, order_matters=order_matters, resampled=resampled, renamed=dict(renamed or {}),
            synonyms=dict(synonyms or {}), by_match=by_match,
        )  # fmt: skip
        if isinstance(function, type):
            # A learner is a class: what it takes is what its constructor takes.
            function.__init__ = _checked(function.__init__, declared, checks or {}, skip=1)  # type: ignore[misc]
            function.declaration = declared  # type: ignore[attr-defined]
            return function
        checked = _checked(function, declared, checks or {})
        checked.declaration = declared  # type: ignore[attr-defined]  # functions have attributes
        return checked

    return declare


def _checked(function: _Function, declared: Declaration, narrower: Mapping[str, Check], skip: int = 0) -> _Function:
    """Wrap a function so that its data and options are checked before it runs."""
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    names = [parameter.name for parameter in parameters]
    _check_names(declared, names, narrower)
    leading = [parameter.name for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
    subject = "data" if "data" in leading else leading[0]
    hints: dict[str, Any] = {}
    allowed: dict[str, Check] = {}

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        if not hints:  # annotations are read at the first call, when everything they name can be imported
            hints.update(_hints(function))
            allowed.update(checks_of(hints, narrower))
        if declared.renamed or declared.synonyms:
            options = _with_new_names(declared, options)
        given = dict(zip(leading, args[skip:], strict=False)) | options
        for name in leading:
            if name in given:
                _check_argument(declared, name, given[name], hints.get(name), name == subject)
        check_options({name: allowed[name] for name in allowed if name not in leading}, options)
        return function(*args, **options)

    return checked  # type: ignore[return-value]  # same signature


def _check_names(declared: Declaration, names: Sequence[str], narrower: Mapping[str, Check]) -> None:
    """Refuse a declaration about options that the method does not have."""
    for name in (*narrower, *declared.renamed.values(), *declared.synonyms.values(), *declared.by_match):
        if name not in names:
            raise ParameterError(f'{declared.name} declares something about an option "{name}" that it does not have')


def declaration_of(function: Any) -> Declaration | None:
    """Give what a function or class declares itself to be, if it does."""
    declared = getattr(function, "declaration", None)
    return declared if isinstance(declared, Declaration) else None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Read the annotations; one that names something unknown at run time says nothing."""
    try:
        return get_type_hints(function) or {"return": None}
    except NameError:
        return dict.fromkeys(inspect.signature(function).parameters)


def _check_argument(declared: Declaration, name: str, value: object, hint: Any, is_subject: bool) -> None:
    """Refuse data of a kind that the method does not take, and a second argument that does not go with them."""
    if is_subject or declared.takes in (("array",), ("calibration",)):
        if not any(_is_kind(kind, value, hint) for kind in declared.takes):
            raise DataError(f"{declared.name} takes {_listed(declared.takes)}, not {_described(value)}")
        return
    allowed = from_annotation(name, hint)
    if allowed is not None and not allowed.holds(value):
        raise ParameterError(
            f"{declared.name}: ", Option(name), f" is {allowed.described()}, not {_described(value)}"
        )  # fmt: skip


def _is_kind(kind: DataKind, value: object, hint: Any) -> bool:
    named = getattr(value, "kind", None)
    if isinstance(value, type) or kind == named or named in DATA_WORDS:
        return kind == named and not isinstance(value, type)
    if kind == "array":
        return _is_array(list(value.values()) if isinstance(value, Mapping) and "Mapping" in str(hint) else value)
    if kind == "strategies":
        return (isinstance(value, Integral) and int(value) > 0) or (
            isinstance(value, Sequence) and not isinstance(value, str | bytes) and len(value) > 0
        )
    return False


def _is_array(value: Any) -> bool:
    """Tell whether numbers stand in rows: scalars, texts and nothing at all are no array."""
    if value is None or isinstance(value, str | bytes | Mapping):
        return False
    try:
        array = np.asarray(value)
        numbers = array.dtype.kind != "c" and np.asarray(array, dtype=float).size > 0
    except (TypeError, ValueError):  # words, or rows of different lengths
        return False
    return array.ndim > 0 and numbers


def _listed(kinds: Sequence[DataKind]) -> str:
    wanted = [DATA_WORDS[kind] for kind in kinds]
    return ", ".join(wanted[:-1]) + f" or {wanted[-1]}" if len(wanted) > 1 else wanted[0]


def _described(value: object) -> str:
    """Say what was given instead: the type of data, or the thing itself."""
    named = getattr(value, "kind", None)
    if isinstance(named, str) and named in DATA_WORDS and not isinstance(value, type):
        return type(value).__name__
    return shown(value)


def _with_new_names(declared: Declaration, options: dict[str, Any]) -> dict[str, Any]:
    """Accept former names of options for one more version, and other names for good."""
    names = {**declared.renamed, **declared.synonyms}
    for name in [name for name in options if name in names]:
        new = names[name]
        if new in options:
            what = "another" if name in declared.synonyms else "the former"
            raise ParameterError(Option(name), f" is {what} name of ", Option(new), "; give only the latter")
        if name in declared.synonyms:
            continue
        warnings.warn(
            f"{declared.name}({name}=...) is now {new}=...; the old name ends in version 0.4",
            DeprecationWarning,
            stacklevel=3,
        )
    return {
        names.get(name, name): SAME_VALUES.get((name, value), value) if isinstance(value, str) else value
        for name, value in options.items()
    }
