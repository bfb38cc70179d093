"""Pages in a real chromium: they move, come back after a restart, need no script, and hostile text stays text."""

import re
import time

import chess
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import equipoise as eq
from equipoise.games.chess.game import Ending, written
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


def chess_text():
    board = chess.Board()
    for move in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6", "e1g1", "f6e4"]:
        board.push_uci(move)
    return written(board, ["ada", "bea"], Ending(1.0, "checkmate"), [None] * 8, {})


def test_a_chess_game_is_stepped_through_with_script_by_keyboard_and_without(chromium, tmp_path):
    with served(tmp_path, public=True) as server:
        leases = server.turn(server.token("worker", "w"), request="s-1", ask={"n": 2})["leases"]
        tells = [{"lease": one["lease"], "scores": [1, 0], "transcript": chess_text()} for one in leases]
        server.turn(server.tokens["w"], tells=tells)
        for script in (True, False):
            page = chromium.new_context(java_script_enabled=script).new_page()
            page.goto(f"{server.url}/trials/1")
            drawing = page.locator("#board svg")
            expect(drawing).to_have_attribute(
                "aria-label", re.compile("after 4… Nxe4.*White:.*rook f1.*Black:.*knight e4")
            )
            if script:
                page.keyboard.press("ArrowLeft")
                expect(drawing).to_have_attribute("aria-label", re.compile(r"after 4\. O-O"))
                page.keyboard.press("ArrowLeft")
                expect(page.locator("#said")).to_have_text("after 3… Nf6")
            page.get_by_role("link", name="first").click()
            expect(drawing).to_have_attribute("aria-label", re.compile("the first position.*king e1.*rook h1"))
            page.get_by_role("link", name="e5", exact=True).click()
            expect(drawing).to_have_attribute("aria-label", re.compile(r"after 1… e5.*pawn e4.*pawn e5"))
            assert page.locator(".squares .moved").count() == 2
            if script:
                found = Axe().run(page)
                assert found.violations_count == 0, found.generate_report()
            page.goto(server.url)
            expect(page.locator("#games svg")).to_have_attribute("aria-label", re.compile("after 4… Nxe4"))
            page.get_by_role("link", name="Step through game").click()
            page.wait_for_url(re.compile("/trials/"))
            page.context.close()


def test_numbers_lead_to_the_games_behind_them(chromium, tmp_path):
    with served(tmp_path, public=True) as server:
        server.play(server.token("worker", "w & co"), 12)
        leases = server.turn(server.tokens["w & co"], request="t-1", ask={"n": 2})["leases"]
        fails = [{"lease": leases[0]["lease"], "fault": "player", "seat": 0, "message": "crashed"}]
        server.turn(server.tokens["w & co"], fails=fails)
        loser = leases[0]["trial"]["players"][0]
        page = chromium.new_page()
        results = [event.content() for event in server.arena.events(kinds=["result"])]

        def shown(url):
            page.goto(url)
            return [int(text) for text in page.locator("table.games tbody a").all_inner_texts()]

        def address(part, text):
            page.goto(server.url)
            return page.locator(f"#{part} a", has_text=re.compile(text)).first.evaluate("link => link.href")

        of_ada = [one["trial"] for one in results if "ada" in one["players"]]
        both = [one["trial"] for one in results if {"ada", "bea"} <= set(one["players"])]
        assert shown(address("standings", "ada")) == of_ada[::-1]
        assert shown(address("pairs", "%")) == both[::-1]
        assert shown(address("workers", "13")) == [one["trial"] for one in results][::-1]
        assert shown(address("players", "^1$")) == [leases[0]["trial"]["number"]]
        assert loser in page.inner_text("h1")
        assert shown(f"{server.url}/games?player=nobody") == []
        page.close()


def test_the_list_of_games_goes_on(server, tokens):
    server.play(tokens["worker"], 60)
    first = server.ask("GET", "/arenas/ladder/games", tokens["viewer"]).body.decode()
    further = re.search(r'href="(/arenas/ladder/games\?before=\d+)"', first)[1]
    second = server.ask("GET", further, tokens["viewer"]).body.decode()
    listed = [int(number) for text in (first, second) for number in re.findall(r"/trials/(\d+)", text)]
    assert listed == list(range(60, 0, -1))
    assert "Earlier games" not in second


