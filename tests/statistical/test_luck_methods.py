"""The public methods against luck: their intervals cover, whatever the method, and planned hands are enough."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.luck.control_variates import Offset
from tests.statistical.honesty import Coverage, check_guarantee, check_unbiased

RUNS = 400


def hands(rng, deals, twice):
    """Two-seat hands of two agents: agent a is better by 0.2 on average, a deal's luck is worth several times that."""
    plays = np.tile(np.arange(deals), 2 if twice else 1)
    luck = rng.normal(scale=1.5, size=deals)[plays]
    swapped = np.arange(len(plays)) >= deals if twice else rng.random(len(plays)) < 0.5
    first = luck + np.where(swapped, -0.2, 0.2) + rng.normal(size=len(plays))
    control = luck + 0.3 * rng.normal(size=deals)[plays]
    names = np.where(swapped[:, None], ["b", "a"], ["a", "b"])
    return eq.Episodes.from_columns(
        names.ravel().tolist(),
        np.repeat(plays, 2),
        np.stack([first, -first], axis=1).ravel(),
        seat=np.tile([0, 1], len(plays)),
        hand=np.repeat(np.arange(len(plays)), 2),
        controls={"bot": np.stack([control, -control], axis=1).ravel()},
    )


def covered_by(method, tables, what, truth=0.2):
    """Coverage of the true advantage, and the mean width."""
    covered, plain, found = Coverage(what=what), Coverage(what=f"plain mean beside {what}"), []
    for table in tables:
        result = method(table)
        at = result.agents.index("a")
        covered.add(result.low[at], result.high[at], truth, result.estimate[at])
        reach = 2.0 * result.mean_stderr[at]  # t of about sixty deals
        plain.add(result.mean[at] - reach, result.mean[at] + reach, truth)
        found.append(result.estimate[at])
    covered.check()
    plain.check()
    check_unbiased(found, truth, what=what)
    return float(np.mean([run[2] - run[0] for run in covered.runs]))


def test_baseline_and_duplicate_cover_the_true_advantage_without_bias():
    rng = np.random.default_rng(31)
    width = covered_by(
        lambda e: eq.baseline(e, control="bot"), (hands(rng, 60, False) for _ in range(RUNS)), "baseline"
    )
    rng = np.random.default_rng(32)
    narrow = covered_by(eq.duplicate, (hands(rng, 60, True) for _ in range(RUNS)), "duplicate")
    # And they are worth having: a plain mean of 60 hands has an interval about 0.93 wide.
    assert width < 0.65
    assert narrow < 0.5


