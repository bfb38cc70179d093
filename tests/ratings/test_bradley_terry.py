import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.paired import newton
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts, log_likelihood
from tests.contract.cases import matches


def random_table(seed, agents=5, sided=True):
    """A table in which everybody scored against everybody, from both sides."""
    rng = np.random.default_rng(seed)
    i, j = np.nonzero(~np.eye(agents, dtype=bool))
    keep = slice(None) if sided else i < j
    w, l, t = rng.integers(1, 9, (3, len(i)))
    names = tuple(f"agent {k}" for k in range(agents))
    return eq.PairTable.from_counts(names, i[keep], j[keep], w[keep], l[keep], t[keep])


def oracle(table, ties, side, prior=None):
    """The obvious way: minimise minus the log-likelihood by a general optimiser, several restarts."""
    n = len(table.agents)
    model = PairedModel(n, table.first, table.second, ties, side, np.zeros(n, dtype=np.int64))
    cells = PairCounts(table.wins, table.losses, table.ties)

    def loss(x):
        y = x.copy()
        y[:n] -= y[:n].mean() if prior is None else 0
        tie = np.exp(y[-1]) if ties == "rao-kupper" else model.tie(y)
        penalty = 0 if prior is None else y[:n] @ y[:n] / (2 * prior**2)
        return penalty - log_likelihood(model.differences(y), tie, cells, ties)

    result = minimize(loss, np.zeros(model.size), method="BFGS", options={"gtol": 1e-9})
    x = result.x.copy()
    if prior is None:
        x[:n] -= x[:n].mean()
    if ties == "rao-kupper":
        x[-1] = np.exp(x[-1])
    return x


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("side", [False, True])
@given(seed=st.integers(0, 10**6))
def test_the_fit_is_the_optimum_a_general_optimiser_finds(ties, side, seed):
    table = random_table(seed)
    result = eq.bradley_terry(table, ties=ties, side=side)
    expected = oracle(table, ties, side)
    np.testing.assert_allclose(result.rating, expected[:5], atol=1e-5)
    if side:
        assert result.side == pytest.approx(expected[5], abs=1e-5)
    if ties != "half":
        assert result.tie == pytest.approx(expected[-1], abs=1e-5)
    assert result.fit.converged


