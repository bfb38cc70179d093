"""Boards by category: a slow and obvious version, both limits, what must not matter, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.categories.between_sd import _from_spread
from equipoise.ratings.population.population import spread_weights

NAMES = np.array(["ada", "bea", "cyd", "dan", "eve"])


def log(seed=0, games=600, agents=5, categories=3, tau=0.6, ties=0.0, group=None):
    """Draw games of a known world: matches, overall strengths, what categories add."""
    rng = np.random.default_rng(seed)
    strength, own = rng.normal(0, 0.7, agents), rng.normal(0, tau, (agents, categories))
    a = rng.integers(agents, size=games)
    b = (a + rng.integers(1, agents, size=games)) % agents
    c = rng.integers(categories, size=games)
    gap = strength[a] + own[a, c] - strength[b] - own[b, c]
    won = (rng.random(games) < 1 / (1 + np.exp(-gap))).astype(float)
    outcome = np.where(rng.random(games) < ties, 0.5, won)
    names = NAMES if agents <= 5 else np.array([f"agent {i}" for i in range(agents)])
    return eq.Matches.from_columns(
        names[a], names[b], outcome, task=c, group=None if group is None else rng.integers(group, size=games)
    )


def dense(m, spread, precision=0.0):
    """Fit everything at once, a square as large as all unknowns, by Newton's steps."""
    n, count = len(m.agents), len(m.task.labels)
    size = n * count + n  # deviations by category, then overall ratings
    x = np.zeros((len(m), size))
    rows, code = np.arange(len(m)), m.task.codes
    for side, sign in ((m.a, 1), (m.b, -1)):
        x[rows, code * n + side] += sign
        x[rows, n * count + side] += sign
    held = np.diag([spread**-2] * (n * count) + [precision] * n)
    held[n * count :, n * count :] += 1 / n
    beta = np.zeros(size)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        hessian = x.T @ (x * (p * (1 - p))[:, None]) + held
        beta += np.linalg.solve(hessian, x.T @ (m.outcome - p) - held @ beta)
    value = np.sum(m.outcome * (x @ beta) - np.logaddexp(0, x @ beta)) - beta @ held @ beta / 2
    evidence = value - n * count * np.log(spread) - np.linalg.slogdet(hessian)[1] / 2
    rate = np.zeros((n * count, size))  # ratings by category, relative to the mean of the agents
    for c in range(count):
        rate[c * n : (c + 1) * n, c * n : (c + 1) * n] = np.eye(n) - 1 / n
        rate[c * n : (c + 1) * n, n * count :] = np.eye(n) - 1 / n
    mean = np.tile(np.eye(n), count) / count
    off = np.eye(n * count) - np.kron(np.ones((count, 1)), mean)
    return beta, np.linalg.inv(hessian), evidence, rate, mean @ rate, off @ rate


@pytest.mark.parametrize("spread", [0.05, 0.5, 3.0])
def test_it_agrees_with_one_large_square(spread):
    m = log(games=150, agents=4)
    beta, covariance, _, rate, mean, off = dense(m, spread)
    boards = eq.categories(m, between_sd=spread)
    z = scipy.special.ndtri(0.975)
    for route, value, low, high in (
        (rate, boards.rating, boards.low, boards.high),
        (off, boards.difference, boards.difference_low, boards.difference_high),
        (mean, boards.overall, boards.overall_low, boards.overall_high),
    ):
        sd = np.sqrt(np.diag(route @ covariance @ route.T))
        assert value.T.ravel() == pytest.approx(route @ beta, abs=1e-6)
        assert low.T.ravel() == pytest.approx(route @ beta - z * sd, abs=1e-6)
        assert high.T.ravel() == pytest.approx(route @ beta + z * sd, abs=1e-6)


def test_the_spread_is_averaged_over_as_on_a_fine_grid():
    m = log(games=300, agents=4)
    spreads = np.geomspace(0.01, 6, 60)
    fits = [dense(m, spread) for spread in spreads]
    weight = spread_weights(spreads, np.array([fit[2] for fit in fits]))[2]
    boards = eq.categories(m)
    assert float(boards.tau) == pytest.approx(weight @ spreads, rel=0.01)
    rating = sum(share * (fit[3] @ fit[0]) for share, fit in zip(weight, fits, strict=True))
    assert boards.rating.T.ravel() == pytest.approx(rating, abs=0.005)


