"""Luck in an arena: adjusted standings beside plain ones, and decisions on adjusted scores if the spec says so."""

import numpy as np
import pytest

import equipoise as eq

RANGE = (-1.0, 2.0)


def spec(**more):
    given = {"name": "x", "game": "python:x:y", "players": ["a", "b"], "policy": "round-robin", "budget": 4000}
    return eq.ArenaSpec(**{**given, **more})


def play(arena, rng, skill=0.05, spread=0.4):
    """The better player scores a little more; the cards decide the rest, and the control knows them."""
    while leases := arena.ask(n=2):
        for lease in leases:
            edge = skill if lease.trial.players[0] == "a" else -skill
            luck = spread * (rng.random() - 0.5) * 2
            scores = (0.5 + edge + luck, 0.5 - edge - luck)
            arena.tell(lease, scores, controls={"cards": (luck, -luck)})


@pytest.mark.parametrize("coefficient", [1.0, "fitted"])
def test_adjusted_means_stand_beside_the_plain_ones_and_are_sharper(tmp_path, coefficient):
    luck = {"controls": ["cards"], "coefficient": coefficient}
    with eq.Arena.create(tmp_path / "x.db", spec(goal="budget", budget=200, luck=luck)) as arena:
        play(arena, np.random.default_rng(0))
        standings = arena.standings()
    assert standings.adjusted == pytest.approx([0.55, 0.45], abs=1e-6)
    assert standings.score[0] != pytest.approx(0.55, abs=1e-4)
    assert "adjusted_low" in standings.frame().columns


def test_adjusted_scores_decide_sooner_where_the_spec_says_so_before_play(tmp_path):
    played = {}
    for decide in (False, True):
        luck = {"controls": ["cards"], "decide": decide, "range": (0.0, 1.0)}
        with eq.Arena.create(tmp_path / f"{decide}.db", spec(goal="best", margin=None, luck=luck)) as arena:
            play(arena, np.random.default_rng(1), skill=0.03)
            played[decide] = arena.standings().counted
            assert arena.verify().ok
            assert arena.standings().score[0] != pytest.approx(0.53, abs=1e-6)  # the plain ones stay plain
    assert played[True] < played[False]


def test_a_fitted_coefficient_is_fixed_before_its_block_is_played(tmp_path):
    luck = {"controls": ["cards"], "coefficient": "fitted", "decide": True, "range": (-3.0, 4.0)}
    with eq.Arena.create(tmp_path / "x.db", spec(goal="best", budget=40, luck=luck)) as arena:
        play(arena, np.random.default_rng(2))
        opened = [event.content() for event in arena.events() if event.kind == "open"]
        assert arena.verify().ok
    assert opened[0]["coefficient"] == 0.0
    assert opened[-1]["coefficient"] == pytest.approx(1.0, abs=0.1)


def test_a_result_that_decisions_cannot_use_changes_nothing(tmp_path):
    luck = {"controls": ["cards"], "decide": True, "range": RANGE}
    with eq.Arena.create(tmp_path / "x.db", spec(goal="best", luck=luck)) as arena:
        (lease,) = arena.ask()
        before = list(arena.events())
        with pytest.raises(eq.DataError, match="cards"):
            arena.tell(lease, (1.0, 0.0))
        with pytest.raises(eq.DataError, match="outside the range"):
            arena.tell(lease, (1.0, 0.0), controls={"cards": (-5.0, 5.0)})
        assert list(arena.events()) == before
        assert arena.fail(lease, "player", seat=0, message="fell asleep").counted


@pytest.mark.parametrize(
    ("luck", "wanted"),
    [
        ({"decide": True}, "range"),
        ({"decide": True, "range": (0.2, 0.8)}, "must contain that of the scores"),
        ({"coefficent": 1.0}, 'did you mean "coefficient"'),
        ({"range": (1.0, 0.0)}, "the lower first"),
        ("baseline", "luck"),
    ],
)
def test_nonsense_about_luck_is_one_line(luck, wanted):
    with pytest.raises(eq.EquipoiseError, match=wanted):
        spec(goal="best", luck=luck)


def test_a_complete_block_that_becomes_void_leaves_no_trace_in_counts_or_decisions(tmp_path):
    luck = {"controls": ["cards"], "decide": True, "range": RANGE}
    with eq.Arena.create(tmp_path / "x.db", spec(goal="budget", budget=20, luck=luck)) as arena:
        play(arena, np.random.default_rng(3))
        arena.void(1, "the deck was short")
        assert arena.state == "running"
        assert arena.verify().ok
        assert arena.standings().trials.tolist() == [18, 18]
