"""The interface as it is described: every route stands in the document, and whatever is sent is answered politely."""

import http.client
import json
import random
import socket
import threading
import time
from itertools import pairwise

import pytest

import equipoise as eq
from equipoise.web.access.roles import ROUTES
from equipoise.web.app import make_app
from equipoise.web.calls import HANDLERS
from equipoise.web.openapi import describe
from equipoise.web.problems import PROBLEMS
from equipoise.web.serving import server_of
from tests.web.generated import send_generated
from tests.web.served import served, spec_of


def test_the_document_lists_every_route_and_nothing_else(server, tokens):
    document = server.ask("GET", "/api/1/openapi.json", tokens["viewer"]).json()
    listed = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert listed == {(route.method, route.path) for route in ROUTES}
    assert set(HANDLERS) == {route.name for route in ROUTES}
    assert document == json.loads(json.dumps(describe()))


def test_a_refusal_is_a_problem_with_a_stable_name(server, tokens):
    refusals = {
        "no-token": server.ask("GET", "/api/1/arenas/ladder"),
        "not-allowed": server.ask("POST", "/api/1/arenas/ladder/pause", tokens["viewer"], {}),
        "not-found": server.ask("GET", "/api/1/nothing", tokens["viewer"]),
        "makes-no-sense": server.ask("POST", "/api/1/arenas/ladder/void", tokens["organiser"], {"nmber": 1}),
        "conflict": server.ask("POST", "/api/1/arenas/ladder/void", tokens["organiser"], {"number": 9, "reason": "x"}),
        "bad-request": server.ask("POST", "/api/1/arenas/ladder/void", tokens["organiser"], b"{"),
    }
    for name, answer in refusals.items():
        assert answer.problem == name
        assert answer.status == PROBLEMS[name][0]
        assert "Traceback" not in answer.body.decode()


def test_another_arenas_name_tells_nothing(server, tokens):
    here = server.ask("GET", "/api/1/arenas/nowhere", tokens["viewer"])
    assert (here.status, here.problem) == (401, "no-token")


ODD = [
    None,
    "",
    "x" * 3000,
    -1,
    0,
    1,
    2**70,
    1.5,
    1e308,
    True,
    [],
    {},
    [[[]]],
    {"a": {"b": []}},
    "\u202e",
    "../..",
    "1.1.a",
    "%00",
    "\ud800",
]


def odd_body(draws: random.Random, names: list[str], deep: int = 2) -> object:
    """Make a value that is a little like what is wanted."""
    kind = draws.random()
    if kind < 0.35 or deep == 0:
        return draws.choice(ODD)
    if kind < 0.5:
        return [odd_body(draws, names, deep - 1) for _ in range(draws.randint(0, 3))]
    return {draws.choice(names): odd_body(draws, names, deep - 1) for _ in range(draws.randint(0, 4))}


def names_in(schema: object) -> list[str]:
    """Collect the names of keys that a schema knows."""
    if not isinstance(schema, dict):
        return []
    own = list(schema.get("properties", {}))
    return own + [name for one in [*schema.values(), *schema.get("properties", {}).values()] for name in names_in(one)]


def fuzz(server, tokens, requests: int, seed: int) -> dict[int, int]:
    """Send requests that the document suggests, spoilt at random, with tokens of all roles; give counts by status."""
    draws, counts = random.Random(seed), dict[int, int]()
    operations = [
        (method.upper(), path, operation)
        for path, methods in describe()["paths"].items() for method, operation in methods.items()
        if not path.endswith("/moves")
    ]  # fmt: skip
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for _ in range(requests):
        method, path, operation = draws.choice(operations)
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        names = names_in(schema) or ["a", "number"]
        body = json.dumps(odd_body(draws, names, 3)).encode() if schema or draws.random() < 0.2 else None
        if body and draws.random() < 0.1:
            body = body[: draws.randint(0, len(body))] + bytes(draws.choices(range(256), k=3))
        address = path.format(
            arena="ladder",
            number=draws.choice(["1", "0", "-1", "x", "9" * 30]),
            token=draws.choice(["x", "%2e%2e", "a" * 500]),
        )
        query = draws.choice(
            ["", "", "?at=1", "?at=-1", "?after=x", "?most=0", "?most=1e9", "?at=" + "9" * 40, "?%ff=%fe"]
        )
        token = draws.choice([*tokens.values(), "nonsense", ""])
        headers = {"authorization": f"Bearer {token}", "if-none-match": draws.choice(['"x"', "*", ""])}
        connection.request(method, address + query, body, headers)
        response = connection.getresponse()
        text = response.read()
        counts[response.status] = counts.get(response.status, 0) + 1
        assert response.status < 500, (method, address, query, body, text)
        if response.status >= 400:
            assert response.getheader("content-type") == "application/problem+json"
            assert b"Traceback" not in text
    connection.close()
    return counts