def test_marginal_likelihoods_are_those_of_numerical_integration():
    """Two agents, two categories: the exact marginal likelihood of the spread is an integral in two dimensions."""
    m = eq.Matches.from_columns(
        ["x"] * 60, ["y"] * 60, [1] * 22 + [0] * 8 + [1] * 11 + [0] * 19, task=[0] * 30 + [1] * 30
    )
    points, weights = np.polynomial.hermite_e.hermegauss(40)

    def exact(spread):
        # d_x - d_y of a category is normal with twice the variance; the strength difference is flat.
        r = np.linspace(-8, 8, 1601)
        chance = 1.0
        for won in (22, 11):
            gap = r[:, None] + np.sqrt(2) * spread * points
            like = np.exp(won * gap - 30 * np.logaddexp(0, gap))
            chance = chance * (like @ weights) / weights.sum() * 1e9
        return np.log(np.trapezoid(chance, r))

    spreads = (0.1, 0.4, 1.0)
    laplace = [dense(m, spread)[2] for spread in spreads]
    assert np.diff(laplace) == pytest.approx(np.diff([exact(spread) for spread in spreads]), abs=0.02)


def test_no_spread_is_one_board():
    m = log(ties=0.2)
    boards, one = eq.categories(m, between_sd=0), eq.bradley_terry(m, errors="information")
    assert boards.rating == pytest.approx(np.tile(one.rating, (3, 1)).T, abs=1e-5)
    assert boards.overall == pytest.approx(one.rating, abs=1e-5)
    assert not boards.difference.any()
    assert not boards.special.any()
    # Ties vary less than games won and lost, by the dispersion.
    assert boards.overall_high - boards.overall == pytest.approx(
        (one.high - one.rating) * np.sqrt(boards.dispersion), rel=1e-3
    )


def test_a_large_spread_is_a_board_a_category():
    m = log()
    boards = eq.categories(m, between_sd=300.0)
    for c, name in enumerate(boards.categories):
        rows = np.flatnonzero(m.task.codes == m.task.labels.index(name))
        alone = eq.bradley_terry(m.take(rows), errors="information")
        assert boards.rating[:, c] == pytest.approx(alone.rating, abs=1e-4)
        assert boards.high[:, c] == pytest.approx(alone.high, abs=1e-3)


def test_a_side_advantage_is_found_and_swapped_sides_turn_it_round():
    rng = np.random.default_rng(3)
    m = log(seed=2, games=3000)
    won = np.where(rng.random(len(m)) < 0.2, 1.0, m.outcome)
    m = replace(m, outcome=won)
    there = eq.categories(m, position=True)
    back = eq.categories(replace(m, a=m.b, b=m.a, outcome=1 - won), position=True)
    assert float(there.side) > there.side.low > 0.1
    assert float(back.side) == pytest.approx(-float(there.side), abs=1e-6)
    assert back.rating == pytest.approx(there.rating, abs=1e-6)
    assert eq.categories(m, position=True, between_sd=0).overall == pytest.approx(
        eq.bradley_terry(m, side=True).rating, abs=1e-5
    )


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10_000))
def test_swapped_sides_and_another_order_of_rows_change_nothing(seed):
    m = log(seed=seed, games=120, ties=0.2)
    rng = np.random.default_rng(seed)
    swap, order = rng.random(len(m)) < 0.5, rng.permutation(len(m))
    turned = replace(
        m, a=np.where(swap, m.b, m.a), b=np.where(swap, m.a, m.b), outcome=np.where(swap, 1 - m.outcome, m.outcome)
    )
    one, other = eq.categories(m), eq.categories(turned.take(order))
    assert set(one.categories) == set(other.categories)
    at = [other.categories.index(name) for name in one.categories]
    for name in ("rating", "low", "high", "difference", "difference_low"):
        assert getattr(other, name)[:, at] == pytest.approx(getattr(one, name), abs=1e-5)
    assert one.rating.sum(axis=0) == pytest.approx(0, abs=1e-9)
    assert one.rating == pytest.approx(one.overall[:, None] + one.difference, abs=1e-9)


