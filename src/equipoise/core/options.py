"""What options may be, checked in one place with one wording.

A method's options are checked from its signature when it is called: whole numbers, numbers, choices and switches by
their annotations, ``level`` and ``rng`` by their names, narrower ranges by the method's declaration. What a method
receives is hence of the right kind, and only relations *between* options are left for it to check.

>>> check(whole(2), "n", 10)
>>> check(whole(2), "n", 2.5)
Traceback (most recent call last):
    ...
equipoise.core.errors.ParameterError: n is a whole number of at least 2, not 2.5
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints, runtime_checkable

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import ParameterError, did_you_mean, some_of
from equipoise.core.wording import Option

__all__ = [
    "LEVEL",
    "SEED",
    "Check",
    "check",
    "check_options",
    "checked",
    "checks_of",
    "choice",
    "from_annotation",
    "generator",
    "number",
    "positive",
    "shown",
    "switch",
    "whole",
]


_Function = TypeVar("_Function", bound=Callable[..., Any])
Kind = Literal["whole", "number", "switch", "seed", "other"]


@dataclass(frozen=True, slots=True)
class Check:
    """What an option may be.

    Attributes
    ----------
    wanted
        The words for a number that passes.
    words
        Texts that pass.
    least, most, open_ends
        The range of numbers, and whether its ends are outside.
    kind
        Numbers, switches and seeds are told apart by this; ``other`` leaves numbers out.
    none
        Whether None passes.
    others
        Types whose values pass as they are: a list of numbers, a fit.
    """

    wanted: str = ""
    words: tuple[str, ...] = ()
    least: float = -math.inf
    most: float = math.inf
    open_ends: bool = False
    kind: Kind = "other"
    none: bool = False
    others: tuple[type, ...] = ()

    def holds(self, value: object) -> bool:
        """Tell whether a value passes."""
        if value is None:
            return self.none
        if isinstance(value, str | bytes):
            return value in self.words or str in self.others
        return isinstance(value, self.others) or self._holds(value)

    def _holds(self, value: Any) -> bool:
        if self.kind == "switch":
            return isinstance(value, bool | np.bool_)
        if self.kind == "seed":
            return isinstance(value, np.random.Generator) or (_is_whole(value) and value >= 0)
        if self.kind == "whole":
            return _is_whole(value) and self.least <= value <= self.most
        return self.kind == "number" and _is_number(value) and self._within(float(value))

    def _within(self, value: float) -> bool:
        if math.isnan(value):
            return False
        return self.least < value < self.most if self.open_ends else self.least <= value <= self.most

    def described(self) -> str:
        """Say what passes, in words."""
        things = [self.wanted, *(_TYPE_WORDS.get(kind, _with_article(kind.__name__)) for kind in self.others)]
        plain = _joined(dict.fromkeys(thing for thing in things if thing))
        return ", or ".join(part for part in (plain, _joined(self.words)) if part)

    def narrowed(self, narrower: "Check") -> "Check":
        """Take the range of another check, and keep what else the annotation allows."""
        words = tuple(dict.fromkeys((*narrower.words, *self.words)))
        return replace(narrower, words=words, others=self.others, none=self.none or narrower.none)


def _joined(words: Iterable[str]) -> str:
    *others, last = words or ("",)
    return " or ".join(part for part in (", ".join(others), last) if part)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIO' else 'a'} {name}"


class _HasArray(Protocol):
    """What NumPy turns into an array: a column of a data frame."""

    def __array__(self) -> Any: ...


_Arrays = runtime_checkable(_HasArray)
_TYPE_WORDS: Mapping[type, str] = {
    Sequence: "a list",
    Iterable: "a list",
    np.ndarray: "an array",
    _Arrays: "an array",
    Mapping: "a mapping",
    Callable: "a function",  # type: ignore[dict-item]  # an abstract class, like the others here
    str: "a text",
}


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def whole(least: int, most: int | None = None, *, words: tuple[str, ...] = (), none: bool = False) -> Check:
    """A whole number of at least ``least``; or one of the ``words``, or None where that is allowed."""
    wanted = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    return Check(wanted, words, least, math.inf if most is None else most, kind="whole", none=none)


def number(
    least: float = -math.inf,
    most: float = math.inf,
    *,
    strictly: bool = False,
    words: tuple[str, ...] = (),
    none: bool = False,
) -> Check:
    """A number from ``least`` to ``most``, ``strictly`` between them where asked."""
    return Check(_range(least, most, strictly), words, least, most, strictly, kind="number", none=none)


def positive(*, words: tuple[str, ...] = (), none: bool = False) -> Check:
    """A finite number above 0."""
    return Check("a number above 0", words, 0.0, math.inf, open_ends=True, kind="number", none=none)


def choice(*words: str, none: bool = False) -> Check:
    """One of a few words."""
    return Check("", words, none=none)


def switch() -> Check:
    """True or false."""
    return Check("True or False", kind="switch")


LEVEL = Check("between 0 and 1, such as 0.95", (), 0.0, 1.0, open_ends=True, kind="number")
"""The level of an interval."""
SEED = Check("a seed (a whole number from 0) or a NumPy generator", kind="seed")
"""What everything random is drawn from."""
BY_NAME = {"level": LEVEL, "rng": SEED}
"""Options that mean the same wherever they stand."""


def check(allowed: Check, name: str, value: object) -> None:
    """Refuse a value that makes no sense for an option."""
    if allowed.holds(value):
        return
    near = did_you_mean(value, allowed.words) if isinstance(value, str) else ""
    raise ParameterError(Option(name), f" is {allowed.described()}, not {shown(value)}{near}")


def shown(value: object, longest: int = 80) -> str:
    """Write a value into a message, on one line.

    >>> shown("a"), shown([1] * 100)[:12], shown(object())
    ('"a"', '[1, 1, 1, 1,', 'an object of type object')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, str):
        return some_of([f'"{value}"'])
    if value is None or isinstance(value, Real | bytes | Sequence | Mapping | np.ndarray):
        return " ".join(repr(value).split())[:longest]
    return f"an object of type {type(value).__name__}"


