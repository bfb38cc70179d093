"""With the public data at hand every figure is computed, none differs without a reason, and the page shows them.

The paper whose figures are long simulations is checked in the same way in ``tests/statistical``.
"""

from functools import cache
from pathlib import Path

import pytest

from equipoise.report.views.reproduction import reproduction_page
from equipoise.reproduce.papers import PAPERS, reproduce_papers
from equipoise.reproduce.published import PublishedAgreement

PAGE = Path(__file__).parents[2] / "docs" / "reproductions.md"
SIMULATED = ("incomplete",)
pytestmark = pytest.mark.usefixtures("few_hands")
PLAYED = "hold'em, hands of our own"
"""Figures of which few hands are played here."""
each_paper = pytest.mark.parametrize("paper", [paper for paper in PAPERS if paper not in SIMULATED])


@cache
def reproduced(paper, folder):
    return reproduce_papers(paper, data=folder)[0]


def unexplained_figures(result):
    """Name the figures that are missing or differ without a reason."""
    return [
        line.what
        for line in result.lines
        if line.agreement in {PublishedAgreement.unexplained, PublishedAgreement.absent}
    ]


def rows_not_on_the_page(result, but="nothing"):
    """Give the rows that the page of the docs lacks; make it again with ``equipoise reproduce --page``."""
    made = reproduction_page([result]).splitlines()
    rows = [line for line in made if line.startswith("| ") and "| needs a peer" not in line and but not in line]
    there = PAGE.read_text(encoding="utf-8").splitlines()
    return [row for row in rows if row not in there]


@each_paper
def test_no_figure_is_missing_or_differs_without_a_reason(paper, equipoise_data):
    assert unexplained_figures(reproduced(paper, equipoise_data)) == []


@each_paper
def test_the_page_of_the_docs_is_what_the_command_makes(paper, equipoise_data):
    assert rows_not_on_the_page(reproduced(paper, equipoise_data), PLAYED) == []
