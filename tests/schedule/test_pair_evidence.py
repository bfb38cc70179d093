"""Evidence kept game by game for many pairs, against the capital worked out afresh."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.schedule.pair_evidence import PairEvidence, decided, log_growth, log_mixture, void_growth
from equipoise.schedule.stopping import log_capital

SCORES = st.lists(st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.floats(0.0, 1.0)), max_size=30)
MARGINS = st.sampled_from([None, 0.02, 0.1, 0.3])


def slow(scores: list[float], voids: int, margin: float | None) -> list[float]:
    """Log capital of each claim, with every void game as the worst score of that claim."""
    x = np.array(scores)
    bets = [(x, 0.5), (1.0 - x, 0.5)]
    if margin is not None:
        bets += [(1.0 - x, 0.5 - margin), (x, 0.5 - margin)]
    ones = np.ones(len(x) + voids)
    return [log_capital(np.concatenate([y, np.zeros(voids)]), ones, null) for y, null in bets]


@given(SCORES, st.integers(0, 4), MARGINS)
def test_evidence_kept_game_by_game_is_the_capital_of_all_games(scores, voids, margin):
    evidence = PairEvidence(3, margin)
    for x in scores:
        evidence.add(1, x)
    for _ in range(voids):
        evidence.add_void(1)
    np.testing.assert_allclose(evidence.log_evidence(1), slow(scores, voids, margin), rtol=1e-9, atol=1e-9)
    assert not evidence.growth[[0, 2]].any()
    assert evidence.games.tolist() == [0, len(scores) + voids, 0]


@given(SCORES, MARGINS)
def test_several_pairs_at_once_are_each_pair_by_itself(scores, margin):
    together, alone = PairEvidence(2, margin), PairEvidence(2, margin)
    for x in scores:
        together.add(np.array([0, 1]), np.array([x, 1.0 - x]))
        alone.add(0, x)
        alone.add(1, 1.0 - x)
    np.testing.assert_array_equal(together.growth, alone.growth)


@given(SCORES.filter(bool), MARGINS)
def test_a_game_made_void_later_counts_as_one_that_was_void_at_once(scores, margin):
    later, at_once = PairEvidence(1, margin), PairEvidence(1, margin)
    for x in scores:
        later.add(0, x)
    later.make_void(0, scores[0])
    at_once.add_void(0)
    for x in scores[1:]:
        at_once.add(0, x)
    np.testing.assert_allclose(later.growth, at_once.growth, rtol=1e-9, atol=1e-9)
    assert (later.games.tolist(), later.void.tolist()) == (at_once.games.tolist(), at_once.void.tolist())


@given(st.floats(0.0, 1.0), MARGINS)
def test_no_score_gives_any_stake_of_any_claim_less_than_a_void_game(score, margin):
    assert (log_growth(np.array(score), margin) >= void_growth(margin) - 1e-12).all()


@given(SCORES, st.sampled_from([None, 0.1, 0.3]), st.sampled_from([0.05, 0.5]))
def test_decisions_are_those_of_the_stopping_rule(scores, margin, alpha):
    evidence = PairEvidence(1, margin)
    for x in scores * 5:
        evidence.add(0, x)
    rule = eq.StoppingRule(alpha, margin=margin)
    words = ("undecided", "first", "second", "equal")
    assert words[int(decided(evidence.log_evidence(0), rule.threshold))] == rule.score_verdict(scores * 5)


@given(SCORES.filter(bool), MARGINS, st.floats(0.0, 6.0))
def test_what_is_decided_is_never_passed_over_by_the_quick_look(scores, margin, threshold):
    evidence = PairEvidence(1, margin)
    for x in scores * 5:
        evidence.add(0, x)
        top = float(evidence.log_evidence(0).max())
        assert evidence.reaches(0, top)
        assert evidence.reaches(0, threshold) or top < threshold


def test_growth_that_is_remembered_is_that_of_the_score():
    evidence, slow = PairEvidence(1, 0.1), 0.0
    for x in [k / 500 for k in range(500)] * 2:
        evidence.add(0, x)
        slow = slow + log_growth(np.array(x), 0.1)
    np.testing.assert_array_equal(evidence.growth[0], slow)


def test_a_state_goes_on_bit_for_bit_and_keeps_only_pairs_that_played():
    evidence = PairEvidence(5, 0.1)
    for x in (0.3, 1 / 3, 0.9):
        evidence.add(3, x)
    evidence.add_void(1)
    saved = json.loads(json.dumps(evidence.state(), allow_nan=False))
    assert saved["played"] == [1, 3]
    again = PairEvidence.from_state(saved)
    for name in ("growth", "games", "void"):
        np.testing.assert_array_equal(getattr(again, name), getattr(evidence, name))
    again.more(2)
    assert again.growth.shape == (7, *evidence.growth.shape[1:])


def test_large_growth_does_not_overflow():
    assert log_mixture(np.array([[1e6, 0.0, -1e6]]))[0] == pytest.approx(1e6 - np.log(3))


@given(SCORES, st.sampled_from([None, 0.1]))
@settings(max_examples=30)
def test_any_scores_are_judged_as_wins_draws_and_losses_are(scores, margin):
    plain = [x for x in scores if x in (0.0, 0.5, 1.0)] * 6
    rule = eq.StoppingRule(0.05, margin=margin)
    counts = [plain.count(x) for x in (1.0, 0.5, 0.0)]
    assert rule.score_verdict(plain) == rule.score_verdict([1, 0.5, 0], counts) == rule.verdict(*counts)
    assert eq.methods.score_evalue(plain) == pytest.approx(eq.methods.evalue(*counts))


@pytest.mark.parametrize(
    ("scores", "games", "words"),
    [([1.2], None, "between 0 and 1, not 1.2"), ([float("nan")], None, "between 0 and 1"), (["a"], None, "numbers"),
     ([1, 0], [1], "2 scores"), ([1], [-1], "count"), ([1], [float("inf")], "count")],
)  # fmt: skip
def test_what_is_no_score_is_refused(scores, games, words):
    for call in (eq.methods.score_evalue, eq.StoppingRule().score_verdict):
        with pytest.raises(eq.ParameterError, match=words):
            call(scores, games)
