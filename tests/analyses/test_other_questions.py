"""The other analyses: one policy for gaps and intervals, options that go together, everything that fits."""

import numpy as np
import pytest

import equipoise as eq

GAPS = [[1, 2, np.nan, 4], [2, 1, 4, 3], [3, 0, 5, 1]]


def test_a_gap_is_an_error_unless_something_is_chosen():
    few = eq.Scores.from_matrix(GAPS, "ABC", ["one", "two", "three", "four"])
    with pytest.raises(eq.DataError, match="1 cell has no score"):
        eq.tasks(few)
    assert len(eq.tasks(few, missing="auto").nash.tasks) == 3
    assert len(eq.tasks(few, missing="complete").nash.tasks) == 4
    many = np.array(GAPS)
    many[[0, 1], [0, 1]] = np.nan
    filled = eq.tasks(eq.Scores.from_matrix(many, "ABC"), missing="auto")
    assert len(filled.nash.tasks) == 4
    assert "completed-cells" in [note.code for note in filled.diagnostics]
    assert filled.additivity is None
    with pytest.raises(eq.ParameterError, match="missing is error, drop-tasks"):
        eq.tasks(few, missing="fill")


def test_reports_and_commands_share_the_policy():
    table = eq.load("classifiers")
    (section,) = eq.analyse(table, only=["Benchmark"])
    alone = eq.tasks(table)
    assert section.result.answer == alone.answer
    np.testing.assert_array_equal(section.result.nash.skill_low, alone.nash.skill_low)
    assert section.result.run_frame().equals(alone.run_frame())


def test_intervals_come_by_themselves_where_a_bootstrap_takes_seconds():
    rng = np.random.default_rng(0)
    small, large = (eq.Scores.from_matrix(rng.random(shape)) for shape in ((6, 5), (80, 70)))
    assert eq.tasks(small).nash.interval is not None
    assert eq.tasks(small, n=0).nash.interval is None
    assert eq.tasks(large).nash.interval is None


def test_runs_are_aggregated_where_there_are_runs():
    runs = eq.Scores.from_matrix(np.random.default_rng(1).random((3, 4, 5)), "ABC")
    assert eq.tasks(runs).aggregates.params["units"] == "min-max"
    assert eq.tasks(runs, aggregates=False).aggregates is None
    assert eq.tasks(eq.Scores.from_matrix(runs.values, "ABC")).aggregates is None
    assert eq.tasks(eq.Scores.from_matrix(runs.values, "ABC"), aggregates=True).comparison is not None


def test_averages_are_asked_of_scores_not_of_ranks():
    table = eq.load("classifiers")
    assert eq.tasks(table, n=0).additivity is not None
    assert eq.tasks(table, n=0, units="rank").additivity is None


def test_items_are_fitted_saved_and_used_again(tmp_path):
    bank = tmp_path / "bank.json"
    fitted = eq.irt("lsat", save=bank)
    assert isinstance(fitted, eq.results.IRT)
    assert fitted.generality is None
    assert "no-generality" in [note.code for note in fitted.generality_notes]
    scored = eq.irt("lsat", calibration=bank)
    assert isinstance(scored, eq.results.Scored)
    np.testing.assert_allclose(scored.ability, fitted.ability, atol=1e-6)
    with pytest.raises(eq.ParameterError, match="save and calibration do not go together"):
        eq.irt("lsat", save=bank, calibration=bank)
    with pytest.raises(eq.ParameterError, match="trials and threshold do not go together"):
        eq.irt("lsat", trials=2, threshold=1)


def test_generality_and_indicators_go_with_a_fit_of_many_items():
    fitted = eq.irt("digits", model="rasch")
    direct = eq.generality(eq.load("digits"), fitted, units="none")
    np.testing.assert_array_equal(fitted.generality.generality, direct.generality)


