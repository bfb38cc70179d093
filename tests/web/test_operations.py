"""Running a server: settings, logs, metrics, its end, and clients that are slow, many or hostile."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.core.errors import ParameterError
from equipoise.web.serving import read_settings
from tests.web.served import spec_of
from tests.web.test_interface import open_stream

SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="[^"\\\n]*"(,[a-z]+="[^"\\\n]*")*\})? -?[0-9.e+-]+')


def test_metrics_are_in_the_text_form_of_prometheus_and_count(server, tokens):
    server.play(tokens["worker"], 6)
    server.ask("GET", "/api/1/arenas/ladder/nothing", tokens["viewer"])
    connection, _ = open_stream(server, tokens["viewer"])
    answer = server.ask("GET", "/metrics", tokens["organiser"])
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.body.decode().splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in samples), samples
    named = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert len(named) == len(set(named))
    assert {re.split(r"[{ ]", line)[0] for line in samples} <= set(named)
    values = {re.sub(r"\{arena=.*\}", "", line.rpartition(" ")[0]): float(line.rpartition(" ")[2]) for line in samples}
    assert (values["equipoise_games"], values["equipoise_results_total"], values["equipoise_streams"]) == (6, 6, 1)
    assert values['equipoise_requests_total{call="turn",status="200"}'] == 7
    assert values['equipoise_request_seconds_total{call="turn"}'] > 0
    assert server.ask("GET", "/metrics", tokens["viewer"]).status == 401
    connection.close()


def test_a_client_that_says_nothing_is_cut_off(server, tokens, monkeypatch):
    monkeypatch.setattr("equipoise.web.prompt.HEAD_SECONDS", 0.5)
    silent, slow = (socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(2))
    slow.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-one: ")
    kept = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    kept.request("GET", "/healthz")
    assert kept.getresponse().read() == b'{"well": true}'
    assert silent.recv(100) == b""
    assert slow.recv(100) == b""
    assert server.ask("GET", "/api/1/arenas/ladder", tokens["viewer"]).status == 200
    for one in (silent, slow, kept):
        one.close()


def test_streams_beyond_the_most_are_refused_politely(server, tokens, monkeypatch):
    monkeypatch.setattr("equipoise.web.live.MOST_STREAMS", 20)
    others = [server.arena.make_token("viewer", f"v{number}") for number in range(3)]
    time.sleep(1.2)  # the bridge looks once a second at what others in its process wrote
    streams = [open_stream(server, token) for token in others for _ in range(8)]
    assert [stream.status for _, stream in streams] == [200] * 20 + [503] * 4
    refused = json.loads(streams[-1][1].read())
    assert refused["type"] == "/problems/unavailable"
    assert streams[-1][1].headers["retry-after"] == "1"
    for connection, stream in streams[:3]:
        stream.close()
        connection.close()
    until = time.monotonic() + 20
    while (
        server.ask("GET", "/metrics", tokens["organiser"]).body.decode().count("equipoise_streams{")
        and time.monotonic() < until
    ):
        again = open_stream(server, others[0])
        if again[1].status == 200:
            break
        time.sleep(0.2)
    assert again[1].status == 200
    for connection, stream in [*streams, again]:
        stream.close()
        connection.close()


@pytest.mark.parametrize(
    "path",
    [
        "/arenas/ladder/../../etc/passwd",
        "/assets/..%2f..%2fapp.py",
        "/assets/%2e%2e/live.css",
        "/assets//etc/passwd",
        "/arenas/ladder/trials/%00",
        "/arenas/ladder/parts/..",
        "//evil.example/arenas/ladder",
        "/arenas/%0d%0aset-cookie:%20x=1",
        "/arenas/ladder/games?player=%0d%0ax:%201",
        "/arenas/ladder/enter/%0d%0alocation:%20http://evil.example",
    ],
)
def test_tricks_with_paths_and_headers_lead_nowhere(server, tokens, path):
    answer = server.ask("GET", path, tokens["viewer"])
    assert answer.status in (200, 400, 401, 403, 404)
    assert b"root:" not in answer.body
    assert not {"set-cookie", "x", "location"} & set(answer.headers)
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_settings_are_read_strictly(tmp_path):
    file = tmp_path / "serve.toml"
    for text, words in (
        ('lsten = "x"', 'no key "lsten" (did you mean "listen"?)'),
        ("public = 1", "public is a switch"),
        ("hosts = [1]", "hosts is a list of texts"),
        ("listen =", "cannot be read as TOML"),
    ):
        file.write_text(text)
        with pytest.raises(ParameterError, match=re.escape(words)):
            read_settings(file)


def test_a_server_is_set_up_by_file_and_environment_logs_each_request_and_ends_in_time(tmp_path):
    with eq.Arena.create(tmp_path / "ladder.db", spec_of(players=[{"name": "ada", "concurrency": 1}, "bea"])):
        pass
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = tmp_path / "serve.toml"
    settings.write_text(
        f'arenas = ["{tmp_path}/ladder.db"]\nlisten = "127.0.0.1:1"\nhosts = ["arena.example"]\nlog = true\n'
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "equipoise", "arena", "serve", "--settings", str(settings)], text=True, cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "EQUIPOISE_LISTEN": f"127.0.0.1:{port}", "PYTHONPATH": str(Path(eq.__file__).parents[1])},
    )  # fmt: skip
    said = [running.stdout.readline() for _ in range(4)]
    tokens = {role: re.search(rf"eq_{role}_\w+", "".join(said))[0] for role in ("organiser", "viewer", "worker")}
    assert f"http://arena.example:{port}/arenas/ladder/enter#" in said[1]

    opened = []

    def ask(method, path, token, body=None):
        for _ in range(100):
            opened.append(http.client.HTTPConnection("127.0.0.1", port, timeout=60))
            try:
                headers = {"authorization": f"Bearer {token}", "host": "arena.example"}
                opened[-1].request(method, path, body, headers)
                return opened[-1].getresponse()
            except ConnectionRefusedError:
                time.sleep(0.1)
        raise AssertionError("nobody listens")

    turns = "/api/1/arenas/ladder/turns"
    assert ask("POST", turns, tokens["worker"], '{"request": "a-1", "ask": {"n": 1}}').status == 200
    stream, parked = ask("GET", "/api/1/arenas/ladder/moves", tokens["viewer"]), []
    assert ask("GET", f"/arenas/ladder?secret={tokens['viewer']}", tokens["viewer"]).status == 200
    waiting = threading.Thread(
        target=lambda: parked.append(
            ask("POST", turns, tokens["worker"], '{"request": "b-1", "ask": {"n": 1, "wait": 30}}').status
        )
    )
    waiting.start()
    time.sleep(1.0)
    began = time.monotonic()
    running.send_signal(signal.SIGTERM)
    _, errors = running.communicate(timeout=60)
    assert time.monotonic() - began < 30  # ten seconds, on a machine that is not busy
    waiting.join(20)
    assert parked == [204]
    assert b"event: move" in stream.read()
    lines = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
    assert {"turn", "moves", "live"} <= {line["call"] for line in lines}
    assert all(set(line) == {"time", "call", "status", "ms"} for line in lines)
    assert not any(token.rpartition("_")[2] in errors for token in tokens.values())
    for one in opened:
        one.close()
    with eq.Arena.look_at(tmp_path / "ladder.db") as arena:
        assert arena.verify().ok


@pytest.mark.parametrize(
    "pieces", [[b"x-long: " + b"a" * 20_000], [b"x-a: b\r\n" * 300] * 20, [b"x-long: "] + [b"a" * 900] * 30]
)
def test_a_head_that_is_too_large_is_refused(server, pieces):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n")
        answer = b""
        with contextlib.suppress(OSError):  # it may be cut off before all is said, or before it has read the answer
            for piece in pieces:
                client.sendall(piece)
            answer = client.recv(100)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 400 ")
    assert server.ask("GET", "/healthz").status == 200