def test_a_prior_is_the_penalised_optimum():
    table = random_table(3)
    np.testing.assert_allclose(eq.bradley_terry(table, prior=0.5).rating, oracle(table, "half", False, 0.5), atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_row_sums_of_predicted_and_observed_wins_agree_at_the_optimum(seed):
    table = random_table(seed)
    r = eq.bradley_terry(table).rating
    predicted = table.games_matrix() / (1 + np.exp(r[None] - r[:, None]))
    np.testing.assert_allclose(predicted.sum(axis=1), table.win_matrix().sum(axis=1), rtol=1e-8)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("side", [False, True])
def test_the_sparse_path_finds_the_same_optimum(monkeypatch, ties, side):
    table = random_table(5, agents=8)
    dense = eq.bradley_terry(table, ties=ties, side=side)
    monkeypatch.setattr(newton, "DENSE", 4)
    model = PairedModel(8, table.first, table.second, ties, side, np.zeros(8, dtype=np.int64))
    sparse = newton.bradley_terry_newton(model, PairCounts(table.wins, table.losses, table.ties))
    np.testing.assert_allclose(sparse.x[:8], dense.rating, atol=1e-8)


def numeric_information(table, ties, side, x):
    """Minus the second derivatives by finite differences, projected to ratings that sum to zero, then inverted."""
    n = len(table.agents)
    model = PairedModel(n, table.first, table.second, ties, side, np.zeros(n, dtype=np.int64))
    cells = PairCounts(table.wins, table.losses, table.ties)

    def value(y):
        return log_likelihood(model.differences(y), model.tie(y), cells, ties)

    size, h = len(x), 1e-4
    hessian = np.empty((size, size))
    for a in range(size):
        for b in range(size):
            ea, eb = np.eye(size)[a] * h, np.eye(size)[b] * h
            hessian[a, b] = -(value(x + ea + eb) - value(x + ea - eb) - value(x - ea + eb) + value(x - ea - eb)) / (
                4 * h * h
            )
    return np.linalg.pinv(hessian, rcond=1e-6)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
def test_information_errors_are_the_inverse_of_the_numeric_hessian(ties):
    table = random_table(7)
    result = eq.bradley_terry(table, ties=ties, side=True, errors="information")
    x = np.concatenate([result.rating, [result.side], [] if ties == "half" else [result.tie]])
    expected = np.sqrt(np.diag(numeric_information(table, ties, True, x)))
    np.testing.assert_allclose(result.stderr, expected[:5], rtol=1e-4)
    assert result.side.stderr == pytest.approx(expected[5], rel=1e-4)


def test_sandwich_errors_on_counts_equal_those_summed_match_by_match():
    m = matches()
    result = eq.bradley_terry(m)
    bread = numeric_information(m.pairs(), "half", False, result.rating)
    meat = np.zeros((5, 5))
    for a, b, s in zip(m.a, m.b, m.outcome, strict=True):
        x = np.eye(5)[a] - np.eye(5)[b]
        score = (s - 1 / (1 + np.exp(result.rating[b] - result.rating[a]))) * x
        meat += np.outer(score, score)
    expected = np.sqrt(np.diag(bread @ meat @ bread) * len(m) / (len(m) - 1))
    np.testing.assert_allclose(result.stderr, expected, rtol=1e-4)


def fractional(seed=0, games=200, agents=4):
    rng = np.random.default_rng(seed)
    a = rng.integers(agents, size=games)
    b = (a + rng.integers(1, agents, size=games)) % agents
    score = np.clip(0.5 + 0.1 * (b - a) + 0.1 * rng.standard_normal(games), 0, 1)
    score[:20] = rng.choice([0, 0.5, 1], 20)
    return a, b, score


@pytest.mark.parametrize("side", [False, True])
def test_the_sandwich_of_fractional_scores_is_that_of_single_games(side):
    a, b, score = fractional()
    m = eq.Matches.from_columns([f"agent {k}" for k in a], [f"agent {k}" for k in b], score)
    result = eq.bradley_terry(m, side=side)
    shift = float(result.side) if side else 0.0
    design = np.eye(4)[m.a] - np.eye(4)[m.b]
    design = np.column_stack([design, np.ones(len(m))]) if side else design
    p = 1 / (1 + np.exp(-(result.rating[m.a] - result.rating[m.b] + shift)))
    bread = np.linalg.pinv((design.T * p * (1 - p)) @ design)
    meat = (design.T * (score - p) ** 2) @ design
    expected = np.sqrt(np.diag(bread @ meat @ bread) * len(m) / (len(m) - 1))
    np.testing.assert_allclose(result.stderr, expected[:4], rtol=1e-9)
    if side:
        assert result.side.stderr == pytest.approx(expected[4], rel=1e-9)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_the_sandwich_of_fractional_scores_is_that_of_single_games_with_a_tie_parameter(ties):
    """A game of its own group has the score of a single game, whatever the squares are."""
    a, b, score = fractional()
    columns = [f"agent {k}" for k in a], [f"agent {k}" for k in b], score
    alone = eq.bradley_terry(eq.Matches.from_columns(*columns, group=range(200)), ties=ties)
    together = eq.bradley_terry(eq.Matches.from_columns(*columns), ties=ties)
    np.testing.assert_allclose(together.stderr, alone.stderr, rtol=1e-9)
    assert together.tie.stderr == pytest.approx(alone.tie.stderr, rel=1e-9)


def test_scores_near_a_half_leave_a_small_error():
    score = 0.5 + 0.05 * np.random.default_rng(0).standard_normal(60)
    result = eq.bradley_terry(eq.Matches.from_columns("a" * 60, "b" * 60, score))
    assert result.stderr[0] == pytest.approx(2 * score.std() / np.sqrt(60), rel=0.02)


@pytest.mark.parametrize("weight", [1, 60])
def test_one_average_for_each_pair_does_not_look_certain(weight):
    m = eq.Matches.from_columns("abc", "bca", [0.7, 0.6, 0.2], weight=[weight] * 3)
    result = eq.bradley_terry(m)
    (note,) = result.diagnostics
    assert note.code == "averages"
    np.testing.assert_allclose(result.stderr, eq.bradley_terry(m, errors="information").stderr)


def test_clustered_errors_equal_those_summed_group_by_group():
    plain = matches()
    rng = np.random.default_rng(0)
    m = eq.Matches.from_codes(
        plain.agents, plain.a, plain.b, plain.outcome, group=Factor.of(rng.integers(30, size=len(plain)))
    )
    result = eq.bradley_terry(m)
    bread = numeric_information(m.pairs(), "half", False, result.rating)
    sums = np.zeros((30, 5))
    for g, a, b, s in zip(m.group.codes, m.a, m.b, m.outcome, strict=True):
        sums[g] += (s - 1 / (1 + np.exp(result.rating[b] - result.rating[a]))) * (np.eye(5)[a] - np.eye(5)[b])
    expected = np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * 30 / 29)
    np.testing.assert_allclose(result.stderr, expected, rtol=1e-4)
    assert "clustered" in result.interval.kind


