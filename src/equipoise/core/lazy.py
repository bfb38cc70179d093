"""Names that load when they are first used, from a stub that says which module each comes from; and polars."""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

__all__ = ["pl", "stub_names", "within"]


def stub_names(stub: Path) -> dict[str, str]:
    """Give the names that a stub imports (``from .room.module import name``), each with its module."""
    imports = [line for line in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(line, ast.ImportFrom)]
    return {alias.asname or alias.name: str(line.module) for line in imports for alias in line.names}


def within(module: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Give ``__getattr__``, ``__dir__`` and ``__all__`` of a module whose stub stands beside its file.

    A name is kept in the module once it is loaded: only the first use comes here.
    """
    names = stub_names(Path(file).with_suffix(".pyi"))

    def load(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = getattr(import_module(f"equipoise.{names[name]}"), name)
        setattr(sys.modules[module], name, found)
        return found

    return load, lambda: sorted(names), sorted(names)


class _Package:
    """A package that is loaded when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(import_module(self._name), name)
        return found


if TYPE_CHECKING:
    import polars as pl
else:
    pl = _Package("polars")
