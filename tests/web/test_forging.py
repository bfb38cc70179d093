"""Results that somebody made up: games that others play again, and scores that only one worker sees."""

import random
import time

from tests.web.served import scores_of, served, spec_of


def play(server, workers, games, seed=0):
    """Let workers play, whoever comes; each says what its function makes of the players and the fair scores."""
    draws = random.Random(seed)
    for number in range(games):
        name, said = draws.choice(workers)
        request = {"request": f"{name}-{seed}{number:05}"}
        for one in server.turn(server.tokens[name], ask={"n": 1}, **request)["leases"]:
            players = one["trial"]["players"]
            scores = said(players, scores_of(players), draws)
            tells = [{"lease": one["lease"], "scores": scores}]
            assert server.turn(server.tokens[name], tells=tells)["receipts"][0]["status"] == 200


def honest(_players, scores, _draws):
    return scores


def shown(server):
    """Ask for the workers as they are now; the server looks twice a second what was done past it."""
    address = f"/api/1/arenas/ladder/workers?at={server.arena.look(lambda state: state.seq)}"
    until = time.monotonic() + 30
    while (rows := server.ask("GET", address, server.tokens["v"])).status == 404 and time.monotonic() < until:
        time.sleep(0.02)
    return {row["name"]: row for row in rows.json()["workers"]}


def test_games_are_played_again_by_others_and_never_count(tmp_path):
    with served(tmp_path, spec_of(replay=0.5, budget=60)) as server:
        for name in ("one", "two"):
            server.token("worker", name)
        server.token("viewer", "v")

        def forger(_players, scores, _draws):
            return scores[::-1]

        play(server, [("one", honest), ("two", forger)], 100)
        replays = [event.content() for event in server.arena.events(kinds=["replay"])]
        late = [event.content() for event in server.arena.events(kinds=["late"])]
        results = {event.content()["trial"]: event.content() for event in server.arena.events(kinds=["result"])}
        assert len(replays) == len(late) > 5
        assert all(one["worker"] != one["of"] == results[one["trial"]]["worker"] for one in replays)
        assert len({one["trial"] for one in replays}) == len(replays)
        assert server.arena.state == "spent"
        assert server.arena.look(lambda state: (state.counted, state.late)) == (60, 0)
        rows = shown(server)
        assert rows["one"]["replayed"] + rows["two"]["replayed"] == len(replays)
        assert rows["two"]["differing"] == rows["two"]["replayed"] > 0
        page = server.ask("GET", "/arenas/ladder", server.tokens["v"]).body.decode()
        assert f"{rows['two']['replayed']} played again by others" in page
        assert server.arena.verify().ok


def test_the_same_request_gives_the_same_replay_and_a_repeated_result_changes_nothing(tmp_path):
    with served(tmp_path, spec_of(replay=1.0)) as server:
        one, two = server.token("worker", "one"), server.token("worker", "two")
        server.play(one, 2)
        first = server.turn(two, request="r-1", ask={"n": 1})["leases"]
        assert server.turn(two, request="r-1", ask={"n": 1})["leases"] == first
        tells = [{"lease": first[0]["lease"], "scores": scores_of(first[0]["trial"]["players"])}]
        assert server.turn(two, renew=[{"lease": first[0]["lease"], "progress": 1}])["renewed"][0]["status"] == 200
        said = [server.turn(two, tells=tells)["receipts"][0] for _ in range(2)]
        assert [(one["counted"], one["duplicate"]) for one in said] == [(False, False), (False, True)]
        assert first[0]["trial"]["number"] in (1, 2)
        assert server.arena.look(lambda state: state.counted) == 2
        assert server.arena.verify().ok


def test_a_worker_whose_results_differ_is_named(tmp_path):
    with served(tmp_path, spec_of(budget=2_000)) as server:
        for name in ("one", "two", "three"):
            server.token("worker", name)
        server.token("viewer", "v")

        def chance(_players, _scores, draws):
            return [1.0, 0.0] if draws.random() < 0.5 else [0.0, 1.0]

        def forger(players, _scores, draws):
            fair = chance(None, None, draws)
            return [float(name == "bea") for name in players] if "bea" in players else fair

        play(server, [("one", chance), ("two", chance), ("three", forger)], 210, seed=3)
        rows = shown(server)
        assert rows["three"]["fit"].startswith("differs: bea scores 0.")
        assert rows["three"]["differs"]
        assert not rows["one"]["differs"]
        server.arena.exclude("three", "forged")
        rows = shown(server)
        assert rows["three"]["fit"] == "not compared"
        assert rows["one"]["fit"] == rows["two"]["fit"] == "agrees with the others"
        assert server.arena.verify().ok


def test_a_single_worker_is_compared_with_nobody(server, tokens):
    server.play(tokens["worker"], 60)
    rows = server.ask("GET", "/api/1/arenas/ladder/workers", tokens["viewer"]).json()["workers"]
    assert [row["fit"] for row in rows] == ["no other worker to compare with"]