def test_luck_is_removed_with_a_control_or_by_duplicate_deals():
    hands = eq.load("hands-kuhn2")
    np.testing.assert_array_equal(
        eq.remove_luck(hands, control="honest").means.estimate, eq.baseline(hands, control="honest").estimate
    )
    np.testing.assert_array_equal(
        eq.remove_luck(hands, method="duplicate").means.estimate, eq.duplicate(hands).estimate
    )
    every = eq.remove_luck(hands)  # the control that comes with them keeps all hands
    assert every.method == "baseline"
    assert every.means.hands.sum() >= 2 * eq.duplicate(hands).hands.sum()
    assert eq.remove_luck(hands, permutations="any").method == "duplicate"
    needed = eq.remove_luck(hands, control="honest", half_width=0.1)
    for row in needed.frame().to_dicts():
        half = (row["high"] - row["low"]) / 2
        assert row["hands_needed"] == pytest.approx(row["hands"] * (half / 0.1) ** 2, abs=1)
    for options, said in (
        ({"method": "baseline"}, 'method="baseline" needs control'),
        ({"method": "duplicate", "control": "honest"}, "leave one out"),
        ({"by": "team"}, 'by="team" and teams'),
        ({"half_width": -1.0}, "half_width is a number above 0"),
    ):
        with pytest.raises(eq.ParameterError, match=said):
            eq.remove_luck(hands, **options)


def test_a_game_is_shown_in_every_way():
    counts = np.array([[0, 9, 9], [9, 0, 9], [9, 9, 0]])
    game = eq.MetaGame.symmetric([[0.5, 0.2, 0.9], [0.8, 0.5, 0.3], [0.1, 0.7, 0.5]], list("rps"), counts=counts)
    np.testing.assert_array_equal(eq.metagame(game).result.pi, eq.alpha_rank(game).pi)
    assert eq.metagame(game, show="graph").result.mccs == eq.response_graph(game).mccs
    assert len(eq.metagame(game, show="sweep").result.alphas) == 25
    assert eq.metagame(game, show="bounds", width=0.5).result.uncertain_edges[0] == 3
    assert sum(row["play"] for row in eq.metagame(game, show="next", budget=7).result.rows()) == 7
    with pytest.raises(eq.DataError, match='no "low" and "high"; give a width'):
        eq.metagame(game, show="bounds")
    with pytest.raises(eq.ParameterError, match="show is profiles, graph"):
        eq.metagame(game, show="mass")


def test_a_plan_is_the_methods_own():
    matches = eq.Matches.from_columns("aaabbbccc", "bbbcccaaa", [1, 1, 0, 1, 0, 1, 0, 0, 1])
    planned = eq.plan(matches, budget=12)
    own = eq.plan(matches, budget=12)
    np.testing.assert_array_equal(planned.play, own.play)
    assert planned.answer == own.answer
    assert planned.source.data.agents == matches.agents


def test_everything_that_fits_comes_in_order_and_failures_are_said():
    titles = [section.title for section in eq.analyse("alphago")]
    assert titles == ["Ratings", "Discs", "Nash averages", "alpha-Rank", "Sweep over alpha"]
    assert [section.title for section in eq.analyse("lsat")] == ["Benchmark", "Items and abilities"]
    assert [section.title for section in eq.analyse("hands-kuhn2")] == ["Luck"]
    constant = eq.Scores.from_matrix([[1.0, 0.0], [1.0, 0.0]])
    failed = eq.analyse(constant)
    titles = ["Benchmark", "Voting rules", "Items and abilities", "Which one to read"]
    assert [section.title for section in failed] == titles
    benchmark, votes, items, _ = failed
    assert [benchmark.result, items.result] == [None, None]
    assert "nothing separates them" in str(benchmark.error)
    assert "at least 3 items on which agents differ" in str(items.error)
    assert votes.error is None
    assert votes.result.frame()["rank_high"].to_list() == [2, 2], "a vote without a winner is a tie, and no failure"
    assert votes.result.frame()["rank_low"].to_list() == [1, 1]


def test_the_nash_section_is_the_one_of_the_standings():
    ratings, nash = eq.analyse("alphago", only=["Ratings", "Nash averages"])
    assert nash.result is ratings.result.nash


def test_data_are_identified_by_what_they_hold():
    one, same, other = (eq.rank(eq.PairTable.from_wins([[0, k], [1, 0]])) for k in (3, 3, 4))
    facts = [board.origin.facts(board.data) for board in (one, same, other)]
    assert facts[0] == facts[1]
    assert facts[0]["sha256"] != facts[2]["sha256"]
    assert facts[0]["file"] is None


def test_read_recognises_a_file(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\nx,y,1-0\ny,x,0-1\n")
    assert isinstance(eq.read(path), eq.PairTable)
    assert isinstance(eq.read("lsat"), eq.Scores)


def test_analyses_travel_as_json():
    import json

    for result in (eq.rank("alphago"), eq.tasks("classifiers"), eq.remove_luck("hands-kuhn2")):
        json.dumps(result.to_dict(), allow_nan=False)
        assert type(result).__name__ in repr(result)
