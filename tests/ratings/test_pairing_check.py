"""Pairs that followed results are noticed, others are not, and what is done about it is said."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.ratings.population.adaptive_pairing import _gaps, _stays, check_pairing
from tests.statistical.pairings import fixed, king_of_the_hill, strengths, swiss

AGENTS = tuple("abcdefgh")


def one_log(design, seed=1, spread=0.7, **how):
    rng = np.random.default_rng(seed)
    log = design(strengths(rng, 1, 8, spread), rng, **how)
    a, b, outcome = (np.array(column)[:, 0] for column in (log.a, log.b, log.outcome))
    return eq.Matches.from_codes(AGENTS, a, b, outcome, time=np.array(log.round))


SWISS, KING, FIXED = one_log(swiss, rounds=12), one_log(king_of_the_hill, games=60), one_log(fixed, games=60)


def slow_gap(m):
    """Average scores of both before their round, a game at a time."""
    gaps, past = [], {}
    for when in np.unique(m.time):
        rows = np.flatnonzero(m.time == when)
        before = {agent: np.mean(points) for agent, points in past.items()}
        gaps += [abs(before[m.a[k]] - before[m.b[k]]) for k in rows if m.a[k] in before and m.b[k] in before]
        for k in rows:
            past.setdefault(m.a[k], []).append(m.outcome[k])
            past.setdefault(m.b[k], []).append(1 - m.outcome[k])
    return np.mean(gaps)


def slow_stay(m):
    rounds = {when: set(m.a[m.time == when]) | set(m.b[m.time == when]) for when in np.unique(m.time)}
    stays = [
        (2 * m.outcome[k] - 1) * ((m.a[k] in later) - (m.b[k] in later))
        for k in range(len(m))
        for later in [rounds.get(m.time[k] + 1, set())]
    ]
    return np.mean(stays)


@pytest.mark.parametrize("m", [SWISS, KING, FIXED], ids=["swiss", "king", "fixed"])
def test_both_numbers_agree_with_counting_by_hand(m):
    a, b, step = m.a.astype(np.int64), m.b.astype(np.int64), m.time.astype(np.int64)
    assert _gaps(a, b, step, m.outcome[None])[0] == pytest.approx(slow_gap(m))
    assert _stays(a, b, step, m.outcome[None])[0] == pytest.approx(slow_stay(m))


def test_swiss_rounds_and_the_winner_stays_are_noticed_and_a_fixed_schedule_is_not():
    for m, follows in ((SWISS, True), (KING, True), (FIXED, False)):
        board = eq.rank(m)
        kinds = (board.rated.interval.kind == "random-effects", "adaptive-pairing" in codes(board))
        assert kinds == (follows, follows)
    assert eq.rank(SWISS, pairing="fixed").rated.interval.kind == "sandwich"
    assert eq.rank(FIXED, pairing="adaptive").rated.interval.kind == "random-effects"


def codes(board):
    return [note.code for note in board.diagnostics]


def test_without_times_nothing_is_noticed_and_nothing_changes():
    m = eq.Matches.from_codes(AGENTS, SWISS.a, SWISS.b, SWISS.outcome)
    assert check_pairing(m, np.random.default_rng(0)) is None
    # Games and counted pairs are summed in another order: the last digit differs on some processors.
    np.testing.assert_allclose(eq.rank(m).rated.low, eq.bradley_terry(m).low, rtol=1e-13)


def test_what_stands_in_the_way_is_named():
    for options, name in (({"prior": 1.0}, "prior"), ({"n": 20}, "n")):
        board = eq.rank(SWISS, options=eq.RankOptions(**options))
        note = next(note for note in board.diagnostics if note.code == "adaptive-pairing")
        assert note.severity == "warning"
        assert f"leave {name} out" in note.message.lower()
        assert board.rated.interval.kind != "random-effects"
    with pytest.raises(eq.ParameterError, match="as if pairs did not depend on results"):
        eq.rank(SWISS, pairing="adaptive", options=eq.RankOptions(n=20))
    with pytest.raises(eq.ParameterError, match="does not go with"):
        eq.rank(SWISS, pairing="adaptive", method="elo")


def test_fractions_weights_and_components_are_not_judged():
    rng = np.random.default_rng(0)
    third = eq.Matches.from_codes(AGENTS, SWISS.a, SWISS.b, SWISS.outcome / 3, time=SWISS.time)
    heavy = eq.Matches.from_codes(AGENTS, SWISS.a, SWISS.b, SWISS.outcome, weight=2 * np.ones(48), time=SWISS.time)
    apart = eq.Matches.from_columns("aabbxxyy", "bbaayyxx", [1, 0, 1, 0.5, 1, 0, 0, 0.5], time=range(8))
    assert [check_pairing(m, rng) for m in (third, heavy, apart)] == [None] * 3
