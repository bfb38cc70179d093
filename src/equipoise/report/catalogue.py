"""The view of the catalogue of methods."""

from collections.abc import Iterable

from equipoise.catalogue import Method
from equipoise.report.view import Column, TableView, View, text

__all__ = ["catalogue_view"]


def catalogue_view(methods: Iterable[Method]) -> View:
    """List methods with the question each answers, the data it takes, and its reference."""
    rows = [
        {
            "method": method.name,
            "takes": ", ".join(method.declared.takes),
            "answers": method.declared.answers,
            "reference": method.declared.reference,
        }
        for method in methods
    ]
    columns = [Column(name, text(name), right=False, prose=name in ("answers", "reference")) for name in rows[0]]
    return View((TableView("methods", rows, columns),))
