from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.declaration import method
from equipoise.inference.bootstrap import percentile_interval
from tests.contract.cases import columns, matches
from tools.house import crossings_of


def test_resampled_counts_spread_like_the_errors_of_the_fit():
    b = eq.bootstrap(eq.bradley_terry, matches(), n=400, rng=3)
    np.testing.assert_allclose(b.stderr, eq.bradley_terry(matches()).stderr, rtol=0.15)
    assert b.replicates.shape == (400, 5)
    assert (b.low < b.estimate).all()
    assert (b.estimate < b.high).all()


def test_counts_and_rows_are_resampled_alike():
    def by_rows(data: eq.Matches) -> eq.results.BradleyTerry:
        return eq.bradley_terry(data)

    rows = eq.bootstrap(by_rows, matches(), n=300, rng=1)
    counts = eq.bootstrap(eq.bradley_terry, matches(), n=300, rng=2)
    np.testing.assert_allclose(rows.stderr, counts.stderr, rtol=0.2)


def test_groups_are_drawn_whole():
    a, b, outcome = columns()
    m = eq.Matches.from_columns(a * 10, b * 10, outcome * 10, group=list(range(len(a))) * 10)
    by_group = eq.bootstrap(eq.bradley_terry, m, n=200, over="clusters", rng=0)
    by_match = eq.bootstrap(eq.bradley_terry, m, n=200, over="matches", rng=0)
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
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, over="clusters"), "needs matches with a group"),
        (
            lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, over="tasks"),
            'over="matches" or over="clusters"',
        ),
        (lambda: eq.bootstrap(eq.bradley_terry, eq.load("alphago"), n=10), "without games"),
        (lambda: eq.bootstrap(eq.elo, matches().pairs(), n=10), "needs matches"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=1), "at least 2"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=2.5), "n is a whole number"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), rng=-1), "rng is a seed"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), over="games"), "over is matches, clusters, tasks or runs"),
        (
            lambda: eq.bootstrap(eq.nash_average, scores(), n=10, over="clusters"),
            'over="tasks" or over="runs"',
        ),
        (lambda: eq.bootstrap(eq.nash_average, scores(), n=10, over="runs"), "needs repeated runs"),
        (lambda: eq.bootstrap("elo", matches(), n=10), 'bootstrap: method is a function, not "elo"'),
        (lambda: eq.bootstrap(eq.bradley_terry, [1, 2], n=10), "bootstrap takes matches"),
        (lambda: eq.bootstrap(eq.bradley_terry, scores(), n=10), "bradley_terry takes matches"),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, statistic="ratings"), 'did you mean "rating"'),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, statistic="agents"), '"agents" is no estimate'),
        (lambda: eq.bootstrap(eq.bradley_terry, matches(), n=10, statistic=3), "statistic is a text, not 3"),
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
    with pytest.raises(eq.DataError, match="bootstrap samples cannot be estimated"):
        eq.bootstrap(eq.bradley_terry, joined, n=20)


@pytest.mark.parametrize("name", ["plan", "complete", "response_graph", "alpha_sweep"])
def test_what_rates_no_agents_cannot_be_bootstrapped(name):
    with pytest.raises(eq.EquipoiseError, match=f"{name} cannot be bootstrapped"):
        eq.bootstrap(getattr(eq.methods, name), matches(), n=5)


def test_an_audit_of_tasks_cannot_be_bootstrapped():
    with pytest.raises(eq.EquipoiseError, match="audit cannot be bootstrapped"):
        eq.bootstrap(eq.audit, scores(), n=5)


def test_a_method_says_itself_why_it_cannot_be_bootstrapped():
    @method(takes="matches", answers="?", reference="?", resampled="a plan is no estimate")
    def schedule(data):
        raise AssertionError("never runs")

    for asked in (schedule, partial(schedule)):
        with pytest.raises(eq.ParameterError, match=r"^schedule cannot be bootstrapped: a plan is no estimate$"):
            eq.bootstrap(asked, matches(), n=5)


@dataclass
class Means:
    agents: tuple[str, ...]
    rating: np.ndarray


def scores(**options) -> eq.Scores:
    values = np.random.default_rng(0).random((4, 3))
    return eq.Scores.from_matrix(values, tasks=["first", "middle", "last"], **options)


def test_any_function_of_the_data_can_be_bootstrapped():
    b = eq.bootstrap(lambda data: Means(data.agents, data.values.mean(axis=1)), scores(), n=50)
    np.testing.assert_allclose(b.estimate, scores().values.mean(axis=1))
    assert b.params["over"] == "tasks"
    fixed = eq.bootstrap(partial(eq.bradley_terry, prior=1.0), matches(), n=10)
    assert fixed.params["method"] == "bradley_terry"


