import numpy as np

from equipoise.aggregates.kernels import beaten


def test_one_table_of_runs_meets_each_of_many_resampled_ones():
    rng = np.random.default_rng(0)
    one, others = rng.random((4, 3)), rng.random((6, 4, 5))
    np.testing.assert_allclose(beaten(one, others), [beaten(one, other) for other in others])
    np.testing.assert_allclose(beaten(others, one), [beaten(other, one) for other in others])
