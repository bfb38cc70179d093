"""`nash_average`: from whatever people bring, with intervals, and what it refuses."""

import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from tests.nash.games import CYCLE, antisymmetric

CIRCLE = [[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]]


def codes(result):
    return [note.code for note in result.diagnostics]


def league(games=60, seed=0):
    """Four agents, all pairs, with a weak fourth."""
    rng = np.random.default_rng(seed)
    strength = np.array([0.3, 0.2, 0.0, -1.0])
    a, b = np.nonzero(~np.eye(4, dtype=bool))
    a, b = np.repeat(a, games), np.repeat(b, games)
    won = rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return eq.Matches.from_columns(a, b, won.astype(float))


# Agents against agents


def test_matches_pairs_and_log_odds_agree():
    matches = league()
    table = matches.pairs()
    by_matrix = eq.nash_average(table.log_odds())
    for found in (eq.nash_average(matches), eq.nash_average(table)):
        np.testing.assert_allclose(found.p, by_matrix.p, atol=1e-12)
        np.testing.assert_allclose(found.average, by_matrix.average, atol=1e-12)


def test_the_nash_average_is_the_payoff_against_the_team():
    table = league().pairs()
    found = eq.nash_average(table)
    np.testing.assert_allclose(found.average, table.log_odds() @ found.p, atol=1e-12)
    assert found.average.max() <= 1e-12


def test_win_rates_may_be_the_payoff():
    p = np.array(CIRCLE)
    p[0, 1], p[1, 0] = 0.8, 0.2
    found = eq.nash_average(eq.PairTable.from_matrix(p), payoff="win-rate")
    np.testing.assert_allclose(found.p, eq.maxent_nash(2 * p - 1).p, atol=1e-12)


def test_a_symmetric_game_is_averaged_and_its_sum_told():
    game = eq.MetaGame.symmetric(CYCLE + 1.0, strategies="xyz")
    found = eq.nash_average(game)
    np.testing.assert_allclose(found.p, 1 / 3)
    assert found.agents == ("x", "y", "z")
    assert "payoff-differences" in codes(found)
    assert codes(eq.nash_average(eq.MetaGame.symmetric(CYCLE))) == []


def test_a_game_of_two_populations_is_refused():
    with pytest.raises(eq.DataError, match="one population"):
        eq.nash_average(eq.MetaGame.from_payoffs([np.eye(2), -np.eye(2)]))


def test_pairs_that_never_met_leave_it_undefined():
    found = eq.nash_average(eq.Matches.from_columns("xxyy", "yyzz", [1, 0, 1, 0]))
    assert np.isnan(found.p).all()
    (note,) = [note for note in found.diagnostics if note.code == "incomplete-table"]
    assert note.subjects == ("x vs z",)
    body = found.to_dict()
    assert body["agents"][0]["p"] is None
    json.dumps(body, allow_nan=False)


def test_unplayed_pairs_are_filled_in_on_request():
    found = eq.nash_average(eq.Matches.from_columns("xxxyyy", "yyyzzz", [1, 1, 0, 1, 1, 0]), complete="bradley-terry")
    assert found.p.tolist() == [1.0, 0.0, 0.0]
    assert "completed-table" in codes(found)
    rating = eq.bradley_terry(eq.Matches.from_columns("xxxyyy", "yyyzzz", [1, 1, 0, 1, 1, 0])).rating
    assert found.average[2] == pytest.approx(rating[2] - rating[0])


def test_unplayed_pairs_may_be_filled_in_with_cycles():
    rng = np.random.default_rng(0)
    angle = 2 * np.pi * np.arange(7) / 7
    chance = 1 / (1 + np.exp(-1.5 * np.sin(angle[:, None] - angle)))
    games = 200
    wins = rng.binomial(games, np.triu(chance, 1))
    wins = wins + np.tril(games - wins.T, -1)
    wins[0, 3] = wins[3, 0] = 0
    table = eq.PairTable.from_wins(wins)
    full = eq.nash_average(table, complete="melo")
    assert np.isfinite(full.average).all()
    (note,) = [note for note in full.diagnostics if note.code == "completed-table"]
    assert "mElo2" in note.message
    filled = eq.melo(table).predict()[0, 3]
    assert abs(filled - chance[0, 3]) < 0.15


def test_certain_probabilities_are_clipped_and_told():
    found = eq.nash_average(eq.PairTable.from_matrix([[0.5, 1.0], [0.0, 0.5]], agents=["sure", "lost"]))
    assert found.average[1] == pytest.approx(np.log(0.001 / 0.999))
    (note,) = [note for note in found.diagnostics if note.code == "clipped-probabilities"]
    assert note.subjects == ("sure vs lost",)


