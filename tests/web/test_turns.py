"""Turns: each item is answered by itself, the same request is answered the same, and nonsense harms only itself."""

import json
import threading
import time

import pytest

import equipoise as eq
from equipoise.core.errors import DataError
from tests.web.served import scores_of, served, spec_of

TURNS = "/api/1/arenas/ladder/turns"


def test_the_same_request_is_answered_the_same(server, tokens):
    worker = tokens["worker"]
    first = server.turn(worker, request="s-1", ask={"n": 3})
    again = server.turn(worker, request="s-1", ask={"n": 3})
    assert [one["lease"] for one in first["leases"]] == [one["lease"] for one in again["leases"]]
    told = [{"lease": one["lease"], "scores": scores_of(one["trial"]["players"])} for one in first["leases"]]
    receipts = server.turn(worker, tells=told)["receipts"]
    repeated = server.turn(worker, tells=told)["receipts"]
    assert [one["duplicate"] for one in receipts] == [False] * 3
    assert [one["duplicate"] for one in repeated] == [True] * 3
    assert [one["seq"] for one in receipts] == [one["seq"] for one in repeated]
    assert server.arena.look(lambda state: state.counted) == 3


def test_one_bad_item_does_not_hold_up_the_others(server, tokens):
    leases = server.turn(tokens["worker"], request="s-1", ask={"n": 4})["leases"]
    told = [{"lease": one["lease"], "scores": [1, 0]} for one in leases]
    told[1]["scores"] = [1]
    told[2]["lease"] = "2.1.wrong"
    answer = server.turn(tokens["worker"], tells=told)
    assert [one["status"] for one in answer["receipts"]] == [200, 422, 409, 200]
    assert "one number for each of 2 seats" in answer["receipts"][1]["detail"]


def test_another_worker_cannot_use_a_lease(server, tokens):
    other = server.token("worker", "another")
    lease = server.turn(tokens["worker"], request="s-1", ask={"n": 1})["leases"][0]["lease"]
    for said in (
        {"tells": [{"lease": lease, "scores": [1, 0]}]},
        {"fails": [{"lease": lease}]},
        {"renew": [{"lease": lease, "progress": 1}]},
    ):
        answer = server.turn(other, **said)
        items = [*answer["receipts"], *answer["failed"], *answer["renewed"]]
        assert [one["status"] for one in items] == [409]
    assert server.arena.look(lambda state: (state.counted, len(state.held))) == (0, 1)


def test_another_result_under_the_same_key_is_refused(server, tokens):
    lease = server.turn(tokens["worker"], request="s-1", ask={"n": 1})["leases"][0]["lease"]
    server.turn(tokens["worker"], tells=[{"lease": lease, "scores": [1, 0]}])
    answer = server.turn(tokens["worker"], tells=[{"lease": lease, "scores": [0, 1]}])["receipts"][0]
    assert (answer["status"], answer["type"]) == (409, "/problems/other-result")


def test_a_forfeit_and_a_fault_are_taken(server, tokens):
    first, second = server.turn(tokens["worker"], request="s-1", ask={"n": 2})["leases"]
    fails = [
        {"lease": first["lease"], "fault": "player", "seat": 1, "message": "crashed \x1b[2J"},
        {"lease": second["lease"], "fault": "worker", "message": "no memory"},
    ]
    answer = server.turn(tokens["worker"], fails=fails)
    assert [one["status"] for one in answer["failed"]] == [200, 200]
    assert server.arena.look(lambda state: (state.counted, state.forfeits, len(state.queue))) == (1, 1, 1)
    events = "".join(event.body for event in server.arena.events())
    assert "\x1b" not in events


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"[1]", 422), (b'"x"', 422), (b'{"ask": {"n": NaN}}', 400), (b"[" * 100_000, 400),
        (json.dumps({"ask": {"n": 1, "labels": [[[[[]]]]]}}).encode(), 422), (b'{"aks": {}}', 422),
        (b'{"ask": {"n": -1}}', 422), (b'{"ask": {"n": 1e400}}', 422), (b'{"tells": 5}', 422), (b"\xff\xfe", 400),
        (b'{"request": ""}', 200), (b'{"request": 5}', 422), (b'{"worker": "a\\u0000b"}', 422),
        (b'{"renew": [' + b",".join([b"{}"] * 300) + b"]}", 413),
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_one_line(server, tokens, body, status):
    answer = server.ask("POST", TURNS, tokens["worker"], body)
    assert answer.status == (422 if body == b'{"request": ""}' else status), answer.body
    assert len(answer.json()["detail"].splitlines()) == 1


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server, tokens):
    assert server.ask("POST", TURNS, tokens["worker"], b" " * 8_000_001).status == 413
    assert server.ask("POST", "/api/1/arenas/ladder/void", tokens["organiser"], b" " * 1_000_001).status == 413


