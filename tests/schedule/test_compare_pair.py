"""Two agents compared: against counting and drawing, and in words."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.schedule.compare_pair import _score_quantile

COUNTS = st.integers(0, 30)


@given(wins=COUNTS, losses=COUNTS)
@settings(max_examples=30, deadline=None)
def test_without_ties_their_own_games_are_jeffreys_interval(wins, losses):
    if wins + losses == 0:
        return
    for q in (0.025, 0.5, 0.975):
        exact = scipy.stats.beta(wins + 0.5, losses + 0.5).ppf(q)
        assert _score_quantile(q, wins, 0, losses) == pytest.approx(exact, abs=1e-9)


def test_with_ties_it_is_what_draws_give():
    rng = np.random.default_rng(0)
    t, q = rng.beta(10.5, 15.5, 400_000), rng.beta(10.5, 5.5, 400_000)
    for chance in (0.025, 0.5, 0.975):
        assert _score_quantile(chance, 10, 10, 5) == pytest.approx(np.quantile(t / 2 + (1 - t) * q, chance), abs=2e-3)


def ladder():
    return eq.PairTable.from_wins([[0, 14, 20], [8, 0, 15], [3, 9, 0]], ["x", "y", "z"])


def test_all_games_are_the_difference_of_ratings_and_the_two_directions_agree():
    there, back = (eq.compare_pair(ladder(), *pair) for pair in (("x", "y"), ("y", "x")))
    about = eq.bradley_terry(ladder()).relative_to("y")
    assert there.score[-1] == pytest.approx(scipy.special.expit(about.rating[0]))
    assert there.chance[-1] == pytest.approx(scipy.special.ndtr(about.rating[0] / about.stderr[0]))
    np.testing.assert_allclose(there.chance, 1 - back.chance, atol=1e-9)
    np.testing.assert_allclose(there.low, 1 - back.high, atol=1e-9)
    assert (there.e_first, there.e_second) == pytest.approx((back.e_second, back.e_first))
    assert there.anytime_low == pytest.approx(1 - back.anytime_high)
    assert there.answer == back.answer or there.more is not None
    assert there.evidence == ("their own games", "games with others", "all games")
    assert there.games.tolist() == [22, 47, 69]


def test_the_e_value_is_that_of_the_stopping_rule():
    found = eq.compare_pair(ladder(), "x", "y")
    assert found.e_first == pytest.approx(eq.methods.evalue(14, 0, 8))
    rule = eq.StoppingRule(alpha=0.05)
    for wins, losses in ((14, 8), (30, 5), (3, 25)):
        found = eq.compare_pair(eq.PairTable.from_wins([[0, wins], [losses, 0]], ["x", "y"]), "x", "y")
        decided = {"first": found.e_first, "second": found.e_second}
        settled = [name for name, e in decided.items() if e >= found.settled_at - 1e-9]
        assert settled == [name for name in decided if rule.verdict(wins, 0, losses) == name]
        # The bettor's interval leaves out one half just where the e-value settles it.
        assert (found.anytime_low > 0.5 or found.anytime_high < 0.5) == bool(settled)


def test_agents_that_never_met_are_compared_through_others():
    m = eq.PairTable.from_wins([[0, 9, 0], [3, 0, 8], [0, 4, 0]], ["x", "y", "z"])
    found = eq.compare_pair(m, "x", "z")
    assert found.evidence == ("games with others", "all games")
    assert (found.e_first, found.anytime_low, found.anytime_high) == (pytest.approx(1.0), 0.0, 1.0)
    assert "never met" in found.answer[0]


def test_agents_elsewhere_do_not_stand_in_the_way():
    both = eq.Matches.from_columns("aabbxxyy", "bbaayyxx", [1, 0, 1, 0.5, 1, 0, 0, 0.5])
    alone = eq.Matches.from_columns("aabb", "bbaa", [1, 0, 1, 0.5])
    np.testing.assert_allclose(eq.compare_pair(both, "a", "b").chance, eq.compare_pair(alone, "a", "b").chance)
    with pytest.raises(eq.DataError, match="never met"):
        eq.compare_pair(both, "a", "x")


def test_the_fewer_degrees_of_freedom_of_the_two_count_where_groups_tell_of_agents_unevenly():
    games = [("x", "y", k % 3 > 0, f"voter {k}") for k in range(40)] + [
        ("y", "x", k % 2, f"voter {k}") for k in range(40)
    ]
    games += [("y", "z", k % 2, "voter 1") for k in range(9)] + [("z", "y", k % 3 > 1, "voter 2") for k in range(9)]
    a, b, scores, groups = zip(*games, strict=True)
    matches = eq.Matches.from_columns(a, b, [float(score) for score in scores], group=groups)
    fit = eq.bradley_terry(matches.pairs(by_group=True), side=True)
    degrees = np.asarray(fit.degrees)
    assert len(set(degrees)) > 1
    found = eq.compare_pair(matches, "x", "z", side=True)
    about, x = fit.relative_to("z"), fit.agents.index("x")
    fewer = min(degrees[x], degrees[fit.agents.index("z")])
    chance = scipy.stats.t.cdf(about.rating[x] / about.stderr[x], fewer)
    (row,) = [row for row in found.frame().to_dicts() if row["evidence"] == "all games"]
    assert row["chance"] == pytest.approx(chance)


def test_a_group_is_one_bet():
    a = eq.Matches.from_columns("ab" * 30, "ba" * 30, [1, 0, 1, 0.5] * 15, group=np.repeat(np.arange(12), 5))
    found = eq.compare_pair(a, "a", "b")
    plain = eq.compare_pair(eq.Matches.from_columns("ab" * 30, "ba" * 30, [1, 0, 1, 0.5] * 15), "a", "b")
    assert 1 < found.e_first < plain.e_first


@pytest.mark.parametrize(
    ("names", "said"), [(("x", "x"), "itself"), (("x", "q"), 'no agent "q"'), ((None, "x"), "compare_pair")]
)
def test_names_that_make_no_sense_are_refused(names, said):
    with pytest.raises(eq.EquipoiseError, match=said):
        eq.compare_pair(ladder(), *names)


def test_one_sentence_says_how_likely_by_what_and_whether_it_is_settled():
    first = eq.compare_pair(ladder(), "y", "x").answer[0]
    assert first.startswith("x is better than y with probability")
    for part in ("): significant; ", "22 games of their own", "e = ", "does not settle it (40 would)"):
        assert part in first