def test_all_ties_are_a_tie():
    found = eq.nash_average(eq.Matches.from_columns("aab", "bcc", [0.5, 0.5, 0.5]))
    np.testing.assert_allclose(found.p, 1 / 3)
    assert found.average.tolist() == [0.0, 0.0, 0.0]


def test_real_asymmetry_is_refused():
    with pytest.raises(eq.DataError, match="not antisymmetric"):
        eq.nash_average(np.array([[0.0, 1.0], [1.0, 0.0]]))


def test_intervals_hold_the_estimate_and_shrink_with_more_games():
    few, many = (eq.nash_average(league(games), n=100, rng=1) for games in (30, 3000))
    for found in (few, many):
        assert (found.average_low <= found.average_high).all()
        assert ((found.p_low >= 0) & (found.p_high <= 1)).all()
    assert (many.average_high - many.average_low)[3] < (few.average_high - few.average_low)[3]
    assert many.average_low[3] <= many.average[3] <= many.average_high[3]
    assert "bootstrap over matches" in few.interval.kind


def test_the_same_seed_gives_the_same_intervals():
    one, again = (eq.nash_average(league(), n=30, rng=5).to_dict() for _ in range(2))
    assert one == again


def test_groups_are_resampled_whole():
    base = league()
    grouped = eq.Matches.from_columns(base.a, base.b, base.outcome, group=np.arange(len(base)) % 9)
    assert "over clusters" in eq.nash_average(grouped, n=20, over="clusters").interval.kind


def test_payoffs_cannot_be_resampled():
    with pytest.raises(eq.DataError, match="cannot be resampled"):
        eq.nash_average(CYCLE, n=10)


# Agents against tasks


def test_units_bring_tasks_to_one_scale():
    rng = np.random.default_rng(3)
    values = rng.random((6, 9))
    plain = eq.nash_average(eq.Scores.from_matrix(values))
    stretched = eq.nash_average(eq.Scores.from_matrix(values * 10.0 ** np.arange(9) + 7.0))
    np.testing.assert_allclose(stretched.agent_p, plain.agent_p, atol=1e-6)
    np.testing.assert_allclose(stretched.skill, plain.skill, atol=1e-6)


@pytest.mark.parametrize("units", ["min-max", "z", "rank", "none"])
def test_skills_and_difficulties_follow_from_the_masses_in_every_unit(units):
    found = eq.nash_average(eq.Scores.from_matrix(np.random.default_rng(0).random((5, 7))), units=units)
    np.testing.assert_allclose(found.skill, found.scores @ found.task_p, atol=1e-12)
    np.testing.assert_allclose(found.difficulty, -(found.agent_p @ found.scores), atol=1e-12)
    assert found.skill.max() == pytest.approx(found.value)
    assert (-found.difficulty).min() == pytest.approx(found.value)
    assert units in {"z", "none"} or (found.full + found.difficulty > -1e-12).all()


def test_rank_units_only_know_the_order():
    values = np.random.default_rng(1).random((5, 6))
    one = eq.nash_average(eq.Scores.from_matrix(values), units="rank")
    other = eq.nash_average(eq.Scores.from_matrix(np.exp(5 * values)), units="rank")
    np.testing.assert_allclose(one.agent_p, other.agent_p, atol=1e-12)


def test_z_and_rank_units_move_when_agents_are_copied_and_say_so():
    values = np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    copied = eq.Scores.from_matrix(values[[0, 1, 2, 2]])
    assert "units-move" in codes(eq.nash_average(copied, units="z"))
    assert "units-move" not in codes(eq.nash_average(copied))


def test_constant_tasks_are_dropped_and_named():
    found = eq.nash_average(eq.Scores.from_matrix([[1, 5, 0], [2, 5, 1]], tasks=["a", "flat", "b"]))
    assert found.tasks == ("a", "b")
    (note,) = found.diagnostics[:1]
    assert (note.code, note.subjects) == ("constant-task", ("flat",))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([[1.0, 2.0]], "one agent only"),
        ([[3.0, 3.0], [3.0, 3.0]], "nothing separates them"),
        ([[1.0, np.nan], [2.0, np.nan]], "nobody tried|no score"),
        ([[1.0, np.nan], [2.0, 3.0]], r"1 cells? ha(s|ve) no score: agent 1 on task 2; drop tasks with missing="),
    ],
)
def test_tables_without_an_answer_are_refused(values, told):
    with pytest.raises(eq.DataError, match=told):
        eq.nash_average(eq.Scores.from_matrix(values))


