"""``equipoise methods``: what there is."""

from equipoise.analyses.catalogued import list_methods
from equipoise.cli.output import FormOption, OutputOption, write_view
from equipoise.report.listings import methods_view

__all__ = ["methods"]


def methods(form: FormOption = None, output: OutputOption = None) -> None:
    """List the methods: what each answers, which data it takes, and where it comes from.

    In Python: `equipoise.list_methods()`

    Example: `equipoise methods --format json`
    """
    write_view(methods_view(list_methods()), form, output)
