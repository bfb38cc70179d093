"""The catalogue: every method there is, ours and those of installed packages, read from their declarations."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise import methods as exported
from equipoise.core.declaration import Declaration, declaration_of
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, EquipoiseError, ParameterError, did_you_mean
from equipoise.core.lazy import stub_names
from equipoise.core.wording import Option

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


PLUGINS = "equipoise.methods"
"""The entry point group in which a package names its methods, each as ``name = "package.module:function"``."""

WITHOUT_METHODS = ("arena", "games", "players", "runners", "reproduce", "report")
"""Rooms that play and draw: they declare no method, and loading them takes longer than a small report."""


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


def catalogue() -> tuple[Method, ...]:
    """List all methods: ours in the order of their names, then those of other packages."""
    return _ours() + _brought_methods()


def broken_methods() -> tuple[Diagnostic, ...]:
    """Say which methods of installed packages could not be taken in, and why; everything else works without them."""
    return _of_others()[1]


def section_methods() -> tuple[Method, ...]:
    """List the methods that declare a section of reports, ours first; no others of ours are loaded."""
    modules = {module: _declares_section(module) for module, _ in _exported()}
    own = [_own(name) for module, name in _exported() if modules[module]]
    return tuple(method for method in (*own, *_brought_methods()) if method is not None and method.declared.section)


def _brought_methods() -> tuple[Method, ...]:
    """List the methods of other packages."""
    return _of_others()[0]


@cache
def _ours() -> tuple[Method, ...]:
    names = sorted((name for _, name in _exported()), key=str.lower)
    found = [getattr(exported, name) for name in names]
    return tuple(Method(declared, function) for function in found if (declared := declaration_of(function)))


@cache
def _of_others() -> tuple[tuple[Method, ...], tuple[Diagnostic, ...]]:
    from importlib.metadata import entry_points

    methods: list[Method] = []
    broken = []
    for point in sorted(entry_points(group=PLUGINS), key=lambda point: point.name):
        try:
            brought = _brought(point)
            named = [*methods, *filter(None, [_own(brought.name)])]
            if not any(method.function is brought.function for method in named):
                _refuse_taken(brought, named)
                methods.append(brought)
        except EquipoiseError as error:
            broken.append(warning("broken-method", f"{error}.", (point.name,)))
    return tuple(methods), tuple(broken)


@cache
def _exported() -> tuple[tuple[str, str], ...]:
    """Give modules and names that rooms with methods export, as listed: asking for a name itself loads its room."""
    listed = stub_names(Path(exported.__file__).with_suffix(".pyi"))
    return tuple((module, name) for name, module in listed.items() if module.partition(".")[0] not in WITHOUT_METHODS)


def _declares_section(module: str) -> bool:
    """Tell whether a module of ours may declare a section, by its text: that is read sooner than the module loads."""
    path = Path(exported.__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    return not path.is_file() or b"section=" in path.read_bytes()


def _brought(point: "EntryPoint") -> Method:
    """Load what a package brings."""
    package = point.dist.name if point.dist else point.value.partition(":")[0]
    try:
        function = point.load()
    except Exception as error:  # whatever goes wrong in somebody else's package must not stop ours
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(f'The method "{point.name}" of package {package} cannot be loaded ({reason})') from error
    declared = declaration_of(function)
    if declared is None:
        raise DataError(f'"{point.name}" of package {package} is no method: declare it with equipoise.method')
    return Method(declared, function, package)


def _refuse_taken(brought: Method, methods: Iterable[Method]) -> None:
    for method in methods:
        if method.name == brought.name:
            raise DataError(f'Package {brought.package} brings a method "{brought.name}" as {method.package} does')


def method_named(name: str) -> Method:
    """Find a method by its name, as Python or the command line writes it.

    Our own are found by their name alone; the whole catalogue is read only for others, since it loads every room.
    """
    own = _own(name.replace("-", "_"))
    if own is not None:
        return own
    for method in catalogue():
        if name in (method.name, method.option_name):
            return method
    for note in broken_methods():
        if name.replace("-", "_") in note.subjects:
            raise ParameterError(Option("method"), f' "{name}" cannot be used: {note.message}')
    known = [method.name for method in catalogue()]
    raise ParameterError(Option("method"), f' "{name}" is not known{did_you_mean(name, known)}; see: equipoise methods')


def _own(name: str) -> Method | None:
    """Find a method of ours; only its own room is loaded."""
    function = getattr(exported, name) if name in exported.__all__ else None
    declared = declaration_of(function)
    return None if function is None or declared is None else Method(declared, function)


def references(names: Collection[str]) -> tuple[str, ...]:
    """Give what is cited for methods of these names, each once; names of no method are passed over."""
    methods = {method.name: method for method in filter(None, map(_own, names))}
    methods = {method.name: method for method in _brought_methods() if method.name in names} | methods
    return tuple(dict.fromkeys(method.declared.reference for _, method in sorted(methods.items())))


def rating_methods() -> tuple[Method, ...]:
    """List the methods that rate agents by games."""
    return tuple(method for method in catalogue() if method.declared.rates)
