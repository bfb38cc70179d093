"""TLS ended by nginx in front of the server, set up as the docs say."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

import equipoise as eq
from tests.browsing import *  # noqa: F403  # a fixture: a browser for the whole module
from tests.web.served import Server, spec_of

PAGE = Path(__file__).parents[2] / "docs" / "arena-web.md"
AROUND = """daemon off;
error_log {folder}/errors.log;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
{server}
}}
"""


@contextlib.contextmanager
def nginx(folder, port):
    """Run nginx with what the page of the docs says, but for names and ports; give its own port."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("no nginx: make engines")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = free.getsockname()[1]
    key, certificate = folder / "arena.key", folder / "arena.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True,
    )  # fmt: skip
    block = PAGE.read_text(encoding="utf-8").partition("```nginx\n")[2].partition("```")[0]
    for said, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{own} ssl"), ("server_name arena.example", "server_name localhost"),
        ("/etc/ssl/arena.example.pem", str(certificate)), ("/etc/ssl/arena.example.key", str(key)),
        ("http://127.0.0.1:8000", f"http://127.0.0.1:{port}"),
    ):  # fmt: skip
        assert said in block
        block = block.replace(said, here)
    who = "user root;\n" if os.geteuid() == 0 else ""  # else its workers may not write into this folder
    (folder / "nginx.conf").write_text(who + AROUND.format(folder=folder, server=block))
    running = subprocess.Popen([program, "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 30.0
        while time.monotonic() < until and running.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", own), 1.0):
                break
            time.sleep(0.02)
        assert running.poll() is None, running.stderr.read()
        yield own, certificate
    finally:
        running.terminate()
        running.communicate(timeout=30)


def test_behind_nginx_with_tls_people_look_and_machines_work(chromium, tmp_path, monkeypatch):
    arena = eq.Arena.create(
        tmp_path / "ladder.db", spec_of(players=[{"name": "ada", "concurrency": 1}, "bea"], budget=40)
    )
    server = Server(arena, proxy="127.0.0.1")
    try:
        worker, organiser = server.token("worker", "w"), server.token("organiser", "o")
        with nginx(tmp_path, server.port) as (port, certificate):
            url = f"https://localhost:{port}/arenas/ladder"
            context = chromium.new_context(ignore_https_errors=True)
            page = context.new_page()
            page.goto(f"{url}/enter#{organiser}")
            page.wait_for_url(url)
            cookie = context.cookies()[0]
            assert (cookie["name"][:7], cookie["secure"], cookie["httpOnly"]) == ("__Host-", True, True)
            page.get_by_role("button", name="Pause").click()
            expect(page.locator("#state")).to_have_text("paused", timeout=30_000)
            page.get_by_role("button", name="Resume").click()
            expect(page.locator("#state")).to_have_text("live", timeout=30_000)
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            with eq.Arena.open(url, token=worker) as far:
                (lease,) = far.ask(1)
                assert far.ask(1, wait=0.5) == []  # it waits, and is answered through the proxy
                far.tell(lease, [1.0, 0.0], transcript="x" * 2_000_000)
                expect(page.locator("#games")).to_contain_text("1 : 0", timeout=30_000)  # the stream is not held up
                while far.state == "running":
                    for lease in far.ask(2):
                        far.tell(lease, [1.0, 0.0])
                assert far.verify().ok
            expect(page.locator("#state")).to_have_text("spent", timeout=30_000)
            page.context.close()
            logged = (tmp_path / "access.log").read_text()
        assert re.search(r"GET /arenas/ladder/enter ", logged)
        assert not any(token.rpartition("_")[2] in logged for token in (worker, organiser))
    finally:
        server.close()
