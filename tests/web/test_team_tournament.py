"""The tutorial "a tournament for my team", performed: files, commands and page are those that it shows."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

import equipoise as eq

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "team-tournament.md"


def test_from_three_bots_to_a_page_that_the_team_sees(chromium, tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    for name, body in re.findall(r"`([\w.]+)`\n\n```(?:python|toml)\n(.*?)```", text, re.DOTALL):
        (tmp_path / name).write_text(body, encoding="utf-8")
    new, serve, work, status = (
        line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": f"{Path(eq.__file__).parents[1]}"}

    def command(line, **more):
        """Give a line as this test runs it: this installation, this machine, a free port."""
        line = line.replace("0.0.0.0:8000", f"127.0.0.1:{port}").replace("cup.example:8000", f"localhost:{port}")
        own = line.replace("equipoise ", f"{sys.executable} -m equipoise ", 1)
        ours = {"shell": True, "cwd": tmp_path, "env": env, "text": True, "stdout": subprocess.PIPE}
        return {"args": own, **ours, **more}

    subprocess.run(**command(new), check=True, timeout=120)
    serving = subprocess.Popen(**command(f"exec {serve}"))
    try:
        said = "".join(serving.stdout.readline() for _ in range(4))
        token = re.search(r"eq_worker_\w+", said)[0]
        links = re.findall(r"http://cup\.example:\d+(/arenas/cup/enter#eq_(organiser|viewer)_\w+)", said)
        assert [role for _, role in links] == ["organiser", "viewer"]
        page = chromium.new_page()
        page.goto(f"http://localhost:{port}{links[1][0]}")
        page.wait_for_url(re.compile("/arenas/cup$"))
        expect(page.locator("#games")).to_contain_text("No game is finished yet")
        played = subprocess.run(**command(work.replace("eq_worker_...", token)), check=True, timeout=280)
        assert "Answered after" in played.stdout
        expect(page.locator("#answer")).to_contain_text("Anna is the best player", timeout=60_000)
        expect(page.locator("#state")).to_have_text("answered", timeout=60_000)
        assert page.locator("#organise").count() == 0
        page.close()
        assert "Anna" in subprocess.run(**command(status), check=True, timeout=120).stdout
    finally:
        serving.terminate()
        serving.communicate(timeout=60)