def check_options(checks: Mapping[str, Check], given: Mapping[str, object]) -> None:
    """Refuse the first of the options given that makes no sense; names without a check are left alone."""
    for name, value in given.items():
        if name in checks:
            check(checks[name], name, value)


def checked(**narrower: Check) -> Callable[[_Function], _Function]:
    """Check what a function is called with: for functions that are no methods of the catalogue (readers, formulas).

    Checks come from the annotations; ``narrower`` ones by the names of parameters set the range.

    >>> @checked(share=number(0, 1))
    ... def half(share: float) -> float:
    ...     return share / 2
    >>> half(2)
    Traceback (most recent call last):
        ...
    equipoise.core.errors.ParameterError: share is a number from 0 to 1, not 2
    """

    def decorate(function: _Function) -> _Function:
        names = list(inspect.signature(function).parameters)
        allowed: dict[str, Check] = {}

        @wraps(function)
        def with_checks(*args: Any, **options: Any) -> Any:
            if not allowed:  # annotations are read at the first call, when everything they name can be imported
                allowed.update(checks_of(get_type_hints(function), narrower))
            check_options(allowed, dict(zip(names, args, strict=False)) | options)
            return function(*args, **options)

        return with_checks  # type: ignore[return-value]  # same signature

    return decorate


def checks_of(hints: Mapping[str, Any], narrower: Mapping[str, Check]) -> dict[str, Check]:
    """Derive what each parameter may be from the annotations of a function, and narrow it where that is asked for."""
    named = {name: from_annotation(name, hint) for name, hint in hints.items() if name != "return"}
    derived = {name: allowed for name, allowed in named.items() if allowed is not None}
    return derived | {
        name: derived[name].narrowed(allowed) if name in derived else allowed for name, allowed in narrower.items()
    }


def from_annotation(name: str, annotation: Any) -> Check | None:
    """Derive what an option may be from its annotation; None where it says nothing that can be checked.

    >>> from_annotation("k", int | Literal["auto"]).described()
    'a whole number, or auto'
    """
    if name in BY_NAME:
        return BY_NAME[name]
    members = _members(annotation)
    words = tuple(word for member in members if get_origin(member) is Literal for word in get_args(member))
    if not all(isinstance(word, str) for word in words):
        return None
    types = [_type_of(member) for member in members if member is not NoneType and get_origin(member) is not Literal]
    if not all(isinstance(kind, tuple) for kind in types):
        return None
    flat = [kind for kinds in types if kinds is not None for kind in kinds]
    base = _number_check(flat)
    others = tuple(dict.fromkeys(kind for kind in flat if kind not in (bool, int, float)))
    return replace(base, words=words, others=others, none=NoneType in members)


def _number_check(kinds: Sequence[type]) -> Check:
    if float in kinds:
        return number()
    if int in kinds:
        return Check("a whole number", kind="whole")
    return switch() if bool in kinds else Check()


def _type_of(member: Any) -> tuple[type, ...] | None:
    """Give the types behind one member of an annotation; None where nothing can be said."""
    origin = get_origin(member) or member
    if getattr(origin, "__name__", "") == "_SupportsArray":  # numpy.typing.ArrayLike, of which this is a part
        return (float, np.ndarray, Sequence, _Arrays)
    if not isinstance(origin, type) or origin is object:
        return None
    if origin in (tuple, list, np.ndarray):
        return (np.ndarray, Sequence, _Arrays)
    if origin in (Sequence, Iterable):
        # Letters may stand for names, but never for numbers.
        names = get_args(member)[:1] in ((object,), (str,), ())
        return (origin, np.ndarray, _Arrays, *((str,) if names else ()))
    try:
        isinstance(None, origin)
    except TypeError:  # a protocol that says nothing at run time
        return None
    return (origin,)


def _members(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, UnionType):
        inner = tuple(deep for member in get_args(annotation) for deep in _members(member))
        arrays = [member for member in inner if getattr(get_origin(member), "__name__", "") == "_SupportsArray"]
        # Of what NumPy takes for an array, its own protocol says enough.
        return inner if not arrays else (*arrays[:1], *(m for m in inner if not _of_array_like(m)))
    return (annotation,)


def _of_array_like(member: Any) -> bool:
    return member in _ARRAY_LIKE


_ARRAY_LIKE = get_args(npt.ArrayLike)


def _range(least: float, most: float, strictly: bool) -> str:
    if math.isinf(least) and math.isinf(most):
        return "a number"
    if math.isinf(most):
        return f"a number {'above' if strictly else 'of at least'} {least:g}"
    if math.isinf(least):
        return f"a number {'below' if strictly else 'of at most'} {most:g}"
    return f"a number between {least:g} and {most:g}" if strictly else f"a number from {least:g} to {most:g}"


def generator(rng: int | np.random.Generator) -> np.random.Generator:
    """Give the generator behind a seed, or the generator itself."""
    check(SEED, "rng", rng)
    return np.random.default_rng(rng)
