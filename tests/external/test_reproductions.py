"""With the public data at hand every figure is computed, and none differs without a reason."""

import pytest

from equipoise.reproduce.figure import Verdict
from equipoise.reproduce.papers import PAPERS, reproduce


@pytest.mark.parametrize("paper", PAPERS)
def test_no_figure_is_missing_or_differs_without_a_reason(paper, equipoise_data):
    found = reproduce(paper, data=equipoise_data)
    assert not [line.what for line in found.lines if line.verdict in {Verdict.unexplained, Verdict.absent}]
