"""Every method of the package on data as they are, and functions that are asked for seldom.

What there is to import stands in ``methods.pyi``; each name loads its module when it is first used.
"""

from equipoise.core.lazy import within

__getattr__, __dir__, __all__ = within(__name__, __file__)
