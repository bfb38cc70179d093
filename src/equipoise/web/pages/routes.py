"""Pages of an arena: which stands at which address, and who may see it."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Router

from equipoise.arena.engine import managing
from equipoise.arena.engine.admission import is_of
from equipoise.arena.engine.batch import Batch
from equipoise.arena.spec.names import checked_name
from equipoise.arena.spec.spec import as_player
from equipoise.core.errors import ParameterError
from equipoise.web.access.roles import PAGES, Route
from equipoise.web.access.sessions import DAYS, Caller
from equipoise.web.calls import carried, done, number_in
from equipoise.web.chronicle import finished
from equipoise.web.desks import LOG, Desks, ServedArena
from equipoise.web.limits import UNKNOWN_RATE, read_form
from equipoise.web.pages import voting
from equipoise.web.pages.drawn import LONGEST_NAME, PARTS, Stand, draw_page, draw_part, draw_template
from equipoise.web.pages.transcripts import draw_board, read_transcript
from equipoise.web.problems import ProblemError, problem_of

ASSETS: Mapping[str, tuple[str, str, str]] = {
    "page.css": ("equipoise.report", "assets/page.css", "text/css"),
    "live.css": ("equipoise.web", "assets/live.css", "text/css"),
    "live.js": ("equipoise.web", "assets/live.js", "text/javascript"),
    "vote.css": ("equipoise.web", "assets/vote.css", "text/css"),
    "vote.js": ("equipoise.web", "assets/vote.js", "text/javascript"),
}
"""What pages load, all of it from here."""
GAMES_SHOWN, GAMES_READ, MOST_LOOKED_AT = 50, 2_000, 50_000
"""Games on one page of the list, read at once, and looked at before the reader is asked whether to look further."""


def add_pages(router: Router, desks: Desks) -> None:
    """Put the pages into the application."""
    for route in PAGES:
        router.add_route(route.path, _endpoint(desks, route, HANDLERS[route.name]), methods=[route.method])


def _endpoint(desks: Desks, route: Route, handler: Any) -> Callable[[Request], Awaitable[Response]]:
    """Put a page behind its roles; refusals are pages, too."""

    async def answer(request: Request) -> Response:
        response: Response
        begun = time.perf_counter()
        try:
            if "{arena}" not in route.path:
                response = await handler(desks, request)
            elif route.roles is None:
                response = await handler(desks, desks.find(request.path_params["arena"]), request)
            else:
                desk = desks.find(request.path_params["arena"])
                caller = desks.admit(desk, route, request)
                response = await handler(desk, caller, request)
        except Exception as error:
            problem = problem_of(error)
            if problem.status == 500:
                LOG.exception("%s %s", request.method, route.name)
            arena = request.path_params.get("arena", "")
            enter = (
                f"/arenas/{quote(arena, safe='')}/enter" if problem.status == 401 and arena in desks.served else None
            )
            text = draw_template("refused.html.jinja", problem=problem.to_dict(), enter=enter)
            response = Response(text, problem.status, problem.headers, media_type="text/html")
        desks.count(route.name, response.status_code, time.perf_counter() - begun)
        return response

    return answer


def _stand(desk: ServedArena, caller: Caller, request: Request) -> Stand:
    at = number_in(request, "at", None)
    if at is not None and not 1 <= at <= desk.bridge.seq:
        raise ProblemError("not-found", f"there is no event {at}: the last one is {desk.bridge.seq}")
    organises = caller.token.role == "organiser"
    return Stand(
        f"/arenas/{quote(desk.name, safe='')}", desk.documents, desk.bridge.seq, at, organises,
        desk.sessions.form_token(caller) if organises else "", "wall" in request.query_params,
    )  # fmt: skip


async def live(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Show an arena, now or as it stood at an earlier event."""
    stand = _stand(desk, caller, request)
    text = await asyncio.to_thread(draw_page, stand)
    kept = "private, max-age=3600" if stand.at is not None and not stand.organises else "no-cache"
    return Response(text, headers={"cache-control": kept}, media_type="text/html")


