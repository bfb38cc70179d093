"""Equipoise weighs agents and the benchmarks that weigh them.

What there is to import stands in ``__init__.pyi``; each name loads its module when it is first used.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