def uneven(sizes, seed=0, agents=4):
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(len(sizes)), sizes)
    a = rng.integers(agents, size=len(g))
    b = (a + rng.integers(1, agents, size=len(g))) % agents
    taste = rng.normal(scale=0.7, size=(len(sizes), agents))
    won = rng.random(len(g)) < 1 / (1 + np.exp(taste[g, b] - taste[g, a]))
    return eq.Matches.from_codes(
        tuple("abcdefgh"[:agents]), a.astype(np.int32), b.astype(np.int32), won.astype(float),
        group=Factor.of(g),
    )  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"side": True}, {"ties": "davidson"}, {"ties": "rao-kupper", "side": True}])
def test_errors_of_uneven_groups_are_those_of_leaving_each_out(options):
    """To first order: with a third of the games in one of eight groups, curves change a little without it."""
    m = uneven([900, 150, 150, 150, 150, 150, 150, 60])
    outcome = np.where(np.arange(len(m)) % 5 == 0, 0.5, m.outcome)
    m = eq.Matches.from_codes(m.agents, m.a, m.b, outcome, group=m.group)
    result = eq.bradley_terry(m, **options)
    without = []
    for k in range(8):
        left = eq.bradley_terry(m.take(np.flatnonzero(m.group.codes != k)).pairs(), **options)
        without.append(left.rating - result.rating)
    jackknife = np.sqrt(7 / 8 * np.sum(np.square(without), axis=0))
    np.testing.assert_allclose(result.stderr, jackknife, rtol=0.1)
    assert [note.code for note in result.diagnostics] == ["few-groups", "uneven-groups"]
    equal = (900 + 6 * 150 + 60) ** 2 / (900**2 + 6 * 150**2 + 60**2)
    np.testing.assert_allclose(result.degrees, equal - 1, rtol=0.15)
    assert eq.bradley_terry(uneven([200] * 8)).degrees == 7


def test_errors_of_uneven_groups_follow_the_formula_of_the_jackknife():
    """One step of Newton's method from the fit of all games to that without a group, for each group in turn."""
    m = uneven([900, 150, 150, 150, 150, 150, 150, 60])
    result = eq.bradley_terry(m)
    information, scores = np.zeros((8, 4, 4)), np.zeros((8, 4))
    for g, a, b, won in zip(m.group.codes, m.a, m.b, m.outcome, strict=True):
        apart = np.eye(4)[a] - np.eye(4)[b]
        chance = 1 / (1 + np.exp(-apart @ result.rating))
        information[g] += chance * (1 - chance) * np.outer(apart, apart)
        scores[g] += (won - chance) * apart
    moves = [np.linalg.pinv(information.sum(axis=0) - information[g]) @ -scores[g] for g in range(8)]
    expected = 7 / 8 * sum(np.outer(move, move) for move in moves)
    np.testing.assert_allclose(result.covariance, expected, rtol=1e-6, atol=1e-9)


def test_an_agent_that_one_group_alone_tells_of_is_not_certain():
    """All games of e are in one group: its score there is zero at the optimum, whatever e is worth elsewhere."""
    m = uneven([300] * 6, agents=4)
    k = np.arange(40)
    mixed = eq.Matches.from_codes(
        ("a", "b", "c", "d", "e"),
        np.concatenate([m.a, np.full(40, 4, np.int32)]).astype(np.int32),
        np.concatenate([m.b, k % 4]).astype(np.int32),
        np.concatenate([m.outcome, (k % 3 == 0).astype(float)]),
        group=Factor(m.group.labels, np.concatenate([m.group.codes, np.zeros(40, np.int32)])),
    )
    result = eq.bradley_terry(mixed)
    model = eq.bradley_terry(mixed.pairs(), errors="information")
    design = np.average((result.stderr / model.stderr)[:4] ** 2)
    assert result.stderr[4] == pytest.approx(np.sqrt(max(design, 1.0)) * model.stderr[4], rel=0.05), "as of the others"
    assert result.provisional.tolist() == [False] * 4 + [True]
    assert (result.rank_low[4], result.rank_high[4]) == (1, 5)


