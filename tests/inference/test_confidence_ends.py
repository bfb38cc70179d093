import numpy as np
import pytest
from scipy.stats import binom

from equipoise.inference.confidence import clopper_pearson_interval, hoeffding_interval


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (-1.0, 3.0), (2.0, 5.0)])
def test_the_reach_of_hoeffding_grows_with_the_width_of_the_range(low, high):
    middle, n = (low + high) / 2, 400
    reach = (high - low) * np.sqrt(np.log(2 / 0.05) / (2 * n))
    assert hoeffding_interval(middle, n, 0.05, low=low, high=high) == pytest.approx((middle - reach, middle + reach))


@pytest.mark.parametrize(("wins", "games"), [(1, 10), (9, 10), (1, 2), (5, 9), (1, 1), (0, 1)])
def test_each_exact_end_leaves_half_of_delta_beyond_what_was_seen(wins, games):
    delta = 0.1
    low, high = (float(end) for end in clopper_pearson_interval(wins, games, delta))
    assert binom.sf(wins - 1, games, low) == pytest.approx(delta / 2) if wins else low == 0
    assert binom.cdf(wins, games, high) == pytest.approx(delta / 2) if wins < games else high == 1
