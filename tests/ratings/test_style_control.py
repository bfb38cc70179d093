from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode.labels import Factor
from tests.ratings.test_covariates import battles

ELO = 400 / np.log(10)


def design(m, covariates):
    """A row of unknowns for each match: the two agents, then the covariates."""
    n = len(m.agents)
    rows = np.zeros((len(m), n + len(covariates.T)))
    rows[np.arange(len(m)), m.a] += 1
    rows[np.arange(len(m)), m.b] -= 1
    rows[:, n:] = covariates
    return rows


def influences(m, fit, covariates):
    """How far each match moves the ratings of a fit, to first order, spelt out."""
    x = fit.rating if fit.coefficients is None else np.concatenate([fit.rating, fit.coefficients.value])
    rows = design(m, covariates)
    p = 1 / (1 + np.exp(-rows @ x))
    weight = m.weights
    bread = np.linalg.pinv(rows.T @ (rows * (weight * p * (1 - p))[:, None]))
    return ((m.outcome - p)[:, None] * rows) @ bread[:, : len(m.agents)]


@pytest.mark.parametrize("groups", [None, 40])
def test_the_error_of_a_change_is_that_of_the_spelt_out_influences(groups):
    m = battles(3, groups=groups)
    m = replace(m, weight=np.random.default_rng(1).integers(1, 4, len(m)).astype(float))
    both = eq.style_control(m, covariates=["z0", "z1"])
    moves = influences(m, both.controlled, m.covariates.values) - influences(m, both.plain, np.zeros((len(m), 0)))
    if groups is None:
        cov, count = moves.T @ (m.weights[:, None] * moves), m.weights.sum()
    else:
        moves *= m.weights[:, None]
        sums = np.array([moves[m.group.codes == k].sum(axis=0) for k in range(len(m.group.labels))])
        cov, count = sums.T @ sums, len(sums)
    assert both.covariance == pytest.approx(cov * count / (count - 1), rel=1e-6, abs=1e-12)
    assert both.change == pytest.approx(both.controlled.rating - both.plain.rating, abs=1e-12)


def summed(moves, codes):
    """What the sums of moves over groups vary by, with the correction for the number of groups."""
    sums = np.array([moves[codes == code].sum(axis=0) for code in np.unique(codes)])
    return sums.T @ sums * len(sums) / (len(sums) - 1)


def test_the_error_of_a_change_by_voters_and_questions_is_the_largest_that_their_combinations_give():
    m = battles(3, groups=40)
    asked = np.random.default_rng(5).integers(30, size=len(m)).astype(np.int32)
    m = replace(m, crossed={"question": Factor(tuple(map(str, range(30))), asked)})
    both = eq.style_control(m, covariates=["z0", "z1"])
    moves = influences(m, both.controlled, m.covariates.values) - influences(m, both.plain, np.zeros((len(m), 0)))
    voters, questions = summed(moves, m.group.codes), summed(moves, asked)
    each = summed(moves, m.group.codes * 30 + asked)
    values, vectors = np.linalg.eigh(voters + questions - each)
    total = vectors * np.maximum(values, 0) @ vectors.T
    games = moves.T @ moves * len(m) / (len(m) - 1)
    assert both.covariance == pytest.approx(total, rel=1e-6, abs=1e-12)
    largest = np.max([np.diag(one) for one in (total, voters, questions, each, games)], axis=0)
    assert both.stderr == pytest.approx(np.sqrt(largest), rel=1e-6)
    moved = both.relative_to(m.agents[0])
    assert moved.stderr[0] == pytest.approx(0, abs=1e-9)
    assert (moved.stderr[1:] > 0).all()


def test_the_error_of_a_change_by_a_few_uneven_groups_is_that_of_fits_without_each():
    m = battles(6, rows=900, groups=12)
    uneven = np.minimum(m.group.codes, 6)  # the last group has half of the matches
    m = replace(m, group=Factor(tuple("abcdefg"), uneven.astype(np.int32)))
    both, moved = eq.style_control(m), []
    for k in range(7):
        left = replace(m.take(np.flatnonzero(uneven != k)), group=None)
        fits = eq.bradley_terry(left, covariates=["z0", "z1"]), eq.bradley_terry(left)
        moved.append(fits[0].rating - fits[1].rating - both.change)
    jackknife = np.sqrt(6 / 7 * np.square(moved).sum(axis=0))
    assert both.stderr == pytest.approx(
        np.maximum(jackknife, eq.style_control(replace(m, group=None)).stderr), rel=0.25
    )


