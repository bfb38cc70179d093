"""One bet a cluster: evidence from games of voters, in plans and comparisons, against the rule on their means."""

import json

import numpy as np
import polars as pl
import pytest

import equipoise as eq
from equipoise.alpharank.bounds import payoff_bounds
from equipoise.data.encode.labels import Factor
from equipoise.inference.cluster_scores import ClusterScores
from equipoise.inference.confidence import hoeffding_interval


def votes(seed, voters=12, games=900, taste=1.0):
    rng = np.random.default_rng(seed)
    one, two = rng.integers(3, size=games), rng.integers(1, 3, size=games)
    two = (one + two) % 3
    who = rng.integers(voters, size=games)
    liked = taste * rng.normal(size=(voters, 3))
    won = rng.random(games) < 1 / (1 + np.exp(liked[who, two] - liked[who, one]))
    score = np.where(rng.random(games) < 0.1, 0.5, won)
    names = np.array(list("abc"))
    return eq.Matches.from_columns(names[one], names[two], score, group=[f"v{name}" for name in who])


def means(matches, first, second):
    """Mean score of the first against the second by voter, the slow way."""
    one, other = matches.agents.index(first), matches.agents.index(second)
    scores = {}
    for a, b, y, who in zip(matches.a, matches.b, matches.outcome, matches.group.codes, strict=True):
        if {a, b} == {one, other}:
            scores.setdefault(who, []).append(y if a == one else 1 - y)
    return [float(np.mean(each)) for each in scores.values()]


@pytest.mark.parametrize("margin", [None, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_a_planner_decides_as_the_rule_does_on_means_of_clusters(seed, margin):
    matches, rule = votes(seed, voters=40, taste=0.3), eq.StoppingRule(0.3, 1, margin)
    planner = eq.PairPlanner("cab", stopping=rule)
    planner.tell_table(matches.pairs(by_group=True))
    for (first, second), verdict in planner.verdicts().items():
        assert verdict == rule.score_verdict(means(matches, first, second))
    again = eq.PairPlanner.from_state(json.loads(json.dumps(planner.state())))
    assert again.verdicts() == planner.verdicts()
    assert again.state() == planner.state()


def test_what_is_played_and_believed_is_that_of_all_games():
    matches = votes(5)
    clustered, plain = (eq.PairPlanner("abc") for _ in range(2))
    clustered.tell_table(matches.pairs(by_group=True))
    plain.tell_table(matches.pairs())
    for one, other in zip(clustered.ask(3), plain.ask(3), strict=True):
        assert (one.first, one.second, one.games) == (other.first, other.second, other.games)
        assert one.score == pytest.approx(other.score)
        assert one.worth == pytest.approx(other.worth)


def test_of_several_columns_the_one_with_the_fewest_clusters_counts():
    matches = votes(1)
    few = Factor.of(f"q{k % 4}" for k in range(len(matches.a)))
    table = matches.pairs(by_group=True)
    finest = Factor.crossed([matches.group, few])
    both = eq.PairTable.from_outcomes(matches.agents, matches.a, matches.b, matches.outcome, None, group=finest)
    assert len(ClusterScores.of(table).score) == 36
    assert len(ClusterScores.of(both.parted(["question"])).score) == 12
    assert ClusterScores.of(table.pooled()) is None


def test_the_growth_of_a_bet_is_that_of_the_mean_of_clusters():
    matches = votes(3)
    bets = ClusterScores.of(matches.pairs(by_group=True))
    off = np.array(means(matches, *matches.agents[:2])) - 0.5
    games = bets.games[(bets.first == 0) & (bets.second == 1)].sum()
    growth = bets.growth_of_a_game(3)
    assert growth[0, 1] == pytest.approx(len(off) / games * off.mean() ** 2 / (2 * (off.var() + off.mean() ** 2)))
    assert not np.tril(growth).any()


def test_a_plan_takes_the_games_of_a_few_voters_for_a_few_bets():
    few = votes(4, voters=6)
    clustered, plain = eq.plan(few), eq.plan(few.pairs())
    assert clustered.clustered
    assert not plain.clustered
    assert set(clustered.verdict) == {"undecided"} != set(plain.verdict)
    np.testing.assert_allclose(clustered.score, plain.score)
    np.testing.assert_allclose(clustered.games, plain.games)


def test_a_comparison_bets_as_a_plan_does():
    matches = votes(2, voters=60, taste=0.2)
    found = eq.compare(matches, "c", "a")
    assert found.e_first == pytest.approx(eq.methods.score_evalue(means(matches, "c", "a")))


def test_bounds_on_masses_are_those_of_means_of_clusters():
    matches = votes(6, voters=30, taste=0.3)
    table = matches.pairs(by_group=True)
    low, high, interval = payoff_bounds(table, level=0.9)
    assert interval.kind.startswith("Hoeffding")
    scores = means(matches, "a", "b")
    i, j = (matches.agents.index(name) for name in "ab")
    wanted = hoeffding_interval(np.mean(scores), len(scores), 0.1 / 3)
    np.testing.assert_allclose((low[i, j], high[i, j]), wanted)
    np.testing.assert_allclose(low, 1 - high.T)
    rank = eq.alpha_rank(matches, confidence="auto", level=0.9)
    bounds = eq.alpha_rank_bounds(low, high, strategies=matches.agents)
    np.testing.assert_allclose((rank.low, rank.high), (bounds.pi_low, bounds.pi_high))
    np.testing.assert_allclose(rank.pi, eq.alpha_rank(matches.pairs(), confidence="auto").pi)


def test_questions_about_masses_heed_voters_that_are_found():
    matches = votes(7, voters=8, games=6000, taste=1.5)
    names = np.array(matches.agents)
    columns = {"model_a": names[matches.a], "model_b": names[matches.b], "score": matches.outcome}
    frame = pl.DataFrame(columns | {"voter": [matches.group.labels[code] for code in matches.group.codes]})
    found, alone = (eq.metagame(frame, read=eq.ReadOptions(group=group)).result for group in (None, "none"))
    assert (found.low <= alone.low).all()
    assert (found.high - found.low > alone.high - alone.low).any()
    board = eq.rank(frame).alpha_rank
    np.testing.assert_allclose((board.low, board.high), (found.low, found.high))
