"""Modules that no command needs, but SciPy, polars and Typer load: they wait until somebody does need them."""

import sys
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

__all__ = ["leave_idle", "load_help"]

IDLE = ("importlib.metadata", "numpy.ctypeslib", "numpy.f2py", "numpy.polynomial", "numpy.testing")
"""A reader of Fortran, tools of tests and the like: SciPy takes all names of NumPy, and with a name its module. Polars
takes the list of installed packages, for a plugin that no command uses."""

DRAWN_LATE = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""What Typer's help loads and seldom draws, with the one class that it takes of each."""


def load_help() -> None:
    """Load what draws help, and leave Markdown and tracebacks, two fifths of it, until the first is drawn."""
    late = {name: part for name, part in DRAWN_LATE.items() if name not in sys.modules}
    for name, part in late.items():
        sys.modules[name] = stand_in = ModuleType(name)
        setattr(stand_in, part, _drawn_late(name, part))
    try:
        import typer.rich_utils  # noqa: F401  # takes what stands there now
    finally:
        for name in late:
            del sys.modules[name]


def _drawn_late(module: str, part: str) -> type:
    """Make a class that gives objects of another, whose module loads for the first of them."""

    def new(_: type, *args: Any, **options: Any) -> Any:
        return getattr(import_module(module), part)(*args, **options)

    return type(part, (), {"__new__": new})


def leave_idle() -> None:
    """Put modules that load when they are first used in the places of those that SciPy and polars would load."""
    for name in IDLE:
        package, _, part = name.rpartition(".")
        parent = import_module(package)
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            sys.modules[name] = module = _waiting(spec, spec.loader)
            setattr(parent, part, module)
    _leave_docstrings()


def _waiting(spec: ModuleSpec, loader: Loader) -> ModuleType:
    """Make a module that is empty until somebody asks for a name (an import alone, which asks for none, may pass)."""
    module = module_from_spec(spec)

    def load(name: str) -> Any:
        del module.__getattr__
        loader.exec_module(module)
        return getattr(module, name)

    module.__getattr__ = load  # type: ignore[method-assign]
    return module


class _AsWritten:
    """A docstring to which nothing is added."""

    def __init__(self, documented: Any) -> None:
        self.text = str(documented.__doc__ or "")

    def __getitem__(self, section: str) -> list[str]:
        return []

    def __str__(self) -> str:
        return f"\n{self.text}"  # SciPy cuts the first line off: a signature


def _leave_docstrings() -> None:
    """Keep SciPy from rewriting its docstrings.

    While it loads, it parses those of 200 functions to add which array libraries each has been tested with, and which
    take several matrices at once: a tenth of a second, a third of what loading it takes, for texts that no command
    shows. Versions that do no such thing are left as they are.
    """
    try:
        from scipy._lib import _docscrape

        whole, _docscrape.FunctionDoc = _docscrape.FunctionDoc, _AsWritten
        try:
            from scipy._lib import _array_api, _util  # noqa: F401  # take what stands there now
        finally:
            _docscrape.FunctionDoc = whole
    except (ImportError, AttributeError):
        return
