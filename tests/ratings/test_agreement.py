"""Agreement: Krippendorff's alpha against the spelt-out coincidences, published figures, and leaving out items."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.judges.krippendorff import Votes, jackknife

DISTANCES = ("nominal", "ordinal", "interval")


def oracle(table, distance):
    """Spell out the coincidences of all values, vote by vote."""
    table = np.asarray(table, dtype=float)
    values = np.unique(table[~np.isnan(table)])
    met = np.zeros((len(values), len(values)))
    for column in table.T:
        seen = column[~np.isnan(column)]
        for i, x in enumerate(seen):
            for j, y in enumerate(seen):
                if i != j:
                    met[np.searchsorted(values, x), np.searchsorted(values, y)] += 1 / (len(seen) - 1)
    count = met.sum(axis=1)
    apart = np.zeros_like(met)
    for c in range(len(values)):
        for k in range(len(values)):
            if distance == "nominal":
                apart[c, k] = c != k
            elif distance == "interval":
                apart[c, k] = (values[c] - values[k]) ** 2
            else:
                low, high = min(c, k), max(c, k)
                apart[c, k] = (count[low : high + 1].sum() - (count[c] + count[k]) / 2) ** 2
    n = count.sum()
    return 1 - (n - 1) * (met * apart).sum() / (np.outer(count, count) * apart).sum()


def random_table(seed, raters=5, items=30, values=4, gaps=0.4):
    rng = np.random.default_rng(seed)
    truth = rng.integers(values, size=items)
    table = np.where(rng.random((raters, items)) < 0.6, truth, rng.integers(values, size=(raters, items))).astype(float)
    table[rng.random(table.shape) < gaps] = np.nan
    return table


@pytest.mark.parametrize("distance", DISTANCES)
@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_alpha_is_that_of_the_spelt_out_coincidences(distance, seed):
    table = random_table(seed)
    several = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    assert eq.agreement(table, distance=distance).alpha == pytest.approx(oracle(several, distance), abs=1e-12)


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_jackknife_leaves_out_each_item(distance):
    table = random_table(3, items=20)
    table = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    who, on = np.nonzero(~np.isnan(table))
    found = jackknife(Votes.of(who, on, table[who, on]), distance)
    expected = [oracle(np.delete(table, k, axis=1), distance) for k in range(table.shape[1])]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("distance", "alpha"), [("nominal", 0.2905951), ("ordinal", 0.2875527), ("interval", 0.2877613)]
)
def test_voters_of_llmfao_agree_as_published(equipoise_data, distance, alpha):
    m = eq.read_matches(
        equipoise_data / "llmfao" / "llmfao.csv", a="left", b="right", labels=["worker", "prompt", "id"]
    )
    found = eq.agreement(m, distance=distance)
    assert found.alpha == pytest.approx(alpha, abs=5e-8)
    assert eq.agreement(m, item="prompt", distance=distance).alpha == pytest.approx(alpha, abs=5e-8)
    assert found.low < alpha < found.high
    assert found.rater_alpha @ found.votes / found.votes.sum() == pytest.approx(found.alpha)
    assert "20" in [name for name, odd in zip(found.raters, found.odd, strict=True) if odd]


def test_a_known_example():
    nan = np.nan
    votes = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]  # fmt: skip
    found = [eq.agreement(votes, distance=distance).alpha for distance in DISTANCES]
    assert np.round(found, 3).tolist() == [0.743, 0.815, 0.849]  # Hayes and Krippendorff (2007)


def test_votes_in_the_other_order_are_turned_round():
    m = eq.Matches.from_columns("xxyxyyxx", "yyxyxxyy", [1, 1, 0, 0, 1, 1, 0.5, 1], task="ppqqrrss")
    turned = replace(m, a=np.where(np.arange(8) % 2, m.b, m.a), b=np.where(np.arange(8) % 2, m.a, m.b))
    turned = replace(turned, outcome=np.where(np.arange(8) % 2, 1 - m.outcome, m.outcome))
    raters = {"rater": Factor.of(["u", "v"] * 4)}
    one, other = (eq.agreement(replace(each, labels=raters)) for each in (m, turned))
    assert one.alpha == other.alpha


def test_a_rater_who_guesses_is_named():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=200)
    table = np.where(rng.random((5, 200)) < 0.8, truth, rng.integers(3, size=(5, 200)))
    table[4] = rng.integers(3, size=200)
    found = eq.agreement(table)
    assert [name for name, odd in zip(found.raters, found.odd, strict=True) if odd] == ["rater 5"]
    assert "rater 5" in found.answer[1]


def test_perfect_agreement_is_not_perfectly_sure():
    found = eq.agreement(np.tile(np.arange(20) % 3, (2, 1)))
    assert (found.alpha, found.high) == (1.0, 1.0)
    assert 0.5 < found.low < 0.9
    assert found.diagnostics[0].code == "no-disagreement"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([[1.0, 2, 3]], "no item has votes of two raters"),
        ([[1.0, 1], [1, 1]], "all votes are the same"),
        ([1.0, 2, 3], "raters by items"),
        ([[1.0, np.inf], [1, 2]], "finite"),
        (eq.Matches.from_columns("xy", "yx", [1, 0]), "nobody says who voted"),
        (eq.Scores.from_matrix(np.ones((2, 2, 2))), "one vote each"),
    ],
)
def test_what_tells_nothing_is_refused_in_one_line(data, problem):
    with pytest.raises(eq.DataError) as error:
        eq.agreement(data)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_the_error_is_that_of_leaving_out_each_item():
    """The jackknife with its factor (n - 1) / n, on the scale of log(1 - alpha), and t with n - 1 degrees."""
    rng = np.random.default_rng(5)
    truth = rng.integers(3, size=25)
    votes = np.where(rng.random((3, 25)) < 0.5, rng.integers(3, size=(3, 25)), truth)
    assert np.sum(np.ptp(votes, axis=0) > 0) >= 10  # where fewer items have any disagreement, their number counts too
    found = eq.agreement(votes)
    logs = np.array([np.log(1 - eq.agreement(np.delete(votes, item, axis=1)).alpha) for item in range(25)])
    spread = np.sqrt(24 / 25 * np.sum((logs - logs.mean()) ** 2))
    assert found.stderr == pytest.approx((1 - found.alpha) * spread, rel=1e-9)
    reach = scipy.stats.t.ppf(0.975, 24) * spread
    assert found.low == pytest.approx(1 - (1 - found.alpha) * np.exp(reach), rel=1e-9)
    assert found.high == pytest.approx(1 - (1 - found.alpha) * np.exp(-reach), rel=1e-9)
