"""Polars under its usual name, loaded when something of it is first used: small questions are answered without it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pl"]


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
