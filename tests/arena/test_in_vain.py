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


def test_a_game_that_is_given_back_when_play_is_stopped_is_not_tried_too_often(tmp_path):
    with eq.Arena.create(tmp_path / "x.db", SPEC) as arena:
        for attempt in range(1, 9):
            (lease,) = arena.ask()
            assert (lease.trial.number, lease.attempt) == (1, attempt)
            arena.fail(lease, "operator", message="play was stopped")
        assert arena.look(lambda state: (state.voids, state.in_vain)) == (0, 0)
    with eq.Arena.open(tmp_path / "x.db") as arena:
        (lease,) = arena.ask()
        arena.fail(lease, "worker", message="broken")
        assert arena.look(lambda state: state.voids) == 0
        (lease,) = arena.ask()
        arena.tell(lease, (1.0, 0.0))
        assert arena.look(lambda state: (state.given_back, state.attempts.get(1))) == ({}, None)
        assert arena.verify().ok


def crash(arena, who, most=400):
    """Play until the arena gives nothing more; some players crash whenever they are asked."""
    asked = 0
    while asked < most and (leases := arena.ask()):
        for lease in leases:
            asked += 1
            at_fault = [seat for seat, name in enumerate(lease.trial.players) if name in who]
            if at_fault:
                arena.fail(lease, "player", at_fault[0], "it crashed")
            else:
                arena.tell(lease, [1.0] + [0.0] * (len(lease.trial.players) - 1))
    return asked


GAMES = [
    {"goal": "budget", "policy": "round-robin"},
    {"goal": "budget", "policy": "uniform"},
    {"goal": "order"},
    {"goal": "order", "policy": "uncertainty"},
    {"goal": "profile"},
    {"goal": "order", "seats": 3, "players": ["evil", "b", "c", "d"]},
    {"goal": "profile", "seats": 3, "players": ["evil", "b", "c", "d"]},
]


@pytest.mark.parametrize("given", GAMES)
def test_a_player_that_always_crashes_is_not_asked_any_more(tmp_path, given):
    spec = {**SPEC, "players": ["evil", "b", "c"], "budget": 60, "forfeit": "void", **given}
    with eq.Arena.create(tmp_path / "x.db", spec) as arena:
        assert crash(arena, {"evil"}) < 150
        assert arena.state in ("spent", "answered", "stopped")
        voids = [event.content() for event in arena.events() if event.kind == "void"]
        assert 10 <= len(voids) <= 12
        assert {void["player"] for void in voids} == {"evil"}
        assert arena.look(lambda state: state.counted) > 20
        assert "evil" in " ".join(note.message for note in arena.standings().diagnostics)
        assert arena.verify().ok
    with eq.Arena.open(tmp_path / "x.db") as arena:
        assert arena.look(lambda state: state.out) == ("evil",)
        assert arena.verify().ok


def test_where_nobody_is_left_the_arena_stops_and_names_the_player(tmp_path):
    spec = {**SPEC, "players": ["evil", "b"], "budget": 10, "forfeit": "void"}
    with eq.Arena.create(tmp_path / "x.db", spec) as arena:
        assert crash(arena, {"evil"}) == 10
        assert arena.state == "stopped"
        words = arena.look(lambda state: state.why)
        assert "nothing is left to play without evil" in words
        arena.resume()
        assert crash(arena, set()) == 10
        assert arena.state == "spent"
        assert arena.verify().ok


def test_where_all_crash_the_arena_stops_with_the_last_reason(tmp_path):
    spec = {**SPEC, "players": list("abcdef"), "budget": 10, "forfeit": "void"}
    with eq.Arena.create(tmp_path / "x.db", spec) as arena:
        assert crash(arena, set("abcdef")) == 20
        assert arena.state == "stopped"
        assert "20 sets of paired games in a row could not be played" in arena.look(lambda state: state.why)
        assert "it crashed" in arena.look(lambda state: state.why)
        assert arena.verify().ok


def test_a_game_that_is_finished_between_them_keeps_a_player_in(tmp_path):
    spec = {**SPEC, "players": ["evil", "b"], "budget": 40, "forfeit": "void", "policy": "round-robin"}
    with eq.Arena.create(tmp_path / "x.db", spec) as arena:
        for _ in range(3):
            crash(arena, {"evil"}, 9)
            for lease in arena.ask(n=2):
                arena.tell(lease, (1.0, 0.0))
        assert arena.look(lambda state: state.out) == ()
        assert arena.state == "running"
