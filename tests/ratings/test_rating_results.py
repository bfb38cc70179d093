"""What all ratings share: frames in Elo points, arrays in log-odds, units, words, None where there is no interval."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.ratings.transitivity import rating_fit as fit_module

GAMES = eq.Matches.from_columns("xyzxyzxyz" * 3, "yzxzxyyzx" * 3, [1, 1, 0, 1, 0, 0.5, 0, 1, 1] * 3)
PROBABILITIES = eq.PairTable.from_matrix([[0.5, 0.8, 0.7], [0.2, 0.5, 0.6], [0.3, 0.4, 0.5]], agents="xyz")


@pytest.mark.parametrize("method", [eq.bradley_terry, eq.elo, eq.melo, eq.methods.melo_online, eq.hodge])
def test_every_rating_of_games_has_elo_points(method):
    result = method(GAMES)
    np.testing.assert_allclose(result.points, 400 * result.rating / np.log(10))
    assert not result.points.flags.writeable
    np.testing.assert_array_equal(np.sort(result.frame()["rating"]), np.sort(result.points))
    assert "points" not in result.frame().columns
    assert result.units["rating"] == "Elo points"


@pytest.mark.parametrize("method", [eq.bradley_terry, eq.elo, eq.melo, eq.methods.melo_online, eq.hodge])
def test_json_has_elo_points_says_so_and_keeps_the_former_key(method):
    document = method(GAMES).to_dict()
    assert document["units"]["rating"] == "Elo points"
    assert [row["points"] for row in document["agents"]] == [row["rating"] for row in document["agents"]]
    assert document["agents"][0]["rating"] == max(method(GAMES).points)


def test_a_side_advantage_is_in_log_odds_and_in_json_in_elo_points():
    result = eq.bradley_terry(GAMES, side=True)
    document = result.to_dict()
    assert document["side"]["high"] == pytest.approx(400 / np.log(10) * result.side.high)
    assert document["units"]["side"].startswith("Elo points")


def test_elo_starts_from_elo_points():
    start = eq.elo(GAMES, initial=1500.0)
    np.testing.assert_allclose(start.points, eq.elo(GAMES).points + 1500.0)
    assert start.frame()["rating"].mean() == pytest.approx(1500.0)


def test_a_bootstrap_of_ratings_is_shown_in_the_unit_of_its_method():
    found = eq.bootstrap(eq.bradley_terry, GAMES, n=20)
    np.testing.assert_allclose(np.sort(found.frame()["low"]), np.sort(found.low) * 400 / np.log(10))
    np.testing.assert_allclose(np.sort(found.frame()["stderr"]), np.sort(found.stderr) * 400 / np.log(10))
    rate = eq.bootstrap(eq.bradley_terry, GAMES, n=20, statistic="win_rate")
    np.testing.assert_array_equal(np.sort(rate.frame()["low"]), np.sort(rate.low))
    assert dict(rate.units) == {}


def test_a_flow_that_is_no_log_odds_has_no_points():
    result = eq.hodge(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert result.points is None
    assert result.frame().columns == ["agent", "rating"]
    assert result.units["rating"] == "payoff"
    assert result.to_dict()["agents"][0].keys() == {"agent", "rating"}


def test_without_counts_there_is_no_interval():
    result = eq.bradley_terry(PROBABILITIES, side=False)
    assert (result.interval, result.stderr, result.low, result.high) == (None, None, None, None)
    assert result.frame()["low"].null_count() == 3
    assert result.to_dict()["interval"] is None
    anchored = result.relative_to("y")
    assert anchored.low is None
    assert anchored.rating[1] == 0
    assert result.answer == ("x has the highest rating; without numbers of games there is no interval.",)


def test_a_verdict_without_an_interval_says_none():
    for data in (PROBABILITIES, eq.Matches.from_columns("ab", "bc", [1, 0])):
        verdict = eq.transitivity(data)
        assert (verdict.interval, verdict.low, verdict.high) == (None, None, None)
        assert verdict.verdict()["low"] is None
        assert verdict.verdict()["level"] == 0.95
    assert eq.transitivity(GAMES).interval is not None


def test_melo_has_intervals_where_it_has_replicates():
    plain = eq.melo(GAMES)
    assert (plain.interval, plain.low, plain.high, plain.replicates) == (None, None, None, None)
    result = eq.melo(GAMES, n=20)
    assert len(result.replicates[0]) == 20
    np.testing.assert_allclose(np.sort(result.frame()["low"]), np.sort(result.low) * 400 / np.log(10))
    assert (result.low <= result.high).all()


@pytest.mark.parametrize(
    ("wins", "words"),
    [
        ([[0, 60, 60], [5, 0, 40], [5, 30, 0]], "x is best (95%): "),
        ([[0, 9, 8], [8, 0, 9], [9, 8, 0]], "Nobody can be ruled out as best; 34 games per agent are too few."),
        (
            [[0, 40, 40], [35, 0, 40], [5, 5, 0]],
            "x and y are tied for first: the difference of ",
        ),
    ],
)
def test_bradley_terry_says_who_is_ahead_and_how_sure_that_is(wins, words):
    (said,) = eq.bradley_terry(eq.PairTable.from_wins(wins, agents="xyz")).answer
    assert said.startswith(words)


def test_few_tasks_are_blamed_and_not_games():
    scores = eq.Scores.from_matrix([[1, 0, 1, 0, 1], [0, 1, 0, 1, 1], [1, 1, 0, 0, 0]], list("xyz"))
    assert eq.rank(scores).rated.answer[0] == "Nobody can be ruled out as best; 5 tasks are too few."


def test_the_difference_of_the_first_two_has_the_interval_of_an_anchor():
    wins = [[0, 60, 60], [5, 0, 40], [5, 30, 0]]
    result = eq.bradley_terry(eq.PairTable.from_wins(wins, agents="xyz"))
    anchored = result.relative_to("y")
    gap, low, high = (getattr(anchored, name)[0] * 400 / np.log(10) for name in ("rating", "low", "high"))
    (said,) = result.answer
    assert said == f"x is best (95%): {gap:.0f} Elo ahead of y (95% interval {low:+.0f} to {high:+.0f})."


def test_three_that_may_be_best_are_counted():
    wins = np.array([[0, 20, 20, 30], [15, 0, 20, 30], [15, 15, 0, 30], [1, 1, 1, 0]])
    result = eq.bradley_terry(eq.PairTable.from_wins(wins, agents="wxyz"))
    leader = f"w has the highest rating ({result.points[0]:+.0f} Elo)"
    assert result.answer == (f"{leader}, but 2 of the other 3 agents cannot be ruled out as best.",)


def test_bradley_terry_says_the_side_advantage_in_elo_points():
    result = eq.bradley_terry(GAMES, side=True)
    size, low, high = (round(value * 400 / np.log(10)) for value in (result.side, result.side.low, result.side.high))
    assert result.answer[1] == f"First-position advantage: {size:+d} Elo points ({low:+d} to {high:+d})."


def test_connected_components_are_compared_only_within():
    apart = eq.Matches.from_columns("abcd" * 2, "badc" * 2, [1, 1, 1, 1] * 2)
    words, *each = eq.bradley_terry(apart, components="each").answer
    assert "only agents of the same connected component" in words
    assert [sentence.partition(":")[0] for sentence in each] == ["Component 0", "Component 1"]


@pytest.mark.parametrize("method", [eq.elo, eq.methods.melo_online])
def test_online_ratings_say_what_they_depend_on(method):
    (words,) = method(GAMES).answer
    assert "depend" in words
    assert "how sure" in words


def test_melo_says_what_its_discs_add():
    table = eq.load("alphago")
    (one,) = eq.melo(table).answer
    assert one.startswith("With 1 disc the predictions are off by 0.26")
    (none,) = eq.melo(table, k=0).answer
    assert none.startswith("With no disc this is a rating alone")


@pytest.mark.parametrize(
    ("games", "sided"),
    [
        (GAMES, False),
        (GAMES, True),
        (eq.Matches.from_columns("aaabbb" * 4, "bcccaa" * 4, [1, 1, 1, 1, 0, 0] * 4), False),  # a never lost
        (eq.Matches.from_columns("abcxyz" * 6, "bcayzx" * 6, [1, 1, 0, 0, 1, 0.5] * 6), False),  # two components
    ],
)
def test_a_fit_made_before_gives_the_same_verdict_and_is_not_made_again(monkeypatch, games, sided):
    fit = eq.bradley_terry(games, side=sided, components="each")
    plain = eq.transitivity(games, side=sided, n=99)

    def refused(*_):
        raise AssertionError("fitted again")

    monkeypatch.setattr(fit_module, "bradley_terry_newton", refused)
    given = eq.transitivity(games, side=sided, n=99, fit=fit)
    np.testing.assert_allclose(given.rating, plain.rating, atol=1e-8)
    assert given.pearson == pytest.approx(plain.pearson, rel=1e-8)
    assert given.p_value == plain.p_value
    assert given.text == plain.text
    assert given.diagnostics == plain.diagnostics


def test_an_anchored_fit_serves_as_well():
    anchored = eq.bradley_terry(GAMES).relative_to("z")
    np.testing.assert_allclose(eq.transitivity(GAMES, n=19, fit=anchored).rating.sum(), 0, atol=1e-9)


@pytest.mark.parametrize("options", [{"ties": "davidson"}, {"prior": 1.0}, {"side": True}])
def test_a_fit_of_another_model_is_made_anew(options):
    other = eq.bradley_terry(GAMES, **options)
    plain, given = eq.transitivity(GAMES, n=19), eq.transitivity(GAMES, n=19, fit=other)
    np.testing.assert_array_equal(given.rating, plain.rating)


def test_a_fit_of_other_data_is_refused():
    others = eq.Matches.from_columns("xyzxyz", "yzxyzx", [1, 1, 1, 0, 0, 1])
    with pytest.raises(eq.ParameterError, match="other games"):
        eq.transitivity(GAMES, fit=eq.bradley_terry(others))
    with pytest.raises(eq.ParameterError, match="other agents"):
        eq.transitivity(GAMES, fit=eq.bradley_terry(eq.Matches.from_columns("abab", "baba", [1, 0, 1, 1])))
    with pytest.raises(eq.ParameterError, match="fit is a BradleyTerry"):
        eq.transitivity(GAMES, fit=eq.elo(GAMES))


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (eq.bradley_terry, {"rng": -1}),
        (eq.bradley_terry, {"rng": "a"}),
        (eq.bradley_terry, {"prior": np.nan}),
        (eq.bradley_terry, {"prior": 0}),
        (eq.bradley_terry, {"ties": "none"}),
        (eq.bradley_terry, {"level": 1.0}),
        (eq.melo, {"rng": -1}),
        (eq.melo, {"n": 2.5}),
        (eq.melo, {"n": 1}),
        (eq.melo, {"folds": 2.5}),
        (eq.melo, {"folds": 1}),
        (eq.melo, {"starts": 0}),
        (eq.melo, {"k": 1.5}),
        (eq.melo, {"k": "some"}),
        (eq.melo, {"prior": -1.0}),
        (eq.methods.melo_online, {"k": -1}),
        (eq.methods.melo_online, {"step": np.inf}),
        (eq.methods.melo_online, {"rng": 0.5}),
        (eq.elo, {"initial": np.inf}),
        (eq.elo, {"k": "fast"}),
        (eq.transitivity, {"n": 99.5}),
        (eq.transitivity, {"cycles": 1.5}),
        (eq.transitivity, {"rng": "a"}),
        (eq.transitivity, {"epsilon": np.nan}),
        (eq.hodge, {"epsilon": 0.5}),
        (eq.schur, {"epsilon": "small"}),
        (eq.hodge, {"weights": "none"}),
    ],
)
def test_senseless_options_are_refused_by_name(method, options):
    (name,) = options
    with pytest.raises(eq.ParameterError, match=rf"^{name} is"):
        method(GAMES, **options)


def test_intervals_of_clustered_errors_have_as_many_degrees_as_groups_less_one():
    rng = np.random.default_rng(0)
    games = eq.Matches.from_columns(
        *np.array(list("xyyzzx") * 20).reshape(-1, 2).T, rng.integers(2, size=60), group=np.arange(60) % 7
    )
    result = eq.bradley_terry(games)
    assert result.degrees == 6
    reach = scipy.stats.t.ppf(0.975, 6) * result.stderr
    np.testing.assert_allclose(result.high - result.rating, reach)
    np.testing.assert_allclose(result.rating - result.low, reach)


@pytest.mark.parametrize("method", [eq.transitivity, eq.schur])
def test_what_a_bootstrap_would_get_wrong_is_declared(method):
    assert isinstance(method.declaration.resampled, str)
