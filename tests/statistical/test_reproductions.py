"""The figures that are long simulations, with the public data at hand; the others are checked in ``tests/external``."""

import pytest

from equipoise.reproduce.papers import reproduce_papers
from tests.external.test_reproductions import SIMULATED, rows_not_on_the_page, unexplained_figures


@pytest.mark.parametrize("paper", [*SIMULATED, "baseline"])
def test_simulated_figures_are_explained_and_on_the_page(paper, equipoise_data):
    (result,) = reproduce_papers(paper, data=equipoise_data)
    assert unexplained_figures(result) == []
    assert rows_not_on_the_page(result) == []
