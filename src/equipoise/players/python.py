"""Players in Python: a bare name with options, or a function or class found by ``module:object``."""

from collections.abc import Mapping
from typing import Any

from equipoise.results import FrozenMap

__all__ = ["NamedPlayer"]


class NamedPlayer:
    """A name and options, for referees that know what to do with them.

    Parameters
    ----------
    name
        In the standings.
    options
        Of its spec.
    """

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self.name = name
        self.options: Mapping[str, Any] = FrozenMap(options)
        self.version = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def reset(self) -> None:
        """Do nothing: there is nothing to forget."""

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
