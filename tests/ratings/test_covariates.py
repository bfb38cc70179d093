from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import equipoise as eq

GOLDEN_HALF = [0.9032296, 0.0867320, 0.6856868, 0.2368530]
"""Coefficients of length, header, bold and list on the battles of every second model, fitted both ways."""
ELO = 400 / np.log(10)


def battles(seed=0, rows=400, agents=5, covariates=2, ties=0.1, groups=None):
    """Battles in which strength and covariates decide, some of them ties."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, agents, rows)
    b = (a + rng.integers(1, agents, rows)) % agents
    z = rng.normal(size=(rows, covariates))
    d = np.linspace(1, -1, agents)[a] - np.linspace(1, -1, agents)[b] + z @ np.linspace(0.8, -0.4, covariates)
    outcome = np.where(rng.random(rows) < ties, 0.5, rng.random(rows) < 1 / (1 + np.exp(-d)))
    group = None if groups is None else [f"g{k}" for k in rng.integers(0, groups, rows)]
    names = [f"agent {k}" for k in range(agents)]
    made = eq.Matches.from_columns([names[k] for k in a], [names[k] for k in b], outcome, group=group)
    return made.with_covariates({f"z{k}": column for k, column in enumerate(z.T)})


def oracle(m, ties="half", side=False, prior=None, coefficient_prior=None):
    """The obvious way: spell out the likelihood of each row and hand it to a general optimiser."""
    n, z, k = len(m.agents), m.covariates.values, len(m.covariates)

    def loss(x):
        r, g, beta, t = x[:n] - x[:n].mean(), x[n], x[n + 1 : n + 1 + k], x[-1]
        d = r[m.a] - r[m.b] + (g if side else 0) + z @ beta
        if ties == "davidson":
            norm = np.logaddexp(np.logaddexp(d / 2, -d / 2), t)
            tied = m.outcome == 0.5
            each = np.where(tied, t, (2 * m.outcome - 1) * d / 2) - norm
        else:
            each = -m.outcome * np.logaddexp(0, -d) - (1 - m.outcome) * np.logaddexp(0, d)
        penalty = 0 if prior is None else x[:n] @ x[:n] / (2 * prior**2)
        penalty += 0 if coefficient_prior is None else beta @ beta / (2 * coefficient_prior**2)
        return penalty - m.weights @ each

    x = minimize(loss, np.zeros(n + 2 + k), method="BFGS", options={"gtol": 1e-8}).x
    return x[:n] - x[:n].mean(), x[n], x[n + 1 : n + 1 + k], x[-1]


@pytest.mark.parametrize("ties", ["half", "davidson"])
@pytest.mark.parametrize("side", [False, True])
def test_the_fit_is_the_optimum_of_the_spelt_out_likelihood(ties, side):
    m = battles(3)
    fit = eq.bradley_terry(m, covariates=["z0", "z1"], ties=ties, side=side)
    rating, advantage, beta, tie = oracle(m, ties, side)
    assert fit.rating == pytest.approx(rating, abs=2e-5)
    assert fit.coefficients.value == pytest.approx(beta, abs=2e-5)
    assert fit.side is None or float(fit.side) == pytest.approx(advantage, abs=2e-5)
    assert fit.tie is None or float(fit.tie) == pytest.approx(tie, abs=2e-5)


def test_priors_pull_ratings_and_coefficients_each_by_their_own():
    m = battles(5, rows=60)
    fit = eq.bradley_terry(m, covariates=["z0", "z1"], prior=0.7, covariate_prior=0.3)
    n, z = len(m.agents), m.covariates.values

    def loss(x):
        d = x[m.a] - x[m.b] + z @ x[n:]
        each = -m.outcome * np.logaddexp(0, -d) - (1 - m.outcome) * np.logaddexp(0, d)
        return x[:n] @ x[:n] / (2 * 0.7**2) + x[n:] @ x[n:] / (2 * 0.3**2) - each.sum()

    x = minimize(loss, np.zeros(n + 2), method="BFGS", options={"gtol": 1e-9}).x
    assert fit.rating == pytest.approx(x[:n], abs=1e-5)
    assert fit.coefficients.value == pytest.approx(x[n:], abs=1e-5)
    free = eq.bradley_terry(m, covariates=["z0", "z1"])
    assert (np.abs(fit.coefficients.value) < np.abs(free.coefficients.value)).all()


def test_errors_are_the_sandwich_of_the_spelt_out_scores():
    m = battles(7, groups=60)
    names = ["z0", "z1"]
    fit = eq.bradley_terry(m, covariates=names)
    n = len(m.agents)
    # A row of unknowns for each match: the two agents, then the covariates; the first agent is the reference.
    design = np.zeros((len(m), n + 2))
    design[np.arange(len(m)), m.a] = 1
    design[np.arange(len(m)), m.b] = -1
    design[:, n:] = m.covariates.values
    x = np.concatenate([fit.rating, fit.coefficients.value])
    p = 1 / (1 + np.exp(-design @ x))
    scores = (m.outcome - p)[:, None] * design
    sums = np.array([scores[m.group.codes == k].sum(axis=0) for k in range(len(m.group.labels))])
    bread = np.linalg.pinv(design.T @ (design * (p * (1 - p))[:, None]))
    count = len(sums)
    cov = bread @ (sums.T @ sums) @ bread * count / (count - 1)
    assert fit.coefficients.stderr == pytest.approx(np.sqrt(np.diag(cov))[n:], rel=1e-6)
    assert fit.stderr == pytest.approx(np.sqrt(np.diag(cov))[:n], rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_swapping_the_sides_of_any_matches_changes_nothing(seed, random):
    m = battles(seed, rows=120, agents=4)
    swap = np.array([random.random() < 0.5 for _ in range(len(m))])
    other = replace(
        m,
        a=np.where(swap, m.b, m.a).astype(np.int32),
        b=np.where(swap, m.a, m.b).astype(np.int32),
        outcome=np.where(swap, 1 - m.outcome, m.outcome),
    ).with_covariates(
        {k: np.where(swap, -v, v) for k, v in zip(m.covariates.names, m.covariates.values.T, strict=True)}
    )
    one, two = (eq.bradley_terry(each, covariates=["z0", "z1"]) for each in (m, other))
    assert one.rating == pytest.approx(two.rating, abs=1e-8)
    assert one.coefficients.value == pytest.approx(two.coefficients.value, abs=1e-8)
    assert one.coefficients.stderr == pytest.approx(two.coefficients.stderr, abs=1e-8)


def test_scaled_covariates_do_not_depend_on_who_is_named_first():
    rng = np.random.default_rng(1)
    m = battles(2, covariates=1)
    longer = rng.integers(100, 900, (2, len(m)))
    first = m.with_covariates({"length": (longer[0], longer[1])})
    baseline = m.agents[0]  # the baseline is always named first
    swap = m.b == 0
    swapped = replace(
        m,
        a=np.where(swap, m.b, m.a).astype(np.int32),
        b=np.where(swap, m.a, m.b).astype(np.int32),
        outcome=np.where(swap, 1 - m.outcome, m.outcome),
    ).with_covariates({"length": (np.where(swap, longer[1], longer[0]), np.where(swap, longer[0], longer[1]))})
    one, two = (eq.bradley_terry(each, covariates=["length"]).relative_to(baseline) for each in (first, swapped))
    assert one.rating == pytest.approx(two.rating, abs=1e-8)
    # The unit is the standard deviation about the mean, which depends a little on who is named first: what a
    # covariate adds does not.
    per_one = [fit.coefficients.value / fit.coefficients.scale for fit in (one, two)]
    assert per_one[0] == pytest.approx(per_one[1], abs=1e-8)


def test_the_checked_answers_of_style_control(equipoise_data):
    m = eq.read_matches(equipoise_data / "arena_style" / "battles.csv.gz", covariates="length,header,bold,list")
    plain = eq.bradley_terry(m).relative_to("gpt4_1106_preview")
    style = eq.bradley_terry(m, covariates=m.covariates.names).relative_to("gpt4_1106_preview")
    expected = {
        "claude-2.1": (-309.5045, -202.7941, 18.26),
        "claude-2.1_concise": (-399.1708, -182.3327, 22.61),
        "gpt-3.5-turbo-1106_verbose": (-349.4139, -196.4246, 19.56),
    }
    for name, (before, after, error) in expected.items():
        at = m.agents.index(name)
        assert plain.points[at] == pytest.approx(before, abs=5e-5)
        assert style.points[at] == pytest.approx(after, abs=5e-5)
        assert ELO * style.stderr[at] == pytest.approx(error, abs=0.006)
    assert style.coefficients.value == pytest.approx([0.936033, 0.119018, 0.713391, 0.229026], abs=5e-7)
    assert style.coefficients.stderr[0] == pytest.approx(0.0344, abs=5e-5)
    assert style.log_likelihood == pytest.approx(-10298.8582, abs=5e-5)
    assert plain.log_likelihood == pytest.approx(-11519.7219, abs=5e-5)
    sided = eq.bradley_terry(m, covariates=m.covariates.names, side=True)
    assert float(sided.side) == pytest.approx(-0.026848, abs=5e-7)


def test_the_checked_errors_by_question(equipoise_data):
    m = eq.read_matches(
        equipoise_data / "arena_style" / "battles.csv.gz", covariates="length,header,bold,list", group="question"
    )
    style = eq.bradley_terry(m, covariates=m.covariates.names).relative_to("gpt4_1106_preview")
    # The checked errors leave out the factor for the number of questions.
    factor = np.sqrt(804 / 805)
    expected = {"claude-2.1": 19.39, "claude-2.1_concise": 25.45, "gpt-3.5-turbo-1106_verbose": 20.89}
    for name, error in expected.items():
        assert factor * ELO * style.stderr[m.agents.index(name)] == pytest.approx(error, abs=0.006)
    assert factor * style.coefficients.stderr[0] == pytest.approx(0.1015, abs=6e-5)


def test_half_of_the_models_against_a_plain_logistic_regression(equipoise_data):
    """Every second model, by Newton's steps on the full design: a column for each model but the baseline."""
    m = eq.read_matches(
        equipoise_data / "arena_style" / "battles.csv.gz", covariates="length,header,bold,list", group="question"
    )
    baseline = m.agents.index("gpt4_1106_preview")
    chosen = sorted(set(range(len(m.agents))) - {baseline})[::2]
    half = m.take(np.flatnonzero(np.isin(m.a, chosen) | np.isin(m.b, chosen)))
    names = [m.agents[k] for k in (baseline, *chosen)]
    sides = [[m.agents[k] for k in codes] for codes in (half.a, half.b)]
    few = eq.Matches.from_columns(*sides, half.outcome, group=[m.group.labels[k] for k in half.group.codes])
    few = replace(few, covariates=half.covariates)
    fit = eq.bradley_terry(few, covariates=half.covariates.names).relative_to("gpt4_1106_preview")
    z = half.covariates.values / half.covariates.values.std(axis=0)
    design = np.column_stack(
        [[(a == name) * 1.0 - (b == name) for a, b in zip(*sides, strict=True)] for name in names[1:]] + list(z.T)
    )
    x = np.zeros(design.shape[1])
    for _ in range(20):
        p = 1 / (1 + np.exp(-design @ x))
        x += np.linalg.solve(design.T * (p * (1 - p)) @ design, design.T @ (half.outcome - p))
    rating = [fit.rating[fit.agents.index(name)] for name in names[1:]]
    assert rating == pytest.approx(x[: len(chosen)], abs=1e-7)
    assert fit.coefficients.value == pytest.approx(x[len(chosen) :], abs=1e-7)
    assert fit.coefficients.value == pytest.approx(GOLDEN_HALF, abs=1e-6)