def test_groups_of_one_match_give_the_plain_sandwich():
    plain = matches()
    single = eq.Matches.from_codes(plain.agents, plain.a, plain.b, plain.outcome, group=Factor.of(range(len(plain))))
    np.testing.assert_allclose(eq.bradley_terry(single).stderr, eq.bradley_terry(plain).stderr, rtol=1e-9)


def test_repeating_every_match_in_its_group_does_not_make_us_surer():
    a, b, outcome = ["x", "y", "z", "x"] * 5, ["y", "z", "x", "z"] * 5, [1, 1, 0, 0.5] * 5
    once = eq.Matches.from_columns(a, b, outcome, group=range(20))
    tenfold = eq.Matches.from_columns(a * 10, b * 10, outcome * 10, group=list(range(20)) * 10)
    np.testing.assert_allclose(eq.bradley_terry(once).stderr, eq.bradley_terry(tenfold).stderr, rtol=1e-9)
    assert (eq.bradley_terry(tenfold.pairs()).stderr < 0.5 * eq.bradley_terry(tenfold).stderr).all()


def test_differences_to_an_anchor_carry_their_own_errors():
    result = eq.bradley_terry(random_table(1))
    shifted = result.relative_to("agent 2")
    cov = result.covariance
    assert shifted.rating[2] == shifted.stderr[2] == 0
    assert shifted.stderr[0] == pytest.approx(np.sqrt(cov[0, 0] + cov[2, 2] - 2 * cov[0, 2]))
    with pytest.raises(eq.ParameterError, match='did you mean "agent 2"'):
        result.relative_to("agent2")


def test_components_are_refused_by_name_or_rated_apart():
    m = eq.Matches.from_columns(list("aabxxy"), list("bbayyx"), [1, 0, 1, 1, 0, 1])
    with pytest.raises(eq.DisconnectedError, match=r"2 groups of agents never met.*a, b; x, y"):
        eq.bradley_terry(m)
    apart = eq.bradley_terry(m, components="each")
    assert apart.rating[:2].sum() == pytest.approx(0, abs=1e-9)
    assert apart.rating[2:].sum() == pytest.approx(0, abs=1e-9)
    assert apart.component.tolist() == [0, 0, 1, 1]
    assert (apart.rank_low == 1).all()
    assert (apart.rank_high == 2).all(), "ranks are within a component"
    assert eq.bradley_terry(m, prior=1.0).rating.shape == (4,)


