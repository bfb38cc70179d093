"""Parts of NumPy and SciPy that no command needs, but SciPy loads: they wait until somebody does need them."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Any

__all__ = ["leave_idle"]

IDLE = ("ctypeslib", "f2py", "polynomial", "testing")
"""A reader of Fortran, tools of tests and the like: SciPy takes all names of NumPy, and with a name its module."""


def leave_idle() -> None:
    """Put modules that load when they are first used in the places of those that SciPy would load."""
    import numpy as np

    for part in IDLE:
        name = f"numpy.{part}"
        spec = None if name in sys.modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
            sys.modules[name] = module = module_from_spec(spec)
            spec.loader.exec_module(module)
            setattr(np, part, module)
    _leave_docstrings()


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
