"""Plackett-Luce: figures of R's PlackettLuce and of choix, a slow likelihood, existence, and ``rank`` on such files."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.cli.main import main
from equipoise.data.encode.labels import Factor


def rows(table, names):
    """Take places as R's package has them: a row a ranking, 0 for who did not take part."""
    levels = np.array(table, float)
    levels[levels == 0] = np.nan
    return eq.Ballots.from_levels(tuple(names), levels)


FRUITS3 = rows([[1, 2, 0], [3, 1, 2], [2, 1, 1], [1, 2, 3], [2, 1, 1], [1, 0, 2]], ["apple", "banana", "orange"])
FRUITS4 = rows([[1, 2, 0, 0], [4, 1, 2, 3], [2, 1, 1, 1], [1, 2, 3, 0], [2, 1, 1, 0], [1, 0, 3, 2]], "abcd")


def test_fruits_under_a_prior_are_those_of_r():
    found = eq.plackett_luce(FRUITS3, prior=0.5)
    assert (found.rating - found.rating[0])[1:] == pytest.approx([0.28679867, -0.46366869], abs=1e-8)
    assert float(found.tie[2]) == pytest.approx(-1.07011288, abs=1e-8)
    spread = found.covariance
    error = np.sqrt(np.diag(spread) + spread[0, 0] - 2 * spread[0])[1:]
    assert error == pytest.approx([0.962, 0.975], abs=5e-4)
    assert found.interval.kind == "posterior"


@pytest.mark.parametrize(
    ("data", "ratings", "ties", "value"),
    [
        (FRUITS3, [0.34404895, -0.55556439], {2: -0.73464513}, -10.72453799),
        (FRUITS4, [0.29428743, -0.73351131, -0.11909605], {2: -1.86194671, 3: -0.73697346}, -14.56973929),
    ],
)
def test_fruits_by_maximum_likelihood(data, ratings, ties, value):
    found = eq.plackett_luce(data)
    assert (found.rating - found.rating[0])[1:] == pytest.approx(ratings, abs=1e-8)
    assert {size: float(tie) for size, tie in found.tie.items()} == pytest.approx(ties, abs=1e-8)
    assert found.log_likelihood == pytest.approx(value, abs=1e-8)
    assert found.fit.converged


def test_four_rankings_of_choix():
    found = eq.plackett_luce(eq.Ballots.from_orders(["012", "021", "102", "210"], agents="012"))
    assert found.rating == pytest.approx([0.320996, 0.055026, -0.376022], abs=1e-6)
    assert found.log_likelihood == pytest.approx(-6.90397271, abs=1e-8)


def slow_likelihood(theta, ballots, sizes):
    """Multiply the probabilities stage by stage, set by set."""
    n = len(ballots.agents)
    tie = dict(zip(sizes, theta[n:], strict=True)) | {1: 0.0}
    at = {name: k for k, name in enumerate(ballots.agents)}
    total = 0.0
    for row in range(len(ballots)):
        groups = [[at[name] for name in group] for group in ballots.named(row)]
        left = [k for group in groups for k in group]
        for group in groups:
            if len(left) > 1:
                sets = [s for size in tie for s in combinations(left, size)]
                worth = [theta[list(s)].mean() + tie[len(s)] for s in sets]
                total += theta[group].mean() + tie[len(group)] - scipy.special.logsumexp(worth)
            left = [k for k in left if k not in group]
    return total


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_the_maximum_of_the_slow_likelihood(seed):
    rng = np.random.default_rng(seed)
    levels = rng.integers(0, 4 if seed % 2 else 1000, (14, 4)).astype(float)
    levels[rng.random(levels.shape) < 0.15] = np.nan
    ballots = eq.Ballots.from_levels(tuple("abcd"), levels[(~np.isnan(levels)).sum(axis=1) > 1])
    found = eq.plackett_luce(ballots, prior=None)
    theta = np.concatenate([found.rating, list(map(float, found.tie.values()))])
    assert found.log_likelihood == pytest.approx(slow_likelihood(theta, ballots, found.tie), abs=1e-9)
    if not found.params["prior"]:
        best = scipy.optimize.minimize(lambda x: -slow_likelihood(x, ballots, found.tie), theta * 0.9, method="BFGS")
        assert found.log_likelihood >= -best.fun - 1e-7


def test_two_players_are_bradley_terry():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 200)
    b = (a + rng.integers(1, 4, 200)) % 4
    won = rng.random(200) < 0.6
    names = np.array(list("wxyz"))
    games = eq.Matches.from_columns(names[a], names[b], won.astype(float))
    races = eq.Rankings.from_columns(
        np.repeat(np.arange(200), 2), names[np.column_stack([a, b])].ravel(),
        np.column_stack([1 + ~won, 1 + won]).ravel(),
    )  # fmt: skip
    one, other = eq.bradley_terry(games), eq.plackett_luce(races)
    by_name = dict(zip(one.agents, one.rating, strict=True))
    assert [by_name[name] for name in other.agents] == pytest.approx(other.rating.tolist(), abs=1e-7)


def test_whether_a_finite_estimate_exists_is_not_asked_of_ties_as_half_wins():
    none = eq.plackett_luce(eq.Ballots.from_orders([["0", "1"], [("0", "1")]]))
    assert "no-finite-mle" in {note.code for note in none.diagnostics}
    there = eq.plackett_luce(eq.Ballots.from_orders([["0", "1"], [("1", "2")], ["2", "0"]], agents="012"))
    assert there.rating == pytest.approx([0, -1.3107, 1.3107], abs=1e-4)
    assert float(there.tie[2]) == pytest.approx(0.3540, abs=1e-4)
    assert "no-finite-mle" not in {note.code for note in there.diagnostics}


