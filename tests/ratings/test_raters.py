"""True classes by raters who err, and ratings by raters who do not always look."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.methods import dawid_skene, rater_weighted
from equipoise.ratings.raters.attention import AttentionModel


@pytest.fixture(scope="module")
def llmfao(equipoise_data):
    return eq.read_matches(equipoise_data / "llmfao" / "llmfao.csv", a="left", b="right", labels=["worker", "id"])


def test_classes_of_llmfao_are_those_of_a_slow_estimate(llmfao):
    found = dawid_skene(llmfao)
    share = dict(zip(found.classes, found.share, strict=True))
    known = {"first": 0.300688, "second": 0.299027, "tie": 0.400284}
    assert share == {name: pytest.approx(value, abs=1e-6) for name, value in known.items()}
    assert found.log_likelihood == pytest.approx(-7522.748811, abs=1e-6)
    right = np.einsum("wkk->wk", found.confusion) * (found.votes / found.votes.sum())[:, None]
    assert right.sum(axis=0).mean() > 0.6  # by another naming of the classes, at most 0.34
    assert (found.low < found.accuracy).all()
    assert (found.accuracy < found.high).all()


def table(seed=1, items=80, accuracy=(0.9, 0.8, 0.85, 0.7, 0.6), classes=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(classes, size=items)
    wrong = (truth + rng.integers(1, classes, size=(len(accuracy), items))) % classes
    return truth, np.where(rng.random(wrong.shape) < np.array(accuracy)[:, None], truth, wrong).astype(float)


def test_classes_come_back_and_accuracy_is_what_was_drawn():
    truth, votes = table()
    found = dawid_skene(votes)
    assert (found.probability.argmax(axis=1) == truth).mean() > 0.9
    assert found.accuracy == pytest.approx([0.9, 0.8, 0.85, 0.7, 0.6], abs=0.12)


def test_the_likelihood_is_that_of_a_loop_and_errors_those_of_its_curvature():
    """Errors of accuracies by finite differences of the penalised likelihood, over logits with one of each row held."""
    _, votes = table(items=25, accuracy=(0.85, 0.75, 0.8), classes=2)
    found = dawid_skene(votes)
    raters, items = votes.shape

    def tables(x):
        pi = scipy.special.expit([x[0], -x[0]])
        own = scipy.special.expit(x[1:].reshape(raters, 2))
        return pi, np.stack([np.stack([own[:, 0], 1 - own[:, 0]], 1), np.stack([1 - own[:, 1], own[:, 1]], 1)], 1)

    def value(x):
        pi, chance = tables(x)
        total = 0.0
        for i in range(items):
            total += np.log(
                sum(pi[k] * np.prod([chance[w, k, int(votes[w, i])] for w in range(raters)]) for k in (0, 1))
            )
        return total + np.log(chance).sum() / 3

    at = np.concatenate(
        [[scipy.special.logit(found.share[0])], scipy.special.logit(np.einsum("wkk->wk", found.confusion).ravel())]
    )
    assert value(at) - np.log(found.confusion).sum() / 3 == pytest.approx(found.log_likelihood, abs=1e-9)
    step = 1e-3 * np.eye(len(at))
    curvature = (
        np.array(
            [
                [value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b) for a in step]
                for b in step
            ]
        )
        / 4e-6
    )

    def accuracy(x, w):
        pi, chance = tables(x)
        return scipy.special.logit(pi[0] * chance[w, 0, 0] + pi[1] * chance[w, 1, 1])

    for w in range(raters):
        slope = np.array([(accuracy(at + e, w) - accuracy(at - e, w)) / 2e-3 for e in step])
        error = np.sqrt(slope @ np.linalg.solve(-curvature, slope))
        reach = (scipy.special.logit(found.high[w]) - scipy.special.logit(found.low[w])) / (2 * 1.959964)
        assert reach == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize(
    ("votes", "wrong"),
    [
        (np.ones((3, 5)), "the same"),
        ([[0, 1, np.nan, np.nan], [np.nan, np.nan, 0, 1]], "no item"),
        (np.arange(60.0).reshape(2, 30), "grades"),
        ([[0, 1, 0, 1], [1, 0, 1, 0]], "which class is which"),
    ],
)
def test_what_says_nothing_of_classes_is_refused(votes, wrong):
    with pytest.raises(eq.DataError, match=wrong):
        dawid_skene(votes)


def lazy_votes(seed=3, raters=24, votes=40):
    """Every third rater guesses, mostly the first side."""
    rng = np.random.default_rng(seed)
    strength = np.array([1.2, 0.4, -0.4, -1.2])
    who = np.repeat(np.arange(raters), votes)
    a = rng.integers(4, size=len(who))
    b = (a + rng.integers(1, 4, size=len(who))) % 4
    looks = rng.random(len(who)) < np.where(who % 3 == 0, 0.05, 0.95)
    chance = np.where(looks, scipy.special.expit(strength[a] - strength[b]), 0.7)
    won = (rng.random(len(who)) < chance).astype(float)
    names = np.array(list("wxyz"))
    return strength, eq.Matches.from_columns(names[a], names[b], won, group=[f"r{k}" for k in who])


def test_raters_who_guess_are_named_and_ratings_no_longer_shrunk():
    strength, votes = lazy_votes()
    found = rater_weighted(votes, rater="group")
    at = [found.agents.index(name) for name in "wxyz"]
    assert set(found.named) <= {f"r{k}" for k in range(0, 24, 3)}
    assert len(found.named) >= 5
    apart = {name: float(np.abs(getattr(found, name)[at] - strength).sum()) for name in ("rating", "plain")}
    assert apart["rating"] < apart["plain"]
    assert "raters look at less than half" in found.answer[1]
    assert found.fit.converged
    assert "several-optima" not in {note.code for note in found.diagnostics}


def test_the_slopes_are_those_of_the_likelihood():
    rng = np.random.default_rng(0)
    rater = np.sort(rng.integers(6, size=120))
    a = rng.integers(4, size=120)
    b = (a + rng.integers(1, 4, size=120)) % 4
    model = AttentionModel(a, b, rater, np.where(rng.random(120) < 0.6, 1.0, -1.0), 4)
    theta = np.concatenate([rng.normal(size=4), rng.normal(0.5, 0.3, size=4)])
    at, steps = model.at(theta), 1e-5 * np.eye(8)
    slope = [(model.at(theta + e).value - model.at(theta - e).value) / 2e-5 for e in steps]
    curvature = [(model.at(theta - e).gradient - model.at(theta + e).gradient) / 2e-5 for e in steps]
    assert at.gradient == pytest.approx(np.array(slope), abs=1e-6)
    assert at.information == pytest.approx(np.array(curvature), abs=1e-6)


def joint_maximum(matches, raters):
    """Maximise over each rater's weight and lean as well, under Beta(2, 2) for both and N(0, 4) for ratings."""
    rows = np.flatnonzero(matches.outcome != 0.5)
    a, b = matches.a[rows], matches.b[rows]
    there, who = np.unique(raters.codes[rows], return_inverse=True)
    sign, n, m = np.where(matches.outcome[rows] > 0.5, 1.0, -1.0), len(matches.agents), len(there)

    def parts(x):
        p, g, q = scipy.special.expit(x[a] - x[b]), *scipy.special.expit(x[n:]).reshape(2, m)[:, who]
        first = g * p + (1 - g) * q
        return p, g, q, np.where(sign > 0, first, 1 - first)

    def negated(x):
        p, g, q, seen = parts(x)
        prior = scipy.special.log_expit(x[n:]) + scipy.special.log_expit(-x[n:])
        by = [np.bincount(who, sign / seen * each, m) for each in (g * (1 - g) * (p - q), (1 - g) * q * (1 - q))]
        gap = sign / seen * g * p * (1 - p)
        slope = np.concatenate([np.bincount(a, gap, n) - np.bincount(b, gap, n) - x[:n] / 4,
                                np.concatenate(by) + 1 - 2 * scipy.special.expit(x[n:])])  # fmt: skip
        return -np.log(seen).sum() - prior.sum() + x[:n] @ x[:n] / 8, -slope

    start = np.concatenate([np.zeros(n), np.full(m, np.log(4.0)), np.zeros(m)])
    options = {"maxiter": 5000, "maxcor": 50, "ftol": 1e-16, "gtol": 1e-9}
    x = scipy.optimize.minimize(negated, start, jac=True, method="L-BFGS-B", options=options).x
    return (
        x[:n],
        scipy.special.expit(x[n:]).reshape(2, m),
        [raters.labels[k] for k in there],
        -negated(x)[0],
        np.log(parts(x)[3]).sum(),
    )


def test_the_joint_maximum_of_llmfao_has_the_known_figures(llmfao):
    """What is integrated out here instead, since this maximum stretches ratings (docs/methods/rater-weighted.md)."""
    rating, (weight, lean), raters, posterior, likelihood = joint_maximum(llmfao, llmfao.labels["worker"])
    known = {"GPT 4": 2.375888, "Platypus-2 Instruct (70B)": 2.164413, "Chronos Hermes (13B)": 2.130289,
             "LLaMA-2-Chat (70B)": 2.102361, "Vicuna-FastChat-T5 (3B)": -4.853990}  # fmt: skip
    found = dict(zip(llmfao.agents, rating, strict=True))
    assert {name: found[name] for name in known} == pytest.approx(known, abs=2e-5)
    voters = [raters.index(name) for name in ("20", "32")]
    assert weight[voters] == pytest.approx([0.037609, 0.093959], abs=2e-6)
    assert lean[voters] == pytest.approx([0.708969, 0.954210], abs=2e-6)
    assert (likelihood, posterior) == pytest.approx((-2634.542852, -3072.649739), abs=1e-4)
