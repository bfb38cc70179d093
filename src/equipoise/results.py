"""Classes of results, for annotations, and what results are made of.

What there is to import stands in ``results.pyi``; each name loads its module when it is first used.
"""

from equipoise.core.lazy import within

__getattr__, __dir__, __all__ = within(__name__, __file__)