def test_a_question_waits_for_something_to_play(tmp_path):
    with served(tmp_path, spec_of(players=[{"name": "ada", "concurrency": 1}, "bea"], budget=6)) as server:
        worker = server.token("worker", "w")
        first = server.turn(worker, request="a-1", ask={"n": 1})["leases"][0]
        began, answers = time.monotonic(), []
        asking = threading.Thread(
            target=lambda: answers.append(server.turn(worker, request="b-1", ask={"n": 1, "wait": 20}))
        )
        asking.start()
        time.sleep(0.5)
        assert not answers
        server.turn(worker, tells=[{"lease": first["lease"], "scores": [1, 0]}])
        asking.join(10)
        assert len(answers[0]["leases"]) == 1
        assert time.monotonic() - began < 8


def test_a_question_that_waits_in_vain_is_answered_in_time(tmp_path):
    with served(tmp_path, spec_of(players=[{"name": "ada", "concurrency": 1}, "bea"], budget=6)) as server:
        worker = server.token("worker", "w")
        server.turn(worker, request="a-1", ask={"n": 1})
        began = time.monotonic()
        answer = server.ask("POST", TURNS, worker, {"request": "b-1", "ask": {"n": 1, "wait": 0.5}})
        assert (answer.status, answer.headers["retry-after"], answer.body) == (204, "1", b"")
        assert 0.4 < time.monotonic() - began < 8
        server.arena.stop()
        assert server.turn(worker, request="b-2", ask={"n": 1, "wait": 9})["state"] == "stopped"
        with eq.Arena.open(server.url, token=worker) as far:
            assert far.ask(1, wait=0.1) == []


def test_a_request_out_of_order_and_a_changed_player_have_problems_of_their_own(server, tokens):
    worker = tokens["worker"]
    server.turn(worker, request="s-2", ask={"n": 1})
    late = server.ask("POST", TURNS, worker, {"request": "s-1", "ask": {"n": 1}})
    assert (late.status, late.problem) == (409, "stale-request")
    versions = TURNS.replace("turns", "versions")
    assert server.ask("POST", versions, worker, {"versions": {"ada": "1"}}).status == 200
    assert server.ask("POST", versions, worker, {"versions": {"ada": "1", "bea": "7"}}).status == 200
    other = server.ask("POST", versions, worker, {"versions": {"ada": "2", "cyd": "1"}})
    assert (other.status, other.problem) == (409, "version-changed")
    with eq.Arena.open(server.url, token=worker) as far:
        with pytest.raises(DataError, match="not the one that played before"):
            far.record_versions({"ada": "2"}, changed=False)
        assert far.versions() == {"ada": "1", "bea": "7"}
        far.record_versions({"ada": "2"}, changed=True)
        assert far.versions()["ada"] == "2"


def test_many_questions_wait_without_a_thread_each(tmp_path):
    with served(tmp_path, spec_of(players=[{"name": "ada", "concurrency": 1}, "bea"], budget=6)) as server:
        worker = server.token("worker", "w")
        server.turn(worker, request="a-1", ask={"n": 1})
        before = {thread.name for thread in threading.enumerate()}
        asking = [
            threading.Thread(
                target=server.turn,
                args=(worker,),
                kwargs={"request": f"w{k}-1", "ask": {"n": 1, "wait": 3}},
                name=f"ours {k}",
            )
            for k in range(60)
        ]
        for one in asking:
            one.start()
        time.sleep(1.5)
        new = {thread.name for thread in threading.enumerate() if not thread.name.startswith("ours")} - before
        assert len(new) <= 4, new
        for one in asking:
            one.join(20)


def test_labels_are_no_more_than_the_token_allows(tmp_path):
    with served(tmp_path, spec_of(players=[{"name": "ada", "labels": ["gpu"]}, "bea"])) as server:
        plain = server.token("worker", "plain", labels=["cpu"])
        strong = server.token("worker", "strong", labels=["gpu"])
        assert server.turn(plain, request="a-1", ask={"n": 1, "labels": ["gpu"]})["leases"] == []
        assert len(server.turn(strong, request="b-1", ask={"n": 1})["leases"]) == 1


def test_an_excluded_workers_results_are_withdrawn(server, tokens):
    server.play(tokens["worker"], 8)
    counted = server.arena.look(lambda state: state.counted)
    answer = server.ask(
        "POST", "/api/1/arenas/ladder/exclude", tokens["organiser"], {"worker": "the worker", "reason": "forged"}
    )
    assert (counted, answer.json()) == (8, {"void": 4})
    assert server.arena.look(lambda state: state.counted) == 0
    refused = server.ask("POST", TURNS, tokens["worker"], {"ask": {"n": 1}})
    assert "excluded: forged" in refused.json()["detail"]
    server.ask(
        "POST", "/api/1/arenas/ladder/include", tokens["organiser"], {"worker": "the worker", "reason": "a mistake"}
    )
    assert len(server.turn(tokens["worker"], ask={"n": 1})["leases"]) == 1
    assert server.arena.verify().ok