def test_one_task_is_answered_and_told():
    found = eq.nash_average(eq.Scores.from_matrix([[1.0], [3.0], [3.0]]))
    assert found.agent_p.tolist() == [0.0, 0.5, 0.5]
    assert "one-task" in codes(found)


def gapped():
    values = np.random.default_rng(2).random((5, 6))
    values[0, 0] = values[3, 4] = np.nan
    return eq.Scores.from_matrix(values)


def test_gaps_may_be_dropped_by_task_or_by_agent():
    by_task, by_agent = (eq.nash_average(gapped(), missing=way) for way in ("drop-tasks", "drop-agents"))
    assert (len(by_task.agents), len(by_task.tasks)) == (5, 4)
    assert (len(by_agent.agents), len(by_agent.tasks)) == (3, 6)
    assert "dropped-for-gaps" in codes(by_task)


def test_nothing_left_after_dropping_is_an_error():
    with pytest.raises(eq.DataError, match="every task has a missing cell"):
        eq.nash_average(eq.Scores.from_matrix([[np.nan, 1.0], [2.0, np.nan]]), missing="drop-tasks")


def test_gaps_are_filled_in_by_what_averages_lead_one_to_expect():
    skill, ease = np.array([0.0, 1.0, 2.5]), np.array([0.0, 0.5, 1.0, 3.0])
    full = skill[:, None] + ease
    holed = full.copy()
    holed[1, 2] = np.nan
    found = eq.nash_average(eq.Scores.from_matrix(holed), units="none", missing="complete")
    np.testing.assert_allclose(found.scores, full, atol=1e-8)
    (note,) = [note for note in found.diagnostics if note.code == "completed-cells"]
    assert note.subjects == ("agent 2 on task 3",)


def test_intervals_over_tasks_are_for_agents_only():
    found = eq.nash_average(eq.Scores.from_matrix(np.random.default_rng(0).random((4, 12))), n=60)
    assert (found.skill_low <= found.skill_high).all()
    assert found.task_p_low is None
    assert "over tasks" in found.interval.kind


def test_intervals_over_trials_are_for_both_sides():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 6, 1)) + 0.3 * rng.normal(size=(4, 6, 8))
    values[0, 0, 5:] = np.nan
    found = eq.nash_average(eq.Scores.from_matrix(values), n=60, over="runs")
    assert (found.difficulty_low <= found.difficulty_high).all()
    assert (found.task_p_low <= found.task_p_high).all()
    assert found.frame().columns[-4:] == ["skill_low", "skill_high", "agent_p_low", "agent_p_high"]


def test_counts_of_successes_are_drawn_as_trials():
    found = eq.nash_average(eq.Scores.from_matrix([[18, 3], [4, 15]], trials=20), units="none", n=100, over="runs")
    assert "over runs" in found.interval.kind
    assert (found.task_p_low < found.task_p_high).all()


def test_trials_cannot_be_drawn_where_there_are_none():
    with pytest.raises(eq.DataError, match='over="runs" needs repeated runs'):
        eq.nash_average(eq.Scores.from_matrix(np.eye(3)), n=10, over="runs")


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (eq.Scores.from_matrix(np.eye(3)), {"payoff": "log-odds"}),
        (eq.Scores.from_matrix(np.eye(3)), {"units": "furlongs"}),
        (eq.Scores.from_matrix(np.eye(3)), {"over": "matches"}),
        (eq.Scores.from_matrix(np.eye(3)), {"missing": "ignore"}),
        (CYCLE, {"units": "z"}),
        (CYCLE, {"complete": "bradley-terry"}),
        (CYCLE, {"over": "tasks"}),
        (CYCLE, {"n": -1}),
        (CYCLE, {"level": 1.5}),
        (eq.PairTable.from_matrix(CIRCLE), {"payoff": "goals"}),
        (eq.PairTable.from_matrix(CIRCLE), {"complete": "guess"}),
    ],
)
def test_options_that_do_not_belong_or_do_not_exist_are_refused(data, options):
    with pytest.raises(eq.ParameterError):
        eq.nash_average(data, **options)


def test_the_best_stands_first_in_both_frames():
    found = eq.nash_average(eq.Scores.from_matrix(np.random.default_rng(4).random((8, 5))))
    skill = found.frame()["skill"].to_numpy()
    difficulty = found.task_frame()["difficulty"].to_numpy()
    assert (np.diff(skill) <= 1e-12).all()
    assert (np.diff(difficulty) <= 1e-12).all()


