"""The catalogue: every method there is, ours and those of installed packages, read from their declarations."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import equipoise
from equipoise.declaration import Declaration, declaration_of
from equipoise.errors import EquipoiseError, ParameterError, did_you_mean
from equipoise.wording import Option

__all__ = ["PLUGINS", "Method", "catalogue", "method_named", "rating_methods"]

PLUGINS = "equipoise.methods"
"""The entry point group in which a package names its methods, each as ``name = "package.module:function"``."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method with its declaration.

    Attributes
    ----------
    declared
        What the method says of itself.
    function
        The method.
    package
        The package that brings it.
    """

    declared: Declaration
    function: Callable[..., Any]
    package: str = "equipoise"

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.declared.name

    @property
    def option_name(self) -> str:
        """The name as the command line writes it."""
        return self.name.replace("_", "-")


@cache
def catalogue() -> tuple[Method, ...]:
    """List all methods: ours in the order of their names, then those of other packages."""
    exported = [getattr(equipoise, name) for name in sorted(equipoise.__all__, key=str.lower)]
    ours = [Method(declared, function) for function in exported if (declared := declaration_of(function))]
    return (*ours, *_plugins({method.name for method in ours}))


def _plugins(taken: set[str]) -> list[Method]:
    return [_plugin(point, taken) for point in entry_points(group=PLUGINS)]


def _plugin(point: EntryPoint, taken: set[str]) -> Method:
    package = point.dist.name if point.dist else point.value.partition(".")[0]
    try:
        function = point.load()
    except Exception as error:
        raise EquipoiseError(f'the method "{point.name}" of package {package} cannot be loaded: {error}') from error
    declared = declaration_of(function)
    if declared is None:
        raise EquipoiseError(f'"{point.name}" of package {package} is no method: declare it with equipoise.method')
    if declared.name in taken:
        raise EquipoiseError(f'package {package} brings a method "{declared.name}", a name that is taken')
    taken.add(declared.name)
    return Method(declared, function, package)


def method_named(name: str) -> Method:
    """Find a method by its name, as Python or the command line writes it."""
    for method in catalogue():
        if name in (method.name, method.option_name):
            return method
    known = [method.name for method in catalogue()]
    raise ParameterError(Option("method"), f' "{name}" is not known{did_you_mean(name, known)}; see: equipoise methods')


def rating_methods() -> tuple[Method, ...]:
    """List the methods that rate agents by games."""
    return tuple(method for method in catalogue() if method.declared.rates)
