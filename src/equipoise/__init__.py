"""Equipoise weighs agents and the benchmarks that weigh them.

What there is to import stands in ``__init__.pyi``; each name loads its module when it is first used.
"""

from typing import Any

import lazy_loader

__version__ = "0.2.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

_FORMER: dict[str, str] = {
    "StopRule": "equipoise.items.scoring.adaptive.TestLimits",
    "Averages": "equipoise.flows.additivity.Additivity",
    "averages": "equipoise.flows.additivity.additivity",
    "curl": "equipoise.flows.operators.curl",
    "div": "equipoise.flows.operators.div",
    "grad": "equipoise.flows.operators.grad",
    "rot": "equipoise.flows.operators.rot",
}
"""Names that moved, with where each stands now; they go in version 0.3."""


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        return _former(name)
    return _load(name)


def _former(name: str) -> Any:
    """Give what a former name stands for, and say where it is now."""
    import warnings
    from importlib import import_module

    module, _, attribute = _FORMER[name].rpartition(".")
    warnings.warn(
        f"equipoise.{name} is now {_FORMER[name]}; the old name goes in version 0.3", DeprecationWarning, stacklevel=3
    )
    return getattr(import_module(module), attribute)