def test_who_always_wins_is_refused_without_a_prior():
    with pytest.raises(eq.DataError, match="no finite estimate"):
        eq.plackett_luce(eq.Ballots.from_orders(["abc", "acb"]), prior=0)


def test_nothing_but_ties_is_refused():
    with pytest.raises(eq.DataError, match="all games are ties"):
        eq.plackett_luce(eq.Ballots.from_orders([[("a", "b")], [("b", "c")]]))


def test_races_that_do_not_connect_everybody_are_refused():
    with pytest.raises(eq.DisconnectedError, match="never met"):
        eq.plackett_luce(eq.Ballots.from_orders(["ab", "ba", "cd", "dc"]))


def test_a_race_that_counts_twice_is_two_races():
    orders = ["abc", "bca", "cab", "acb", "bac"]
    heavy = eq.plackett_luce(eq.Ballots.from_orders(orders, weights=[2, 1, 1, 1, 2]))
    long = eq.plackett_luce(eq.Ballots.from_orders(["abc", *orders, "bac"]))
    assert heavy.rating == pytest.approx(long.rating)
    assert heavy.stderr == pytest.approx(long.stderr)


def test_intervals_of_races_cover_the_truth():
    """Errors clustered by game, 60 races of four among six: 95% intervals of a rating less the mean of all."""
    rng = np.random.default_rng(1)
    truth = np.linspace(1, -1, 6)
    names = np.array(list("abcdef"))
    inside = []
    for _ in range(60):
        who = rng.permuted(np.tile(np.arange(6), (60, 1)), axis=1)[:, :4]
        utility = truth[who] + rng.gumbel(size=who.shape)
        place = np.argsort(np.argsort(-utility, axis=1), axis=1)
        races = eq.Rankings.from_columns(np.repeat(np.arange(60), 4), names[who].ravel(), place.ravel())
        found = eq.plackett_luce(races)
        at = [found.agents.index(name) for name in names]
        inside += list((found.low[at] <= truth) & (truth <= found.high[at]))
    assert 0.92 <= np.mean(inside) <= 0.98


RACES = "race,driver,position\n" + "".join(
    f"{race},{driver},{place}\n"
    for race, order in enumerate(["abc", "bac", "cab", "acb", "bca", "abc"])
    for place, driver in enumerate(order, 1)
)


def test_rank_takes_files_of_races(tmp_path, capsys):
    path = tmp_path / "races.csv"
    path.write_text(RACES)
    assert main(["rank", str(path)]) == 0
    assert "Plackett" in capsys.readouterr().out
    assert main(["rank", str(path), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["agents"][0]["agent"] == "a"
    board = eq.rank(str(path))
    assert isinstance(board, eq.results.PlackettLuce)
    assert board.frame()["rating"][0] == pytest.approx(printed["agents"][0]["rating"])


def test_what_only_fits_games_of_two_is_refused_of_races(tmp_path):
    path = tmp_path / "races.csv"
    path.write_text(RACES)
    with pytest.raises(eq.ParameterError, match="position"):
        eq.rank(str(path), position=True)


def test_races_carry_over_to_transitivity():
    """Each pair of a race once, ties kept, whoever is named first; a circle of races is no ranking."""
    races = eq.Rankings.from_columns(["p", "p", "p", "q", "q"], list("abcca"), [2, 1, 2, 1, 2])
    matches = eq.methods.matches_from_rankings(races)
    seen = {(matches.group.labels[g], matches.agents[i], matches.agents[j], o) for g, i, j, o in zip(
        matches.group.codes, matches.a, matches.b, matches.outcome, strict=True)}  # fmt: skip
    known = {("p", "a", "b", 0.0), ("p", "b", "c", 1.0), ("p", "a", "c", 0.5), ("q", "a", "c", 0.0)}
    assert {(g, *sorted((i, j)), o if i < j else 1 - o) for g, i, j, o in seen} == known
    turning = [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")] * 30
    rows = [(f"r{k}", name, place) for k, order in enumerate(turning) for place, name in enumerate(order)]
    circle = eq.methods.matches_from_rankings(eq.Rankings.from_columns(*zip(*rows, strict=True)))
    assert eq.transitivity(circle, n=99).p_value < 0.05
    with pytest.raises(eq.DataError, match="not Matches"):
        eq.methods.matches_from_rankings(matches)


@pytest.mark.parametrize("levels", [3, 30])  # with ties, and nearly without
def test_sets_of_games_are_clusters_of_errors(levels):
    """Games that are entered twice, as sets of two, say nothing more; each game for itself is the same as no sets."""
    rng = np.random.default_rng(5)
    score = np.argsort(rng.random((40, 30)), axis=1)[:, :4] if levels == 30 else rng.integers(levels, size=(40, 4))
    once = eq.Rankings.from_columns(np.repeat(np.arange(40), 4), list("abcd") * 40, score.ravel())
    plain = eq.plackett_luce(once)
    alone = eq.plackett_luce(replace(once, group=Factor.of(once.games)))
    assert alone.stderr == pytest.approx(plain.stderr, rel=1e-9)
    assert alone.low == pytest.approx(plain.low, rel=1e-9)
    sets = replace(once, group=Factor.of(once.games)).take(np.tile(np.arange(40), 2))
    twice = eq.plackett_luce(sets)
    assert twice.rating == pytest.approx(plain.rating, abs=1e-8)
    assert twice.stderr == pytest.approx(plain.stderr, rel=1e-7)
    assert twice.low == pytest.approx(plain.low, rel=1e-6)
    assert eq.plackett_luce(replace(sets, group=None)).stderr == pytest.approx(
        plain.stderr / np.sqrt(2), rel=0.02
    )  # fmt: skip
    assert len(eq.methods.matches_from_rankings(sets).group.labels) == 40
