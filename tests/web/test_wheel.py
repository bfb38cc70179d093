"""The wheel holds its pages: built, put into an environment without the project, and looked at without a network."""

import os
import shutil
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.browsing import browser_path

ROOT = Path(__file__).parents[2]
LOOK = """
import json, sys, threading, time
from pathlib import Path
import equipoise as eq
from equipoise.web.access.roles import PAGES
from equipoise.web.app import make_app
from equipoise.web.pages.routes import ASSETS
from equipoise.web.serving import server_of
from playwright.sync_api import sync_playwright
import socket

OF_VOTES = ("vote", "my_votes", "board")
folder, chromium = Path(sys.argv[1]), sys.argv[2]
assert folder in Path(eq.__file__).parents, eq.__file__
with socket.socket() as outside:
    outside.settimeout(5)
    assert outside.connect_ex(("192.0.2.1", 80)) != 0
arena = eq.Arena.create(folder / "ladder.db", eq.ArenaSpec(
    name="Ladder", game="python:nowhere:play", players=["ada", "bea", "cyd"], goal="budget", budget=60))
answers = folder / "answers.jsonl"
rows = [{"prompt": "p", "model": model, "answer": f"I am {model}."} for model in ("x", "y")]
answers.write_text("\\n".join(map(json.dumps, rows)))
voted = eq.Arena.create(folder / "votes.db", eq.ArenaSpec.from_dict(
    {"name": "v", "game": "votes", "answers": str(answers), "goal": "best", "voters": "link"}))
tokens = {role: arena.make_token(role, role) for role in ("organiser", "worker")}
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
server = server_of(make_app({"ladder": arena, "votes": voted}))
running = threading.Thread(target=server.run, args=([listening],), daemon=True)
running.start()
base = f"http://127.0.0.1:{listening.getsockname()[1]}"
with eq.Arena.open(f"{base}/arenas/ladder", token=tokens["worker"]) as far:
    for _ in range(6):
        for lease in far.ask(2):
            far.tell(lease, [1.0, 0.0], transcript="user: hello")
addresses = {
    route.path.format(arena="votes" if route.name in OF_VOTES else "ladder", part="standings", number=1, name=name)
    for route in PAGES if route.method == "GET" for name in ASSETS
}
addresses |= {"/arenas/ladder?at=5", "/arenas/ladder?wall=1", "/api/1/openapi.json"}
foreign, broken = [], []
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"])
    page = browser.new_page(accept_downloads=True)
    page.on("request", lambda one: None if one.url.startswith((base, "data:")) else foreign.append(one.url))
    page.on("requestfailed", lambda one: None if one.url.endswith("/moves") else broken.append(one.url))
    page.on("response", lambda one: broken.append(f"{one.status} {one.url}") if one.status >= 400 else None)
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(f"{base}/arenas/ladder/enter#{tokens['organiser']}")
    page.wait_for_url(f"{base}/arenas/ladder")
    assert "ada" in page.inner_text("#standings")
    page.goto(f"{base}/arenas/votes/enter#{voted.make_token('viewer', 'v')}")
    page.wait_for_url(f"{base}/arenas/votes")
    for address in sorted(addresses):
        if address.endswith("/page.html"):
            page.context.request.get(base + address).body()
            file = folder / "alone.html"
            file.write_bytes(page.context.request.get(base + address).body())
            page.goto(file.as_uri())
            assert "ada" in page.inner_text("#standings")
            foreign[:] = [one for one in foreign if not one.startswith(folder.as_uri())]
        else:
            page.goto(base + address)
    browser.close()
server.should_exit = True
running.join(20)
arena.close()
voted.close()
assert not foreign, foreign
assert not broken, broken
print(len(addresses), "addresses")
"""


def test_the_built_wheel_shows_every_page_without_a_network(tmp_path):
    chromium, confined = browser_path(), shutil.which("bwrap")
    if (
        confined is None
        or subprocess.run([confined, "--unshare-net", "--dev-bind", "/", "/", "true"], check=False).returncode
    ):
        pytest.skip("no bubblewrap that may take the network away: make engines")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("equipoise-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(installed)
    # Isolated, and without the site's own files, of which one leads to the project: only what was built, and packages.
    paths = [str(installed), *site.getsitepackages()]
    script = f"import sys; sys.path[:0] = {paths!r}; exec(compile(sys.stdin.read(), 'look', 'exec'))"
    command = [confined, "--unshare-net", "--dev-bind", "/", "/", "--chdir", str(tmp_path), sys.executable, "-I", "-S"]
    looked = subprocess.run(
        [*command, "-c", script, str(installed), chromium], input=LOOK, capture_output=True, text=True, timeout=240,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )  # fmt: skip
    assert looked.returncode == 0, looked.stderr[-3000:]
    assert int(looked.stdout.split()[0]) >= 13
