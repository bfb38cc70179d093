"""Items: two-parameter fits, and adaptive tests."""

from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

PEOPLE, LENGTH = 100, 20
FEW = {320: (8, 40, 1), 5_000: (10, 500, 1), 10_000: (20, 500, 1), 15_000: (30, 500, 1), 28_175: (23, 245, 5)}
"""Agents, items and trials of tables with few agents and many items, by the number of answers."""


def answers(items: int) -> Any:
    """Give ten times as many agents as items, right or wrong; slopes are positive, as no peer gives negative ones."""
    rng = np.random.default_rng(items)
    a, b = rng.lognormal(0.0, 0.3, size=items), rng.normal(size=items)
    theta = rng.normal(size=(10 * items, 1))
    return (rng.random((10 * items, items)) < 1 / (1 + np.exp(-a * (theta - b)))).astype(int)


def ours_fit(values: Any) -> Answer:
    import equipoise as eq

    found = eq.irt(eq.Scores.from_matrix(values), starts=1)
    return {"a": found.discrimination, "b": found.difficulty, "se": found.difficulty_se}


def girth_fit(values: Any) -> Answer:
    import girth

    found = girth.twopl_mml(np.ascontiguousarray(values.T))
    return {"a": found["Discrimination"], "b": found["Difficulty"]}


def mirt_fit(values: Any, points: int = 21) -> Answer:
    import mirt

    parameters = mirt.fit_mirt(values, model="2PL", n_quadpts=points).model.parameters
    return {"a": np.ravel(parameters["discrimination"]), "b": np.ravel(parameters["difficulty"])}


def fine_mirt_fit(values: Any) -> Answer:
    """Give mirt as many points as its answer needs: the longer the test, the narrower what is integrated."""
    return mirt_fit(values, int(8 * np.sqrt(values.shape[1])) | 1)


def one_product(values: Any) -> Answer:
    """Do what any fit with errors must do once at least: posteriors of all agents, and one information matrix."""
    items, nodes = values.shape[1], np.linspace(-6, 6, 61)
    table = values.astype(float)
    post = np.exp(-0.5 * (nodes - 6 * table.mean(axis=1, keepdims=True)) ** 2)
    means = post @ np.ones((len(nodes), 2 * items))
    matrix = means.T @ means
    return {"floor": float((table.T @ means).sum() + matrix.sum())}


def log_likelihood(found: Answer) -> float:
    """Integrate plainly, by Gauss and Legendre's rule, which no side uses."""
    b, a = np.asarray(found["b"]), np.asarray(found["a"])
    values = answers(len(b)).astype(float)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    nodes, weights = 8 * nodes, 8 * weights * np.exp(-32 * nodes**2) / np.sqrt(2 * np.pi)
    logits = a[:, None] * (nodes - b[:, None])
    table = values @ logits - np.logaddexp(0, logits).sum(axis=0)
    top = table.max(axis=1)
    return float(np.sum(top + np.log(np.exp(table - top[:, None]) @ weights)))


def same_items(ours: Answer, theirs: Answer) -> Agreement:
    """Compare difficulties in units of our standard errors, and say whose likelihood is higher."""
    if "floor" in theirs:
        return True, ""
    gap = float(np.median(np.abs(ours["b"] - np.asarray(theirs["b"])) / ours["se"]))
    lost = log_likelihood(ours) - log_likelihood(theirs)
    side = "below" if lost > 0 else "above"
    words = f"difficulties differ by {gap:.2f} standard errors (median); log-likelihood {abs(lost):.2f} {side} ours"
    return gap <= 0.1, words


def long_test(items: int) -> Any:
    """Give five thousand agents on a long test, made a few at a time: the table alone is to be in memory."""
    rng = np.random.default_rng(items)
    a, b = rng.lognormal(0.0, 0.3, size=items), rng.normal(size=items)
    table = np.empty((5_000, items), dtype=np.uint8)
    for some in np.split(table, 10):
        some[:] = rng.random(some.shape) < 1 / (1 + np.exp(-a * (rng.normal(size=(len(some), 1)) - b)))
    return table


def few_agents(answers_in_all: int) -> Any:
    """Give few agents on many items, as language models on a benchmark: some items that the better ones miss more."""
    rng = np.random.default_rng(answers_in_all)
    agents, items, trials = FEW[answers_in_all]
    a, b = rng.normal(0.8, 0.6, size=(items, 1)), rng.normal(size=(items, 1))
    chance = 1 / (1 + np.exp(-a * (rng.normal(size=(agents, 1, 1)) - b)))
    return (rng.random((agents, items, trials)) < chance).astype(int)


def ours_few(values: Any) -> Answer:
    import equipoise as eq

    return {"b": eq.irt(eq.Scores.from_matrix(values)).difficulty}


def ours_marginal(values: Any) -> Answer:
    import equipoise as eq

    return {"b": eq.irt(eq.Scores.from_matrix(values), method="mml").difficulty}


def few_floor(values: Any) -> Answer:
    return one_product(values.mean(axis=2))


