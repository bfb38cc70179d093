import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import equipoise as eq


@given(arrays(float, (3, 4, 2), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan])))
def test_every_shared_cell_is_a_match_won_by_the_higher_score(values):
    values[0, 0, 0] = values[1, 0, 0] = 1.0
    m = eq.methods.matches_from_scores(eq.Scores.from_matrix(values))
    wins = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1, 3):
            for one, other in zip(values[i].ravel(), values[j].ravel(), strict=True):
                if not np.isnan(one + other):
                    wins[i, j] += (one > other) + 0.5 * (one == other)
                    wins[j, i] += (other > one) + 0.5 * (one == other)
    np.testing.assert_allclose(m.pairs().win_matrix(), wins)


def test_lower_can_be_better_and_tasks_are_groups():
    scores = eq.Scores.from_matrix([[1, 2], [3, 1]], tasks=["t", "u"])
    m = eq.methods.matches_from_scores(scores, higher_is_better=False)
    assert m.outcome.tolist() == [1, 0]
    assert m.group.labels == ("t", "u")


def test_agents_without_a_common_task_are_refused():
    with pytest.raises(eq.DataError, match="same task"):
        eq.methods.matches_from_scores(eq.Scores.from_matrix([[1, np.nan], [np.nan, 1]]))
