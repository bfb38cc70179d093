"""Kinds of games and players as data: ``kind:rest`` is looked up in a table, and its module loads when it is used."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from typing import Any, TypeVar

from equipoise.core.errors import DataError, MissingDependencyError, ParameterError, did_you_mean
from equipoise.core.options import Check, check
from equipoise.core.wording import Option

_Options = TypeVar("_Options")


@dataclass(frozen=True, slots=True)
class ReferenceKind:
    """One kind of game or player.

    Attributes
    ----------
    module
        Where it is: dotted name and, after a colon, the function that opens it.
    summary
        What it is, for lists.
    rest
        What stands after the colon, such as ``module:function``; empty where nothing does.
    needs, extra
        A package that it needs, and the extra of ours that installs it.
    """

    module: str
    summary: str
    rest: str = ""
    needs: str = ""
    extra: str = ""

    def opener(self, name: str) -> Any:
        """Load the module and give the function that opens this kind; say in one line what is not installed."""
        if self.needs:
            try:
                import_module(self.needs)
            except ImportError as error:
                raise MissingDependencyError(
                    f'{self.needs} is needed for {name}; run: pip install "equipoise[{self.extra}]"'
                ) from error
        module, _, function = self.module.partition(":")
        return getattr(import_module(module), function)


def find_kind(name: str, kinds: Mapping[str, ReferenceKind], what: str) -> tuple[ReferenceKind, str]:
    """Look up ``kind:rest``; give the kind and the rest.

    >>> find_kind("ches", {"chess": ReferenceKind("x", "Chess")}, "game")
    Traceback (most recent call last):
        ...
    equipoise.core.errors.ParameterError: there is no kind of game "ches" (did you mean "chess"?); it is one of chess
    """
    head, colon, rest = name.strip().partition(":")
    if head not in kinds:
        known = ", ".join(_form(key, kind) for key, kind in kinds.items())
        raise ParameterError(f'there is no kind of {what} "{head}"{did_you_mean(head, [*kinds])}; it is one of {known}')
    kind = kinds[head]
    if kind.rest and not rest.strip():
        raise ParameterError(f'the {what} "{name}" lacks what comes after the colon: {_form(head, kind)}')
    if colon and not kind.rest:
        raise ParameterError(f'the {what} "{head}" stands alone, without "{colon}{rest}"; options are a table')
    return kind, rest.strip()


def options_from(made: type[_Options], given: Mapping[str, Any], checks: Mapping[str, Check], what: str) -> _Options:
    """Read options into their dataclass: unknown names are refused with the nearest one, values by their checks."""
    names = [one.name for one in fields(made)]  # type: ignore[arg-type]  # a dataclass by contract
    for name in given:
        if name not in names:
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise DataError(f'{what} has no option "{name}"{did_you_mean(name, names)}; {takes}')
    for name, value in given.items():
        if name in checks:
            check(checks[name], name, value)
    for one in fields(made):  # type: ignore[arg-type]
        if one.default is MISSING and one.default_factory is MISSING and one.name not in given:
            raise ParameterError(f"{what} needs the option ", Option(one.name))
    return made(**given)


def _form(key: str, kind: ReferenceKind) -> str:
    return f"{key}:{kind.rest}" if kind.rest else key