def test_who_did_what_to_the_arena_and_why(server, tokens):
    server.play(tokens["worker"], 8)
    for do, said in (
        ("pause", {}),
        ("resume", {}),
        ("void", {"number": 3, "reason": "a <b>power</b> cut"}),
        ("exclude", {"worker": "the worker", "reason": "forged"}),
    ):
        assert server.ask("POST", f"/api/1/arenas/ladder/{do}", tokens["organiser"], said).status == 200
    server.arena.pause()
    rows = server.ask("GET", "/api/1/arenas/ladder/interventions", tokens["viewer"]).json()["interventions"]
    said = [(row["what"], row["by"], row["why"]) for row in rows[::-1]]
    assert said[:4] == [
        ("play pauses", "the organiser", ""),
        ("play goes on", "the organiser", ""),
        ("games left out", "the organiser", "a <b>power</b> cut"),
        ("worker the worker excluded", "the organiser", "forged"),
    ]
    assert said[4:-1] == [("games left out", "the organiser", "worker the worker was excluded: forged")] * 3
    assert said[-1] == ("play pauses", "the arena's owner", "")
    page = server.ask("GET", "/arenas/ladder", tokens["viewer"]).body.decode()
    assert "a &lt;b&gt;power&lt;/b&gt; cut" in page
    assert server.arena.verify().ok


def test_open_pairs_show_how_far_their_evidence_is(tmp_path):
    with served(tmp_path, spec_of(players=["ada", "bea"], goal="order")) as server:
        viewer, worker = server.token("viewer", "v"), server.token("worker", "w")
        server.play(worker, 4)
        pair = server.ask("GET", "/api/1/arenas/ladder/pairs", viewer).json()["pairs"][0]
        assert 0 < pair["evidence"] < pair["needs"]
        page = server.ask("GET", "/arenas/ladder/parts/standings", viewer).body.decode()
        assert f"evidence {pair['evidence']:.1f} of {pair['needs']:.1f}" in page
        assert chart_of(server, viewer) == ("0 of 1 pair is", ["short"], True)
        server.play(worker, 30, "t")
        assert server.arena.state == "answered"
        now = f"?at={server.arena.look(lambda state: state.seq)}"
        pair = server.ask("GET", f"/api/1/arenas/ladder/pairs{now}", viewer).json()["pairs"][0]
        assert pair["evidence"] >= server.arena.decisions()[0].decision.threshold
        page = server.ask("GET", f"/arenas/ladder/parts/standings{now}", viewer).body.decode()
        assert "wrong with probability at most" in page
        assert chart_of(server, viewer, now) == ("1 of 1 pair is", ["reached"], False)


def chart_of(server, viewer, query=""):
    """Read the drawing of evidence: what it says, its dots, and whether the first is below the line (y grows down)."""
    text = server.ask("GET", f"/arenas/ladder/parts/pairs{query}", viewer).body.decode()
    found = re.search(r'class="decides" x1="0" x2="400" y1="([\d.]+)"', text)
    dots = re.findall(r'<circle class="(\w+)" cx="[\d.]+" cy="([\d.]+)"', text)
    words = re.search(r'aria-label="(.*?) on or above the line', text)[1]
    return words, [kind for kind, _ in dots], float(dots[0][1]) > float(found[1])


def test_where_nobody_has_met_there_is_no_drawing_of_evidence(server, tokens):
    assert b"<circle" not in server.ask("GET", "/arenas/ladder/parts/pairs", tokens["viewer"]).body


def test_a_browser_looks_at_several_arenas_of_one_server(tmp_path):
    arenas = {name: eq.Arena.create(tmp_path / f"{name}.db", spec_of(name=name)) for name in ("ladder", "cup")}
    server = Server(arenas["ladder"], others={"cup": arenas["cup"]})
    cookies = []
    for name, arena in arenas.items():
        token = arena.make_token("viewer", "v")
        time.sleep(1.2)  # the bridge looks once a second at what others in its process wrote
        entered = server.ask("POST", f"/arenas/{name}/enter", None, f"token={token}".encode())
        cookies.append(entered.headers["set-cookie"].partition(";")[0])
    together = {"cookie": "; ".join(cookies)}
    assert [server.ask("GET", f"/arenas/{name}", None, None, together).status for name in arenas] == [200, 200]
    assert len({one.partition("=")[0] for one in cookies}) == 2
    assert server.ask("GET", "/arenas/cup", None, None, {"cookie": cookies[0]}).status == 401
    server.close()


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
    leading = page.evaluate("[...document.querySelectorAll('a')].map(one => one.getAttribute('href'))")
    assert leading
    assert all(address.startswith("#") for address in leading)
    assert all(url.startswith(("file:", "data:")) for url in requests)
    page.close()


def test_the_last_result_is_shown_although_nothing_moves_after_it(chromium, tmp_path, monkeypatch):
    monkeypatch.setattr("equipoise.web.documents.LEAST_AGE", 3.0)
    with served(tmp_path, spec_of(players=["ada", "bea"], goal="order"), public=True) as server:
        page = chromium.new_page()
        page.goto(server.url)
        server.play(server.token("worker", "w"), 40)
        expect(page.locator("#state")).to_have_text("answered", timeout=30_000)
        expect(page.locator("#answer")).to_contain_text("Answered after", timeout=30_000)
        expect(page.locator("#decisions")).to_contain_text("ada is better than bea", timeout=30_000)
        page.close()
