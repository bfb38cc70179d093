"""Pages in a real chromium: they move, come back after a restart, need no script, and hostile text stays text."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import equipoise as eq
from tests.web.served import Server, served, spec_of

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "\"'><script>alert(2)</script>",
    "=cmd()|' /C calc'!A0",
    "javascript:alert(3)",
    "{{ 7*7 }}",
]


def opened(chromium, server, token, **options):
    context = chromium.new_context(**options)
    page = context.new_page()
    page.foreign, page.broken = [], []
    page.on(
        "request",
        lambda one: (
            page.foreign.append(one.url)
            if f"127.0.0.1:{server.port}" not in one.url and not one.url.startswith("data:")
            else None
        ),
    )
    page.on("dialog", lambda one: (page.broken.append(one.message), one.dismiss()))
    page.on("pageerror", lambda error: page.broken.append(str(error)))
    page.goto(f"{server.url}/enter#{token}")
    page.wait_for_url(server.url)
    return page


def test_the_page_moves_when_results_arrive(chromium, tmp_path):
    with served(tmp_path) as server:
        viewer, worker = server.token("viewer", "v"), server.token("worker", "w")
        page = opened(chromium, server, viewer)
        assert "No game is finished yet" in page.inner_text("#games")
        server.play(worker, 6)
        page.wait_for_selector("#games table", timeout=30_000)
        expect(page.locator("#standings tbody")).to_contain_text("ada", timeout=30_000)
        assert "#" not in page.url
        assert page.foreign == []
        assert page.broken == []
        page.context.close()


def test_the_page_finds_its_server_again_after_a_restart(chromium, tmp_path):
    server = Server(eq.Arena.create(tmp_path / "ladder.db", spec_of()))
    viewer, worker, port = server.token("viewer", "v"), server.token("worker", "w"), server.port
    page = opened(chromium, server, viewer)
    server.close()
    expect(page.locator("#state")).to_contain_text("no connection", timeout=30_000)
    server = Server(eq.Arena.open(tmp_path / "ladder.db"), port=port)
    server.play(worker, 2)
    page.wait_for_selector("#games table", timeout=30_000)
    expect(page.locator("#state")).to_have_text("live", timeout=30_000)
    page.context.close()
    server.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_hostile_names_stay_text_and_the_page_is_open_to_everybody(chromium, tmp_path, scheme, width):
    with served(tmp_path, spec_of(name=HOSTILE[0], players=HOSTILE, goal="order", budget=200)) as server:
        organiser, worker = server.token("organiser", "o"), server.token("worker", HOSTILE[1][:40])
        leases = server.turn(worker, request="s-1", ask={"n": 12})["leases"]
        tells = [{"lease": one["lease"], "scores": [1, 0], "transcript": f"{HOSTILE[1]}\x1b[2J"} for one in leases[:10]]
        fails = [{"lease": leases[10]["lease"], "fault": "player", "seat": 0, "message": HOSTILE[0]}]
        server.turn(worker, tells=tells, fails=fails)
        page = opened(chromium, server, organiser, viewport={"width": width, "height": 900}, color_scheme=scheme)
        assert page.title() == HOSTILE[0]
        assert page.locator("main img, main script").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.goto(f"{server.url}/trials/1")
        assert HOSTILE[1] in page.inner_text("pre")
        assert "\\x1b" in page.inner_text("pre")
        assert page.foreign == []
        assert page.broken == []
        page.context.close()


def test_without_script_it_is_a_page_that_reloads(chromium, tmp_path):
    with served(tmp_path, public=True) as server:
        server.play(server.token("worker", "w"), 6)
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(server.url)
        assert "ada" in page.inner_text("#standings")
        assert page.locator("noscript meta[http-equiv=refresh]").count() == 1
        context.close()


def test_entering_works_without_script_and_by_keyboard(chromium, tmp_path):
    with served(tmp_path) as server:
        token = server.token("organiser", "o")
        context = chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{server.url}/enter")
        page.keyboard.press("Tab")
        page.keyboard.type(token)
        page.keyboard.press("Enter")
        page.wait_for_url(server.url)
        page.get_by_role("button", name="Pause").press("Enter")
        page.wait_for_url(re.compile("#organise"))
        assert server.arena.state == "paused"
        context.close()


def test_an_earlier_state_is_what_was_shown_then(tmp_path):
    with served(tmp_path) as server:
        viewer, worker = server.token("viewer", "v"), server.token("worker", "w")
        server.play(worker, 10)
        seq = server.arena.look(lambda state: state.seq)
        paths = ["standings", "decisions", "pairs", "players", "workers", ""]
        then = {path: server.ask("GET", f"/api/1/arenas/ladder/{path}".rstrip("/"), viewer).json() for path in paths}
        server.play(worker, 6, "t")
        for path in paths:
            answer = server.ask("GET", f"/api/1/arenas/ladder/{path}".rstrip("/") + f"?at={seq}", viewer)
            assert answer.json() == then[path], path
        assert server.ask("GET", "/arenas/ladder?at=99999", viewer).status == 404


def test_a_document_that_has_not_moved_is_not_sent_again(server, tokens):
    first = server.ask("GET", "/api/1/arenas/ladder/standings", tokens["viewer"])
    again = server.ask(
        "GET", "/api/1/arenas/ladder/standings", tokens["viewer"], None, {"if-none-match": first.headers["etag"]}
    )
    assert (again.status, again.body) == (304, b"")


def test_a_transcript_is_shown_when_the_paired_games_are_finished(server, tokens):
    first, second = server.turn(tokens["worker"], request="s-1", ask={"n": 2})["leases"]
    assert first["trial"]["block"] == second["trial"]["block"]
    server.turn(tokens["worker"], tells=[{"lease": first["lease"], "scores": [1, 0], "transcript": "the cards"}])
    path = f"/api/1/arenas/ladder/trials/{first['trial']['number']}/transcript"
    assert server.ask("GET", path, tokens["viewer"]).status == 403
    assert "the cards" not in server.ask("GET", "/arenas/ladder/trials/1", tokens["viewer"]).body.decode()
    assert server.ask("GET", path, tokens["organiser"]).body == b"the cards"
    server.turn(tokens["worker"], tells=[{"lease": second["lease"], "scores": [1, 0]}])
    assert server.ask("GET", path, tokens["viewer"]).body == b"the cards"


def test_one_file_shows_the_page_without_a_server(chromium, tmp_path):
    with served(tmp_path) as server:
        viewer, worker = server.token("viewer", "v"), server.token("worker", "w")
        server.play(worker, 6)
        file = tmp_path / "alone.html"
        file.write_bytes(server.ask("GET", "/arenas/ladder/page.html", viewer).body)
    page = chromium.new_page()
    requests = []
    page.on("request", lambda one: requests.append(one.url))
    page.goto(file.as_uri())
    assert "ada" in page.inner_text("#standings")
    assert all(url.startswith(("file:", "data:")) for url in requests)
    page.close()
