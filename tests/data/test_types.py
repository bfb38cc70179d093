"""The data types: what they accept, what they refuse, and that they never change."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import equipoise as eq

RPS = [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]


class TestMatches:
    @pytest.mark.parametrize(
        ("columns", "said"),
        [
            ((["x"], ["y"], [1, 0]), "differ in length"),
            (([None], ["y"], [1]), "no name in rows 1"),
            ((["x"], [float("nan")], [1]), "no name in rows 1"),
            ((["x"], ["y"], ["wn"]), 'unknown outcome "wn"'),
            ((["x"], ["y"], [None]), "outcome missing"),
            ((["x"], ["y"], [float("nan")]), "outcome missing"),
            ((["x"], ["y"], [1.01]), "outside"),
            ((["x", "x"], ["y", "x"], [1, 1]), "against itself in rows 2 (x)"),
            ((["b", "x"], ["x", "b"], ["b", "a"]), "both a side's word and an agent's name"),
            (([], [], []), "no matches"),
            ((["x"], ["y"], [object()]), "outcome"),
        ],
    )
    def test_bad_columns_are_refused(self, columns, said):
        with pytest.raises(eq.DataError) as caught:
            eq.Matches.from_columns(*columns)
        assert said in str(caught.value)

    @pytest.mark.parametrize(
        "weight", [[-1.0], [float("nan")], [float("inf")], [0.0], [1.0, 2.0], "a", ["a"], [None], [[1.0]], 3, [1j]]
    )
    def test_bad_weights_are_refused(self, weight):
        for kind in (eq.Matches, eq.PairTable):
            with pytest.raises(eq.DataError, match="weight") as caught:
                kind.from_columns(["x"], ["y"], [1], weight=weight)
            assert "\n" not in str(caught.value)

    def test_a_weight_that_is_no_number_is_named(self):
        with pytest.raises(eq.DataError, match="weight is a column of numbers: row 2 has 'a'"):
            eq.Matches.from_columns("xx", "yy", [1, 1], weight=[1, "a"])

    def test_names_are_trimmed_as_readers_do(self):
        m = eq.Matches.from_columns([" x", "y "], ["y", "x"], ["x ", " y"], group=["g", " g"])
        assert m.agents == ("x", "y")
        assert m.outcome.tolist() == [1, 1]
        assert m.group.labels == ("g",)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"a": 3}, "a is a column"),
            ({"b": None}, "b is a column"),
            ({"outcome": 1}, "outcome is a column"),
            ({"group": 5}, "group is a column"),
            ({"group": ["g"]}, "group has 1 rows"),
            ({"group": ["g", None]}, "group has no name in rows 2"),
            ({"task": ["t"]}, "task has 1 rows"),
            ({"time": [1, None]}, "times must be"),
            ({"time": [1]}, "time has 1 rows"),
            ({"outcome": None}, "give outcome, or both wins and losses"),
            ({"outcome": None, "wins": [1, 1]}, "give outcome, or both wins and losses"),
            ({"wins": [1, 1], "losses": [1, 1]}, "not both"),
            ({"outcome": None, "wins": [1, 1], "losses": [1, 1], "weight": [1, 1]}, "weight goes with outcome"),
            ({"outcome": None, "wins": [1, -1], "losses": [1, 1]}, "wins negative"),
            ({"outcome": None, "wins": [1, 1], "losses": [1, float("nan")]}, "losses negative, missing"),
            ({"outcome": None, "wins": [1, 1], "losses": [1, 1], "ties": "ab"}, "ties is a column of numbers"),
            ({"outcome": None, "wins": [1, 1], "losses": [1]}, "losses has 1 rows"),
            ({"outcome": None, "wins": [0, 0], "losses": [0, 0]}, "no matches"),
        ],
    )
    def test_senseless_columns_are_refused(self, options, said):
        columns = {"a": ["x", "y"], "b": ["y", "x"], "outcome": [1, 0]} | options
        kinds = [eq.Matches] if {"task", "time"} & options.keys() else [eq.Matches, eq.PairTable]
        for kind in kinds:
            with pytest.raises(eq.EquipoiseError) as caught:
                kind.from_columns(**columns)
            assert said in str(caught.value)

    @pytest.mark.parametrize(
        "columns",
        [
            {"outcome": ["a", "draw", 0.7, "z"]},
            {"outcome": np.array([1, 0.5, 0.7, 0])},
            {"outcome": [1, 0, 1, 0.5], "weight": [2, 3, 0.5, 1], "group": [1, 1, 2, 3]},
            {"wins": [3, 0, 2, 0], "losses": [1, 1, 0, 0], "ties": [0, 2, 0, 1], "group": [1, 2, 1, 2]},
        ],
    )
    def test_matches_and_pair_tables_take_the_same_columns(self, columns):
        sides = (["x", "y", "x", "z"], ["y", "z", "y", "x"])
        by_group = "group" in columns
        logged = eq.Matches.from_columns(*sides, **columns).pairs(by_group=by_group)
        table = eq.PairTable.from_columns(*sides, **columns)
        assert table.agents == logged.agents
        for name in ("first", "second", "wins", "losses", "ties"):
            np.testing.assert_array_equal(getattr(table, name), getattr(logged, name))
        if by_group:
            assert table.group.labels == logged.group.labels
            np.testing.assert_array_equal(table.group.codes, logged.group.codes)

    def test_numbers_as_names_become_text(self):
        assert eq.Matches.from_columns([1, 2], [2, 1], [1, 0]).agents == ("1", "2")

    def test_pairs_split_fractions_into_wins_and_losses(self):
        table = eq.Matches.from_columns(["x"], ["y"], [0.7], weight=[10]).pairs()
        assert (table.wins[0], table.losses[0], table.ties[0]) == pytest.approx((7, 3, 0))


class TestPairTable:
    @pytest.mark.parametrize("p", [None, "abc", [["x", "y"], ["y", "x"]], [[None]], np.zeros((2, 2, 2)), [[1], [1, 2]]])
    def test_nonsense_is_refused(self, p):
        for make in (eq.PairTable.from_matrix, eq.PairTable.from_wins):
            with pytest.raises(eq.DataError):
                make(p)

    @pytest.mark.parametrize("count", [float("nan"), float("inf"), -1.0])
    def test_senseless_counts_are_refused(self, count):
        with pytest.raises(eq.DataError, match="finite and at least 0"):
            eq.PairTable.from_counts(("x", "y"), [0], [1], [count], [1])

    @pytest.mark.parametrize(
        ("p", "said"),
        [
            ([[0.5, 0.6]], "must be square"),
            ([[0.5, 1.2], [-0.2, 0.5]], "outside [0, 1]"),
            ([[0.5, 0.6], [0.6, 0.5]], "P + P^T is not 1"),
            ([[0.5, np.nan], [0.3, 0.5]], "P + P^T is not 1"),
            ([[0.5, np.nan], [np.nan, 0.5]], "no games"),
            ([[0.5, np.inf], [0.3, 0.5]], "outside [0, 1]"),
            ([[0.5]], "no games"),
        ],
    )
    def test_bad_probabilities_are_refused(self, p, said):
        with pytest.raises(eq.DataError) as caught:
            eq.PairTable.from_matrix(p)
        assert said in str(caught.value)

    def test_bad_games_are_refused(self):
        for games in (-1, np.nan, [[0, 1, 2], [2, 0, 1], [1, 1, 0]], "a", [1, 2], np.ones((3, 3, 3))):
            with pytest.raises(eq.DataError, match="games must be"):
                eq.PairTable.from_matrix(RPS, games=games)

    def test_repeated_and_empty_names_are_refused(self):
        for names in (["x", "x", "y"], ["x", " ", "y"], ["x"]):
            with pytest.raises(eq.DataError, match="name"):
                eq.PairTable.from_matrix(RPS, agents=names)

    def test_a_table_made_of_a_matrix_gives_it_back(self):
        p = np.array([[0.5, 0.8, np.nan], [0.2, 0.5, 0.4], [np.nan, 0.6, 0.5]])
        table = eq.PairTable.from_matrix(p, games=50)
        np.testing.assert_allclose(table.probabilities(), p)
        assert not table.complete
        assert table.games_of_agents().tolist() == [50, 100, 50]

    def test_log_odds_are_antisymmetric_and_smoothed_by_half_a_game(self):
        table = eq.PairTable.from_wins([[0, 3], [0, 0]])
        odds = table.log_odds()
        assert odds[0, 1] == pytest.approx(np.log(3.5 / 0.5))
        np.testing.assert_array_equal(odds, -odds.T)

    def test_a_bare_table_is_clipped_instead(self):
        table = eq.PairTable.from_matrix(RPS)
        assert table.log_odds(epsilon=0.01)[0, 1] == pytest.approx(np.log(99))
        assert [note.code for note in table.diagnostics] == ["no-counts"]

    @given(arrays(float, (4, 4), elements=st.integers(0, 9)))
    def test_forgetting_sides_keeps_all_games(self, wins):
        wins = wins + 1
        np.fill_diagonal(wins, 0)
        codes = np.argwhere(~np.eye(4, dtype=bool))
        table = eq.PairTable.from_counts(
            ("w", "x", "y", "z"),
            codes[:, 0],
            codes[:, 1],
            wins[codes[:, 0], codes[:, 1]],
            wins[codes[:, 1], codes[:, 0]],
        )
        merged = table.unordered()
        assert len(merged.first) == 6
        np.testing.assert_allclose(merged.win_matrix(), table.win_matrix())
        np.testing.assert_allclose(table.win_matrix(), 2 * wins)


class TestScores:
    def test_trials_are_counts_or_rates(self):
        for values in ([[3, 4]], [[0.3, 0.4]]):
            scores = eq.Scores.from_matrix(values, trials=10)
            assert scores.values.tolist() == [[0.3, 0.4]]
            assert scores.trials.tolist() == [[10, 10]]

    @pytest.mark.parametrize(
        ("values", "options", "said"),
        [
            ([1, 2], {}, "agents x tasks"),
            ([[1, np.inf]], {}, "infinite scores for agent 1 on task 2"),
            ([[np.nan]], {}, "every cell is missing"),
            (np.zeros((0, 3)), {}, "empty"),
            ([[7, 1]], {"trials": 5}, "more successes than trials"),
            ([[0.33, 0.5]], {"trials": 5}, "whole counts"),
            ([[1, 1]], {"trials": 0}, "at least 1"),
            ([[1, 1]], {"trials": [1, 2, 3]}, "do not fit"),
            ([[1, 1]], {"agents": ["x", "y"]}, "2 agent names for 1"),
            ([[1, 1]], {"tasks": ["t", "t"]}, "more than once: t"),
        ],
    )
    def test_bad_scores_are_refused(self, values, options, said):
        with pytest.raises(eq.DataError) as caught:
            eq.Scores.from_matrix(values, **options)
        assert said in str(caught.value)

    @pytest.mark.parametrize("values", ["abc", [["x"]], None, [[[[1]]]], [[1], [1, 2]], [[1j]], object()])
    def test_nonsense_is_refused(self, values):
        with pytest.raises(eq.DataError, match="scores must be"):
            eq.Scores.from_matrix(values)

    def test_nonsense_names_and_trials_are_refused(self):
        for options in ({"agents": 3}, {"tasks": 3.5}, {"trials": "a"}, {"trials": None, "agents": [""]}):
            with pytest.raises(eq.DataError):
                eq.Scores.from_matrix([[1]], **options)

    def test_repeats_become_means_and_counts(self):
        scores = eq.Scores.from_matrix([[[1, 2, np.nan], [5, np.nan, np.nan]]])
        assert scores.values.tolist() == [[1.5, 5]]
        assert scores.trials.tolist() == [[2, 1]]

    def test_a_selection_keeps_names_with_values(self):
        scores = eq.Scores.from_matrix([[1, 2], [3, 4]], agents="xy", tasks="st").take(agents=[1], tasks=[True, False])
        assert (scores.agents, scores.tasks, scores.values.tolist()) == (("y",), ("s",), [[3]])


class TestMetaGame:
    @pytest.mark.parametrize(
        ("payoffs", "options", "said"),
        [
            ([], {}, "no payoffs"),
            ([[[1, 2]], [[1], [2]]], {}, "different shapes"),
            ([[[1, 2], [3, 4]]], {}, "1 payoff tensors need 1 axes"),
            ([[[1, np.nan]], [[1, 2]]], {}, "missing or infinite at (strategy 1, strategy 2)"),
            ([[[1, 2]], [[1, 2]]], {"strategies": [["a"]]}, "named for 1 populations"),
            ([[[1, 2]], [[1, 2]]], {"low": [[[2, 2]], [[1, 2]]], "high": [[[1, 2]], [[1, 2]]]}, "lower bound above"),
            ([[[1, 2]], [[1, 2]]], {"counts": [[[-1, 2]], [[1, 2]]]}, "at least 0"),
            ([[[1, 2], [3]], [[1, 2]]], {}, "rectangular"),
            ([np.zeros((0, 2)), np.zeros((0, 2))], {}, "without strategies"),
            ("abc", {}, "list of arrays"),
            (None, {}, "list of arrays"),
            (3, {}, "list of arrays"),
            ([["x"]], {}, "payoffs must be numbers"),
            ([None], {}, "shape ()"),
            ([[1, 2]], {"strategies": 3}, "lists of names"),
            ([[1, 2]], {"counts": "a"}, "counts must be"),
        ],
    )
    def test_bad_games_are_refused(self, payoffs, options, said):
        with pytest.raises(eq.DataError) as caught:
            eq.MetaGame.from_payoffs(payoffs, **options)
        assert said in str(caught.value)

    def test_a_single_population_needs_a_square_matrix(self):
        with pytest.raises(eq.DataError, match="square"):
            eq.MetaGame.symmetric([[1, 2, 3], [4, 5, 6]])
        assert eq.MetaGame.symmetric(RPS, "rps").shape == (3,)


class TestEpisodes:
    def test_bad_columns_are_refused(self):
        with pytest.raises(eq.DataError, match="empty"):
            eq.Episodes.from_columns([], [], [])
        with pytest.raises(eq.DataError, match="utility missing or infinite in rows 2"):
            eq.Episodes.from_columns("xy", [1, 1], [1, float("nan")])
        with pytest.raises(eq.DataError, match="different length"):
            eq.Episodes.from_columns("xy", [1], [1, 2])
        for utility in ("ab", [[1], [2]], None, [object(), 1]):
            with pytest.raises(eq.DataError, match="utility"):
                eq.Episodes.from_columns("xy", [1, 1], utility)
        with pytest.raises(eq.DataError, match="deal has no name in rows 2"):
            eq.Episodes.from_columns("xy", [1, None], [1, 2])
        with pytest.raises(eq.DataError, match="agent is a column"):
            eq.Episodes.from_columns(3, [1, 1], [1, 2])
        with pytest.raises(eq.DataError, match="control c must be numbers"):
            eq.Episodes.from_columns("x", [1], [1], controls={"c": ["y"]})
        with pytest.raises(eq.DataError, match="control c is infinite"):
            eq.Episodes.from_columns("x", [1], [1], controls={"c": [float("inf")]})


def test_data_never_change():
    matches = eq.Matches.from_columns(["x"], ["y"], [1])
    for data in (matches, matches.pairs(), eq.Scores.from_matrix([[1.0]]), eq.MetaGame.symmetric(RPS)):
        for field in dataclasses.fields(data):
            value = getattr(data, field.name)
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable
        with pytest.raises(dataclasses.FrozenInstanceError):
            data.diagnostics = ()


def test_runs_by_agent_are_scores_as_rliable_keeps_them():
    runs = {"a": np.arange(6.0).reshape(3, 2), "b": np.full((1, 2), 9.0)}
    scores = eq.read(runs)
    assert scores.agents == ("a", "b")
    assert scores.values.tolist() == [[2.0, 3.0], [9.0, 9.0]]
    assert scores.trials.tolist() == [[3, 3], [1, 1]]
    assert scores.run_labels == (("1", "2", "3"), ("1",))
    assert eq.Scores.from_dict({"a": [[1.0, 2.0]]}, tasks=["x", "y"]).repeats is None
    assert eq.tasks(runs).board.frame()["agent"].to_list() == ["b", "a"]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ({}, "there is no agent"),
        ({"a": [1.0, 2.0]}, "scores of a must be runs x tasks"),
        ({"a": [[1.0, 2.0]], "b": [[1.0]]}, "a has 2 tasks, but b has 1"),
    ],
)
def test_runs_of_another_shape_are_refused(runs, said):
    with pytest.raises(eq.DataError, match=said):
        eq.Scores.from_dict(runs)
