"""The view of the catalogue of methods."""

from collections.abc import Iterable

from equipoise.catalogue import Method, broken_methods
from equipoise.report.view import Column, TableView, View, text

__all__ = ["catalogue_view"]


def catalogue_view(methods: Iterable[Method]) -> View:
    """List methods with the question each answers, the data it takes, its reference and package; and what is broken."""
    rows = [
        {
            "method": method.name,
            "takes": ", ".join(method.declared.takes),
            "answers": method.declared.answers,
            "reference": method.declared.reference,
            "package": method.package,
        }
        for method in methods
    ]
    columns = [Column(name, text(name), right=False, prose=name in ("answers", "reference")) for name in rows[0]]
    return View((TableView("methods", rows, columns),), diagnostics=broken_methods())
