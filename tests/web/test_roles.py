"""Every role on every path: the one table is tried row by row."""

import json
import time
from pathlib import Path

import pytest

from equipoise.web.access.roles import PAGES, ROUTES, role_table
from tests.web.conftest import ROLES
from tests.web.served import served, spec_of

BODIES = {
    "void": {"number": 1, "reason": "test"}, "exclude": {"worker": "nobody", "reason": "test"},
    "include": {"worker": "nobody", "reason": "test"}, "add_player": {"name": "new"},
    "make_token": {"role": "viewer", "name": "one more"}, "versions": {"versions": {}},
}  # fmt: skip
ADDRESS = {"arena": "ladder", "number": "1", "token": "none", "part": "answer", "name": "live.js"}


def address(route):
    return route.path.format(**ADDRESS)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Give a server for the whole table, with a token of each role."""
    with served(tmp_path_factory.mktemp("table")) as server:
        yield server, {role: server.token(role, f"the {role}") for role in ROLES}


@pytest.mark.parametrize(
    "route", [one for one in (*ROUTES, *PAGES) if one.name != "moves"], ids=lambda route: f"{route.method} {route.path}"
)
def test_a_role_does_what_the_table_says_and_nothing_else(table, route):
    server, tokens = table
    for role in ROLES:
        answer = server.ask(route.method, address(route), tokens[role], BODIES.get(route.name, {}))
        allowed = route.roles is None or role in route.roles
        assert (answer.status not in (401, 403)) is allowed or route.name == "exchange", (
            role,
            answer.status,
            answer.body,
        )
        assert answer.status < 500
    without = server.ask(route.method, address(route), None, BODIES.get(route.name, {}))
    assert (without.status == 401) is (route.roles is not None or route.name == "exchange"), without.body


def test_the_page_of_the_docs_shows_the_table():
    page = (Path(__file__).parents[2] / "docs" / "arena-web.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- made: roles -->")[2].partition("<!-- end -->")[0].strip()
    assert shown == role_table(), "docs/arena-web.md: put in what equipoise.web.access.roles.role_table() gives"


def test_streams_are_for_those_who_may_watch(server, tokens):
    assert server.ask("GET", "/api/1/arenas/ladder/moves").status == 401
    assert server.ask("GET", "/api/1/arenas/ladder/moves", tokens["voter"]).status == 403


@pytest.mark.parametrize("spoil", [
    lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"), lambda token: token.replace("viewer", "organiser"),
    str.upper, lambda _token: "eq_organiser__", lambda _token: "", lambda _token: "é" * 50,
])  # fmt: skip
def test_a_token_that_is_not_the_one_that_was_made_opens_nothing(server, tokens, spoil):
    spoilt = spoil(tokens["viewer"])
    answer = server.ask(
        "POST", "/api/1/arenas/ladder/pause", None, {}, {"authorization": f"Bearer {spoilt}".encode().decode("latin-1")}
    )
    assert answer.status in (401, 403)
    assert server.arena.state == "running"


def test_a_revoked_token_and_its_sessions_open_nothing_any_more(server, tokens):
    entered = server.ask("POST", "/arenas/ladder/enter", None, f"token={tokens['organiser']}".encode())
    cookie = {"cookie": entered.headers["set-cookie"].partition(";")[0]}
    assert server.ask("GET", "/arenas/ladder", None, None, cookie).status == 200
    for one in server.arena.tokens():
        server.arena.revoke(one["id"])
    time.sleep(1.2)  # the bridge looks once a second at what others in its process wrote
    assert server.ask("GET", "/arenas/ladder", None, None, cookie).status == 401
    assert server.ask("GET", "/api/1/arenas/ladder", tokens["viewer"]).status == 401


def test_a_token_that_has_ended_opens_nothing(server):
    token = server.arena.make_token("viewer", "short", days=1e-6)
    time.sleep(1.2)
    assert server.ask("GET", "/api/1/arenas/ladder", token).status == 401


def test_a_token_of_another_arena_opens_nothing(server, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    with served(folder) as other:
        foreign = other.token("organiser", "me")
        assert server.ask("POST", "/api/1/arenas/ladder/pause", foreign, {}).status == 401


def test_journal_lists_and_pages_hold_no_secret(server, tokens):
    server.play(tokens["worker"], 4)
    secrets = [token.rpartition("_")[2] for token in tokens.values()]
    journal = "".join(event.body for event in server.arena.events())
    shown = [
        server.ask("GET", path, tokens["organiser"]).body.decode()
        for path in ("/api/1/arenas/ladder/tokens", "/api/1/arenas/ladder/events", "/arenas/ladder", "/metrics")
    ]
    assert not any(secret in text for secret in secrets for text in [journal, *shown])


def test_those_who_watch_see_no_seeds_options_or_hashes(tmp_path):
    players = [
        {"name": "ada", "bot": "program:./bot --key=SECRET1", "options": {"environment": {"KEY": "SECRET2"}}},
        "bea",
    ]
    with served(tmp_path, spec_of(players=players, seed=987654321)) as server:
        viewer, worker = server.token("viewer", "v"), server.token("worker", "w")
        server.play(worker, 4)
        seeds = [str(event.content()["seed"]) for event in server.arena.events(kinds=["open"])]
        paths = ["", "/standings", "/decisions", "/pairs", "/players", "/workers", "/trials", "/trials/1", "/events"]
        for path in paths:
            text = server.ask("GET", f"/api/1/arenas/ladder{path}", viewer).body.decode()
            hashes = [token["id"] for token in json.loads(text).get("tokens", [])]
            assert not hashes
            assert not any(secret in text for secret in ["SECRET1", "SECRET2", "987654321", *seeds]), path
        page = server.ask("GET", "/arenas/ladder", viewer).body.decode()
        assert not any(secret in page for secret in ["SECRET1", "SECRET2", "987654321", *seeds])


def test_a_form_of_another_site_does_nothing(server, tokens):
    entered = server.ask("POST", "/arenas/ladder/enter", None, f"token={tokens['organiser']}".encode())
    cookie = {"cookie": entered.headers["set-cookie"].partition(";")[0]}
    page = server.ask("GET", "/arenas/ladder", None, None, cookie).body.decode()
    form_token = page.partition('name="form_token" value="')[2].partition('"')[0]
    forged = server.ask("POST", "/arenas/ladder/organise", None, b"do=pause", cookie)
    assert forged.status == 403
    elsewhere = {**cookie, "origin": "http://evil.example"}
    assert (
        server.ask(
            "POST", "/arenas/ladder/organise", None, f"do=pause&form_token={form_token}".encode(), elsewhere
        ).status
        == 403
    )
    assert server.ask("POST", "/api/1/arenas/ladder/pause", None, {}, cookie).status == 403
    assert server.arena.state == "running"
    done = server.ask("POST", "/arenas/ladder/organise", None, f"do=pause&form_token={form_token}".encode(), cookie)
    assert (done.status, server.arena.state) == (303, "paused")


def test_a_foreign_host_name_is_not_answered(server, tokens):
    answer = server.ask("GET", "/api/1/arenas/ladder", tokens["viewer"], None, {"host": "evil.example"})
    assert (answer.status, answer.problem) == (421, "wrong-host")