def test_relabelling_and_reordering_change_nothing_but_the_order():
    values = np.round(antisymmetric(np.random.default_rng(0).normal(size=(6, 6))) * 2) / 2
    order = np.array([3, 1, 5, 0, 2, 4])
    here = eq.nash_average(eq.Scores.from_matrix(values))
    there = eq.nash_average(eq.Scores.from_matrix(values[order][:, order]))
    np.testing.assert_allclose(there.agent_p, here.agent_p[order], atol=1e-9)
    np.testing.assert_allclose(there.task_p, here.task_p[order], atol=1e-9)


# Words and names


def test_a_team_that_nobody_beats_is_named():
    assert eq.nash_average(eq.PairTable.from_matrix(CIRCLE, agents="xyz")).answer == (
        "The Nash support has 3 agents, which no agent beats on average: x, y, z.",
    )
    alone = eq.nash_average(eq.PairTable.from_matrix([[0.5, 0.8], [0.2, 0.5]], agents=["strong", "weak"]))
    assert alone.answer == ("The Nash equilibrium is strong alone: no agent beats it.",)
    assert (
        eq.maxent_nash(CYCLE, agents="xyz").answer[0].startswith("The Nash support has 3 agents, which no agent beats")
    )


def test_a_table_with_holes_says_nothing_but_how_to_fill_it():
    found = eq.nash_average(eq.Matches.from_columns("xxyy", "yyzz", [1, 0, 1, 0]))
    assert found.answer == ()
    assert found.interval is None
    (note,) = [note for note in found.diagnostics if note.code == "incomplete-table"]
    assert "1 pair never met" in note.message
    assert 'complete="bradley-terry"' in note.message


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], ("2 agents share the highest Nash", "All 2 tasks have weight in the Nash mixture")),
        ([[1.0, 1.0], [0.0, 0.5]], ("agent 1 has the highest Nash average",)),
        ([[1.0], [0.0]], ("agent 1 has the highest Nash average", "There is one task only, task 1")),
    ],
)
def test_scores_say_who_is_first_and_which_tasks_have_weight(values, words):
    said = eq.nash_average(eq.Scores.from_matrix(values), units="none").answer
    assert len(said) == 2
    assert all(part in sentence for part, sentence in zip(words, said, strict=False))


def test_idle_tasks_are_counted():
    values = [[0.0, 5.0, 6.0], [1.0, 5.5, 5.0]]
    assert eq.nash_average(eq.Scores.from_matrix(values), units="none").answer[1] == (
        "1 of 3 tasks has weight in the Nash mixture: task 1 (100%); the other 2 change no Nash average."
    )


@pytest.mark.parametrize("n", [1, 2.5, -1, "many", np.nan])
def test_a_senseless_number_of_resamples_is_refused(n):
    with pytest.raises(eq.ParameterError, match=r"^n is"):
        eq.nash_average(league(), n=n)


@pytest.mark.parametrize("data", ["word", 5, None, [[1, 2], [3]], np.zeros((2, 2, 2)), np.eye(2) * 1j])
def test_what_is_no_table_is_refused(data):
    for method in (eq.nash_average, eq.maxent_nash):
        with pytest.raises(eq.DataError):
            method(data)


def test_what_nash_averaging_leaves_out_is_said_where_it_matters():
    """One task of ten ties the agent that wins the other nine; without it there is nothing to say."""
    scores = np.vstack([np.r_[np.full(9, 0.9), 0.2], np.r_[np.full(9, 0.2), 0.2], np.r_[np.full(9, 0.1), 0.0]])
    tied = eq.nash_average(eq.Scores.from_matrix(scores, agents=["all", "one", "none"]), units="none")
    assert tied.top == ("all", "one")
    assert "all beats every other agent on most tasks, but Nash averaging ties it with one" in tied.answer[2]
    scores[1, 9] = 0.8
    behind = eq.nash_average(eq.Scores.from_matrix(scores[:2, [0, 9]], agents=["all", "one"]), units="none")
    assert not any("most tasks" in sentence for sentence in behind.answer)
    plain = eq.nash_average(eq.Scores.from_matrix(scores[:, :9], agents=["all", "one", "none"]), units="none")
    assert len(plain.answer) == 2


def test_rainbow_is_tied_by_the_hardest_games():
    path = Path(os.environ.get("EQUIPOISE_DATA", "")) / "atari" / "rainbow_hessel2018_8agents_54games.csv"
    if not path.exists():
        pytest.skip("the published table is not at hand")
    table = pl.read_csv(path)
    scores = eq.Scores.from_matrix(
        table.drop("game").to_numpy().T, agents=table.columns[1:], tasks=table["game"].to_list()
    )
    found = eq.nash_average(scores)
    assert {"a3c", "rainbow"} <= {*found.top}
    assert "rainbow beats every other agent on most tasks, but Nash averaging ties it with a3c" in " ".join(
        found.answer
    )