def with_self_play(rng, deals, spare):
    """The control's own hands are among the rows, on these deals and on others; its seats are not worth the same."""
    luck = rng.normal(scale=1.5, size=deals + spare)
    swapped = rng.random(deals) < 0.1  # mostly one seat, or the errors of the two seats' means would cancel
    first = luck[:deals] + 0.3 + np.where(swapped, -0.2, 0.2) + rng.normal(size=deals)
    own = luck + 0.3 + 0.3 * rng.normal(size=deals + spare)
    names = [*np.where(swapped[:, None], ["b", "a"], ["a", "b"]).ravel(), *["bot"] * 2 * (deals + spare)]
    deal = [*np.repeat(np.arange(deals), 2), *np.repeat(np.arange(deals + spare), 2)]
    won = np.concatenate([np.stack([first, -first], 1).ravel(), np.stack([own, -own], 1).ravel()])
    hand = [*np.repeat(np.arange(deals), 2), *np.repeat(np.arange(deals + spare), 2) + deals]
    return eq.Episodes.from_columns(names, deal, won, seat=np.tile([0, 1], len(won) // 2), hand=hand)


def test_an_expectation_from_spare_deals_is_part_of_the_interval():
    rng = np.random.default_rng(35)
    tables = (with_self_play(rng, 60, 60) for _ in range(RUNS))
    covered_by(
        lambda e: eq.baseline(e, control="bot", mean="estimate"),
        tables,
        "baseline, estimated mean",
        0.9 * 0.5 - 0.1 * 0.1,
    )


@pytest.mark.parametrize("coefficient", ["fitted", "cross-fitted", -1.5])
def test_control_variates_cover_whatever_the_coefficient(coefficient):
    """Five hands a deal, and a mean of the control that was itself estimated, with its error given."""
    rng = np.random.default_rng(36)
    covered, plain, found = Coverage(what=f"control variates, {coefficient}"), Coverage(what="plain mean"), []
    deal = np.repeat(np.arange(60), 5)
    for _ in range(RUNS):
        luck = rng.normal(size=60)[deal]
        x = 1.0 + 2 * luck + 0.5 * rng.normal(size=60)[deal] + rng.normal(size=300)
        y = luck + 0.5 * rng.normal(size=300)
        guess = 0.05 * rng.normal()
        result = eq.control_variates(x, y, mean=guess, mean_stderr=0.05, cluster=deal, coefficient=coefficient)
        covered.add(result.low, result.high, 1.0, result.estimate)
        plain.add(result.mean - 2.0 * result.mean_stderr, result.mean + 2.0 * result.mean_stderr, 1.0)
        found.append(result.estimate)
    covered.check()
    plain.check()
    check_unbiased(found, 1.0, what=f"control variates, {coefficient}")


def test_advantage_sums_antithetic_pairs_and_learnt_values_cover_without_bias():
    rng = np.random.default_rng(33)
    names = ("advantage sum", "antithetic", "learnt value")
    covered, found, alarms = {name: Coverage(what=name) for name in names}, [], []
    for _ in range(RUNS):
        luck = rng.normal(size=(50, 2))
        x = 1.0 + luck @ [2.0, -1.0] + rng.normal(size=50)
        results = (
            eq.advantage_sum(x, luck @ [2.0, -1.0]),
            eq.methods.antithetic(x, 1.0 - luck @ [2.0, -1.0] + rng.normal(size=50)),
            eq.methods.learn_value(luck, x).estimate,
        )
        for name, result in zip(names, results, strict=True):
            covered[name].add(result.low, result.high, 1.0, result.estimate)
        found.append([result.estimate for result in results])
        codes = ("zero-luck", "antithetic-mean")
        alarms.append(any(has_code(result.diagnostics, code) for result in results for code in codes))
    for part in covered.values():
        part.check()
    check_unbiased(found, [1.0, 1.0, 1.0], what="advantage sum, antithetic, learnt value")
    # Four tests at a thousandth each of what is true here.
    check_guarantee(alarms, 0.004, what="alarms about luck that is luck")


def pilot(rng, n):
    luck = rng.normal(size=n)
    return 1.0 + 2 * luck + rng.normal(size=n), luck


def test_the_reduction_that_a_pilot_predicts_is_covered():
    rng = np.random.default_rng(37)
    covered, enough, truth = Coverage(what="predicted reduction"), [], 100 * (1 - np.sqrt(1 / 5))
    for run in range(300):
        plan = eq.methods.plan_hands(*pilot(rng, 100), half_width=0.15, n=200, rng=run)
        covered.add(plan.reduction_low, plan.reduction_high, truth, plan.reduction)
        enough.append(plan.hands_high)
    covered.check(slack=0.02)  # a percentile interval of a ratio of variances, from 100 hands
    # A residual variance of 1 takes 173 hands; the upper end of what the pilot allows is below that once in forty,
    # and a little more often as it is a percentile from 100 hands.
    needed = eq.methods.plan_hands(*pilot(np.random.default_rng(0), 200_000), half_width=0.15, n=2).hands
    check_guarantee(np.array(enough) < needed, 0.025 + 0.02, what="hands that suffice")


def test_a_planned_number_of_hands_gives_about_the_width_asked_for():
    rng = np.random.default_rng(34)
    plan = eq.methods.plan_hands(*pilot(rng, 400), half_width=0.15)
    widths = []
    for _ in range(100):
        found = eq.control_variates(*pilot(rng, plan.hands))
        widths.append((float(found.high) - float(found.low)) / 2)
    assert 0.13 <= np.mean(widths) <= 0.17


def test_the_error_that_a_split_of_the_budget_predicts_is_the_one_that_comes():
    rng = np.random.default_rng(38)

    def played(n, repeats):
        deal = rng.normal(size=n)
        return 1.0 + 2 * deal + rng.normal(size=n), deal[:, None] + rng.normal(size=(n, repeats))

    split = eq.methods.split_budget(*played(4000, 3), hand_cost=10.0, control_cost=1.0, budget=2000.0)
    found, refused = [], []
    for _ in range(1000):
        x, y = played(split.hands, split.repeats)
        try:
            found.append(eq.control_variates(x, y.mean(axis=1)).estimate)
        except eq.DataError as error:
            # A true mean is 4 standard errors off once in 16,000 draws, and refused then: one of these may be.
            refused.append(str(error))
    assert len(refused) <= 1
    # A standard deviation from 1,000 estimates is known to 2%, and a fitted coefficient costs half a percent.
    assert np.std(found, ddof=1) == pytest.approx(split.stderr[split.repeats], rel=0.08)


def test_plain_means_of_hands_that_share_deals_are_covered():
    """One to four hands a deal, with half of the luck in the deal."""
    rng = np.random.default_rng(21)
    covered = Coverage(0.95, "plain mean")
    for _ in range(1500):
        deal = np.repeat(np.arange(25), rng.integers(1, 5, size=25))
        won = 2.0 + rng.normal(size=25)[deal] + rng.normal(size=len(deal))
        found = eq.methods.plain_mean(eq.Episodes.from_columns(["x"] * len(deal), deal, won))
        covered.add(found.low, found.high, 2.0, found.estimate)
    covered.check(slack=0.01)  # deals of unequal size leave fewer degrees of freedom than deals


def test_a_true_mean_of_the_control_is_hardly_ever_refused():
    """Normal, uniform, two-valued and skewed controls (a few large pots), 60 to 1,000 deals."""
    rng = np.random.default_rng(22)
    draws = {
        "normal": lambda size: rng.normal(size=size),
        "uniform": lambda size: rng.uniform(-1, 1, size=size),
        "coin": lambda size: rng.choice([-1.0, 1.0], size=size),
        "pots": lambda size: rng.exponential(size=size) ** 2 - 2,
    }
    refused, alarms = [], []
    for draw in draws.values():
        for deals, runs in ((60, 4000), (200, 4000), (1000, 1500)):
            for values in draw((runs, deals)):
                found = Offset.of(values, None)
                refused.append(found.far and found.reliable)
                alarms.append(abs(values.mean()) > 2.5 * values.std(ddof=1) / np.sqrt(deals))
    check_guarantee(refused, 1e-4, naive=alarms, what="refused means")