@pytest.mark.parametrize("prior", [None, 2.0])
def test_components_stay_apart_with_an_unbeaten_agent_or_a_prior(prior):
    m = eq.Matches.from_columns(list("aabxxyw"), list("bbayyxx"), [1, 0, 1, 1, 0, 1, 1])
    apart = eq.bradley_terry(m, components="each", prior=prior)
    assert apart.component.tolist() == [0, 0, 1, 1, 1]
    assert apart.rank_high.tolist() == [2, 2, 3, 3, 3]
    assert apart.frame()["component"].to_list() == [0, 0, 1, 1, 1]
    assert apart.frame()["agent"].to_list()[2] == "w"
    assert [word.partition(":")[0] for word in apart.answer[1:]] == ["Component 1", "Component 0"]
    np.testing.assert_allclose(apart.covariance[:2, :2].sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(apart.covariance[2:, 2:].sum(axis=0), 0, atol=1e-9)
    (note,) = [note for note in apart.diagnostics if note.code == "not-connected"]
    assert "only within a group" in note.message


def test_each_component_has_its_own_best_agent_and_nobody_is_best_of_all():
    wins = np.zeros((5, 5))
    wins[0, 1], wins[1, 0] = 90, 10
    wins[2, 3], wins[3, 2], wins[2, 4], wins[4, 2] = 5, 5, 5, 5
    result = eq.bradley_terry(eq.PairTable.from_wins(wins, "abxyz"), components="each")
    assert result.answer[1] == "Component 1: Nobody can be ruled out as best; 10 games per agent are too few."
    assert result.answer[2].startswith("Component 0: a is best (95%): 382 Elo ahead of b (95% interval ")
    assert eq.rank(eq.PairTable.from_wins(wins, "abxyz"), components="each").answer[1:3] == result.answer[1:]


NEWCOMER = [[0, 60, 70, 0], [70, 0, 65, 0], [60, 65, 0, 0], [20, 0, 0, 0]]


def test_how_far_all_ratings_move_together_is_in_nobodys_interval():
    """An unbeaten newcomer moves the mean of four agents by a quarter of its own error, and the prior by nothing."""
    result = eq.bradley_terry(eq.PairTable.from_wins(NEWCOMER, "abcn"))
    np.testing.assert_allclose(result.covariance.sum(axis=0), 0, atol=1e-9)
    free = np.linalg.inv(_posterior_precision(result, NEWCOMER, 3.0))
    middle = np.eye(4) - 0.25
    np.testing.assert_allclose(result.covariance, middle @ free @ middle, atol=1e-9)
    reach = (result.high - result.low)[:3] / 2
    assert (reach < 0.4 * (result.high - result.low)[3] / 2).all()
    assert (reach < 150 / 173.7).all()
    # The difference of two old agents is as sure as without the newcomer.
    alone = eq.bradley_terry(eq.PairTable.from_wins(np.array(NEWCOMER)[:3, :3], "abc"), prior=3.0)
    np.testing.assert_allclose(result.relative_to("a").stderr[:3], alone.relative_to("a").stderr, rtol=0.01)


def _posterior_precision(result, wins, sd):
    games = np.array(wins) + np.transpose(wins)
    p = 1 / (1 + np.exp(result.rating[None, :] - result.rating[:, None]))
    weight = games * p * (1 - p)
    return np.diag(weight.sum(axis=1)) - weight + np.eye(len(games)) / sd**2


def test_undefeated_and_winless_agents_get_the_stated_prior():
    m = eq.Matches.from_columns(list("twwxxy"), list("wxyyyx"), [1, 1, 0.5, 1, 0, 0.5])
    result = eq.bradley_terry(m)
    (note,) = [note for note in result.diagnostics if note.code == "no-finite-mle"]
    assert note.subjects == ("t",)
    assert "standard deviation 3" in note.message
    np.testing.assert_allclose(result.rating, eq.bradley_terry(m, prior=3.0).rating)
    assert result.interval.kind == "posterior"


def test_all_ties_leave_everybody_equal_and_unsure():
    result = eq.bradley_terry(eq.Matches.from_columns("xyz", "yzx", [0.5] * 3))
    np.testing.assert_allclose(result.rating, 0, atol=1e-12)
    assert (result.stderr > 0.3).all()
    assert [note.code for note in result.diagnostics] == ["all-ties"]
    with pytest.raises(eq.DataError, match="every game is a tie"):
        eq.bradley_terry(eq.Matches.from_columns("xyz", "yzx", [0.5] * 3), ties="davidson")


def test_a_tie_model_without_ties_is_plain_bradley_terry():
    table = random_table(2)
    untied = table.with_counts(table.wins, table.losses, np.zeros_like(table.ties))
    result = eq.bradley_terry(untied, ties="rao-kupper")
    np.testing.assert_allclose(result.rating, eq.bradley_terry(untied).rating)
    assert [note.code for note in result.diagnostics] == ["no-ties"]


def test_a_side_advantage_that_cannot_be_told_is_refused():
    never_swapped = eq.Matches.from_columns(list("xxyyxx"), list("zzzzww"), [1, 0, 1, 0, 1, 0])
    with pytest.raises(eq.DataError, match="cannot be told from strength"):
        eq.bradley_terry(never_swapped, side=True)
    first_always_wins = eq.Matches.from_columns("xyyzzx", "yxzyxz", [1] * 6)
    with pytest.raises(eq.DataError, match="no finite estimate"):
        eq.bradley_terry(first_always_wins, side=True)


def test_a_table_without_games_has_no_intervals_and_json_says_why():
    document = eq.bradley_terry(eq.load("alphago")).to_dict()
    assert {row["low"] for row in document["agents"]} == {None}
    assert {"no-counts", "no-finite-value"} <= {note["code"] for note in document["diagnostics"]}


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "haf"},
        {"errors": "sandwhich"},
        {"level": 1.0},
        {"level": 95},
        {"prior": 0.0},
        {"prior": -1},
        {"components": "x"},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(eq.ParameterError):
        eq.bradley_terry(matches(), **options)


