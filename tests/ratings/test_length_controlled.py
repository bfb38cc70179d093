from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, roots_hermitenorm

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.length.model import length_matches
from equipoise.ratings.length.question_difficulty import estimate_difficulty

PHI, PSI, THETA = (
    (-1.5, -0.8, -2.0, 0.0, -1.0, -0.5),
    (1.0, 0.6, 1.4, 0.9, 1.2, 0.8),
    (-0.5, 0.6, -1.2, 0.1, 0.3, -0.8),
)


def judged(seed=0, questions=150, models=3, soft=False, swap=True, baseline="old", by="group"):
    """Models against a baseline on the same questions, which differ in difficulty, with lengths of both answers."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=questions)
    own = rng.integers(200, 2000, questions)
    a, b, outcome, lengths, asked, label = [], [], [], [], [], []
    for k in range(models):
        length = rng.integers(100, 2000, questions)
        gap = own - length
        chance = expit(PHI[k] * np.tanh(gap / gap.std(ddof=1)) + PSI[k] * hard + THETA[k])
        drawn = rng.random(questions) < chance
        score = 0.6 * chance + 0.4 * rng.random(questions) if soft else drawn.astype(float)
        for q in range(questions):
            turned = swap and q % 2
            a.append(baseline if turned else f"m{k}")
            b.append(f"m{k}" if turned else baseline)
            outcome.append(1 - score[q] if turned else score[q])
            lengths.append((own[q], length[q]) if turned else (length[q], own[q]))
            asked.append(f"q{q}")
            label.append(str(hard[q]))
    made = eq.Matches.from_columns(a, b, outcome, **{by: asked})
    made = made.with_covariates({"length": tuple(np.transpose(lengths))})
    return replace(made, labels={"difficulty": Factor.of(label)}), dict(zip(asked, hard, strict=False))


def rows_of(m, model, baseline="old"):
    """Scores and lengths of one model, spelt out match by match."""
    k, at = m.agents.index(model), m.agents.index(baseline)
    found = []
    for a, b, outcome, longer in zip(m.a, m.b, m.outcome, m.covariates.differences[:, 0], strict=True):
        if {a, b} == {k, at}:
            found.append((outcome, -longer) if a == k else (1 - outcome, longer))
    return np.array(found).T


def oracle(score, gap, hard=None):
    """The obvious way: a general optimiser on the spelt-out likelihood."""
    bent = np.tanh(gap / np.std(gap, ddof=1))
    d = np.zeros(len(gap)) if hard is None else hard

    def loss(x):
        eta = x[0] * bent + x[1] * d + x[2]
        return np.sum(np.logaddexp(0, eta) - score * eta) + (1e3 * x[1] ** 2 if hard is None else 0)

    x = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-7}).x
    return 100 * expit(x[1] * d + x[2]).mean(), x


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("by", ["given", "label", None])
def test_rates_are_those_of_the_spelt_out_likelihood(soft, by):
    m, hard = judged(3, soft=soft)
    d = np.array([hard[f"q{k}"] for k in range(150)])
    found = eq.length_control(m, difficulty={"given": hard, "label": "difficulty", None: None}[by])
    assert found.baseline == "old"
    for k, name in enumerate(found.agents):
        score, gap = rows_of(m, name)
        rate, x = oracle(score, gap, None if by is None else d)
        assert found.lc_win_rate[k] == pytest.approx(rate, abs=1e-3)
        assert found.win_rate[k] == pytest.approx(100 * score.mean())
        assert found.phi[k] == pytest.approx(x[0], abs=1e-4)
        assert found.theta[k] == pytest.approx(x[2], abs=1e-4)
        assert np.isnan(found.psi[k]) if by is None else found.psi[k] == pytest.approx(x[1], abs=1e-4)


@pytest.mark.parametrize("difficulty", [None, "difficulty"])
@pytest.mark.parametrize("soft", [False, True])
def test_errors_are_the_sum_of_what_a_little_more_of_each_question_would_change(difficulty, soft):
    m, _ = judged(5, questions=50, models=4, soft=soft)
    weights = [1.0 + 1e-4 * (m.group.codes == q) for q in range(50)]
    more = [eq.length_control(replace(m, weight=weight), difficulty=difficulty) for weight in weights]
    whole = eq.length_control(m, difficulty=difficulty)
    factor = 50 / (50 - (2 if difficulty is None else 3))
    for name, square in (("lc_win_rate", whole.covariance), ("phi", np.diag(whole.phi_stderr**2))):
        change = np.array([getattr(each, name) - getattr(whole, name) for each in more]) / 1e-4
        expected = factor * change.T @ change
        scale = np.sqrt(np.diag(expected))
        kept = np.ones((4, 4)) if name == "lc_win_rate" else np.eye(4)
        assert square / np.outer(scale, scale) == pytest.approx(kept * expected / np.outer(scale, scale), abs=0.002)


@pytest.mark.parametrize("soft", [False, True])
def test_influences_with_estimated_difficulties_are_what_one_question_more_or_less_changes(soft):
    m, _ = judged(6, questions=150, models=5, soft=soft)
    games, _ = length_matches(m, None, "length", "estimated")
    found = estimate_difficulty([games.of(k) for k in range(5)], [games.questions_of(k) for k in range(5)])
    scale = np.sqrt((found.rate_influence**2).sum(axis=0)), np.sqrt((found.phi_influence**2).sum(axis=0))
    for q in range(3):
        mine = np.flatnonzero(m.group.codes == q)
        without = m.take(np.flatnonzero(m.group.codes != q))
        with_two = m.take(np.r_[np.arange(len(m)), mine])
        codes = np.r_[m.group.codes, np.full(len(mine), 150, dtype=np.int32)]
        with_two = replace(with_two, group=Factor((*m.group.labels, "again"), codes))
        more, less = (eq.length_control(each, difficulty="estimated") for each in (with_two, without))
        rate, phi = (more.lc_win_rate - less.lc_win_rate) / 200, (more.phi - less.phi) / 2
        assert found.rate_influence[q] / scale[0] == pytest.approx(rate / scale[0], abs=0.01)
        assert found.phi_influence[q] / scale[1] == pytest.approx(phi / scale[1], abs=0.01)
    whole = eq.length_control(m, difficulty="estimated")
    assert whole.stderr == pytest.approx(100 * scale[0] * np.sqrt(150 / 147))


def marginal(m, x, models, questions):
    """The spelt-out marginal likelihood: for each question, an integral over its difficulty."""
    nodes, weights = roots_hermitenorm(60)
    total = 0.0
    tables = [rows_of(m, f"m{k}") for k in range(models)]
    for q in range(questions):
        each = np.log(weights / weights.sum())
        for k, (score, gap) in enumerate(tables):
            phi, psi, theta = x[k]
            eta = phi * np.tanh(gap[q] / np.std(gap, ddof=1)) + psi * nodes + theta
            each = each + score[q] * eta - np.logaddexp(0, eta)
        total += np.logaddexp.reduce(each)
    return total - np.sum(x[:, 1] ** 2) / 18  # the weak prior on psi


def test_estimated_difficulties_are_at_the_maximum_of_the_spelt_out_marginal_likelihood():
    m, hard = judged(7, questions=80, models=4)
    found = eq.length_control(m, difficulty="estimated")
    x = np.column_stack([found.phi, found.psi, found.theta])
    best = marginal(m, x, 4, 80)
    for k in range(4):
        for j in range(3):
            step = np.zeros_like(x)
            step[k, j] = 1e-3
            up, down = marginal(m, x + step, 4, 80), marginal(m, x - step, 4, 80)
            assert max(up, down) < best
            assert (up - down) / 2e-3 == pytest.approx(0, abs=1e-3)
    assert found.psi.mean() > 0
    assert list(found.difficulty) == [f"q{k}" for k in range(80)]
    assert np.corrcoef(list(found.difficulty.values()), list(hard.values()))[0, 1] > 0.4


def test_estimated_difficulties_come_in_pieces_and_with_repeated_matches(monkeypatch):
    m, _ = judged(7, questions=80, models=5)
    one = eq.length_control(m, difficulty="estimated")
    monkeypatch.setattr("equipoise.ratings.length.question_difficulty.AT_ONCE", 20_000)
    pieces = eq.length_control(m, difficulty="estimated")
    assert pieces.stderr == pytest.approx(one.stderr, rel=1e-8)
    assert pieces.lc_win_rate == pytest.approx(one.lc_win_rate, rel=1e-8)
    first = np.arange(len(m)) < 100
    doubled = eq.length_control(m.take(np.r_[np.arange(len(m)), np.flatnonzero(first)]), difficulty="estimated")
    weighted = eq.length_control(replace(m, weight=np.where(first, 2.0, 1.0)), difficulty="estimated")
    assert doubled.lc_win_rate == pytest.approx(weighted.lc_win_rate, rel=1e-7)
    assert doubled.stderr == pytest.approx(weighted.stderr, rel=1e-6)


def test_a_question_that_only_some_models_met_still_counts():
    m, _ = judged(8, questions=90, models=5)
    fewer = m.take(np.flatnonzero((m.group.codes > 8) | ((m.a != 0) & (m.b != 0))))
    found = eq.length_control(fewer, difficulty="estimated")
    assert found.games.tolist() == [81, 90, 90, 90, 90]
    assert len(found.difficulty) == 90
    assert np.isfinite(found.lc_win_rate).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_who_is_named_first_changes_nothing(seed, random):
    m, hard = judged(seed % 50, questions=60, soft=bool(seed % 2))
    swap = np.array([random.random() < 0.5 for _ in range(len(m))])
    columns = m.covariates
    other = replace(
        m,
        a=np.where(swap, m.b, m.a).astype(np.int32),
        b=np.where(swap, m.a, m.b).astype(np.int32),
        outcome=np.where(swap, 1 - m.outcome, m.outcome),
        covariates=replace(columns, differences=np.where(swap[:, None], -columns.differences, columns.differences)),
    )
    one, two = (eq.length_control(each, difficulty=hard) for each in (m, other))
    assert two.lc_win_rate == pytest.approx(one.lc_win_rate, abs=1e-8)
    assert two.covariance == pytest.approx(one.covariance, abs=1e-8)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(0.01, 100))
def test_the_unit_of_lengths_does_not_matter(seed, unit):
    m, _ = judged(seed, questions=60)
    other = replace(m, covariates=replace(m.covariates, differences=m.covariates.differences * unit))
    one, two = (eq.length_control(each) for each in (m, other))
    assert two.lc_win_rate == pytest.approx(one.lc_win_rate, abs=1e-7)
    assert two.stderr == pytest.approx(one.stderr, abs=1e-7)


def test_a_difference_of_two_models_knows_that_they_met_the_same_questions():
    m, hard = judged(9, questions=300, soft=True)
    found = eq.length_control(m, difficulty=hard)
    gap = found.difference("m0", "m1")
    assert float(gap) == pytest.approx(found.lc_win_rate[0] - found.lc_win_rate[1])
    assert gap.stderr < 0.85 * np.hypot(found.stderr[0], found.stderr[1])
    assert gap.low < float(gap) < gap.high
    with pytest.raises(eq.ParameterError, match="no agent"):
        found.difference("m0", "old")
    alone = eq.length_control(replace(m, group=None))
    assert [note.code for note in alone.diagnostics] == ["no-questions"]
    assert alone.covariance[0, 1] == 0


def test_matches_without_the_baseline_are_left_out_and_said():
    m, _ = judged(1, questions=60)
    more = eq.Matches.from_columns(
        [*(m.agents[k] for k in m.a), "m0"], [*(m.agents[k] for k in m.b), "m1"], [*m.outcome, 1.0]
    ).with_covariates({"length": [*m.covariates.differences[:, 0], 5.0]})
    with pytest.raises(eq.ParameterError, match="no agent is in every match"):
        eq.length_control(more)
    found = eq.length_control(more, baseline="old")
    assert "without-baseline" in [note.code for note in found.diagnostics]
    assert found.lc_win_rate == pytest.approx(eq.length_control(m).lc_win_rate)


def test_models_without_a_fit_have_no_rate_and_are_named():
    m, _ = judged(2, questions=60, models=4)
    k = [m.agents.index(f"m{j}") for j in range(4)]
    mine = [(m.a == at) | (m.b == at) for at in k]
    outcome = np.where(mine[0], (m.a == k[0]).astype(float), m.outcome)  # m0 wins everything
    differences = np.where(mine[1], np.where(m.a == k[1], 7.0, -7.0), m.covariates.differences[:, 0])  # m1: as long
    kept = np.flatnonzero(~mine[2] | (m.group.codes < 15))  # m2: few questions
    odd = replace(m, outcome=outcome, covariates=replace(m.covariates, differences=differences[:, None])).take(kept)
    found = eq.length_control(odd)
    notes = {note.subjects: note.message for note in found.diagnostics}
    assert "no finite fit exists: it won or lost everything" in notes[("m0",)]
    assert "length is the same in all its matches" in notes[("m1",)]
    assert "fewer than 20 questions" in notes[("m2",)]
    assert np.isnan(found.lc_win_rate[:3]).all()
    assert np.isfinite(found.lc_win_rate[3])
    assert found.frame()["agent"].to_list()[0] == "m3"
    assert found.frame()["lc_win_rate"].null_count() == 3
    assert (found.rank_low[3], found.rank_high[3]) == (1, 4)
    with pytest.raises(eq.ParameterError, match="needs at least 3 models, these are 1"):
        eq.length_control(odd, difficulty="estimated")


def test_a_model_that_wins_wherever_it_is_longer_has_no_rate():
    m, _ = judged(2, questions=60, models=1, swap=False)
    m = replace(m, outcome=(m.covariates.differences[:, 0] > 100).astype(float))
    with pytest.raises(eq.DataError, match=r"no finite fit exists: it won or lost everything, or did so wherever"):
        eq.length_control(m, baseline="old")


def test_answers_that_are_never_equally_long_are_said():
    m, _ = judged(4, questions=200, swap=False)
    longer = replace(m, covariates=replace(m.covariates, differences=np.abs(m.covariates.differences) + 1))
    (note,) = [note for note in eq.length_control(longer).diagnostics if note.code == "never-equal-length"]
    assert note.subjects == ("m0", "m1", "m2")
    assert "longer throughout" in note.message


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda m: replace(m, covariates=None), {}, "these matches hold no lengths"),
        (lambda m: m, {"length": "lenght"}, 'no covariate "lenght" .did you mean "length"'),
        (lambda m: m, {"baseline": "odl"}, 'baseline "odl" is not among the agents .did you mean "old"'),
        (lambda m: m, {"difficulty": "estimate"}, 'neither a label of these matches nor "estimated"'),
        (lambda m: m, {"difficulty": {"q0": 1.0}}, "no difficulty of the questions q1, q2, q3"),
        (lambda m: m, {"difficulty": {f"q{k}": "x" for k in range(150)}}, "no finite number for q0"),
        (lambda m: replace(m, group=None), {"difficulty": {"q0": 1.0}}, "which question each match was on"),
        (lambda m: replace(m, group=None), {"difficulty": "estimated"}, "which question each match was on"),
        (lambda m: replace(m, task=m.group), {"difficulty": "estimated"}, "leave group out"),
        (lambda m: m, {"difficulty": {f"q{k}": 3.0 for k in range(150)}}, "cannot be told apart in its matches"),
        (lambda m: m.take(np.arange(30)), {}, "either of two agents may be the baseline"),
        (lambda m: m.take(np.arange(10)), {"baseline": "old"}, "fewer than 20 questions"),
    ],
)
def test_ill_posed_questions_are_refused_in_one_line(change, options, message):
    m, _ = judged(0)
    with pytest.raises(eq.EquipoiseError, match=message) as refused:
        eq.length_control(change(m), **options)
    assert "\n" not in str(refused.value)


def test_questions_may_be_tasks_and_errors_may_be_by_voter():
    m, hard = judged(6, questions=120)
    by_task = replace(m, task=m.group, group=None)
    one, two = (eq.length_control(each, difficulty=hard) for each in (m, by_task))
    assert two.stderr == pytest.approx(one.stderr)
    voters = Factor.of([f"v{code % 40}" for code in m.group.codes])
    by_voter = eq.length_control(replace(m, task=m.group, group=voters), difficulty=hard)
    assert by_voter.lc_win_rate == pytest.approx(one.lc_win_rate)
    assert by_voter.degrees.tolist() == [37, 37, 37]


@pytest.fixture(scope="module")
def alpaca(equipoise_data):
    folder = equipoise_data / "arena_style"
    m = eq.read_matches(folder / "battles.csv.gz", covariates="length", group="question", outcome="p_a")
    table = pl.read_csv(folder / "difficulty.csv", schema_overrides={"question": pl.String})
    return m, dict(table.iter_rows())


def test_the_checked_answers_of_length_control(alpaca):
    m, hard = alpaca
    found = eq.length_control(m, difficulty=hard)
    expected = {"claude-2.1": 24.743923, "gpt-3.5-turbo-1106_verbose": 19.491004, "claude-2.1_concise": 15.832622}
    assert found.baseline == "gpt4_1106_preview"
    for name, rate in expected.items():
        assert found.lc_win_rate[found.agents.index(name)] == pytest.approx(rate, abs=5e-7)
    at = found.agents.index("claude-2.1")
    assert eq.length_control(m).lc_win_rate[at] == pytest.approx(32.4, abs=0.05)
    # AlpacaEval publishes the spread of the predictions over questions alone.
    d = np.array([hard[name] for name in m.group.labels])
    spread = 100 * expit(found.psi[at] * d + found.theta[at]).std(ddof=1) / np.sqrt(805)
    assert found.stderr[at] == pytest.approx(1.909, abs=0.001)
    assert spread == pytest.approx(0.766, abs=0.001)


GOLDEN = {
    "FuseChat-Gemma-2-9B-Instruct": (70.1167, 70.0858),
    "FuseChat-Llama-3.2-1B-Instruct": (25.9344, 25.9348),
    "FuseChat-Qwen-2.5-7B-Instruct": (63.7604, 63.4493),
    "OpenHermes-2.5-Mistral-7B": (13.3893, 20.6557),
    "alpaca-7b": (6.4959, 19.8346),
    "alpaca-7b_verbose": (8.1049, 9.7001),
    "alpaca-farm-ppo-sim-gpt4-20k": (6.3097, 19.4596),
    "chatglm2-6b": (4.2625, 6.3005),
    "claude-2": (27.0131, 36.7943),
    "claude-2.1_concise": (15.8326, 29.8168),
    "falcon-40b-instruct": (4.9290, 8.6900),
    "gemma-2b-it": (4.7186, 6.6162),
    "gpt-3.5-turbo-0301": (15.9044, 31.4575),
    "gpt-3.5-turbo-1106_concise": (14.5580, 38.5568),
    "gpt35_turbo_instruct": (17.6750, 18.8533),
    "humpback-llama2-70b": (15.6751, 22.3025),
    "minichat-3b": (5.4947, 9.8271),
    "nous-hermes-13b": (8.4258, 16.2342),
    "oasst-sft-llama-33b": (9.3272, 18.3779),
    "openbuddy-falcon-40b-v9": (8.0628, 13.3003),
    "openbuddy-llama2-13b-v11.1": (8.2330, 15.1300),
    "phi-2": (4.1191, 4.2828),
    "pythia-12b-mix-sft": (3.2548, 5.1774),
    "text_davinci_003": (4.4715, 10.4708),
    "vicuna-13b": (7.7144, 14.0735),
    "vicuna-13b-v1.5-togetherai": (10.4026, 18.2831),
    "vicuna-7b-v1.3": (6.5121, 10.7966),
    "wizardlm-13b": (8.5842, 15.5330),
}
"""Rates with the difficulties of AlpacaEval and without any, of every second model, fitted apart by BFGS."""


def test_half_of_the_models_agree_with_fits_made_apart(alpaca):
    m, hard = alpaca
    given, alike = eq.length_control(m, difficulty=hard), eq.length_control(m)
    assert len(GOLDEN) == 28
    for name, (with_difficulty, without) in GOLDEN.items():
        at = given.agents.index(name)
        assert given.lc_win_rate[at] == pytest.approx(with_difficulty, abs=2e-4)
        assert alike.lc_win_rate[at] == pytest.approx(without, abs=2e-4)


def test_difficulties_estimated_on_a_part_of_the_models_agree_with_published_ones(alpaca):
    m, hard = alpaca
    few = [m.agents.index(name) for name in ("gpt4_1106_preview", *list(GOLDEN)[:8])]
    found = eq.length_control(m.take(np.flatnonzero(np.isin(m.a, few) & np.isin(m.b, few))), difficulty="estimated")
    assert np.corrcoef(list(found.difficulty.values()), [hard[name] for name in found.difficulty])[0, 1] > 0.6
    assert (found.psi > 0).all()