def test_many_agents_are_fitted_by_conjugate_gradients_to_the_same_answer(monkeypatch):
    m = battles(11, rows=1500, agents=12)
    names = ["z0", "z1"]
    direct = eq.bradley_terry(m, covariates=names, side=True, ties="davidson")
    monkeypatch.setattr("equipoise.ratings.paired.newton.DIRECT", 3)
    sparse = eq.bradley_terry(m, covariates=names, side=True, ties="davidson")
    assert sparse.rating == pytest.approx(direct.rating, abs=1e-8)
    assert sparse.coefficients.value == pytest.approx(direct.coefficients.value, abs=1e-8)
    assert float(sparse.tie) == pytest.approx(float(direct.tie), abs=1e-8)


@pytest.mark.parametrize("rows", [120, 60_000])
def test_a_covariate_that_separates_is_named(rows):
    m = battles(13, rows=rows, agents=4, ties=0)
    fair = m.covariates.values[:, 0]
    telling = np.where(m.outcome == 1, 1.0, -1.0) * (0.1 + np.abs(fair))
    with pytest.raises(eq.DataError, match=r"no finite coefficient exists: telling, with strengths"):
        eq.bradley_terry(m, covariates={"fair": fair, "telling": telling})
    held = eq.bradley_terry(m, covariates={"telling": telling}, covariate_prior=1.0)
    assert held.coefficients.low[0] > 0