async def part(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Give one part of the page anew, if it has changed."""
    name = request.path_params["part"]
    if name not in PARTS:
        raise ProblemError("not-found", "there is no such part of the page")
    stand = _stand(desk, caller, request)
    text = await asyncio.to_thread(draw_part, stand, name)
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "x-event": str(min(stand.stood, default=stand.seq))}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(text, headers=headers, media_type="text/html")


async def export_page(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Give the page as one file that needs no server."""
    stand = _stand(desk, caller, request)
    text = await asyncio.to_thread(lambda: draw_page(stand, alone=True))
    name = f"{desk.arena.id}-{stand.at or stand.seq}.html"
    return Response(text, headers={"content-disposition": f'attachment; filename="{name}"'}, media_type="text/html")


async def trial_page(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Show one game with its transcript, once its block is closed; ``?ply=`` shows an earlier position."""
    given = request.path_params["number"]
    if not given.isdecimal() or len(given) > 18:
        raise ProblemError("not-found", "games have whole numbers")
    number, ply = int(given), number_in(request, "ply", None)

    def read() -> dict[str, Any]:
        with desk.arena.store.read() as journal:
            result = journal.result_of(number)
            if result is None:
                raise ProblemError("not-found", f"game {number} is not finished, or there is none")
            body = result.content()
            void = journal.void_of(body["block"])
            paired = [event.trial for event in journal.results_of(body["block"]) if event.trial != number]
            opening = journal.opening_of(number)
        closed = desk.arena.look(lambda state: state.block_of(number) is None)
        text = desk.arena.transcript(number, early=not closed) if closed or caller.token.role == "organiser" else None
        reason = None if void is None else void.content()["reason"]
        why = "" if opening is None else opening.content()["reason"]
        return {
            "game": finished(result, body), "void": reason, "closed": closed, "paired": paired, "why": why,
            "played": None if text is None else read_transcript(text, body["players"]),
        }  # fmt: skip

    shown = await asyncio.to_thread(read)
    here = f"/arenas/{quote(desk.name, safe='')}"
    played = shown["played"]
    if played is not None and played["kind"] == "chess":
        shown["board"] = draw_board(played, played["plies"] if ply is None else ply)
    text = draw_template("trial.html.jinja", base=here, title=desk.arena.spec.name, **{"board": None, **shown})
    return Response(text, media_type="text/html")


async def games(desk: ServedArena, _caller: Caller, request: Request) -> Response:
    """List the games behind a number, newest first, a page at a time."""
    asked = request.query_params
    wanted = {name: asked.get(name, "")[:LONGEST_NAME] for name in ("player", "against", "worker", "forfeit")}
    before = number_in(request, "before", None)

    def of_these(body: Mapping[str, Any]) -> bool:
        players, fault = body["players"], body.get("forfeit")
        return (
            all(not wanted[one] or wanted[one] in players for one in ("player", "against"))
            and (not wanted["worker"] or is_of(body["worker"], wanted["worker"]))
            and (not wanted["forfeit"] or (fault is not None and players[fault["seat"]] == wanted["forfeit"]))
        )

    def read() -> tuple[list[dict[str, Any]], int | None]:
        found: list[dict[str, Any]] = []
        at, looked = before, 0
        while looked < MOST_LOOKED_AT:
            with desk.arena.store.read() as journal:
                page = journal.results_before(at, GAMES_READ)
            for event in page:
                body = event.content()
                if of_these(body):
                    found.append(finished(event, body))
                if len(found) == GAMES_SHOWN:
                    return found, event.seq
            looked += len(page)
            if len(page) < GAMES_READ:
                return found, None
            at = page[-1].seq
        return found, at

    rows, further = await asyncio.to_thread(read)
    kept = {name: value for name, value in wanted.items() if value}
    text = draw_template(
        "games.html.jinja", base=f"/arenas/{quote(desk.name, safe='')}", title=desk.arena.spec.name, games=rows,
        wanted=wanted, first=before is None,
        further=None if further is None else urlencode({**kept, "before": further}),
    )  # fmt: skip
    return Response(text, headers={"cache-control": "no-cache"}, media_type="text/html")


# Coming in, and going.


async def enter(_desks: Desks, desk: ServedArena, _request: Request) -> Response:
    """Show where a token is given; its link has it in the fragment, which no server and no log sees."""
    text = draw_template("enter.html.jinja", base=f"/arenas/{quote(desk.name, safe='')}", wrong=False)
    return Response(text, headers={"cache-control": "no-store"}, media_type="text/html")


async def exchange(desks: Desks, desk: ServedArena, request: Request) -> Response:
    """Exchange a token for a cookie."""
    desks.rates.spend(f"enter {request.client.host if request.client else '?'}", UNKNOWN_RATE)
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise ProblemError("not-allowed", "this request came from another site")
    token = desk.sessions.token((await read_form(request)).get("token", "").strip())
    base = f"/arenas/{quote(desk.name, safe='')}"
    if token is None:
        text = draw_template("enter.html.jinja", base=base, wrong=True)
        return Response(text, 401, {"cache-control": "no-store"}, media_type="text/html")
    response = RedirectResponse(f"{base}/vote" if token.role == "voter" else base, 303)
    secure = request.url.scheme == "https"
    name = f"__Host-{desk.sessions.cookie_name}" if secure else desk.sessions.cookie_name
    path = "/"
    response.set_cookie(
        name,
        desk.sessions.cookie(token),
        max_age=DAYS * 86_400,
        path=path,
        secure=secure,
        httponly=True,
        samesite="lax",
    )
    return response


async def leave(_desks: Desks, desk: ServedArena, _request: Request) -> Response:
    """Forget the cookie."""
    response = RedirectResponse(f"/arenas/{quote(desk.name, safe='')}/enter", 303)
    for name in (desk.sessions.cookie_name, f"__Host-{desk.sessions.cookie_name}"):
        response.delete_cookie(name, path="/", secure=name.startswith("__"))
    return response


async def front(desks: Desks, request: Request) -> Response:
    """List the arenas that the caller may look at."""
    seen = [
        {"name": name, "title": desk.arena.spec.name}
        for name, desk in desks.served.items()
        if desk.sessions.caller(request, public=desk.public) is not None
    ]
    if len(seen) == 1:
        return RedirectResponse(f"/arenas/{quote(seen[0]['name'], safe='')}", 303)
    return Response(draw_template("front.html.jinja", arenas=seen), media_type="text/html")


async def asset(_desks: Desks, request: Request) -> Response:
    """Give a style sheet or the script."""
    known = ASSETS.get(request.path_params["name"])
    if known is None:
        raise ProblemError("not-found", "there is nothing at this address")
    package, path, kind = known
    body = files(package).joinpath(path).read_bytes()
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)


# Organising by forms.


async def organise(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Do what an organiser's form says."""
    form = await read_form(request)
    desk.sessions.refuse_forged(request, caller, form)
    do, base = form.get("do", ""), f"/arenas/{quote(desk.name, safe='')}"
    if do == "token":
        role = form.get("role", "viewer")
        said = await done(desk, lambda: desk.arena.make_token(role, form.get("name", "")))  # type: ignore[arg-type]  # it is checked there
        text = draw_template("said.html.jinja", base=base, said=said)
        return Response(text, headers={"cache-control": "no-store"}, media_type="text/html")
    if do not in CHANGES:
        raise ParameterError("the form does not say what to do")
    change = CHANGES[do](form, caller.token.name)
    await carried(desk, change)
    return RedirectResponse(f"{base}#organise", 303)


Change = Callable[[Batch], Any]


def _void(form: Mapping[str, str], by: str) -> Change:
    number, why = form.get("number", ""), checked_name(form.get("reason", ""), "reason")
    if not number.isdecimal() or len(number) > 18:
        raise ParameterError("give the number of a game")
    return lambda batch: managing.void(batch, int(number), why, by)


def _add(form: Mapping[str, str], by: str) -> Change:
    player = as_player({"name": form.get("name", ""), "bot": form.get("bot") or None})
    return lambda batch: managing.add(batch, player, by)


def _exclude(form: Mapping[str, str], by: str) -> Change:
    worker, why = form.get("worker", ""), checked_name(form.get("reason", ""), "reason")
    return lambda batch: managing.exclude(batch, worker, why, by)


def _include(form: Mapping[str, str], by: str) -> Change:
    worker, why = form.get("worker", ""), checked_name(form.get("reason", ""), "reason")
    return lambda batch: managing.include(batch, worker, why, by)


CHANGES: Mapping[str, Callable[[Mapping[str, str], str], Change]] = {
    "pause": lambda _form, by: lambda batch: managing.go(batch, "pause", by),
    "resume": lambda _form, by: lambda batch: managing.go(batch, "resume", by),
    "stop": lambda _form, by: lambda batch: managing.go(batch, "stop", by),
    "void": _void, "add": _add, "exclude": _exclude, "include": _include,
    "revoke": lambda form, _by: lambda batch: managing.revoke(batch, form.get("token", "")),
}  # fmt: skip
"""What the organiser's forms do, and who says so."""


HANDLERS: Mapping[str, Any] = {
    "front": front, "live": live, "part": part, "export_page": export_page, "trial_page": trial_page, "games": games,
    "enter": enter, "exchange": exchange, "leave": leave, "organise": organise, "asset": asset,
    "vote": voting.vote, "cast": voting.cast, "my_votes": voting.my_votes, "board": voting.board,
}  # fmt: skip
"""By the name of the route."""
