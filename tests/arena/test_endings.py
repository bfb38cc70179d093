"""Play ends with the block that answers the question, also where that block is a void one."""

import pytest

import equipoise as eq
from tests.arena.playing import small

BLOCKS = 40


def one_block_short(place, **options):
    """Give an arena whose question is answered as soon as its first block is closed, and all its leases in order.

    Blocks count in order: those after the first wait for it. The last one is still being played, too.
    """
    spec = {
        "players": ["a", "b"],
        "goal": "order",
        "policy": "ranking",
        "budget": None,
        "lease": 100.0,
        "stall_after": 100.0,
    }
    arena = eq.Arena.create(place, small(**(spec | options)))
    leases = arena.ask(n=2 * BLOCKS)
    assert leases[-1].trial.block == BLOCKS
    for lease in leases:
        if 1 < lease.trial.block < BLOCKS:
            arena.tell(lease, (1.0, 0.0) if lease.trial.players[0] == "a" else (0.0, 1.0))
    assert (arena.state, arena.decisions()) == ("running", ())
    return arena, leases


def fail(arena, leases, later):
    arena.fail(leases[0], "worker", message="no network")


def forfeit(arena, leases, later):
    arena.fail(leases[0], "player", seat=0, message="crash")


def void(arena, leases, later):
    arena.void(leases[0].trial.number, "wrong book")


def run_out(arena, leases, later):
    """Let the first block's leases run out while the last block's goes on."""
    later(70)
    for lease in leases[-2:]:
        arena.renew(lease, progress=1)
    later(31)
    arena.sweep()


@pytest.mark.parametrize("close", [fail, forfeit, void, run_out])
def test_a_void_block_that_lets_later_ones_count_may_answer_the_question(place, later, close):
    arena, leases = one_block_short(place, attempts=1, forfeit="void")
    with arena:
        close(arena, leases, later)
        assert [(d.decision.first, d.decision.second) for d in arena.decisions()] == [("a", "b")]
        assert arena.state == "answered"
        assert arena.ask(n=4) == []
        assert arena.verify().ok


@pytest.mark.parametrize("phase", ["paused", "stopped"])
def test_a_complete_block_made_void_does_not_end_a_pause_or_a_stop(tmp_path, phase):
    with eq.Arena.create(tmp_path / "a.db", small()) as arena:
        for lease in arena.ask(n=4):
            arena.tell(lease, (1.0, 0.0))
        arena.pause() if phase == "paused" else arena.stop()
        arena.void(1, "wrong book")
        assert arena.state == phase
        assert arena.ask() == []


@pytest.mark.parametrize("goal", ["order", "best", "top:2", "place:c", "profile", "budget"])
def test_a_result_that_ends_nothing_makes_no_forecast_and_no_sentence(place, monkeypatch, goal):
    spec = small(goal=goal, policy="ranking", budget=400, margin=None)
    with eq.Arena.create(place, spec) as arena:
        contest = arena.look(lambda state: type(state.contest))
        asked, progress = [], contest.progress

        def counted(self):
            asked.append(self)
            return progress(self)

        monkeypatch.setattr(contest, "progress", counted)
        told = 0
        while arena.state == "running":
            for lease in arena.ask(n=2):
                best = min(lease.trial.players)
                arena.tell(lease, [float(player == best) for player in lease.trial.players])
                told += 1
        assert told >= 20
        answered = arena.state == "answered"
        assert answered == (goal != "budget")
        assert len(asked) == answered, "the sentence of the ending, and nothing else"
        arena.progress()
        assert len(asked) == answered + 1
        assert arena.verify().ok
