"""The page where people vote, in a real chromium and over HTTP: what it does not tell, and what is said twice."""

import contextlib
import http.client
import json
import re
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import equipoise as eq
from equipoise.arena.engine import voting
from equipoise.web.votes.ballots import read_words
from equipoise.web.votes.rendering import LONGEST, render
from tests.arena.voting import MODELS, vote_arena
from tests.web.served import Server

HOSTILE = [
    "<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "[x](javascript:alert(3))",
    "![x](https://evil.example/x.png)",
    "<svg onload=alert(4)>", "[x](data:text/html,<script>alert(5)</script>)", "<a href='javascript:alert(6)'>x</a>",
    "$\\href{javascript:alert(7)}{x}$", "<math><mtext><img src=x onerror=alert(8)></mtext></math>",
    "<iframe src=//evil.example>",
    "`<script>alert(9)</script>`", "```\n</code></pre><script>alert(10)</script>\n```",
    "<style>@import '//evil.example'</style>",
    "<form action=//evil.example><button>", "$\\text{<script>alert(11)</script>}$", "<base href=//evil.example>",
]  # fmt: skip


@pytest.fixture
def server(tmp_path, request):
    running = Server(vote_arena(tmp_path, voters="link", **getattr(request, "param", {})))
    yield running
    running.close()


