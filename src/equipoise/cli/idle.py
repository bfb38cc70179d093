"""Parts of NumPy that no command needs, but SciPy loads: they wait until somebody does need them."""

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

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
