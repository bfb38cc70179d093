"""``equipoise methods``: what there is."""

from equipoise.catalogue import catalogue
from equipoise.cli.output import FormOption, OutputOption, write_view
from equipoise.report.catalogue import catalogue_view

__all__ = ["methods"]


def methods(form: FormOption = None, output: OutputOption = None) -> None:
    """List the methods: what each answers, which data it takes, and where it comes from.

    Example: `equipoise methods --format json`
    """
    write_view(catalogue_view(catalogue()), form, output)
