"""What there is: the methods as a result, and the analysis that the demo shows."""

from dataclasses import dataclass
from typing import ClassVar

from equipoise.analyses.boards.standings import Standings, rank
from equipoise.catalogue import Method, broken_methods, catalogue
from equipoise.core.lazy import pl
from equipoise.core.results import Result

DEMO = "classifiers"
"""The bundled set of the demo."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class MethodList(Result):
    """The methods there are.

    Attributes
    ----------
    methods
        Ours in the order of their names, then those of installed packages.
    """

    rows_name: ClassVar[str] = "methods"
    main: ClassVar[str] = "methods"

    methods: tuple[Method, ...]

    def frame(self) -> "pl.DataFrame":
        """Give the methods with the question each answers, the data it takes, and where it comes from."""
        return pl.DataFrame(
            {
                "method": [method.name for method in self.methods],
                "takes": [", ".join(method.declared.takes) for method in self.methods],
                "answers": [method.declared.answers for method in self.methods],
                "reference": [method.declared.reference for method in self.methods],
                "package": [method.package for method in self.methods],
            }
        )


def list_methods() -> MethodList:
    """Which methods are there, ours and those of installed packages?

    >>> "bradley_terry" in list_methods().frame()["method"]
    True
    """
    return MethodList(methods=catalogue(), diagnostics=broken_methods())


def run_demo() -> Standings:
    """Rank the classifiers that come with the package: on every data set and seed the higher accuracy wins a match.

    >>> run_demo().frame()["agent"][0]
    'extra-trees'
    """
    return rank(DEMO)
