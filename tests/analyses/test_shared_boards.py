"""Boards that share games: errors of changes by refits and simulation, references, and why others moved."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.cli.main import main
from equipoise.ratings.paired.shared_errors import RatedGames, covariance_of_change

NAMES = [f"p{k}" for k in range(5)]
STRENGTH = np.linspace(-1, 1, 5)


def log(games, rng, tie=0.0, strength=STRENGTH):
    a = rng.integers(len(strength), size=games)
    b = (a + rng.integers(1, len(strength), size=games)) % len(strength)
    won = (rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a] - 0.3))).astype(float)
    won[rng.random(games) < tie] = 0.5
    names = [f"p{k}" for k in range(len(strength))]
    return [names[i] for i in a], [names[i] for i in b], won.tolist()


def both(rng, tie=0.0):
    old, more = log(500, rng, tie), log(250, rng, tie)
    return old, tuple(one + other for one, other in zip(old, more, strict=True))


def rated(columns, group=None, **options):
    pairs = eq.Matches.from_columns(*columns, group=group).pairs(by_group=group is not None)
    return RatedGames(eq.bradley_terry(pairs, **options), pairs)


@pytest.mark.parametrize("options", [{}, {"side": True}, {"ties": "davidson", "side": True}, {"ties": "rao-kupper"}])
def test_the_covariance_of_a_change_is_that_of_changes_seen(options):
    rng = np.random.default_rng(0)
    changes, expected = [], []
    for _ in range(80):
        old, new = (rated(part, **options) for part in both(rng, 0.2 if "ties" in options else 0.0))
        change = [new.fit.rating[new.fit.agents.index(n)] - old.fit.rating[old.fit.agents.index(n)] for n in NAMES]
        changes.append(np.array(change) - np.mean(change))
        expected.append(np.diag(covariance_of_change(old, new, NAMES, old.games)))
    assert np.var(changes, axis=0).mean() == pytest.approx(np.mean(expected), rel=0.25)


def test_a_group_for_each_game_says_the_same_as_naming_the_shared_games():
    old, new = both(np.random.default_rng(1))
    apart = [rated(part, [f"{k}" for k in range(len(part[0]))]) for part in (old, new)]
    named = [rated(part) for part in (old, new)]
    by_group = covariance_of_change(*apart, NAMES, None)
    assert by_group == pytest.approx(covariance_of_change(*named, NAMES, named[0].games), rel=1e-6)


def test_nothing_shared_adds_the_covariances():
    old, new = both(np.random.default_rng(2))
    one, other = rated(old), rated(new)
    order = [[each.fit.agents.index(n) for n in NAMES] for each in (one, other)]
    total = sum(each.fit.covariance[np.ix_(at, at)] for each, at in zip((one, other), order, strict=True))
    assert covariance_of_change(one, other, NAMES, None) == pytest.approx(total, abs=1e-12)
    assert not covariance_of_change(one, one, NAMES, one.games).any()


def matches(columns, **more):
    return eq.Matches.from_columns(*columns, **more)


def test_shared_games_make_changes_surer():
    old, new = both(np.random.default_rng(3))
    known = eq.changes(matches(old), matches(new), shared="old")
    unknown = eq.changes(matches(old), matches(new))
    apart = eq.changes(matches(old), matches(new), shared="none")
    assert (known.high - known.low).mean() < 0.7 * (unknown.high - unknown.low).mean()
    assert [board.params["covariance"] for board in (known, unknown, apart)] == ["games", "unknown", "separate"]
    assert [note.code for note in unknown.diagnostics] == ["shared-games"]
    assert not known.diagnostics
    assert not apart.diagnostics
    assert known.change == pytest.approx(unknown.change, abs=20)


def test_groups_need_no_word_about_shared_games():
    old, new = both(np.random.default_rng(4))
    voters = [f"u{k % 90}" for k in range(750)]
    found = eq.changes(matches(old, group=voters[:500]), matches(new, group=voters))
    assert found.params["covariance"] == "groups"


def test_games_that_are_not_there_are_refused(tmp_path, capsys):
    old, new = both(np.random.default_rng(6))
    with pytest.raises(eq.DataError, match="hold all the old ones"):
        eq.changes(matches(new), matches(old), shared="old")
    board = eq.rank(matches(old)).to_dict()
    with pytest.raises(eq.EquipoiseError):
        eq.changes(board, matches(new), shared="old")
    with pytest.raises(eq.ParameterError, match="shared"):
        eq.changes(matches(old), matches(new), shared="some")
    for name, part in (("old", old), ("new", new)):
        rows = [",".join(map(str, row)) for row in zip(*part, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,outcome", *rows]))
    asked = ["rank", str(tmp_path / "new.csv"), "--since-board"]
    assert main([*asked, str(tmp_path / "old.csv"), "--shared", "old"]) == 0
    assert "Since old.csv" in capsys.readouterr().out
    assert main(["rank", str(tmp_path / "old.csv"), "--format", "json", "-o", str(tmp_path / "old.json")]) == 0
    assert main([*asked, str(tmp_path / "old.json"), "--shared", "old"]) != 0
    assert "needs the games behind both boards" in capsys.readouterr().err
    assert main(["rank", str(tmp_path / "new.csv"), "--shared", "old"]) != 0


def test_newcomers_and_the_zero_are_told_apart():
    """A strong newcomer moves the mean, and the others only as far as its games say something about them."""
    rng = np.random.default_rng(7)
    old = log(600, rng)
    more = log(600, rng, strength=np.append(STRENGTH, 3.0))
    new = tuple(one + other for one, other in zip(old, more, strict=True))
    found = eq.changes(matches(old), matches(new), shared="old")
    assert found.arrived == ("p5",)
    assert found.shift < -50
    assert any("All ratings moved by -" in sentence for sentence in found.answer)
    inside = [k for k in range(len(new[0])) if "p5" not in (new[0][k], new[1][k])]
    alone = eq.bradley_terry(matches(tuple([part[k] for k in inside] for part in new)))
    whole = eq.bradley_terry(matches(new))
    rating = np.array([[fit.rating[fit.agents.index(n)] for n in found.agents] for fit in (whole, alone)])
    rating -= rating.mean(axis=1, keepdims=True)
    assert found.by_newcomers == pytest.approx((rating[0] - rating[1]) / eq.methods.ELO_POINT, abs=1e-6)
    assert "by_newcomers" in found.frame().columns


def test_a_reference_holds_the_zero():
    old, new = both(np.random.default_rng(8))
    boards = [eq.rank(matches(part), reference="p1, p3") for part in (old, new)]
    for board in boards:
        rating = dict(zip(board.rated.agents, board.rated.rating, strict=True))
        assert rating["p1"] + rating["p3"] == pytest.approx(0.0, abs=1e-12)
    found = eq.changes(*boards)
    assert found.params["anchored"] is True
    assert found.shift == 0.0
    kept = dict(zip(found.agents, found.change, strict=True))
    assert kept["p1"] + kept["p3"] == pytest.approx(0.0, abs=1e-9)
    assert eq.changes(boards[0], eq.rank(matches(new), anchor="p1")).params["anchored"] is False


def test_errors_of_differences_to_a_reference_come_from_the_covariance():
    fit = eq.bradley_terry(matches(both(np.random.default_rng(9))[0]))
    against = fit.relative_to(["p1", "p3"])
    share = np.array([0.5 if name in ("p1", "p3") else 0.0 for name in fit.agents])
    weights = np.eye(5) - share
    assert against.stderr**2 == pytest.approx(np.diag(weights @ fit.covariance @ weights.T))
    assert fit.relative_to(["p2"]).stderr == pytest.approx(fit.relative_to("p2").stderr)
    assert fit.relative_to(["p2", "p2"]).rating == pytest.approx(fit.relative_to("p2").rating)


@pytest.mark.parametrize(
    "given",
    [
        {"reference": "p9"},
        {"reference": []},
        {"reference": "p1", "anchor": "p2"},
        {"reference": "p1", "options": eq.RankOptions(n=20)},
        {"reference": "p1", "method": "elo"},
    ],
)
def test_references_that_make_no_sense_are_refused(given):
    with pytest.raises(eq.ParameterError):
        eq.rank(matches(both(np.random.default_rng(10))[0]), **given)