def test_who_is_special_is_found():
    rng = np.random.default_rng(5)
    m = log(seed=5, games=4000, tau=0.0)
    ada = m.agents.index("ada")
    strange = (m.task.codes == 0) & ((m.a == ada) | (m.b == ada))
    lost = np.where(m.a == ada, 0.0, 1.0)
    m = replace(m, outcome=np.where(strange & (rng.random(len(m)) < 0.6), lost, m.outcome))
    boards = eq.categories(m)
    place = (ada, boards.categories.index(m.task.labels[0]))
    assert boards.shown
    assert boards.special[place] == -1
    assert any("ada" in sentence and "Category effects" in sentence for sentence in boards.answer)


def test_a_small_slice_says_so_and_absent_agents_are_where_they_are_overall():
    m = log(seed=1, games=3000, categories=2)
    few = eq.Matches.from_columns(["ada", "bea", "ada"], ["bea", "ada", "bea"], [1, 0, 1], task=["rare"] * 3)
    whole = eq.Matches.from_columns(
        [*NAMES_OF(m, m.a), *NAMES_OF(few, few.a)], [*NAMES_OF(m, m.b), *NAMES_OF(few, few.b)],
        [*m.outcome, *few.outcome], task=[*np.array(m.task.labels)[m.task.codes], *["rare"] * 3],
    )  # fmt: skip
    boards = eq.categories(whole)
    notes = {note.code: note for note in boards.diagnostics}
    assert notes["small-slices"].subjects == ("rare",)
    assert notes["absent-agents"].subjects == ("rare",)
    c, dan = boards.categories.index("rare"), boards.agents.index("dan")
    assert boards.games[dan, c] == 0
    assert boards.told[dan, c] < 0.1
    assert abs(boards.difference[dan, c]) < 0.1 * float(boards.tau) + 0.05
    width = boards.difference_high[dan, c] - boards.difference_low[dan, c]
    assert width > 2 * float(boards.tau)


def NAMES_OF(m, codes):  # noqa: N802  # reads as a table
    return np.array(m.agents)[codes]


