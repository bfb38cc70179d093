"""Ranks and ratings that hold while play goes on."""

from dataclasses import replace

import numpy as np
import pytest

import equipoise as eq
from tests.arena.playing import finish, small

STRENGTH = {"a": 2.0, "b": 1.0, "c": 0.0, "d": -1.0}


def played(path, goal, budget=3000, **more):
    rng = np.random.default_rng(0)
    spec = eq.ArenaSpec(name="x", game="python:x:y", players=list("dcba"), goal=goal, budget=budget, **more)
    with eq.Arena.create(path / "x.db", spec) as arena:
        while leases := arena.ask(n=4):
            for lease in leases:
                first, second = lease.trial.players
                won = float(rng.random() < 1 / (1 + np.exp(STRENGTH[second] - STRENGTH[first])))
                arena.tell(lease, (won, 1 - won))
        return arena.standings()


@pytest.mark.parametrize(
    ("goal", "ranks"),
    [
        ("order", {"a": (1, 1), "b": (2, 2), "c": (3, 3), "d": (4, 4)}),
        ("best", {"a": (1, 1), "b": (2, 4), "c": (2, 4), "d": (2, 4)}),
        ("top:2", {"a": (1, 2), "b": (1, 2), "c": (3, 4), "d": (3, 4)}),
    ],
)
def test_ranks_say_what_the_goal_guarantees_and_no_more(tmp_path, goal, ranks):
    standings = played(tmp_path, goal)
    found = zip(standings.rank_low.tolist(), standings.rank_high.tolist(), strict=True)
    assert dict(zip(standings.agents, found, strict=True)) == ranks
    assert standings.frame()["agent"][0] == "a"


def test_before_an_answer_about_the_best_every_rank_is_possible(tmp_path):
    standings = played(tmp_path, "best", budget=12)
    assert set(standings.rank_low.tolist()) == {1}
    assert set(standings.rank_high.tolist()) == {4}
    assert standings.phase == "spent"


def test_ratings_know_whether_pairs_followed_results(tmp_path):
    (tmp_path / "fixed").mkdir()
    assert played(tmp_path, "order").interval.kind == "random-effects"
    assert played(tmp_path / "fixed", "budget", budget=120, policy="round-robin").interval.kind == "sandwich"


def test_standings_are_strict_json_and_sorted_best_first(tmp_path):
    standings = played(tmp_path, "order")
    body = standings.to_dict()
    assert [row["agent"] for row in body["agents"]] == ["a", "b", "c", "d"]
    assert body["verdict"]["after"] == standings.counted
    assert body["progress"]["answered"] is True


def test_counts_without_a_verdict_are_the_same_and_quick_to_have(tmp_path):
    spec = eq.ArenaSpec(name="x", game="python:x:y", players=["a", "b"], goal="budget", budget=8)
    with eq.Arena.create(tmp_path / "x.db", spec) as arena:
        for lease in arena.ask(n=8):
            arena.tell(lease, (1.0, 0.0))
        quick, whole = arena.standings(verdict=False), arena.standings()
    assert quick.board is None
    assert whole.board is not None
    assert quick.rating.tolist() == whole.rating.tolist()
    assert quick.score.tolist() == [0.5, 0.5]


def test_a_table_of_three_is_rated_by_places(tmp_path):
    """The same as Plackett and Luce on the games that were reported."""
    with eq.Arena.create(tmp_path / "three.db", small(players=list("abcd"), seats=3, budget=36)) as arena:
        finish(arena)
        found, races = arena.standings(), arena.rankings()
        assert len(races.games) == 36
        assert len(races.group.labels) == 12  # each deals its seed to every seat
        rated = eq.plackett_luce(races)
        assert rated.stderr.tolist() != eq.plackett_luce(replace(races, group=None)).stderr.tolist()
        errors = dict(zip(rated.agents, (rated.rating - rated.low).tolist(), strict=True))
        known = dict(zip(rated.agents, rated.rating.tolist(), strict=True))
        assert dict(zip(found.agents, found.rating.tolist(), strict=True)) == pytest.approx(known)
        widths = dict(zip(found.agents, (found.rating - found.low).tolist(), strict=True))
        assert widths == pytest.approx(errors)
        assert np.isfinite(found.high).all()
        assert found.board is None
    with eq.Arena.create(tmp_path / "one.db", small(seats=1)) as arena:
        finish(arena)
        with pytest.raises(eq.DataError, match="two seats"):
            arena.rankings()