def test_whatever_is_sent_is_answered_politely(server, tokens):
    server.play(tokens["worker"], 4)
    counts = fuzz(server, tokens, 1_000, seed=1)
    assert counts[200] > 50
    assert server.arena.verify().ok


def open_stream(server, token, seen=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    headers = {"authorization": f"Bearer {token}"} | ({} if seen is None else {"last-event-id": seen})
    connection.request("GET", "/api/1/arenas/ladder/moves", headers=headers)
    return connection, connection.getresponse()


def test_a_stream_says_how_far_the_journal_is_and_nothing_else(server, tokens):
    connection, stream = open_stream(server, tokens["viewer"])
    assert stream.status == 200
    seen = []
    playing = threading.Thread(target=server.play, args=(tokens["worker"], 20))
    playing.start()
    began = time.monotonic()
    last = 0
    while last < 40 and time.monotonic() - began < 25:
        line = stream.readline().decode().strip()
        if line.startswith("data: "):
            said = json.loads(line[6:])
            assert set(said) == {"seq", "state"}
            assert said["seq"] > last
            last = said["seq"]
            seen.append(time.monotonic())
    playing.join()
    assert last >= 40
    assert all(later - before > 0.4 for before, later in pairwise(seen))
    connection.close()


@pytest.mark.parametrize(("seen", "first"), [("now", "later"), ("0", "now"), ("999999", "now"), ("x", "now")])
def test_a_stream_goes_on_after_the_last_event_that_was_seen(server, tokens, seen, first):
    now = server.arena.look(lambda state: state.seq)
    connection, stream = open_stream(server, tokens["viewer"], str(now) if seen == "now" else seen)
    assert stream.readline() == b"retry: 2000\n"
    later = threading.Timer(0.5, server.play, (tokens["worker"], 2))
    later.start()
    said = next(line for line in iter(stream.readline, b"") if line.startswith(b"id: "))
    assert (int(said[4:]) > now) is (first == "later")
    later.join()
    connection.close()


def test_progress_is_a_document_of_its_own(server, tokens):
    paths = ("/api/1/arenas/ladder/progress", "/api/1/arenas/ladder")
    alone, summary = (server.ask("GET", path, tokens["viewer"]).json() for path in paths)
    assert {key: alone[key] for key in summary["progress"]} == summary["progress"]


def test_an_application_opens_and_closes_the_arenas_whose_files_it_is_given(tmp_path):
    with eq.Arena.create(tmp_path / "cup.db", spec_of()):
        pass
    server = server_of(make_app(str(tmp_path / "cup.db"), public=True))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        running = threading.Thread(target=server.run, args=([listening],))
        running.start()
        connection = http.client.HTTPConnection("127.0.0.1", listening.getsockname()[1], timeout=30)
        connection.request("GET", "/api/1/arenas/cup")
        assert json.loads(connection.getresponse().read())["name"] == "Ladder"
        connection.close()
        server.should_exit = True
        running.join(30)
    with eq.Arena.open(tmp_path / "cup.db") as arena:  # it is free again
        assert arena.state == "running"


def test_a_session_has_a_few_streams_and_the_next_is_refused_politely(server, tokens):
    streams = [open_stream(server, tokens["viewer"]) for _ in range(9)]
    statuses = [stream.status for _, stream in streams]
    assert statuses == [200] * 8 + [503]
    for connection, stream in streams:
        stream.close()
        connection.close()


def test_too_many_requests_of_strangers_are_refused(tmp_path):
    with served(tmp_path, rates=True) as server:
        statuses = [server.ask("GET", "/api/1/arenas/ladder", "eq_viewer_0_0").status for _ in range(60)]
        assert statuses.count(429) > 20
        assert server.ask("GET", "/healthz").status == 200


def test_a_slow_body_is_cut_off_and_harms_nobody(server, tokens, monkeypatch):
    monkeypatch.setattr("equipoise.web.limits.BODY_SECONDS", 0.5)
    slow = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    slow.putrequest("POST", "/api/1/arenas/ladder/turns")
    slow.putheader("authorization", f"Bearer {tokens['worker']}")
    slow.putheader("content-length", "100")
    slow.endheaders()
    slow.send(b'{"ask"')
    began = time.monotonic()
    assert len(server.turn(tokens["worker"], ask={"n": 1})["leases"]) == 1
    assert slow.getresponse().status == 400
    assert time.monotonic() - began < 20
    slow.close()


def test_what_the_document_suggests_and_what_it_forbids_are_answered_politely(server, tokens):
    server.play(tokens["worker"], 4)
    counts = send_generated(server, tokens, each=4, start=1)
    print(counts)
    assert sum(counts.values()) > 100
    assert server.arena.verify().ok