def test_a_covariate_that_strength_explains_is_named():
    m = battles(17, agents=4)
    star = (m.a == 0).astype(float) - (m.b == 0)
    with pytest.raises(eq.DataError, match=r'covariate "star" cannot be told from strength'):
        eq.bradley_terry(m, covariates={"star": star})
    twice = m.covariates.values[:, 0]
    with pytest.raises(eq.DataError, match=r'covariate "again" cannot be told from strength and once'):
        eq.bradley_terry(m, covariates={"once": twice, "again": 2 * twice})


def test_a_bootstrap_draws_covariates_with_their_matches():
    m = battles(19, rows=300)
    spread = eq.bootstrap(partial(eq.bradley_terry, covariates=["z0"]), m, n=60, rng=1)
    fit = eq.bradley_terry(m, covariates=["z0"])
    assert spread.stderr == pytest.approx(fit.stderr, rel=0.5)
    with pytest.raises(eq.ParameterError, match="with_covariates"):
        eq.bootstrap(partial(eq.bradley_terry, covariates={"z": m.covariates.values[:, 0]}), m, n=5)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("z0", "are a list of names"),
        (["z9"], 'no covariate "z9"'),
        ([], "names none"),
        ({}, "has no columns"),
        ({"z": [1.0, 2.0]}, "has 2 numbers"),
        ({"z": ["one"] * 400}, "is a column of numbers"),
        ({"z": [np.nan] * 400}, "no finite number in rows 1, 2, 3 and 397 more"),
        ({"z": np.ones(400)}, "the same in all matches"),
        ({"z": (-np.ones(400), np.ones(400))}, "is below 0"),
    ],
)
def test_what_cannot_be_controlled_for_is_refused(asked, says):
    with pytest.raises(eq.EquipoiseError, match=says):
        eq.bradley_terry(battles(), covariates=asked)


