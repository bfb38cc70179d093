import numpy as np
import pytest

import equipoise as eq
from tests.contract.cases import columns, matches


def test_resampled_counts_spread_like_the_errors_of_the_fit():
    b = eq.bootstrap(eq.bradley_terry, matches(), n=400, rng=3)
    np.testing.assert_allclose(b.stderr, eq.bradley_terry(matches()).stderr, rtol=0.15)
    assert b.replicates.shape == (400, 5)
    assert (b.low < b.estimate).all()
    assert (b.estimate < b.high).all()


def test_counts_and_rows_are_resampled_alike():
    def by_rows(data: eq.Matches) -> eq.BradleyTerry:
        return eq.bradley_terry(data)

    rows = eq.bootstrap(by_rows, matches(), n=300, rng=1)
    counts = eq.bootstrap(eq.bradley_terry, matches(), n=300, rng=2)
    np.testing.assert_allclose(rows.stderr, counts.stderr, rtol=0.2)


def test_groups_are_drawn_whole():
    a, b, outcome = columns()
    m = eq.Matches.from_columns(a * 10, b * 10, outcome * 10, group=list(range(len(a))) * 10)
    by_group = eq.bootstrap(eq.bradley_terry, m, n=200, unit="group", rng=0)
    by_match = eq.bootstrap(eq.bradley_terry, m, n=200, unit="match", rng=0)
    np.testing.assert_allclose(by_group.stderr / by_match.stderr, np.sqrt(10), rtol=0.3)


def test_the_same_seed_gives_the_same_replicates():
    one, other = (eq.bootstrap(eq.bradley_terry, matches(), n=20, rng=7).replicates for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_online_elo_is_resampled_by_rows_in_their_order():
    b = eq.bootstrap(eq.elo, matches(), n=50)
    assert b.statistic == "rating"
    assert (b.stderr > 0).all()


def test_another_statistic_can_be_collected():
    b = eq.bootstrap(eq.bradley_terry, matches(), n=30, statistic="win_rate")
    assert ((b.low > 0) & (b.high < 1)).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, unit="group"), "needs matches with a group"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, unit="task"), 'unit="match" or "group"'),
        (lambda: eq.bootstrap(eq.bradley_terry, eq.load("alphago"), n=10), "without games"),
        (lambda: eq.bootstrap(eq.elo, matches().pairs(), n=10), "needs matches"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=1), "at least 2"),
    ],
)
def test_what_cannot_be_resampled_is_refused(call, said):
    with pytest.raises(eq.EquipoiseError) as caught:
        call()
    assert said in str(caught.value)


def test_too_few_data_are_refused():
    thin = eq.Matches.from_columns("wx", "xw", [1, 1]).pairs()
    joined = eq.Matches.from_columns("abcdef", "bcdefg", [0.5] * 6)
    assert eq.bootstrap(eq.bradley_terry, thin, n=20).replicates.shape[1] == 2
    with pytest.raises(eq.DataError, match="resamples cannot be estimated"):
        eq.bootstrap(eq.bradley_terry, joined, n=20)
