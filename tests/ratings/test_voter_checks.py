"""Voters who stand out, leads that few votes carry, boards of one voter, judges calibrated on people."""

from dataclasses import replace

import numpy as np
import pytest

import equipoise as eq
from equipoise.core.errors import DataError
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.ratings.judges.fragility import lead_fragility
from equipoise.ratings.judges.judge_bias import judge_bias
from equipoise.ratings.judges.judge_calibrated import judge_calibrated
from equipoise.ratings.judges.personal import personal_board
from equipoise.ratings.judges.tastes import WEAK, poisson_binomial_tail, strengths
from equipoise.ratings.judges.voter_checks import voter_checks
from equipoise.schedule.leaving import bearable_leaving, leaving_tests
from equipoise.schedule.pair_evidence import PairEvidence
from tests.statistical.voting_worlds import Crowd, crowd_votes


def state_of(found, voter, check):
    (one,) = (one.state for one in found.checks if (one.voter, one.check) == (voter, check))
    return one


@pytest.mark.parametrize("odd", ["fan", "side", "against"])
def test_a_voter_who_does_one_thing_only_is_found(odd):
    votes = crowd_votes(np.random.default_rng(3), Crowd(votes=150, odd=odd))
    found = voter_checks(votes)
    assert state_of(found, "v0", odd) == "flagged"
    assert "v0" in found.answer[0]


def test_few_votes_could_not_be_checked_and_accuse_nobody():
    found = voter_checks(crowd_votes(np.random.default_rng(4), Crowd(votes=4, odd="fan")))
    assert found.flagged == ()
    assert state_of(found, "v0", "side") == "unchecked"
    assert "says nothing against anybody" in found.answer[1]


def test_fast_voters_failed_gold_questions_and_copies_are_found():
    rng = np.random.default_rng(5)
    votes = crowd_votes(rng, Crowd(voters=12, votes=240, models=3, prompts=20))
    who = votes.labels["voter"]
    seconds = np.where(who.codes == 0, 0.4, rng.lognormal(3.0, 0.5, len(votes)))
    copied = votes.outcome.copy()
    mine, theirs = (np.flatnonzero(who.codes == code) for code in (1, 2))
    a, b = votes.a.copy(), votes.b.copy()
    prompt = votes.labels["prompt"].codes.copy()
    copied[mine], a[mine], b[mine], prompt[mine] = copied[theirs], a[theirs], b[theirs], prompt[theirs]
    labels = {**votes.labels, "prompt": Factor(votes.labels["prompt"].labels, prompt)}
    votes = replace(votes, outcome=copied, a=a, b=b, labels=labels)
    gold = dict.fromkeys(who.labels, (10, 10)) | {"v3": (2, 10)}
    found = voter_checks(votes, seconds=seconds, gold=gold)
    assert {(one.voter, one.check) for one in found.flagged} >= {("v0", "fast"), ("v3", "gold")}
    assert any(one.check == "copy" and {one.voter, one.about} == {"v1", "v2"} for one in found.flagged)


def test_tails_are_those_of_every_outcome_written_out():
    p = np.array([0.2, 0.5, 0.9, 0.4])
    every = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    chance = np.prod(np.where(every == 1, p, 1 - p), axis=1)
    for wins in range(5):
        assert poisson_binomial_tail(p, wins)[0] == pytest.approx(chance[every.sum(axis=1) >= wins].sum())


def test_strengths_solve_their_equations():
    rng = np.random.default_rng(6)
    a, b = rng.integers(4, size=200), rng.integers(4, size=200)
    a, b = a[a != b], b[a != b]
    score = rng.integers(3, size=len(a)) / 2.0
    rating = strengths(a, b, score, np.ones(len(a)), 4)
    p = 1 / (1 + np.exp(rating[b] - rating[a]))
    slope = np.bincount(a, score - p, 4) - np.bincount(b, score - p, 4) - WEAK * rating
    assert np.abs(slope).max() < 1e-6


def test_votes_that_change_the_leader_do_and_one_fewer_does_not():
    votes = crowd_votes(np.random.default_rng(7), Crowd(voters=20, votes=30, models=4, gap=0.3))
    found = lead_fragility(votes)
    extra = [found.rival] * found.added, [found.leader] * found.added, [1.0] * found.added
    names = [votes.agents[k] for k in votes.a], [votes.agents[k] for k in votes.b], votes.outcome.tolist()

    def leads(more):
        joined = Matches.from_columns(*(one + two[:more] for one, two in zip(names, extra, strict=True)))
        rating = strengths(joined.a, joined.b, joined.outcome, np.ones(len(joined)), len(joined.agents))
        at = {name: k for k, name in enumerate(joined.agents)}
        return rating[at[found.leader]] > rating[at[found.rival]]

    assert leads(found.added - 1)
    assert not leads(found.added)
    assert 0 < found.removed < len(votes) / 5
    assert "upper bounds" in found.answer[0]