def test_groups_of_two_columns_stretch_by_whichever_of_them_matters_and_in_any_order():
    m = log(games=300)
    copies = m.take(np.repeat(np.arange(len(m)), 4))
    rows = np.arange(len(copies)) // 4
    asked = Factor(tuple(map(str, range(100))), (rows // 3).astype(np.int32))
    voters = Factor(
        tuple(map(str, range(60))), np.random.default_rng(6).integers(60, size=len(copies)).astype(np.int32)
    )
    both = eq.categories(replace(copies, group=voters, crossed={"question": asked}), between_sd=0.5)
    swapped = eq.categories(replace(copies, group=asked, crossed={"voter": voters}), between_sd=0.5)
    one = eq.categories(replace(copies, group=voters), between_sd=0.5)
    assert both.low == pytest.approx(swapped.low)
    assert both.difference_high == pytest.approx(swapped.difference_high)
    assert (both.overall_high - both.overall_low > 1.4 * (one.overall_high - one.overall_low)).all()


def test_groups_stretch_intervals_and_never_narrow_them():
    m = log(seed=4, games=400)
    copies = m.take(np.repeat(np.arange(len(m)), 6))
    voters = Factor(tuple(map(str, range(len(m)))), np.repeat(np.arange(len(m)), 6).astype(np.int32))
    grouped, plain = eq.categories(replace(copies, group=voters), between_sd=0.5), eq.categories(copies, between_sd=0.5)
    honest = eq.categories(m, between_sd=0.5)
    assert grouped.rating == pytest.approx(plain.rating)
    ratio = (grouped.overall_high - grouped.overall_low) / (honest.overall_high - honest.overall_low)
    assert np.median(ratio) == pytest.approx(1, abs=0.1)
    assert ((grouped.high - grouped.low) > 1.2 * (plain.high - plain.low)).all()
    alone = eq.categories(replace(m, group=Factor(voters.labels, np.arange(len(m), dtype=np.int32))), between_sd=0.5)
    assert (alone.high - alone.low >= (honest.high - honest.low) * (1 - 1e-9)).all()
    assert np.median((alone.high - alone.low) / (honest.high - honest.low)) < 1.1


def test_the_part_of_the_errors_that_the_spread_leaves_is_that_of_one_large_square():
    from equipoise.ratings.categories.boards_by import _blocks, _by_category
    from equipoise.ratings.categories.model import CategoryModel

    m = log(games=150, agents=4)
    _, covariance, _, rate, mean, off = dense(m, 0.5)
    model = CategoryModel(4, _blocks(_by_category(m, m.task, False), 3), False)
    n = rate.shape[0]
    held = np.zeros_like(covariance)
    held[:n, :n] = np.eye(n) / 0.25
    ratings, differences = _from_spread(model, model.fit(0.5))
    expected = [np.diag(f @ covariance @ held @ covariance @ f.T) for f in (rate, mean, off)]
    assert ratings[:-1].ravel() == pytest.approx(expected[0], abs=1e-6)
    assert ratings[-1] == pytest.approx(expected[1], abs=1e-6)
    assert differences.ravel() == pytest.approx(expected[2], abs=1e-6)


def test_what_has_no_answer_is_refused_in_one_line():
    m = log()
    with pytest.raises(eq.ColumnError, match=r'no label "langage".*did you mean "language"'):
        eq.categories(replace(m, labels={"language": m.task}), by="langage")
    with pytest.raises(eq.ColumnError, match="labels="):
        eq.categories(replace(m, task=None))
    with pytest.raises(eq.DataError, match="only one category of task"):
        eq.categories(replace(m, task=Factor.of(["x"] * len(m))))
    with pytest.raises(eq.DataError, match=r"600 different values in 600 matches.*months"):
        eq.categories(replace(m, task=Factor.of(range(len(m)))))
    with pytest.raises(eq.DisconnectedError, match=r"never met.*prior"):
        eq.categories(eq.Matches.from_columns("aabbxxyy", "bbaayyxx", [1, 0] * 4, task="ststtsts"))
    with pytest.raises(eq.ParameterError, match="tau"):
        eq.categories(m, between_sd=-1.0)


def test_matches_without_a_category_are_left_out_and_counted():
    m = log()
    names = np.array(m.task.labels, dtype=object)[m.task.codes]
    names[:7] = ""
    boards = eq.categories(replace(m, task=Factor.of(names)))
    assert any(note.code == "no-category" and "7 of 600" in note.message for note in boards.diagnostics)
    assert boards.games.sum() == 2 * 593


def test_an_undefeated_agent_gets_a_weak_prior_and_it_is_said():
    m = eq.Matches.from_columns("aaabbc" * 4, "bccccb" * 4, [1, 1, 1, 1, 0, 1] * 4, task=[0, 1] * 12)
    boards = eq.categories(m)
    assert any(note.code == "no-finite-mle" for note in boards.diagnostics)
    assert np.isfinite(boards.high).all()


def test_boards_of_real_battles_lie_between_one_board_and_boards_apart(equipoise_data):
    m = eq.read_matches(equipoise_data / "arena_style" / "battles.csv.gz", labels=["category"])
    boards = eq.categories(m, by="category")
    assert boards.categories == ("helpful_base", "koala", "oasst", "selfinstruct", "vicuna")
    assert boards.shown
    c = boards.categories.index("vicuna")
    apart = eq.bradley_terry(m.take(np.flatnonzero(m.labels["category"].codes == c))).rating
    one = eq.bradley_terry(m).rating
    # Drawn from the category's own board towards the agents' overall ratings, on average.
    towards = np.polyfit(apart - one, boards.rating[:, c] - one, 1)[0]
    assert 0.1 < towards < 1
