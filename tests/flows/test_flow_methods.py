"""Hodge, Schur and additivity on what users bring, and what they refuse."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.flows.additivity import CellNoise, additive_p_value, doubly_centred, expected_noise
from equipoise.flows.operators import curl, div, grad, rot

SEEDS = st.integers(0, 2**32 - 1)
RPS = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def counted(seed, n=6, gaps=0.0):
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 20, size=(n, n)).astype(float)
    gone = np.triu(rng.random((n, n)) < gaps, 1)
    wins[gone | gone.T] = 0
    return eq.PairTable.from_wins(wins)


@settings(deadline=None)
@given(SEEDS)
def test_equal_weights_on_a_complete_table_are_the_papers_formulas(seed):
    table = counted(seed)
    result = eq.hodge(table, weights="equal")
    flow = table.log_odds()
    np.testing.assert_allclose(result.flow, flow, atol=1e-12)
    np.testing.assert_allclose(result.rating, div(flow), atol=1e-9)
    np.testing.assert_allclose(result.cyclic, rot(flow), atol=1e-9)
    np.testing.assert_allclose(result.harmonic, 0, atol=1e-12)
    assert result.cyclic_share == pytest.approx(np.sum(rot(flow) ** 2) / np.sum(flow**2))


@settings(deadline=None)
@given(SEEDS)
def test_rating_solves_the_weighted_least_squares_problem(seed):
    table = counted(seed, gaps=0.3)
    result = eq.hodge(table)
    games, flow = table.games_matrix(), np.nan_to_num(table.log_odds())
    slope = (games * (flow - grad(result.rating))).sum(axis=1)
    np.testing.assert_allclose(slope, 0, atol=1e-8)


def test_parts_have_gaps_where_pairs_never_met():
    result = eq.hodge(eq.Matches.from_columns("abcd" * 3, "bcda" * 3, [1] * 12))
    assert np.isnan(result.harmonic[0, 2])
    assert result.harmonic[0, 1] == pytest.approx(-result.harmonic[1, 0])


def test_curl_goes_by_name_or_position_and_turns_with_the_order():
    result = eq.hodge(counted(3))
    assert result.curl("agent 1", "agent 2", "agent 3") == pytest.approx(result.curl(0, 1, 2))
    assert result.curl(0, 2, 1) == pytest.approx(-result.curl(0, 1, 2))
    assert result.curl(0, 1, 2) == pytest.approx(curl(result.flow)[0, 1, 2])


def test_curl_of_a_pair_that_never_met_is_refused():
    result = eq.hodge(eq.Matches.from_columns("ab", "bc", [1, 0]))
    with pytest.raises(eq.DataError, match="a and c never met"):
        result.curl("a", "b", "c")
    with pytest.raises(eq.ParameterError, match="no agent"):
        result.curl("a", "b", "z")
    with pytest.raises(eq.ParameterError, match="position"):
        result.curl(0, 1, 7)


@pytest.mark.parametrize("method", [eq.hodge, eq.schur])
@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (np.ones((2, 3)), "square"),
        (np.ones((3, 3)), "antisymmetric"),
        (np.array([[0, np.nan], [np.nan, 0]]), "finite"),
        (np.zeros((1, 1)), "two agents"),
        (np.zeros((0, 0)), "takes matches"),
        (np.zeros(3), "square"),
        (np.zeros((2, 2, 2)), "square"),
        (3.0, "takes matches"),
        (None, "takes matches"),
        (np.array([[0, 1j], [-1j, 0]]), "arrays of numbers"),
        ("games.csv", "arrays of numbers"),
        ({"a": 1}, "arrays of numbers"),
        ([[0, 1], [2]], "arrays of numbers"),
        (np.array([[0, 1e301], [-1e301, 0]]), "scale it down"),
        (eq.MetaGame.symmetric(np.array([[0, 1e308], [-1e308, 0]])), "scale it down"),
        (eq.MetaGame.from_payoffs([np.eye(2), np.eye(2)]), "one population"),
    ],
)
def test_what_is_no_flow_is_refused(method, flow, said):
    with pytest.raises(eq.DataError, match=said):
        method(flow)


def test_certain_probabilities_are_clipped_and_named():
    table = eq.PairTable.from_matrix([[0.5, 1.0], [0.0, 0.5]], agents="xy")
    result = eq.hodge(table, epsilon=0.01)
    (note,) = [note for note in result.diagnostics if note.code == "clipped-probabilities"]
    assert note.subjects == ("x vs y",)
    assert result.rating[0] == pytest.approx(np.log(99) / 2)


def test_all_even_games_have_no_share():
    result = eq.hodge(eq.PairTable.from_matrix(np.full((3, 3), 0.5)))
    assert np.isnan(result.cyclic_share)
    assert result.to_dict()["cyclic_share"] is None


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(eq.ParameterError, match="weights"):
        eq.hodge(RPS, weights="none")
    with pytest.raises(eq.ParameterError, match="part"):
        eq.schur(RPS, part="some")
    with pytest.raises(eq.ParameterError, match="discs"):
        eq.schur(RPS).approximation(2)


def test_schur_refuses_gaps_and_says_which():
    with pytest.raises(eq.DataError, match="a vs c"):
        eq.schur(eq.Matches.from_columns("ab", "bc", [1, 0]))


def test_schur_of_the_cyclic_part_has_no_transitive_disc():
    flow = grad(np.array([3.0, 1.0, -4.0])) + RPS
    np.testing.assert_allclose(eq.schur(flow, part="cyclic").approximation(1), RPS, atol=1e-12)


def test_schur_of_an_even_table_has_no_disc():
    result = eq.schur(np.zeros((3, 3)))
    assert result.vectors.shape == (3, 0)
    assert result.frame()["radius"].to_list() == [0.0] * 3


SCORES = np.array([[9.0, 8, 2], [8, 9, 1], [2, 1, 9]])


def test_averages_and_latent_abilities_rebuild_the_scores():
    result = eq.methods.additivity(eq.Scores.from_matrix(SCORES))
    np.testing.assert_allclose(result.approximation(len(result.values)), SCORES, atol=1e-12)
    np.testing.assert_allclose(result.skill, SCORES.mean(axis=1) - SCORES.mean())
    np.testing.assert_allclose(result.difficulty, SCORES.mean() - SCORES.mean(axis=0))


def test_additive_scores_are_explained_by_averages():
    scores = np.array([3.0, 1.0, 0.0])[:, None] - np.array([0.1, 0.5, 2.0, 1.0])
    result = eq.methods.additivity(eq.Scores.from_matrix(scores))
    assert result.residual_share == pytest.approx(0, abs=1e-12)
    assert result.text.startswith("Averages explain these scores")


def test_talents_beyond_noise_are_found_and_named():
    rng = np.random.default_rng(0)
    trials = SCORES[:, :, None] + rng.normal(size=(3, 3, 8))
    result = eq.methods.additivity(eq.Scores.from_matrix(trials, agents=["ada", "bea", "cyd"], tasks=["x", "y", "z"]))
    assert result.p_value <= 0.001
    assert result.text.startswith("Do not rank these agents by averages alone")
    assert "cyd does better on z" in result.text


def test_success_counts_are_binomial():
    rng = np.random.default_rng(1)
    rate = np.clip(0.5 + 0.1 * np.arange(4)[:, None] - 0.05 * np.arange(5), 0, 1)
    result = eq.methods.additivity(eq.Scores.from_matrix(rng.binomial(50, rate), trials=50))
    assert result.p_value > 0.05
    other = rng.binomial(50, np.where(np.eye(4, 5) > 0, 0.9, 0.3))
    assert eq.methods.additivity(eq.Scores.from_matrix(other, trials=50)).p_value <= 0.001


def test_units_make_tasks_comparable():
    scores = np.array([[1.0, 1000.0], [0.0, 3000.0], [0.5, 2000.0]])
    raw = eq.methods.additivity(eq.Scores.from_matrix(scores))
    assert "mixed-units" in [note.code for note in raw.diagnostics]
    scaled = eq.methods.additivity(eq.Scores.from_matrix(scores), units="min-max")
    np.testing.assert_allclose(scaled.skill, 0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_expected_noise_is_that_of_simulated_tables(seed):
    rng = np.random.default_rng(seed)
    variance = rng.uniform(0.1, 3, size=(3, 4))
    sample = np.sqrt(variance) * rng.normal(size=(20000, 3, 4))
    rest = doubly_centred(sample)
    rest_noise, main_noise = expected_noise(CellNoise(variance, np.full(4, np.inf)))
    assert np.mean(np.sum(rest**2, axis=(1, 2))) == pytest.approx(rest_noise, rel=0.05)
    centred = sample - sample.mean(axis=(1, 2), keepdims=True)
    assert np.mean(np.sum(centred**2 - rest**2, axis=(1, 2))) == pytest.approx(main_noise, rel=0.08)


@pytest.mark.parametrize(
    ("scores", "options", "said"),
    [
        ([[1, np.nan], [2, 3]], {}, "missing"),
        ([[1, 2]], {}, "two agents"),
        ([[1, 2], [3, 4]], {"units": "minmax"}, 'did you mean "min-max"'),
        ([[1, 2], [3, 4]], {"n": 3}, "n is a whole number of at least 19, not 3"),
        ([[1, 2], [3, 4]], {"n": 99.5}, "n is a whole number"),
        ([[1, 2], [3, 4]], {"rng": -1}, "rng is a seed"),
    ],
)
def test_additivity_refuses_what_makes_no_sense(scores, options, said):
    with pytest.raises(eq.EquipoiseError, match=said):
        eq.methods.additivity(eq.Scores.from_matrix(scores), **options)


@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_exact_tests(seed):
    """Equal variances: with known noise the rest is chi-squared, with estimated noise it is an F ratio."""
    rng = np.random.default_rng(seed)
    rest = doubly_centred(rng.normal(size=(4, 5)) * 0.7)
    square = float(np.sum(rest**2))
    known = CellNoise(np.full((4, 5), 0.4), np.full(5, np.inf))
    assert additive_p_value(rest, known, 4000, rng) == pytest.approx(scipy.stats.chi2.sf(square / 0.4, 12), abs=0.03)
    estimated = CellNoise(np.full((4, 5), 0.4), np.full(5, 2.0))
    exact = scipy.stats.f.sf(square / 12 / 0.4, 12, 10)
    assert additive_p_value(rest, estimated, 4000, rng) == pytest.approx(exact, abs=0.03)


def test_the_smallest_p_value_counts_the_table_itself():
    rest = doubly_centred(100 * np.eye(3))
    for df in (np.inf, 5.0):
        noise = CellNoise(np.ones((3, 3)), np.full(3, df))
        assert additive_p_value(rest, noise, 49, np.random.default_rng(0)) == 1 / 50
    assert additive_p_value(rest, CellNoise(np.zeros((3, 3)), np.full(3, 5.0)), 49, np.random.default_rng(0)) == 1 / 50


def test_the_share_takes_out_the_noise_of_repeated_trials():
    rng = np.random.default_rng(4)
    trials = SCORES[:, :, None] + rng.normal(size=(3, 3, 4)) * np.array([1.0, 2.0, 0.5])[:, None]
    share = eq.methods.additivity(eq.Scores.from_matrix(trials), n=19).residual_share
    cell = trials.mean(axis=2)
    pooled = [np.mean([trials[i, j].var(ddof=1) for i in range(3)]) for j in range(3)]
    noise = sum(3 * variance / 4 for variance in pooled)  # of the means of four trials, over all nine cells
    rest = explained = 0.0
    for i in range(3):
        for j in range(3):
            fitted = cell[i].mean() + cell[:, j].mean() - cell.mean()
            rest += (cell[i, j] - fitted) ** 2
            explained += (fitted - cell.mean()) ** 2
    rest, explained = rest - noise * 4 / 9, explained - noise * 4 / 9  # 4 of 9 degrees each; the mean has the last
    assert share == pytest.approx(rest / (rest + explained))


def talents(share, games=100_000):
    """Success counts of which about ``share`` of the differences is no matter of averages."""
    base = np.array([[1.0, -1, 0], [-1, 1, 0], [0, 0, 0]]) / 2
    ladder = np.array([1.0, 0, -1])[:, None] * np.ones(3) / np.sqrt(6)
    rate = 0.5 + 0.3 * (np.sqrt(share) * base + np.sqrt(1 - share) * ladder)
    return eq.Scores.from_matrix(np.rint(rate * games), trials=games, agents=["ada", "bea", "cyd"])


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (
            talents(0.0),
            "Averages explain these scores: interaction explains 0% of the differences between scores beyond noise",
        ),
        (
            talents(0.15),
            "Averages explain most of these scores; interaction explains 15% of the differences between scores beyond",
        ),
        (
            talents(0.6),
            "Do not rank these agents by averages alone: interaction explains 60% of the differences between scores",
        ),
        (talents(0.6, games=36), "These scores cannot tell whether averages explain them"),
    ],
)
def test_the_answer_is_one_sentence_about_one_number(scores, words):
    result = eq.methods.additivity(scores, n=199)
    (text,) = result.answer
    assert text == result.text
    assert text.startswith(words)
    assert text.count("%") == 1


def test_hodge_and_schur_say_what_they_hold():
    (rating,) = eq.hodge(grad(np.array([1.0, 0.0, -1.0]))).answer
    assert rating.startswith("A rating explains 100% of the squared flow; the rest is cyclic.")
    (ring,) = eq.hodge(eq.Matches.from_columns("abcd" * 9, "bcda" * 9, [1] * 36)).answer
    assert "explains 0% of the squared log-odds; the rest is cyclic, 100% of it around holes" in ring
    assert eq.hodge(np.zeros((3, 3))).answer == ("Every pair is even: there is nothing for a rating to explain.",)
    assert eq.schur(RPS).answer == ("One disc holds all of the table.",)
    (even,) = eq.schur(np.zeros((3, 3)), part="cyclic").answer
    assert even == "There is no disc: the cyclic part of the table is even."
    (several,) = eq.schur(counted(1)).answer
    assert several.startswith("The strongest of 3 discs holds ")


def test_constant_scores_and_tasks_are_named():
    result = eq.methods.additivity(eq.Scores.from_matrix([[1, 1], [1, 1]]))
    assert np.isnan(result.residual_share)
    assert "constant-task" in [note.code for note in result.diagnostics]


@pytest.mark.parametrize("method", [eq.hodge, eq.schur, eq.melo, eq.transitivity])
def test_scores_are_no_games(method):
    with pytest.raises(eq.DataError, match="not Scores"):
        method(eq.Scores.from_matrix([[1, 2], [3, 4]]))


def test_games_are_no_scores():
    with pytest.raises(eq.DataError, match="not Matches"):
        eq.methods.additivity(eq.Matches.from_columns("a", "b", [1]))
