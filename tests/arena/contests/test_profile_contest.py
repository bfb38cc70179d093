"""The contest for a profile: the learner of response graphs in its guaranteed form, with blocks in order and voids."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.arena.contests.contest import ContestOptions
from equipoise.arena.contests.make import contest_from_state, make_contest
from tests.arena.contests.arenas import play

RING = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])


def told(one, pair, scores, start=0):
    made = []
    for number, score in enumerate(scores, start):
        one.opened(number, pair)
        made += one.closed(number, None if score is None else {pair[0]: score, pair[1]: 1 - score})
    return made


def test_a_ring_is_learnt_as_it_is():
    one = make_contest(list("abc"), ContestOptions(goal="profile", seed=1))
    play(one, RING, list("abc"), np.random.default_rng(2), workers=3)
    assert {(d.kind, d.first, d.second) for d in one.decisions} == {("edge", *pair) for pair in ("ab", "bc", "ca")}
    progress = one.progress()
    assert (progress.answered, progress.ending, progress.forecast) == (True, "decided", None)
    assert "right with probability at least 0.95" in progress.guarantee


@given(st.lists(st.sampled_from([0.0, 0.5, 0.75, 1.0]), min_size=1, max_size=250), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_a_pair_is_decided_by_the_same_game_as_by_the_learner(scores, players):
    names = list("abcde")[:players]
    one = make_contest(names, ContestOptions(goal="profile", level=0.6))
    learner = eq.ResponseGraphUCB(names, delta=0.4, union_bound=True, time_dependent=True, constant_sum=1.0)
    for number, score in enumerate(scores):
        made = told(one, ("a", "b"), [score], number)
        before = learner.unresolved
        learner.tell(("a", "b"), score)
        assert bool(made) == (learner.unresolved < before)
        if made:
            worse, better = learner.graph().edges[0]
            assert (made[0].first, made[0].second) == (better[0], worse[0])


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=1, max_size=200))
@settings(max_examples=40, deadline=None)
def test_void_blocks_never_decide_and_never_help(scores):
    plain, holed = (make_contest(["a", "b"], ContestOptions(goal="profile", level=0.5)) for _ in range(2))
    for number, score in enumerate(scores):
        made = told(holed, ("a", "b"), [score], number)
        assert not (made and score is None)
        told(plain, ("a", "b"), [1.0 if score is None else score], number)
    for d in holed.decisions:
        if d.first == "a":
            assert plain.decisions[0].block <= d.block


def test_a_forecast_reaches_over_scores_a_standard_error_off():
    one = make_contest(list("abc"), ContestOptions(goal="profile", seed=1))
    play(one, RING, list("abc"), np.random.default_rng(2), most=30)
    left = one.progress().forecast
    assert left.low < left.expected < left.high


def test_a_withdrawn_edge_opens_again():
    one = make_contest(["a", "b"], ContestOptions(goal="profile", level=0.5))
    made = told(one, ("a", "b"), [1.0] * 40)
    changed = one.voided(0, ("a", "b"), None, {"a": 1.0, "b": 0.0})
    assert [d.status for d in changed] == ["withdrawn", "post hoc"]
    assert changed[0].block == made[0].block
    for block in range(1, 40):
        one.voided(block, ("a", "b"), None, {"a": 1.0, "b": 0.0})
    assert not one.progress().answered
    assert one.decisions[-1].status == "withdrawn"


def test_it_goes_on_from_its_state():
    one = make_contest(list("abc"), ContestOptions(goal="profile", seed=4, tasks=("x", "y"), level=0.6))
    rng, playing = np.random.default_rng(1), []
    for number in range(60):
        saved = json.dumps(one.state(), allow_nan=False)
        two = contest_from_state(json.loads(saved))
        assert json.dumps(two.state()) == saved
        proposal = one.propose(number)
        assert two.propose(number) == proposal
        if proposal is None:
            break
        one.opened(number, proposal.players, proposal.task)
        playing.append((number, proposal.players))
        if len(playing) == 3:
            block, (a, b) = playing.pop(int(rng.integers(3)))
            score = float(rng.random() < 0.8)
            one.closed(block, {a: score, b: 1 - score})
            assert one.progress().to_dict()["sentence"]


def test_equals_spend_the_budget():
    one = make_contest(["a", "b"], ContestOptions(goal="profile", budget=50))
    assert play(one, np.full((2, 2), 0.5), ["a", "b"], np.random.default_rng(1)) == 50
    assert one.progress().ending == "budget used up"


def test_nobody_joins():
    with pytest.raises(eq.ParameterError, match="ask anew"):
        make_contest(["a", "b"], ContestOptions(goal="profile", open_=True)).added("c")
