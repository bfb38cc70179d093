"""With the public data at hand every figure is computed, none differs without a reason, and the page shows them."""

from functools import cache
from pathlib import Path

import pytest

from equipoise.report.reproduction import reproduction_page
from equipoise.reproduce.figure import Verdict
from equipoise.reproduce.papers import PAPERS, reproduce

PAGE = Path(__file__).parents[2] / "docs" / "reproductions.md"
each_paper = pytest.mark.parametrize("paper", PAPERS)


@cache
def found(paper, folder):
    return reproduce(paper, data=folder)


@each_paper
def test_no_figure_is_missing_or_differs_without_a_reason(paper, equipoise_data):
    lines = found(paper, equipoise_data).lines
    assert not [line.what for line in lines if line.verdict in {Verdict.unexplained, Verdict.absent}]


@each_paper
def test_the_page_of_the_docs_is_what_the_command_makes(paper, equipoise_data):
    made = reproduction_page([found(paper, equipoise_data)])
    rows = [line for line in made.splitlines() if line.startswith("| ") and "| needs a peer" not in line]
    there = PAGE.read_text(encoding="utf-8").splitlines()
    assert not [row for row in rows if row not in there], "make the page again: equipoise reproduce --page"
