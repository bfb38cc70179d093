"""Adaptive testing: ask and tell."""

import numpy as np
import pytest

import equipoise as eq

BANK = eq.results.Calibration.from_parameters(
    [f"q{k}" for k in range(60)],
    difficulty=np.linspace(-2.5, 2.5, 60),
    discrimination=np.random.default_rng(0).uniform(0.8, 2.2, 60),
)


def take(test, theta, seed=0):
    """Let an agent of this ability sit the test."""
    rng = np.random.default_rng(seed)
    chance = dict(zip(BANK.items, BANK.probability(theta), strict=True))
    while not test.done:
        question = test.ask()
        test.tell(question.item, int(rng.random() < chance[question.item]))
    return test


def test_the_item_with_the_most_information_is_asked():
    test = eq.AdaptiveTest(BANK)
    p = BANK.probability(test.ability)
    best = BANK.items[int(np.argmax(BANK.discrimination**2 * p * (1 - p)))]
    question = test.ask()
    assert question.item == best
    assert "most information" in question.why
    assert test.ask() == question


@pytest.mark.parametrize("guessing", [0.0, 0.2])
def test_every_question_and_estimate_is_that_of_plain_sums_over_a_fine_grid(guessing):
    rng = np.random.default_rng(5)
    a, b, theta = rng.lognormal(0.2, 0.3, 40), rng.normal(size=40), np.linspace(-8, 8, 3201)
    bank = eq.results.Calibration.from_parameters(
        map(str, range(40)), difficulty=b, discrimination=a, guessing=guessing
    )
    test = eq.AdaptiveTest(bank, stop=eq.methods.TestLimits(length=15))
    density, asked = np.exp(-(theta**2) / 2), []
    while not test.done:
        mean = density @ theta / density.sum()
        assert test.ability == pytest.approx(mean, abs=1e-6)
        assert test.stderr == pytest.approx(np.sqrt(density @ (theta - mean) ** 2 / density.sum()), abs=1e-6)
        sigma = 1 / (1 + np.exp(-a * (mean - b)))
        p = guessing + (1 - guessing) * sigma
        gain = ((1 - guessing) * a * sigma * (1 - sigma)) ** 2 / (p * (1 - p))
        best = max((k for k in range(40) if k not in asked), key=lambda k: gain[k])
        assert test.ask().item == str(best)
        asked.append(best)
        outcome = int(rng.random() < p[best])
        test.tell(str(best), outcome)
        curve = guessing + (1 - guessing) / (1 + np.exp(-a[best] * (theta - b[best])))
        density = density * (curve if outcome else 1 - curve)


def test_no_item_is_asked_twice_and_the_history_says_why():
    test = take(eq.AdaptiveTest(BANK, stop=eq.methods.TestLimits(length=15)), 0.5)
    history = test.history()
    assert history["item"].n_unique() == 15 == test.answered
    assert history["why"].str.contains("most information").all()
    assert test.reason == "15 answers given"


def test_the_estimate_is_the_posterior_mean_of_the_same_answers():
    test = take(eq.AdaptiveTest(BANK, stop=eq.methods.TestLimits(length=12)), 1.0)
    given = dict(test.history().select("item", "outcome").iter_rows())
    values = [[given.get(item, np.nan) for item in BANK.items]]
    scored = BANK.score(eq.Scores.from_matrix(values, tasks=BANK.items))
    assert test.ability == pytest.approx(scored.ability[0], abs=1e-9)
    assert test.stderr == pytest.approx(scored.ability_se[0], abs=1e-9)


def test_it_stops_at_the_standard_error_asked_for():
    test = take(eq.AdaptiveTest(BANK, stop=eq.methods.TestLimits(stderr=0.35)), 0.0)
    assert test.stderr <= 0.35
    assert test.history()["stderr"][-2] > 0.35
    assert "standard error" in test.reason


def test_it_stops_on_a_decision():
    test = take(eq.AdaptiveTest(BANK, stop=eq.methods.TestLimits(better_than=0.0, least=3)), 1.5, seed=3)
    assert test.decision >= 0.95
    assert "ability is above 0" in test.reason
    against = take(eq.AdaptiveTest(BANK, stop=eq.methods.TestLimits(better_than=1.0, better_than_se=0.2)), -1.0, seed=4)
    assert against.decision <= 0.05


def test_fewer_items_than_in_random_order():
    def length(select, seed):
        stop = eq.methods.TestLimits(stderr=0.4)
        return take(eq.AdaptiveTest(BANK, stop=stop, select=select, rng=seed), 0.3, seed).answered

    chosen, drawn = (np.mean([length(select, seed) for seed in range(12)]) for select in ("information", "random"))
    assert chosen < 0.6 * drawn


def test_content_stays_in_proportion():
    content = {task: "algebra" if k % 3 else "logic" for k, task in enumerate(BANK.items)}
    test = eq.AdaptiveTest(BANK, stop=eq.methods.TestLimits(length=30), select="balanced", content=content)
    asked = [content[item] for item in take(test, 0.0).history()["item"]]
    for n in range(1, 31):
        assert abs(asked[:n].count("logic") - n / 3) <= 1
    assert "content" in test.history()["why"][0]


def test_an_answer_can_be_a_count_of_trials():
    once, twice = eq.AdaptiveTest(BANK), eq.AdaptiveTest(BANK)
    once.tell("q3", 1)
    twice.tell("q3", 2, trials=2)
    assert twice.ability > once.ability > 0


def test_it_ends_when_no_item_is_left():
    small = BANK.take(BANK.items[:2])
    test = eq.AdaptiveTest(small, stop=eq.methods.TestLimits(stderr=0.01))
    test.tell("q0", 1)
    test.tell("q1", 0)
    assert test.done
    assert test.reason == "no items left"
    with pytest.raises(eq.DataError, match="no items left"):
        test.ask()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda test: test.tell("q99", 1), 'no item "q99"'),
        (lambda test: test.tell("q1", 0.5), "0 or 1"),
        (lambda test: test.tell("q1", 4, trials=3), "at most 3 successes"),
        (lambda test: [test.tell("q1", 1), test.tell("q1", 1)], "was answered before"),
        (lambda _: eq.AdaptiveTest([1, 2]), "takes a calibration"),
        (lambda _: eq.AdaptiveTest(BANK, select="best"), "select is information, balanced or random"),
        (lambda _: eq.AdaptiveTest(BANK, select="balanced"), "needs content"),
        (lambda _: eq.AdaptiveTest(BANK, select="balanced", content={"q0": "x"}), "no content group for q1"),
        (lambda _: eq.AdaptiveTest(BANK, content={"q0": "x"}), "content is used with"),
        (lambda _: eq.methods.TestLimits(stderr=0), "stderr is a number above 0"),
        (lambda _: eq.methods.TestLimits(length=0), "length is a whole number of at least 1"),
        (lambda _: eq.methods.TestLimits(level=0.3), "level is a number between 0.5 and 1"),
        (lambda _: eq.methods.TestLimits(better_than_se=-1), "better_than_se is a number of at least 0"),
        (lambda _: eq.methods.TestLimits(better_than=np.nan), "better_than is a number"),
        (lambda test: test.tell("q1", np.nan), "an outcome is 0 or 1"),
        (lambda _: eq.AdaptiveTest(BANK, rng=-1), "rng is a seed"),
    ],
)
def test_bad_use_is_refused(call, message):
    with pytest.raises(eq.EquipoiseError, match=message):
        call(eq.AdaptiveTest(BANK))
