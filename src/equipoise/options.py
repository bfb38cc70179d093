"""What options may be, checked in one place with one wording.

A method's options are checked from its signature when it is called: whole numbers, numbers, choices and switches by
their annotations, ``level`` and ``rng`` by their names, narrower ranges by the method's declaration. What a method
receives is hence of the right kind, and only relations *between* options are left for it to check.

>>> check(whole(2), "n", 10)
>>> check(whole(2), "n", 2.5)
Traceback (most recent call last):
    ...
equipoise.errors.ParameterError: n is a whole number of at least 2, not 2.5
"""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from equipoise.errors import ParameterError, did_you_mean
from equipoise.wording import Option

__all__ = [
    "LEVEL",
    "SEED",
    "Check",
    "check",
    "check_options",
    "checked",
    "choice",
    "from_annotation",
    "generator",
    "number",
    "positive",
    "switch",
    "whole",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Check:
    """What an option may be: a test of its value, and the words for what passes."""

    wanted: str
    words: tuple[str, ...] = ()
    least: float = -math.inf
    most: float = math.inf
    open_ends: bool = False
    kind: Literal["whole", "number", "switch", "choice", "seed", "other"] = "other"
    none: bool = False

    def holds(self, value: object) -> bool:
        """Tell whether a value passes."""
        if value is None:
            return self.none
        if isinstance(value, str):
            return value in self.words
        return self._holds(value)

    def _holds(self, value: Any) -> bool:
        if self.kind == "other":
            return True
        if self.kind == "switch":
            return isinstance(value, bool | np.bool_)
        if self.kind == "seed":
            return isinstance(value, np.random.Generator) or (_is_whole(value) and value >= 0)
        if self.kind == "whole":
            return _is_whole(value) and self.least <= value <= self.most
        if self.kind == "number":
            return _is_number(value) and self._within(float(value))
        return False

    def _within(self, value: float) -> bool:
        if math.isnan(value):
            return False
        return self.least < value < self.most if self.open_ends else self.least <= value <= self.most


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def whole(least: int, most: int | None = None, *, words: tuple[str, ...] = (), none: bool = False) -> Check:
    """A whole number of at least ``least``; or one of the ``words``, or None where that is allowed."""
    wanted = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    return Check(_or(wanted, words), words, least, math.inf if most is None else most, kind="whole", none=none)


def number(
    least: float = -math.inf,
    most: float = math.inf,
    *,
    strictly: bool = False,
    words: tuple[str, ...] = (),
    none: bool = False,
) -> Check:
    """A number from ``least`` to ``most``, ``strictly`` between them where asked."""
    wanted = _range(least, most, strictly)
    return Check(_or(wanted, words), words, least, most, strictly, kind="number", none=none)


def positive(*, words: tuple[str, ...] = (), none: bool = False) -> Check:
    """A finite number above 0."""
    return Check(
        _or("a number above 0", words), words, 0.0, math.inf, open_ends=True, kind="number", none=none
    )  # fmt: skip


def choice(*words: str, none: bool = False) -> Check:
    """One of a few words."""
    listed = ", ".join(words[:-1]) + f" or {words[-1]}" if len(words) > 1 else words[0]
    return Check(listed, words, kind="choice", none=none)


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
    given = f'"{value}"' if isinstance(value, str) else repr(value)
    raise ParameterError(Option(name), f" is {allowed.wanted}, not {given[:80]}{near}")


def check_options(checks: Mapping[str, Check], given: Mapping[str, object]) -> None:
    """Refuse the first of the options given that makes no sense; names without a check are left alone."""
    for name, value in given.items():
        if name in checks:
            check(checks[name], name, value)


def checked(**narrower: Check) -> Callable[[_Function], _Function]:
    """Check what a function is called with: for functions that are no methods of the catalogue (readers, formulas).

    Checks come from the annotations; ``narrower`` ones by the names of parameters take their place.

    >>> @checked(share=number(0, 1))
    ... def half(share: float) -> float:
    ...     return share / 2
    >>> half(2)
    Traceback (most recent call last):
        ...
    equipoise.errors.ParameterError: share is a number from 0 to 1, not 2
    """

    def decorate(function: _Function) -> _Function:
        names = list(inspect.signature(function).parameters)
        allowed: dict[str, Check] = {}

        @wraps(function)
        def with_checks(*args: Any, **options: Any) -> Any:
            if not allowed:  # annotations are read at the first call, when everything they name can be imported
                hints = {name: from_annotation(name, hint) for name, hint in get_type_hints(function).items()}
                allowed.update({name: hint for name, hint in hints.items() if hint is not None and name != "return"})
                allowed.update(narrower)
            check_options(allowed, dict(zip(names, args, strict=False)) | options)
            return function(*args, **options)

        return with_checks  # type: ignore[return-value]  # same signature

    return decorate


def from_annotation(name: str, annotation: Any) -> Check | None:
    """Derive what an option may be from its annotation; None where it says nothing that can be checked."""
    if name in BY_NAME:
        return BY_NAME[name]
    members = _members(annotation)
    none = NoneType in members
    words = tuple(word for member in members if get_origin(member) is Literal for word in get_args(member))
    kinds = {member for member in members if member is not NoneType and get_origin(member) is not Literal}
    if not all(isinstance(word, str) for word in words):
        return None
    if not kinds:
        return choice(*words, none=none) if words else None
    if kinds == {bool}:
        return switch()
    if kinds == {int}:
        return Check(_or("a whole number", words), words, kind="whole", none=none)
    if kinds in ({float}, {float, int}):
        return number(words=words, none=none)
    return None


def _members(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, UnionType):
        return tuple(inner for member in get_args(annotation) for inner in _members(member))
    return (annotation,)


def _or(wanted: str, words: tuple[str, ...]) -> str:
    return f"{wanted}, or {' or '.join(words)}" if words else wanted


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