def test_a_task_bootstrap_draws_every_task_equally_often():
    drawn = []

    def means(data: eq.Scores) -> Means:
        drawn.extend(name.partition(" #")[0] for name in data.tasks)
        return Means(data.agents, data.values.mean(axis=1))

    eq.bootstrap(means, scores(), n=2000, over="tasks", rng=5)
    again = drawn[3:]  # the data themselves come first
    assert len(again) == 6000
    for task in ("first", "middle", "last"):
        # Binomial with 6000 draws at 1/3: five standard deviations.
        assert abs(again.count(task) - 2000) < 5 * np.sqrt(6000 * 2 / 9)


def test_a_task_keeps_its_scores_when_it_is_drawn():
    table = scores()

    def check(data: eq.Scores) -> Means:
        for name, column in zip(data.tasks, data.values.T, strict=True):
            place = table.tasks.index(name.partition(" #")[0])
            np.testing.assert_array_equal(column, table.values[:, place])
        return Means(data.agents, data.values.mean(axis=1))

    eq.bootstrap(check, table, n=20)


def test_trials_are_drawn_within_their_cells():
    repeats = np.array([[[1, 2, np.nan], [5, 5, 5]], [[np.nan, 10, 20], [7, np.nan, 7]]], dtype=float)
    table = eq.Scores.from_matrix(repeats)

    def check(data: eq.Scores) -> Means:
        for cell, original in zip(data.repeats.reshape(4, 3), repeats.reshape(4, 3), strict=True):
            assert set(cell[~np.isnan(cell)]) <= set(original[~np.isnan(original)])
        np.testing.assert_array_equal(data.trials, table.trials)
        return Means(data.agents, data.values[:, 0])

    b = eq.bootstrap(check, table, n=400, over="runs", rng=1)
    # The mean of two trials drawn of two: their half distance over the root of 2.
    np.testing.assert_allclose(b.stderr, [0.5 / np.sqrt(2), 5 / np.sqrt(2)], rtol=0.1)
    assert str(b.interval) == "95% percentile bootstrap over runs interval"


def test_successes_are_drawn_as_so_many_attempts():
    table = eq.Scores.from_matrix([[30, np.nan], [50, 20]], trials=100)
    b = eq.bootstrap(lambda data: Means(data.agents, data.values[:, 0]), table, n=2000, over="runs", rng=1)
    np.testing.assert_allclose(b.stderr, np.sqrt([0.3 * 0.7 / 100, 0.25 / 100]), rtol=0.08)


def test_the_kth_of_n_replicates_stands_for_a_share_of_k_over_n_plus_one():
    replicates = np.random.default_rng(0).permutation(np.arange(1.0, 20.0))[:, None]
    # 19 replicates: a share of 0.05 is the first, 0.95 the last, 0.25 the fifth, 0.75 the fifteenth.
    assert [end.item() for end in percentile_interval(replicates, 0.9)] == [1, 19]
    assert [end.item() for end in percentile_interval(replicates, 0.5)] == [5, 15]
    # Between two of them in proportion: a share of 0.1125 is 2.25 of 20.
    assert [end.item() for end in percentile_interval(replicates, 0.775)] == pytest.approx([2.25, 17.75])


def test_the_interval_is_that_of_the_replicates():
    values = iter([20.0, *np.random.default_rng(1).permutation(np.arange(1.0, 40.0))])

    def known(data: eq.Scores) -> Means:
        value = next(values)
        return Means(("x", "y"), np.array([value, -value]))

    b = eq.bootstrap(known, scores(), n=39, level=0.9)
    assert (b.low.tolist(), b.high.tolist()) == (pytest.approx([2, -38]), pytest.approx([38, -2]))
    np.testing.assert_allclose(b.stderr, np.arange(1.0, 40.0).std(ddof=1))


def test_a_resample_that_loses_agents_is_left_out():
    calls = iter(range(100))

    def sometimes(data: eq.Scores) -> Means:
        left = 2 if next(calls) % 4 == 3 else 4
        return Means(data.agents[:left], data.values.mean(axis=1)[:left])

    b = eq.bootstrap(sometimes, scores(), n=8)
    assert b.replicates.shape == (6, 4)
    assert "2 of 8 bootstrap samples" in b.diagnostics[-1].message


@pytest.mark.parametrize(
    "resampled",
    [
        lambda n: eq.bootstrap(eq.bradley_terry, matches(), n=n),
        lambda n: eq.nash_average(matches(), n=n),
        lambda n: eq.nash_average(matches(), n=n, payoff="win-rate"),
    ],
)
def test_a_block_of_resamples_crosses_rooms_as_often_as_a_few(resampled):
    package = Path(eq.__file__).parent

    def crossings(n):
        calls = crossings_of(lambda: resampled(n), package).calls
        return {names: often for names, often in calls.items() if not any(name.startswith("core.") for name in names)}

    few, many = crossings(2), crossings(16)
    assert any("inference.bootstrap" in name for names in few for name in names)
    assert many == few