def few_label(answers_in_all: int) -> str:
    agents, items, trials = FEW[answers_in_all]
    return f"{agents} agents, {items} items" + (f", {trials} trials" if trials > 1 else "")


def no_comparison(_: Answer, theirs: Answer) -> Agreement:
    return True, "" if "floor" in theirs else "not compared: with so few agents estimates rest on the method"


def bank(items: int) -> Any:
    """Give slopes and difficulties, agents' abilities, and the chance that decides each agent's answer to each item."""
    rng = np.random.default_rng(items)
    a, b = rng.lognormal(0.2, 0.3, size=items), rng.normal(size=items)
    abilities = np.random.default_rng(1).normal(size=PEOPLE)
    right = rng.random((PEOPLE, items)) < 1 / (1 + np.exp(-a * (abilities[:, None] - b)))
    return a, b, abilities, right


def ours_adaptive(data: Any) -> Answer:
    import equipoise as eq

    a, b, abilities, right = data
    names = [str(k) for k in range(len(a))]
    items = eq.results.Calibration.from_parameters(names, difficulty=b, discrimination=a)
    found = []
    for mine in right:
        test = eq.AdaptiveTest(items, stop=eq.methods.TestLimits(length=LENGTH))
        while not test.done:
            item = test.ask().item
            test.tell(item, float(mine[int(item)]))
        found.append(test.ability)
    return {"error": float(np.sqrt(np.mean((np.array(found) - abilities) ** 2)))}


def catsim_adaptive(data: Any) -> Answer:
    from catsim.estimation import NumericalSearchEstimator
    from catsim.item_bank import ItemBank
    from catsim.selection import MaxInfoSelector

    a, b, abilities, right = data
    items = ItemBank(np.column_stack([a, b, np.zeros(len(a)), np.ones(len(a))]))
    selector, estimator = MaxInfoSelector(), NumericalSearchEstimator()
    found = []
    for mine in right:
        theta, asked, told = 0.0, [], []
        for _ in range(LENGTH):
            item = selector.select(item_bank=items, administered_items=asked, est_theta=theta)
            asked.append(item)
            told.append(bool(mine[item]))
            theta = estimator.estimate(item_bank=items, administered_items=asked, response_vector=told, est_theta=theta)
        found.append(theta)
    return {"error": float(np.sqrt(np.mean((np.array(found) - abilities) ** 2)))}


def same_error(ours: Answer, theirs: Answer) -> Agreement:
    # An item has the same answer on both sides, but they ask different ones: each error is known to 1 / sqrt(2 n) of
    # itself by chance, their ratio to 1 / sqrt(n), and three of those are allowed.
    words = f"root mean squared error of abilities {ours['error']:.3f} and {theirs['error']:.3f}"
    return bool(ours["error"] <= (1 + 3 / np.sqrt(PEOPLE)) * theirs["error"]), words


JOBS = (
    Job(
        "two-parameter item response model",
        answers,
        (
            Side("equipoise", ours_fit, note="with standard errors and item fit"),
            Side("girth", girth_fit, note="no standard errors"),
            Side("mirt", mirt_fit, note="Rust, with standard errors; its own 21 points are too few for long tests"),
            Side(
                "mirt, finer grid",
                fine_mirt_fit,
                note="with as many points as its answer needs, 8 times the root of the items",
            ),
            Side(
                "one product",
                one_product,
                note="posteriors of all agents at 61 points and the products of one information matrix; no search",
            ),
        ),
        (20, 100, 200, 500),
        (20, 40, 80),
        lambda items: f"{10 * items:,} agents, {items} items",
        same_items,
        floor="one product",
    ),
    Job(
        "two-parameter item response model, long tests",
        long_test,
        (Side("equipoise", ours_fit, note="standard errors of the longest are approximate, and S-X2 is left out"),),
        (1_000, 3_000, 10_000),
        (100, 300, 1_000),
        lambda items: f"5,000 agents, {items:,} items",
        same_items,
    ),
    Job(
        "few agents, many items",
        few_agents,
        (
            Side("equipoise", ours_few, note="items pooled, as by default for so few agents"),
            Side(
                "equipoise, marginal likelihood",
                ours_marginal,
                note="two-parameter curves without a prior; of 30 agents a third is exact Newton steps, a fifth each"
                " four starts and EM on up to 801 points, the rest errors, tests of 66 negative slopes and item fit. Of"
                " 10 agents many slopes have no finite estimate: half is tests of 150 negative slopes, a third Newton"
                " steps on 1,600 points",
            ),
            Side("one product", few_floor, note="posteriors and the products of one information matrix; no search"),
        ),
        tuple(FEW),
        tuple(FEW),
        few_label,
        no_comparison,
        floor="one product",
        grows=False,
    ),
    Job(
        "adaptive tests",
        bank,
        (
            Side("equipoise", ours_adaptive, note="posterior mean; says why each item was asked"),
            Side("catsim", catsim_adaptive, note="maximum likelihood"),
        ),
        (50, 100, 1_000, 10_000),
        (50, 300, 1_000),
        lambda items: f"{PEOPLE} agents, {LENGTH} of {items:,} items",
        same_error,
    ),
)
