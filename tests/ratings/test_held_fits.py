"""Fits of many tables side by side are those of each table by itself."""

import numpy as np
import pytest

from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import Cells
from equipoise.ratings.transitivity.null_refits import held_fits
from equipoise.ratings.transitivity.rating_fit import At, held_fit


@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("bend", [-0.2, 0.0, 0.6])
def test_side_by_side_is_one_by_one(side: bool, bend: float) -> None:
    rng = np.random.default_rng(3)
    first, second = (part.astype(np.int32) for part in np.triu_indices(7, 1))
    model = PairedModel(7, first, second, "half", side, np.zeros(7, dtype=np.int64), 1e-4)
    games = rng.integers(1, 6, len(first)).astype(float)  # so few that some tables have no finite estimate
    ties = rng.binomial(games.astype(int)[:, None], 0.2, (len(first), 40)).astype(float)
    wins = rng.binomial((games[:, None] - ties).astype(int), 0.6).astype(float)
    start = np.zeros(7 + side)
    together = held_fits(model, games, wins + ties / 2, ties, At(start, bend))
    for column in range(wins.shape[1]):
        cells = Cells(wins[:, column], games - wins[:, column] - ties[:, column], ties[:, column])
        alone = held_fit(model, cells, start, bend)
        np.testing.assert_allclose(together[:, column], alone, atol=1e-6)