def test_pair_counts_have_no_covariates():
    with pytest.raises(eq.ParameterError, match="belong to single matches"):
        eq.bradley_terry(battles().pairs(), covariates=["z0"])
    with pytest.raises(eq.ParameterError, match="do not go with"):
        eq.bradley_terry(battles(), covariates=["z0"], pairing="adaptive")
    plain = battles()
    with pytest.raises(eq.DataError, match="hold no covariates"):
        eq.bradley_terry(replace(plain, covariates=None), covariates=["z0"])


def test_coefficients_stand_in_words_and_json():
    fit = eq.bradley_terry(battles(23, rows=2000), covariates=["z0", "z1"])
    assert fit.answer[-2].startswith("More z0 wins more: +0.")
    assert fit.answer[-1].startswith("More z1 wins less: -0.")
    told = fit.to_dict()
    assert [row["covariate"] for row in told["covariates"]] == ["z0", "z1"]


def test_plain_differences_are_kept_beside_relative_ones(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("model_a,model_b,winner,len_a,len_b,lead\nx,y,a,300,100,2\ny,x,b,50,60,-1\n")
    read = eq.read_matches(log, covariates=["length", "lead"]).covariates
    given = eq.Matches.from_columns("xy", "yx", [1, 0]).with_covariates(
        {"length": ([300, 50], [100, 60]), "lead": [2, -1]}
    )
    for kept in (read, given.covariates):
        assert kept.differences.tolist() == [[200, 2], [-10, -1]]
        assert kept.values[0] == pytest.approx([200 / 401, 2])
        assert kept.select(["lead"]).differences.tolist() == [[2], [-1]]
        assert kept.take(np.array([1])).differences.tolist() == [[-10, -1]]
