"""Fits of many tables side by side are those of each table by itself."""

import numpy as np
import pytest

from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.transitivity.null_refits import fits_at_link
from equipoise.ratings.transitivity.rating_fit import LinkPoint, fit_at_link


@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("link_shape", [-0.2, 0.0, 0.6])
def test_side_by_side_is_one_by_one(side: bool, link_shape: float) -> None:
    rng = np.random.default_rng(3)
    first, second = (part.astype(np.int32) for part in np.triu_indices(7, 1))
    model = PairedModel(7, first, second, "half", side, np.zeros(7, dtype=np.int64), 1e-4)
    games = rng.integers(1, 6, len(first)).astype(float)  # so few that some tables have no finite estimate
    ties = rng.binomial(games.astype(int)[:, None], 0.2, (len(first), 40)).astype(float)
    wins = rng.binomial((games[:, None] - ties).astype(int), 0.6).astype(float)
    start = np.zeros(7 + side)
    together = fits_at_link(model, games, wins + ties / 2, ties, LinkPoint(start, link_shape))
    for column in range(wins.shape[1]):
        cells = PairCounts(wins[:, column], games - wins[:, column] - ties[:, column], ties[:, column])
        alone = fit_at_link(model, cells, start, link_shape)
        np.testing.assert_allclose(together[:, column], alone, atol=1e-6)
