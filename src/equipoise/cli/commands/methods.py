"""``equipoise methods``: what there is."""

from equipoise.cli.options.generated import PrintOptions
from equipoise.cli.output.output import write_view

__all__ = ["methods"]


def methods(to: PrintOptions) -> None:
    """List the methods: what each answers, which data it takes, and where it comes from.

    In Python: `equipoise.list_methods()`

    Example: `equipoise methods --format json`
    """
    from equipoise.analyses.catalogued import list_methods
    from equipoise.report.views.listings import methods_view

    write_view(methods_view(list_methods()), to.unshortened)