@pytest.mark.parametrize("unit", ["match", "group"])
def test_the_error_of_a_change_is_what_a_bootstrap_sees(unit):
    m = battles(5, rows=1500, groups=150)
    alone = m if unit == "group" else replace(m, group=None)
    both = eq.style_control(alone)
    rng, changes = np.random.default_rng(2), []
    members = [np.flatnonzero(m.group.codes == k) for k in range(len(m.group.labels))]
    for _ in range(150):
        if unit == "match":
            rows = rng.integers(0, len(m), len(m))
        else:
            rows = np.concatenate([members[k] for k in rng.integers(0, len(members), len(members))])
        sample = replace(m.take(rows), group=None)
        fits = eq.bradley_terry(sample, covariates=["z0", "z1"]), eq.bradley_terry(sample)
        changes.append(fits[0].rating - fits[1].rating)
    assert both.stderr == pytest.approx(np.std(changes, axis=0, ddof=1), rel=0.3)
    # What both boards share is not counted twice: the change is surer than either board.
    assert (both.stderr < both.plain.stderr).all()


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("groups", [None, 60])
def test_ties_and_sides_have_their_part_in_the_change(ties, groups):
    m = battles(7, rows=800, ties=0.2, groups=groups)
    both = eq.style_control(m, ties=ties, side=True)
    assert both.controlled.tie is not None
    rng, changes = np.random.default_rng(3), []
    whole = replace(m, group=None)
    for _ in range(60):
        sample = whole.take(rng.integers(0, len(m), len(m)))
        fits = (eq.bradley_terry(sample, ties=ties, side=True, **more) for more in ({"covariates": ["z0", "z1"]}, {}))
        changes.append(np.subtract(*[fit.rating for fit in fits]))
    assert both.stderr == pytest.approx(np.std(changes, axis=0, ddof=1), rel=0.4)


def test_style_is_what_the_covariates_gave_on_average():
    m = battles(9)
    both = eq.style_control(m)
    given = m.covariates.values @ both.coefficients.value
    for k in range(len(m.agents)):
        own = np.concatenate([given[m.a == k], -given[m.b == k]])
        assert both.style[k] == pytest.approx(own.mean())
    assert (both.style_low < both.style).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_swapping_sides_changes_nothing(seed, random):
    m = battles(seed, rows=150, agents=4)
    swap = np.array([random.random() < 0.5 for _ in range(len(m))])
    other = replace(
        m,
        a=np.where(swap, m.b, m.a).astype(np.int32),
        b=np.where(swap, m.a, m.b).astype(np.int32),
        outcome=np.where(swap, 1 - m.outcome, m.outcome),
    ).with_covariates(
        {k: np.where(swap, -v, v) for k, v in zip(m.covariates.names, m.covariates.values.T, strict=True)}
    )
    one, two = eq.style_control(m), eq.style_control(other)
    assert one.change == pytest.approx(two.change, abs=1e-8)
    assert one.stderr == pytest.approx(two.stderr, abs=1e-8)
    assert one.style == pytest.approx(two.style, abs=1e-8)


def test_a_covariate_that_decides_nothing_changes_nothing_beyond_noise():
    m = battles(11, rows=3000, covariates=1)
    noise = np.random.default_rng(4).normal(size=len(m))
    both = eq.style_control(m, covariates={"noise": noise})
    assert set(both.verdict) == {"within noise"}
    assert "No rating changes beyond noise" in both.answer[1]


def test_intervals_hold_together_and_go_with_an_anchor():
    m = battles(13, rows=1000)
    both = eq.style_control(m, rng=1)
    assert 1.96 < both.quantile < 2.7
    anchored = both.relative_to(m.agents[0])
    assert anchored.change[0] == anchored.low[0] == anchored.high[0] == 0
    assert anchored.change == pytest.approx(anchored.controlled.rating - anchored.plain.rating)
    with pytest.raises(eq.ParameterError, match='no agent "agent9"'):
        both.relative_to("agent9")


def test_priors_on_ratings_and_coefficients():
    m = battles(15, rows=200)
    both = eq.style_control(m, prior=1.0, covariate_prior=0.5)
    free = eq.style_control(m)
    assert (np.abs(both.coefficients.value) < np.abs(free.coefficients.value)).all()
    assert (both.stderr > 0).all()
    assert both.change.sum() == pytest.approx(0, abs=1e-6)


def test_the_checked_answers_side_by_side(equipoise_data):
    m = eq.read_matches(
        equipoise_data / "arena_style" / "battles.csv.gz", covariates="length,header,bold,list", group="question"
    )
    both = eq.style_control(m).relative_to("gpt4_1106_preview")
    expected = {
        "claude-2.1": (-309.5045, -202.7941),
        "claude-2.1_concise": (-399.1708, -182.3327),
        "gpt-3.5-turbo-1106_verbose": (-349.4139, -196.4246),
    }
    for name, (before, after) in expected.items():
        at = m.agents.index(name)
        assert ELO * both.change[at] == pytest.approx(after - before, abs=2e-4)
        assert both.verdict[at] == "rose"
    assert both.summary()["log_likelihood_gain"] == pytest.approx(-10298.8582 + 11519.7219, abs=1e-4)
    assert both.rank_before.min() == both.rank_after.min() == 1


def test_what_cannot_be_done_is_said():
    m = battles(17)
    with pytest.raises(eq.DataError, match="hold no covariates"):
        eq.style_control(replace(m, covariates=None))
    with pytest.raises(eq.ParameterError, match='no covariate "z7"'):
        eq.style_control(m, covariates=["z7"])
    with pytest.raises(eq.DataError, match="takes matches"):
        eq.style_control(m.pairs())


def test_words_and_json():
    both = eq.style_control(battles(23, rows=2000))
    assert both.answer[0].endswith("at equal z0, z1.")
    assert "Elo points a match" in both.answer[2]
    told = both.to_dict()
    assert [row["covariate"] for row in told["covariates"]] == ["z0", "z1"]
    assert {"plain", "controlled", "change", "low", "high", "style", "rank_before", "verdict"} <= set(told["agents"][0])