def test_a_voter_with_few_votes_has_the_others_board_with_wide_intervals():
    votes = crowd_votes(np.random.default_rng(8), Crowd(votes=60, taste=0.5))
    few = votes.take(np.flatnonzero((votes.labels["voter"].codes != 0) | (np.arange(len(votes)) < 4)))
    board, whole = personal_board(few, "v0"), personal_board(votes, "v0")
    assert np.abs(board.rating - board.others).max() < np.abs(whole.rating - whole.others).max() + 0.2
    assert (board.high - board.low > whole.high - whole.low).all()
    with pytest.raises(DataError, match="no votes of"):
        personal_board(votes, "v99")


def people_and_judge(skill, n=400):
    rng = np.random.default_rng(9)
    e = rng.normal(0, 1.0, (150, 3)) + np.array([0.5, 0.0, -0.5])
    a, q = rng.integers(3, size=n), rng.integers(150, size=n)
    b = (a + rng.integers(1, 3, size=n)) % 3
    y = rng.random(n) < 1 / (1 + np.exp(e[q, b] - e[q, a]))
    votes = Matches.from_columns([f"m{k}" for k in a], [f"m{k}" for k in b], y.astype(float), task=[str(k) for k in q])
    i, j, k = np.array([(i, j, k) for i in range(3) for j in range(i) for k in range(150)]).T
    f = rng.random(len(i)) < 1 / (1 + np.exp(-skill * (e[k, i] - e[k, j])))
    judge = Matches.from_columns([f"m{x}" for x in i], [f"m{x}" for x in j], f.astype(float), task=[str(x) for x in k])
    return votes, judge


def test_a_judge_that_knows_something_is_worth_votes_and_one_that_guesses_none():
    good, useless = (judge_calibrated(*people_and_judge(skill)) for skill in (4.0, 0.0))
    assert good.worth > 20
    assert useless.worth < 5
    assert good.worth <= good.correlation**2 * good.others
    assert (good.high - good.low).mean() < (good.people_high - good.people_low).mean()
    assert useless.rating == pytest.approx(useless.people, abs=0.05)
    assert eq.judge_calibrated is judge_calibrated
    assert {*good.to_dict()} >= {"agents"}


def test_a_judge_that_saw_too_little_is_refused():
    votes, judge = people_and_judge(1.0)
    with pytest.raises(DataError, match="is calibrated on 20"):
        judge_calibrated(votes, judge.take(np.arange(10)))


def test_how_much_leaving_a_decision_bears_is_where_it_would_fall():
    evidence = PairEvidence(1, None)
    for _ in range(20):
        evidence.add(0, 1.0)
    growth, threshold = evidence.growth[0], 5.0
    found = bearable_leaving(growth, 1, threshold, 30, None)
    for votes, stands in ((found.bearable, True), (found.bearable + 1, False)):
        again = PairEvidence(1, None)
        for score in [1.0] * 20 + [0.0] * votes:
            again.add(0, score)
        assert bool(again.log_evidence(0)[0] >= threshold) is stands
    assert f"more than {found.bearable / 30:.0%} of the 30" in found.words
    assert "whatever" in bearable_leaving(growth, 1, threshold, 1, None).words


def test_leaving_that_goes_with_a_model_is_seen():
    assert min(leaving_tests({"x": (200, 40), "y": (200, 10), "z": (200, 10)}).values()) < 0.01
    assert min(leaving_tests({"x": (200, 12), "y": (200, 10), "z": (200, 11)}).values()) > 0.5


def votes_and_judge(rng, bias, votes=400):
    """Draw people's votes on answers of different lengths, and a judge's that adds a bias towards the longer one."""
    task = [f"q{k}" for k in range(votes)]
    texts = {(name, who): "w" * int(n) for name in task for who, n in zip("xy", rng.integers(1, 99, 2), strict=True)}
    longer = np.array([np.sign(len(texts[name, "x"]) - len(texts[name, "y"])) for name in task])
    people = (rng.random(votes) < 0.5 + 0.1 * longer).astype(float)
    seen = (rng.random(votes) < 0.5 + (0.1 + bias) * longer).astype(float)
    voters = Factor.of([f"v{k % 40}" for k in range(votes)])
    kept = votes - 50
    ours = eq.Matches.from_columns("x" * kept, "y" * kept, people[:kept], task=task[:kept])
    ours = replace(ours, labels={"voter": Factor(voters.labels, voters.codes[:kept])})
    return ours, eq.Matches.from_columns("x" * votes, "y" * votes, seen, task=task), texts, task


def test_a_judge_that_likes_length_more_than_people_is_told_from_one_that_likes_it_as_they_do():
    said = {}
    for bias in (0.0, 0.25):
        people, judge, texts, task = votes_and_judge(np.random.default_rng(5), bias)
        about = {name: "sums" if k % 2 else "maps" for k, name in enumerate(task)}
        said[bias] = judge_bias(people, judge, texts, about)
    assert said[0.25].length.low > 0
    assert said[0.25].length.low < 0.25 < said[0.25].length.high
    assert said[0.0].length.low < 0 < said[0.0].length.high
    assert "no significant bias by length" in said[0.0].words[0]
    assert "points of 100 more" in said[0.25].words[0]
    assert [one.what for one in said[0.25].categories] == ["maps", "sums"]
    assert all(0 <= one.low <= one.value <= one.high <= 1 for one in said[0.25].categories)