def test_rock_paper_scissors_gives_three_equal_ratings():
    rps = eq.PairTable.from_wins([[0, 9, 1], [1, 0, 9], [9, 1, 0]])
    np.testing.assert_allclose(eq.bradley_terry(rps).rating, 0, atol=1e-12)


def test_many_agents_are_rated_without_a_dense_matrix():
    rng = np.random.default_rng(0)
    n, games = 4000, 80_000
    strength = rng.normal(size=n)
    a = rng.integers(n, size=games).astype(np.int32)
    b = ((a + rng.integers(1, n, size=games)) % n).astype(np.int32)
    won = rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))
    m = eq.Matches.from_codes(tuple(map(str, range(n))), a, b, won.astype(float))
    result = eq.bradley_terry(m)
    assert result.covariance is None
    assert "approximate" in result.interval.kind
    inside = np.abs(result.rating - (strength - strength.mean())) < 3 * result.stderr
    assert inside.mean() > 0.95


@pytest.mark.parametrize("options", [{}, {"side": True}, {"prior": 0.7}, {"ties": "davidson"}])
def test_refits_together_are_the_fits_one_by_one(options):
    table = random_table(4, agents=6)
    rng = np.random.default_rng(0)
    samples = [table.with_counts(*rng.poisson([table.wins, table.losses, table.ties]).astype(float)) for _ in range(30)]
    together = eq.bradley_terry(table, **options).refit(samples)
    for sample, rating in zip(samples, together, strict=True):
        np.testing.assert_allclose(rating, eq.bradley_terry(sample, **options).rating, atol=1e-7)


def test_a_refit_without_a_finite_optimum_gets_the_stated_prior():
    table = eq.PairTable.from_wins([[0, 3, 2], [1, 0, 2], [1, 2, 0]])
    swept = table.with_counts(table.games, np.zeros(3), np.zeros(3))
    (rating,) = eq.bradley_terry(table).refit([swept])
    np.testing.assert_allclose(rating, eq.bradley_terry(swept).rating, atol=1e-9)


def test_an_agent_that_only_tied_is_not_certain():
    m = eq.Matches.from_columns("xyccxy", "yxxyyx", [1, 1, 0.5, 0.5, 1, 0])
    result = eq.bradley_terry(m)
    assert (result.stderr > 0.3).all()
    (note,) = [note for note in result.diagnostics if note.code == "only-ties"]
    assert note.subjects == ("c",)


def test_one_group_is_refused():
    with pytest.raises(eq.DataError, match="one group"):
        eq.bradley_terry(eq.Matches.from_columns("xy", "yx", [1, 1], group="gg"))


def test_components_joined_by_a_prior_or_rated_apart_are_told():
    m = eq.Matches.from_columns(list("aabxxy"), list("bbayyx"), [1, 0, 1, 1, 0, 1])
    for options, said in (
        ({"prior": 1.0}, "only the prior compares"),
        ({"components": "each"}, "only within a group"),
    ):
        result = eq.bradley_terry(m, **options)
        (note,) = [note for note in result.diagnostics if note.code == "not-connected"]
        assert said in note.message
    with pytest.raises(eq.ParameterError, match="never met"):
        result.relative_to("a")


def test_very_uneven_counts_still_reach_their_optimum():
    table = eq.PairTable.from_counts(("x", "y", "z"), [0, 2], [1, 1], [5e9, 999], [5e9, 1])
    result = eq.bradley_terry(table)
    assert result.rating[2] - result.rating[1] == pytest.approx(np.log(999), abs=1e-6)
    assert result.fit.converged


def test_counts_past_the_precision_of_numbers_are_refused():
    with pytest.raises(eq.DataError, match="cannot be told apart"):
        eq.Matches.from_columns("xy", "yx", [1, 1], weight=[1e300, 1e300]).pairs()


@pytest.mark.parametrize("data", ["battles.csv", None, [1, 2]])
def test_what_is_not_match_data_is_refused(data):
    with pytest.raises(eq.DataError, match=r"bradley_terry takes matches .* or pair counts"):
        eq.bradley_terry(data)


def test_results_can_be_pickled():
    import pickle

    result = eq.bradley_terry(matches())
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.rating, result.rating)
    assert dict(again.params) == dict(result.params)
