import pytest

import equipoise as eq

SPEC = {"name": "x", "game": "python:x:y", "players": ["a", "b", "c"], "attempts": 2}


def fail_all(arena, most):
    asked = 0
    while asked < most and (leases := arena.ask(n=2)):
        for lease in leases:
            asked += 1
            arena.fail(lease, "worker", message="no such module")
    return asked


def test_an_arena_none_of_whose_games_can_be_played_ends_and_says_why(tmp_path):
    with eq.Arena.create(tmp_path / "x.db", SPEC) as arena:
        assert fail_all(arena, 1000) < 1000
        assert arena.state == "stopped"
        last = [event.content() for event in arena.events() if event.kind == "state"][-1]
        assert "20 sets of paired games in a row" in last["words"]
        assert "no such module" in last["words"]
        assert arena.verify().ok
        assert "20 sets of paired games in a row" in arena.standings().diagnostics[1].message
        arena.resume()
        assert arena.ask()


def test_a_result_between_them_starts_the_count_anew(tmp_path):
    with eq.Arena.create(tmp_path / "x.db", SPEC) as arena:
        fail_all(arena, 60)
        assert arena.state == "running"
        leases = arena.ask(n=20)
        for lease in leases:
            if lease.attempt == 1:
                arena.tell(lease, (1.0, 0.0))
        fail_all(arena, 50)
        assert arena.state == "running"


def test_two_leases_of_one_block_that_run_out_together_make_it_void_once(tmp_path, monkeypatch):
    with eq.Arena.create(tmp_path / "x.db", {**SPEC, "attempts": 1, "lease": 0.01}) as arena:
        first, second = arena.ask(n=2)
        assert first.trial.block == second.trial.block
        import time

        time.sleep(0.05)
        arena.sweep()
        assert [event.kind for event in arena.events()].count("void") == 1
        with pytest.raises(eq.LeaseError, match="void"):
            arena.tell(second, (1.0, 0.0))
