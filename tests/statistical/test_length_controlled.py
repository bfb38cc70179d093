"""Length-controlled win rates hold what they say where questions are a sample; the spread of predictions does not."""

import numpy as np
from scipy.special import expit

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee

PHI, PSI, THETA = (
    np.array([-1.5, -0.8, -2.0, -1.0, -0.5]),
    np.array([1, 0.6, 1.2, 1.4, 0.8]),
    np.array([-1, 0.5, -2, 0, 1]),
)


def drawn(rng, questions, models, soft, tied=0.1):
    """Draw questions with their difficulty and length, answers that may be longer, and verdicts on them."""
    hard, own = rng.normal(size=questions), rng.gamma(4, 400, questions)
    # Hard questions get long answers, so that length and difficulty pull at the same results.
    lengths = own[:, None] * np.exp(rng.normal(-0.3, 0.4, (questions, models)) + tied * hard[:, None])
    gap = own[:, None] - lengths
    unit = gap.std(axis=0, ddof=1) if questions > 10_000 else UNITS[:models]
    eta = PHI[:models] * np.tanh(gap / unit) + PSI[:models] * hard[:, None] + THETA[:models]
    noisy = expit(eta + rng.normal(0, 1.5, eta.shape)) if soft else rng.random(eta.shape) < expit(eta)
    return hard, gap, noisy.astype(float), unit


UNITS = np.ones(5)
UNITS = drawn(np.random.default_rng(0), 200_000, 5, False)[3]


def as_matches(hard, gap, score):
    questions, models = score.shape
    names = [f"m{k}" for k in range(models)]
    m = eq.Matches.from_columns(
        np.tile(names, questions),
        np.full(score.size, "old"),
        score.ravel(),
        group=np.repeat(np.arange(questions), models),
    ).with_covariates({"length": -gap.ravel()})
    return m, {str(k): value for k, value in enumerate(hard)}


def truth(soft, difficulty, models):
    """Fit a sample so large that its error does not count: what a model that is only nearly right aims at."""
    hard, gap, score, _ = drawn(np.random.default_rng(1), 200_000, models, soft)
    m, by_question = as_matches(hard, gap, score)
    found = eq.length_control(m, difficulty=by_question if difficulty == "given" else difficulty)
    return found.lc_win_rate, found.phi


def simulate(soft, difficulty, models=3, questions=150, runs=300):
    rate, phi = truth(soft, difficulty, models)
    rates, lengths, gaps = (Coverage(what=what) for what in ("controlled rates", "phi", "differences"))
    missed, predicted = [], []
    for run in range(runs):
        hard, gap, score, _ = drawn(np.random.default_rng([19, run]), questions, models, soft)
        m, by_question = as_matches(hard, gap, score)
        found = eq.length_control(m, difficulty=by_question if difficulty == "given" else difficulty)
        rates.add(found.low, found.high, rate, found.lc_win_rate)
        reach = 1.97 * found.phi_stderr
        lengths.add(found.phi - reach, found.phi + reach, phi, found.phi)
        between = found.difference("m0", "m1")
        gaps.add(between.low, between.high, rate[0] - rate[1], float(between))
        missed.append((found.low[0] > rate[0]) | (found.high[0] < rate[0]))
        spread = (
            0.0 if difficulty is None else np.std(100 * expit(found.psi[0] * hard + found.theta[0])) / questions**0.5
        )
        predicted.append(abs(found.lc_win_rate[0] - rate[0]) > 1.96 * spread)
    return rates, lengths, gaps, missed, predicted


def test_length_controlled_rates_of_hard_choices_cover_and_the_spread_of_predictions_does_not():
    rates, lengths, gaps, missed, predicted = simulate(False, "given")
    rates.check()
    lengths.check()
    gaps.check()
    check_guarantee(missed, 0.05, predicted, "rate of one model, beside the spread of predictions alone")


def test_length_controlled_rates_of_probabilities_cover():
    rates, lengths, gaps, missed, predicted = simulate(True, "given")
    rates.check()
    lengths.check()
    gaps.check()
    check_guarantee(missed, 0.05, predicted, "rate of one model, beside the spread of predictions alone")


def test_length_controlled_rates_without_difficulties_cover():
    for soft in (False, True):
        rates, lengths, gaps, _, _ = simulate(soft, None, runs=250)
        rates.check()
        lengths.check()
        gaps.check()


def test_length_controlled_rates_with_estimated_difficulties_cover():
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    rate = 100 * expit(np.outer(PSI, nodes) + THETA[:, None]) @ weights / weights.sum()
    rates, lengths, gaps = (Coverage(what=what) for what in ("controlled rates", "phi", "differences"))
    for run in range(150):
        hard, gap, score, _ = drawn(np.random.default_rng([20, run]), 250, 5, False, tied=0.0)
        m, _ = as_matches(hard, gap, score)
        found = eq.length_control(m, difficulty="estimated")
        rates.add(found.low, found.high, rate, found.lc_win_rate)
        reach = 1.97 * found.phi_stderr
        lengths.add(found.phi - reach, found.phi + reach, PHI, found.phi)
        between = [found.difference(f"m{k}", f"m{k + 1}") for k in range(4)]
        gaps.add([each.low for each in between], [each.high for each in between], -np.diff(rate), between)
    for coverage in (rates, lengths, gaps):
        coverage.check()
