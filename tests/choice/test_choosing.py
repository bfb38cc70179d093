"""``eq.choose``: which rules agree, how sure a choice is, and files of all kinds."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.analyses.votes import choosing
from equipoise.choice.certainty import winner_p_values
from equipoise.report.views.choice import voting_view
from tests.choice.profiles import FORTY_FIVE, random_ballots

RAINBOW = Path(os.environ.get("EQUIPOISE_DATA", "")) / "atari" / "rainbow_hessel2018_8agents_54games.csv"


@pytest.mark.skipif(not RAINBOW.is_file(), reason="EQUIPOISE_DATA names no folder with the Atari scores")
def test_rainbow_is_significantly_the_best_of_its_paper():
    board = eq.choose(RAINBOW, rule="copeland", n=300)
    assert board.condorcet == "rainbow"
    p = board.p_values[board.agents.index("rainbow")]
    assert p == pytest.approx(0.0363, abs=5e-5)
    pairs = board.pair_frame()
    assert int((pairs["holm_p"] < 0.05).sum()) == 14
    first = dict(zip(board.agents, board.stability.first, strict=True))
    assert first["rainbow"] > 0.98  # 0.997 in 300 samples of an independent program
    by_plurality = eq.choose(RAINBOW, rule="plurality", n=300).stability.first
    assert by_plurality[board.agents.index("rainbow")] == pytest.approx(0.893, abs=0.04)
    assert "is significant (p = 0.036" in board.answer[2]


def test_the_p_value_is_that_of_the_worst_duel_for_all_agents():
    board = eq.choose(eq.Ballots.from_orders(["CAB", "ACB"], weights=[17, 5]), n=0)
    worst = scipy.stats.binomtest(17, 22, alternative="greater").pvalue
    assert board.p_values[board.agents.index("C")] == pytest.approx(3 * worst)


def test_equal_agents_are_rarely_called_a_winner():
    rng = np.random.default_rng(0)
    equal, two_best = (np.zeros(500) for _ in range(2))
    for k in range(500):
        voters = rng.gumbel(size=(60, 5))
        equal[k] = winner_p_values(_duels(voters)).min()
        two_best[k] = winner_p_values(_duels(voters + np.array([3, 3, 0, 0, 0])))[:2].min()
    assert (equal <= 0.05).mean() <= 0.01
    assert (two_best <= 0.05).mean() <= 0.05  # the hardest case: two agents share the first place


def _duels(utility):
    return (utility[:, :, None] > utility[:, None, :]).sum(axis=0).astype(float)


def test_agreement_and_disagreement_of_rules_is_said_in_a_sentence():
    assert eq.choose(eq.Ballots.from_orders(["abc"] * 5), n=0).answer[1] == "All 8 rules put a first."
    said = eq.choose(FORTY_FIVE, n=0).answer[1]
    assert said.startswith("Rules disagree on who is first: E by the Kemeny order, Schulze's rule, Copeland's rule")
    assert "A by ranked pairs" in said
    assert "C by plurality and instant runoff" in said


def test_samples_that_would_take_long_are_left_out_and_that_is_said(monkeypatch):
    scores = eq.Scores.from_matrix(np.random.default_rng(0).normal(size=(6, 9)))
    assert eq.choose(scores).stability.samples == 200
    monkeypatch.setattr(choosing, "MOST_CELLS", 6**2 * 9)  # counting alone, without a look at the table
    board = eq.choose(scores)
    assert board.stability is None
    assert [note.code for note in board.diagnostics] == ["no-samples"]
    assert "bootstrap samples, which would take long" in voting_view(board).method
    assert eq.choose(scores, n=20).stability.samples == 20


def test_the_same_seed_gives_the_same_band_and_another_one_another():
    ballots = random_ballots(np.random.default_rng(5), 5, 15)
    one, same, other = (eq.choose(ballots, n=50, rng=seed).stability.first.tolist() for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_votes_in_clusters_have_no_sign_test_and_are_drawn_by_cluster():
    a, b, outcome = ["x", "x", "y"] * 20, ["y", "z", "z"] * 20, [1.0, 1.0, 1.0] * 20
    together = eq.Matches.from_columns(a, b, outcome, group=["one voter"] * 30 + ["another"] * 30)
    board = eq.choose(together, n=20)
    assert board.p_values is None
    assert board.stability.first.tolist() == [1.0, 0.0, 0.0]


FILES = {
    "long.csv": "voter,candidate,rank\n1,x,1\n1,y,2\n1,z,3\n2,y,1\n2,x,2\n2,z,3\n3,x,1\n3,y,2\n3,z,2\n",
    "wide.csv": "voter,rank_1,rank_2,rank_3\n1,x,y,z\n2,y,x,z\n3,x,y,z\n",
    "counted.csv": "count,first,second,third\n2,x,y,z\n1,y,x,z\n",
    "new.toc": "# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: y\n# ALTERNATIVE NAME 3: z\n2: 1,{2,3}\n1: 2,1,3\n",
    "old.soc": "3\n1,x\n2,y\n3,z\n3,3,2\n2,1,2,3\n1,2,1,3\n",
    "races.csv": "race,driver,position\n" + "".join(f"{r},{d},{k}\n" for r in "abc" for k, d in enumerate("xyz", 1)),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_ballots_and_races_are_recognised(tmp_path, name):
    path = tmp_path / name
    path.write_text(FILES[name])
    board = eq.choose(path, n=0)
    assert board.order[0] == "x"
    assert board.condorcet == "x"
    kind = eq.Rankings if name == "races.csv" else eq.Ballots
    assert isinstance(eq.read(path), kind)


def test_partial_ballots_are_said_and_can_be_read_the_other_way(tmp_path):
    path = tmp_path / "top.soi"
    path.write_text("# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: y\n# ALTERNATIVE NAME 3: z\n3: 1\n2: 2,3\n")
    apart = eq.read_ballots(path)
    assert [note.code for note in apart.diagnostics] == ["partial-ballots"]
    assert eq.choose(path, unnamed="last", n=0).condorcet == "x"
    with pytest.raises(eq.ParameterError, match="no ballots"):
        eq.choose("classifiers", unnamed="last")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("2: 1,9\n", "line 2"), ("two: 1\n", "line 2"), ("2 1,2\n", "line 2"), ("", "no ballots")],
)
def test_broken_files_of_ballots_name_the_line(tmp_path, text, wrong):
    path = tmp_path / "x.soc"
    path.write_text(f"# ALTERNATIVE NAME 1: x\n{text}")
    with pytest.raises(eq.ReadError, match=wrong):
        eq.read_ballots(path)


def test_who_is_named_twice_is_refused():
    with pytest.raises(eq.DataError, match="game 1 names x more than once"):
        eq.Rankings.from_columns(["r", "r"], ["x", "x"], [1, 2])
    with pytest.raises(eq.DataError, match="ballot 1 names a more than once"):
        eq.Ballots.from_orders(["aba"])


def test_races_keep_their_ties_and_their_names():
    races = eq.Rankings.from_columns(["r", "q", "r", "r"], list("abcd"), [2, 1, 1, 2])
    assert races.games == ("r", "q")
    assert races.named(0) == (("c",), ("a", "d"))
    assert races.take([1, 0, 0]).named(2) == (("c",), ("a", "d"))
