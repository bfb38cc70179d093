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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Literal, TypeVar, get_type_hints

from equipoise.errors import DataError
from equipoise.options import Check, check_options, from_annotation

__all__ = ["DATA_WORDS", "DataKind", "Declaration", "declaration_of", "method"]

DataKind = Literal["matches", "pairs", "scores", "metagame", "episodes", "calibration", "array"]
"""Kinds of data; a data type says its own in ``kind``, and ``array`` stands for plain numbers."""

DATA_WORDS: Mapping[str, str] = {
    "matches": "matches (read_matches, Matches.from_columns)",
    "pairs": "pair counts (read_pairs, PairTable)",
    "scores": "scores (read_scores, Scores.from_matrix)",
    "metagame": "payoffs (read_metagame, MetaGame)",
    "episodes": "dealt hands (read_episodes, Episodes.from_columns)",
    "calibration": "calibrations of items (irt(...).calibration(), load_calibration)",
    "array": "arrays of numbers",
}
"""Each kind of data in words, with where to get it."""

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
) -> Callable[[_Function], _Function]:
    """Declare a method: what it takes, what it answers, where it comes from.

    Parameters are those of :class:`Declaration`; ``checks`` narrows what single options may be beyond what their
    annotations say.
    """
    kinds = (takes,) if isinstance(takes, str) else takes

    def declare(function: _Function) -> _Function:
        declared = Declaration(
            name=function.__name__, module=function.__module__, takes=kinds, answers=answers, reference=reference,
            rates=rates, section=section, order_matters=order_matters, resampled=resampled, renamed=dict(renamed or {}),
        )  # fmt: skip
        if isinstance(function, type):
            # A learner is a class: what it takes is what its constructor takes.
            function.__init__ = _checked(function.__init__, declared, checks or {}, skip=1)  # type: ignore[misc]
            function.declaration = declared  # type: ignore[attr-defined]
            return function
        checked = _checked(function, declared, checks or {})
        checked.declaration = declared  # type: ignore[attr-defined]  # functions carry attributes
        return checked

    return declare


def _checked(function: _Function, declared: Declaration, narrower: Mapping[str, Check], skip: int = 0) -> _Function:
    """Wrap a function so that its data and options are checked before it runs."""
    parameters = list(inspect.signature(function).parameters)[skip:]
    subject = "data" if "data" in parameters else parameters[0]
    place = parameters.index(subject) + skip
    allowed: dict[str, Check] = {}

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        if not allowed:  # annotations are read at the first call, when everything they name can be imported
            allowed.update(_checks(function, subject))
            allowed.update(narrower)
        if declared.renamed:
            options = _with_new_names(declared, options)
        if len(args) > place or subject in options:
            _check_kind(declared, args[place] if len(args) > place else options[subject])
        check_options(allowed, options)
        return function(*args, **options)

    return checked  # type: ignore[return-value]  # same signature


def declaration_of(function: Any) -> Declaration | None:
    """Give what a function or class declares itself to be, if it does."""
    declared = getattr(function, "declaration", None)
    return declared if isinstance(declared, Declaration) else None


def _checks(function: Callable[..., Any], subject: str) -> dict[str, Check]:
    hints = get_type_hints(function)
    named = {name: from_annotation(name, hint) for name, hint in hints.items() if name not in ("return", subject)}
    return {name: allowed for name, allowed in named.items() if allowed is not None}


def _check_kind(declared: Declaration, data: object) -> None:
    kind = getattr(data, "kind", None)
    if kind in declared.takes or (kind not in DATA_WORDS and "array" in declared.takes):
        return
    wanted = [DATA_WORDS[each] for each in declared.takes]
    listed = ", ".join(wanted[:-1]) + f" or {wanted[-1]}" if len(wanted) > 1 else wanted[0]
    raise DataError(f"{declared.name} takes {listed}, not {type(data).__name__}")


def _with_new_names(declared: Declaration, options: dict[str, Any]) -> dict[str, Any]:
    """Accept former names of options for one more version."""
    old = [name for name in options if name in declared.renamed]
    for name in old:
        new = declared.renamed[name]
        warnings.warn(
            f"{declared.name}({name}=...) is now {new}=...; the old name goes in version 0.3",
            DeprecationWarning,
            stacklevel=3,
        )
    return {declared.renamed.get(name, name): value for name, value in options.items()}