class Browser:
    """Somebody without script: cookies, forms and redirections."""

    def __init__(self, server):
        self.server, self.cookies, self.seen = server, {}, []

    def ask(self, method, path, form=None, **headers):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)) as connection:
            return self._asked(connection, method, path, form, headers)

    def _asked(self, connection, method, path, form, headers):
        sent = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **headers}
        body = None if form is None else urlencode(form)
        connection.request(method, f"/arenas/ladder{path}", body, sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        for line in answer.headers.get_all("set-cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        self.seen.append(text + str(answer.headers))
        return answer.status, text

    def page(self):
        status, text = self.ask("GET", "/vote")
        assert status == 200, text
        return text

    def send(self, text, **form):
        fields = dict(re.findall(r'<input type="hidden" name="(form_token|trial|gold)" value="([^"]*)"', text))
        return self.ask("POST", "/vote", {**fields, **form})


def settled(server):
    server.arena.commits.run(voting.settle_all)
    return server.arena.look(lambda state: state.counted)


def test_a_voter_without_script_votes_until_nothing_is_left_and_then_sees_the_names(server):
    browser = Browser(server)
    for choice in ("a", "bad", "skip"):
        assert browser.send(browser.page(), vote=choice)[0] == 303
    end = browser.page()
    assert "Your votes: 3" in end
    mine = browser.ask("GET", "/vote/mine")[1]
    assert mine.count("can be taken back") == 3
    assert not [text for text in browser.seen if any(name in text for name in MODELS)]
    browser.send(end, do="finish")
    assert "strong" in browser.page()
    assert settled(server) == 3
    choices = [event.content()["choice"] for event in server.arena.events(kinds=["result"])]
    assert sorted(choices) == ["a", "bad", "skip"]


def test_what_is_said_twice_counts_once_and_what_is_forged_not_at_all(server):
    browser, other = Browser(server), Browser(server)
    page = browser.page()
    for _ in range(2):
        assert browser.send(page, vote="a")[0] == 303
    other.page()
    assert other.send(page, vote="b")[0] == 403  # the form of somebody else
    assert browser.ask("POST", "/vote", {"trial": "1", "vote": "a"})[0] == 403
    token = dict(re.findall(r'name="(form_token)" value="([^"]*)"', page))
    assert browser.ask("POST", "/vote", {**token, "trial": "1", "vote": "a"}, origin="https://evil.example")[0] == 403
    assert browser.ask("POST", "/vote", {**token, "trial": "99", "vote": "a"})[0] == 409
    assert browser.ask("POST", "/vote", {**token, "trial": "1", "vote": "win"})[0] == 422
    assert browser.ask("POST", "/vote", {**token, "trial": "-1", "vote": "a"})[0] == 422
    assert settled(server) == 1


def test_standings_and_names_are_for_nobody_who_votes(server):
    browser = Browser(server)
    browser.page()
    token = server.token("voter", "ann")
    for path in ("/arenas/ladder", "/api/1/arenas/ladder", "/api/1/arenas/ladder/standings", "/arenas/ladder/board",
                 "/api/1/arenas/ladder/events", "/api/1/arenas/ladder/moves", "/arenas/ladder/games"):  # fmt: skip
        assert server.ask("GET", path, token).status == 403
        assert browser.ask("GET", path.replace("/arenas/ladder", ""))[0] in (401, 404)


@pytest.mark.parametrize("server", [{"reveal": "vote"}], indirect=True)
def test_where_names_are_shown_after_each_vote_none_is_taken_back(server):
    browser = Browser(server)
    browser.send(browser.page(), vote="a")
    text = browser.page()
    assert "Take it back" not in text
    assert re.search(r"A was (strong|middle|weak), B was (strong|middle|weak)\.", text)


def test_a_voter_by_invitation_has_their_votes_deleted(tmp_path):
    server = Server(vote_arena(tmp_path, voters="invited"))
    assert Browser(server).ask("GET", "/vote")[0] == 401
    browser = Browser(server)
    token = server.token("voter", "ann")
    assert browser.ask("POST", "/enter", {"token": token})[0] == 303
    browser.send(browser.page(), vote="a", reason="I live in Sampleville", tag_style="1")
    settled(server)
    mine = browser.ask("GET", "/vote/mine")[1]
    assert browser.send(mine, do="forget")[0] == 303
    assert browser.ask("GET", "/vote")[0] == 401
    assert server.arena.look(lambda state: (state.counted, state.voids)) == (0, 1)
    server.close()


def test_a_vote_by_keyboard_tie_undo_and_two_voters_at_once(chromium, server):
    one, two = (chromium.new_context().new_page() for _ in "ab")
    for page in (one, two):
        page.goto(f"{server.url}/vote")
    one.keyboard.press("b")
    expect(one.locator("button[value=b]")).to_be_focused()
    assert server.arena.look(lambda state: len(state.votes.casts)) == 0  # a slip votes nothing
    one.keyboard.press("e")
    one.keyboard.press("Enter")
    expect(one.locator(".last")).to_contain_text("Equally good")
    two.locator("button[value=a]").click()
    expect(two.locator(".last")).to_contain_text("A is better")
    one.get_by_role("button", name="Take it back").click()
    expect(one.locator(".last")).to_have_count(0)
    assert server.arena.look(lambda state: [cast.choice for cast in state.votes.casts.values()]) == ["a"]
    for page in (one, two):
        page.context.close()


@pytest.mark.parametrize("options", [
    {"viewport": {"width": 1280, "height": 900}}, {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
], ids=["wide", "telephone", "dark"])  # fmt: skip
def test_the_page_is_accessible_and_fits(chromium, server, options):
    page = chromium.new_context(**options).new_page()
    page.goto(f"{server.url}/vote")
    problems = Axe().run(page).response["violations"]
    assert problems == [], [(one["id"], one["nodes"][0]["html"]) for one in problems]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if options.get("has_touch"):
        page.locator("button[value=bad]").tap()
        expect(page.locator(".last")).to_contain_text("Both bad")
    page.context.close()


def test_hostile_answers_are_inert(chromium, tmp_path):
    answers = tmp_path / "hostile.jsonl"
    text = "\n\n".join(HOSTILE)
    rows = [{"prompt": text, "model": name, "answer": text} for name in ("x", "y")]
    answers.write_text("\n".join(map(json.dumps, rows)))
    spec = {"name": "v", "game": "votes", "answers": str(answers), "goal": "best", "voters": "link"}
    server = Server(eq.Arena.create(tmp_path / "v.db", spec))
    page = chromium.new_page()
    ran, left = [], []
    page.on("dialog", lambda one: (ran.append(one.message), one.dismiss()))
    page.on("request", lambda one: left.append(one.url) if f":{server.port}" not in one.url else None)
    page.goto(f"{server.url}/vote")
    page.wait_for_load_state("networkidle")
    assert ran == []
    assert [url for url in left if not url.startswith("data:")] == []
    assert page.locator(".md script, .md img, .md iframe, .md form, .md style, .md svg").count() == 0
    assert page.locator(".md a[href^='javascript'], .md a[href^='data']").count() == 0
    page.close()
    server.close()


def test_formulas_tables_and_code_are_shown():
    made = render("# Sum\n\n$x^2$ costs $5 and $6\n\n|a|b|\n|-|-|\n|1|2|\n\n```\nx<1\n```")
    for part in ("<math", "<msup>", "costs $5 and $6", "<table>", "<code>x&lt;1", "<strong>Sum</strong>"):
        assert part in made
    assert "<h1" not in made


@pytest.mark.parametrize(
    "bad", ["![" * 16_000, "[" * 32_000, "$" * 32_000, "\\(" * 16_000, "> " * 15_000, "*a" * 16_000]
)
def test_texts_that_take_long_stand_as_they_are(bad):
    assert render(bad, deadline=0.0).startswith("<pre>")
    assert len(render("x" * 10 * LONGEST)) < 2 * LONGEST


def test_languages_have_the_same_words(tmp_path):
    english, german = read_words("en"), read_words("de")
    assert [*english] == [*german]
    (tmp_path / "fr.toml").write_text('title = "Laquelle ?"')
    with pytest.raises(Exception, match="differ from those in English"):
        read_words(str(tmp_path / "fr.toml"))
