"""What each route of the interface does."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from equipoise.arena.engine import managing
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.state import ENDED
from equipoise.arena.spec.names import checked_name
from equipoise.arena.spec.spec import as_player
from equipoise.core.errors import EquipoiseError, ParameterError, StoreError
from equipoise.core.options import check, switch, whole
from equipoise.web.access.roles import Route
from equipoise.web.access.sessions import Caller
from equipoise.web.chronicle import finished, shown_events
from equipoise.web.desks import Desks, ServedArena
from equipoise.web.limits import LARGEST_TURN, read_body
from equipoise.web.problems import ProblemError
from equipoise.web.turns import Turn, read_json

DOCUMENTS = ("summary", "progress", "standings", "decisions", "pairs", "players", "workers", "interventions")
PAGE = 1_000
"""Events or games in one answer, at most."""
LONGEST_SILENCE = 5.0
"""Seconds since the writer last came to its end after which a server is not well."""


def answer_json(value: Any, headers: Mapping[str, str] | None = None, status: int = 200) -> Response:
    """Answer with strict JSON."""
    return Response(json.dumps(value, allow_nan=False), status, dict(headers or {}), media_type="application/json")


def number_in(request: Request, name: str, default: int | None, most: int | None = None) -> int | None:
    """Read a whole number from the query."""
    given = request.query_params.get(name)
    if given is None:
        return default
    if not given.isdecimal() or len(given) > 18:
        raise ParameterError(f"{name} is a whole number, not {given[:40]!r}")
    return int(given) if most is None else min(int(given), most)


# Playing.


async def turn(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Take a turn."""
    said = Turn.read(caller.token, await read_body(request, LARGEST_TURN))
    answer = await desk.live.turn(said)
    if said.waits and not answer["leases"] and answer["state"] not in ENDED:
        return Response(status_code=204, headers={"retry-after": "1"})
    return answer_json(answer)


async def versions(desk: ServedArena, _caller: Caller, request: Request) -> Response:
    """Record versions of players; one that replaces another is refused unless it may be ``changed``."""
    said = await _said(request, ("versions", "changed"))
    changed = said.get("changed", False)
    check(switch(), "changed", changed)
    given = said.get("versions")
    if not isinstance(given, dict) or not all(isinstance(one, str) and len(one) <= 200 for one in given.values()):
        raise ParameterError("versions is a table of texts by player")
    await desk.bridge.run(lambda batch: managing.record(batch, given, changed=changed))
    return answer_json({"seq": desk.bridge.seq})


async def setup(desk: ServedArena, caller: Caller, _request: Request) -> Response:
    """Give what a worker needs: no seed, no code."""

    def seen(state: Any) -> dict[str, Any]:
        spec = {key: value for key, value in state.spec.to_dict().items() if key not in ("seed", "players")}
        prefix = f"{caller.token.name}/"
        holders = {one.worker.removeprefix(prefix) for one in state.held.values() if one.worker.startswith(prefix)}
        return {
            "protocol": 1, "arena": state.arena, "seq": state.seq, "state": state.phase,
            "spec": {**spec, "players": [player.to_dict() for player in state.players.values()]},
            "versions": dict(state.versions), "holders": sorted(holders),
        }  # fmt: skip

    return answer_json(await desk.bridge.look(seen))


# Looking.


def document(name: str) -> "Handler":
    """Give a handler of a document: as it is now, or ``?at=`` an earlier event."""

    async def answer(desk: ServedArena, _caller: Caller, request: Request) -> Response:
        at = number_in(request, "at", None)
        if at is None:
            seq, made = await asyncio.to_thread(desk.documents.now, name, desk.bridge.seq)
            lasting = "no-cache"
        else:
            if not 1 <= at <= desk.bridge.seq:
                raise ProblemError("not-found", f"there is no event {at}: the last one is {desk.bridge.seq}")
            seq, made = at, await asyncio.to_thread(desk.documents.at, name, at)
            lasting = "private, max-age=86400, immutable"
        tag = f'"{desk.arena.id}-{name}-{seq}{"" if at is None else "-at"}"'
        headers = {"etag": tag, "cache-control": lasting}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return answer_json({"seq": seq, **made}, headers)

    return answer


async def trials(desk: ServedArena, _caller: Caller, request: Request) -> Response:
    """Give finished games after an event."""
    after, most = number_in(request, "after", 0), number_in(request, "most", 100, PAGE)
    assert after is not None
    assert most is not None

    def read() -> list[dict[str, Any]]:
        events = desk.arena.events(after=after, most=max(most, 1), kinds=["result"])
        return [finished(event, event.content()) for event in events]

    rows = await asyncio.to_thread(read)
    return answer_json({"trials": rows, "next": rows[-1]["seq"] if rows else after})


async def trial(desk: ServedArena, _caller: Caller, request: Request) -> Response:
    """Give one game."""
    number = _number_of(request)

    def read() -> dict[str, Any]:
        with desk.arena.store.read() as journal:
            result = journal.result_of(number)
            if result is not None:
                body = result.content()
                void = journal.void_of(body["block"])
                reason = None if void is None else void.content()["reason"]
                return {**finished(result, body), "void": reason}
        raise ProblemError("not-found", f"game {number} is not finished, or there is none")

    return answer_json(await asyncio.to_thread(read))


async def transcript(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Give what was played, once nobody can use it any more: games of one block share cards and openings."""
    number = _number_of(request)

    def read() -> str | None:
        open_block = desk.arena.look(lambda state: state.block_of(number) is not None)
        if open_block and caller.token.role != "organiser":
            raise ProblemError("not-allowed", f"the games paired with game {number} are still being played")
        return desk.arena.transcript(number, early=open_block)

    text = await asyncio.to_thread(read)
    if text is None:
        raise ProblemError("not-found", f"no transcript of game {number} was kept")
    return Response(text, media_type="text/plain; charset=utf-8")


async def events(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Give a page of the journal."""
    after, most = number_in(request, "after", 0), number_in(request, "most", PAGE, PAGE)
    assert after is not None
    assert most is not None
    whole_ = caller.token.role == "organiser"
    rows = await asyncio.to_thread(lambda: list(shown_events(desk.arena, after, max(most, 1), whole=whole_)))
    return answer_json({"events": rows, "next": rows[-1]["seq"] if rows else after, "seq": desk.bridge.seq})


async def moves(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Open a stream that says how far the journal is."""
    session = f"{caller.token.id} {request.client.host if request.client else ''}"
    last = request.headers.get("last-event-id", "")
    seen = int(last) if last.isdecimal() and len(last) < 18 else -1
    if not desk.live.enter(session):
        raise ProblemError("unavailable", "too many streams are open: look again every few seconds instead")
    return StreamingResponse(
        desk.live.moves(session, seen), media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )  # fmt: skip


async def verify(desk: ServedArena, _caller: Caller, _request: Request) -> Response:
    """Recount everything."""
    async with desk.recounting:  # it may take minutes: readers have another thread
        found = await asyncio.to_thread(desk.arena.verify)
    return answer_json(found.to_dict())


async def export(desk: ServedArena, _caller: Caller, _request: Request) -> Response:
    """Give the whole journal, as ``arena restore`` takes it."""
    from equipoise.arena.journal.journal import journal_lines

    lines = (line.encode() + b"\n" for line in journal_lines(desk.arena))
    headers = {"content-disposition": f'attachment; filename="{desk.arena.id}.jsonl"'}
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


# Organising.


def command(name: managing.Command) -> "Handler":
    """Give a handler of a method of the arena without arguments."""

    async def answer(desk: ServedArena, caller: Caller, request: Request) -> Response:
        await _said(request, ())
        await carried(desk, lambda batch: managing.go(batch, name, caller.token.name))
        return answer_json({"state": await asyncio.to_thread(lambda: desk.arena.state)})

    return answer


async def carried(desk: ServedArena, change: Callable[[Batch], Any]) -> Any:
    """Change the arena in a transaction, as its organiser; what it refuses because of its state is a conflict."""
    try:
        said = await desk.bridge.run(change)
        await desk.bridge.refresh()
        return said
    except (ParameterError, StoreError):
        raise
    except EquipoiseError as error:
        raise ProblemError("conflict", str(error)) from None


async def done(desk: ServedArena, call: Callable[[], Any]) -> Any:
    """Call the arena from a thread; what it refuses because of its state is a conflict."""
    try:
        said = await asyncio.to_thread(call)
        await desk.bridge.refresh()
        return said
    except ParameterError:
        raise
    except EquipoiseError as error:
        raise ProblemError("conflict", str(error)) from None


async def void(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Leave a game out."""
    said = await _said(request, ("number", "reason"), needed=True)
    check(whole(1), "number", said["number"])
    why = checked_name(said["reason"], "reason")
    await carried(desk, lambda batch: managing.void(batch, said["number"], why, caller.token.name))
    return answer_json({"void": said["number"]})


async def exclude(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Withdraw everything that a worker played."""
    said = await _said(request, ("worker", "reason"), needed=True)
    worker, why = str(said["worker"]), checked_name(said["reason"], "reason")
    gone = await carried(desk, lambda batch: managing.exclude(batch, worker, why, caller.token.name))
    return answer_json({"void": gone})


async def include(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Let a worker play again."""
    said = await _said(request, ("worker", "reason"), needed=True)
    worker, why = str(said["worker"]), checked_name(said["reason"], "reason")
    await carried(desk, lambda batch: managing.include(batch, worker, why, caller.token.name))
    return answer_json({"included": said["worker"]})


async def add_player(desk: ServedArena, caller: Caller, request: Request) -> Response:
    """Let one more player join."""
    player = as_player(await _said(request, ("name", "bot", "options", "labels", "concurrency", "per_minute")))
    await carried(desk, lambda batch: managing.add(batch, player, caller.token.name))
    return answer_json({"player": player.name}, status=201)


async def tokens(desk: ServedArena, _caller: Caller, _request: Request) -> Response:
    """List the tokens."""
    return answer_json({"tokens": await asyncio.to_thread(desk.arena.tokens)})


async def make_token(desk: ServedArena, _caller: Caller, request: Request) -> Response:
    """Make a token."""
    said = dict(await _said(request, ("role", "name", "labels", "days")))
    role, name = said.pop("role", "worker"), said.pop("name", "")
    if not isinstance(said.get("labels", []), list):
        raise ParameterError("labels is a list of names")
    text = await done(desk, lambda: desk.arena.make_token(role, name, **said))
    return answer_json({"token": text}, {"cache-control": "no-store"}, 201)


async def revoke(desk: ServedArena, _caller: Caller, request: Request) -> Response:
    """Revoke a token."""
    await done(desk, lambda: desk.arena.revoke(request.path_params["token"]))
    return answer_json({"revoked": request.path_params["token"]})


# The server itself.


async def arenas(desks: Desks, route: Route, request: Request) -> Response:
    """List the arenas that a token is for."""
    rows = []
    for name, desk in desks.served.items():
        caller = desk.sessions.caller(request, public=desk.public)
        if caller is not None and route.roles is not None and caller.token.role in route.roles:
            rows.append({"arena": name, "role": caller.token.role})
    if not rows:
        raise ProblemError("no-token", "a token is needed", {"www-authenticate": "Bearer"})
    return answer_json({"arenas": rows})


async def health(desks: Desks, _route: Route, _request: Request) -> Response:
    """Say whether every arena's writer has come to its end within the last seconds."""
    now = asyncio.get_running_loop().time()
    well = all(now - desk.bridge.last_write < LONGEST_SILENCE for desk in desks.served.values())
    return answer_json({"well": well}, status=200 if well else 503)


GAUGES: Mapping[str, tuple[str, str, Callable[[ServedArena], float]]] = {
    "equipoise_events": ("gauge", "Events of the journal.", lambda desk: desk.bridge.seq),
    "equipoise_games": ("gauge", "Games that count.", lambda desk: desk.arena.look(lambda state: state.counted)),
    "equipoise_in_play": ("gauge", "Games in play.", lambda desk: desk.arena.look(lambda state: len(state.held))),
    "equipoise_waiting": (
        "gauge",
        "Games that wait for a worker.",
        lambda desk: desk.arena.look(lambda state: len(state.queue)),
    ),
    "equipoise_void_sets": (
        "gauge",
        "Sets of games left out.",
        lambda desk: desk.arena.look(lambda state: state.voids),
    ),
    "equipoise_forfeits": ("gauge", "Games forfeited.", lambda desk: desk.arena.look(lambda state: state.forfeits)),
    "equipoise_running": ("gauge", "1 while play goes on.", lambda desk: int(desk.bridge.phase == "running")),
    "equipoise_turns_total": ("counter", "Turns of workers.", lambda desk: desk.live.turns),
    "equipoise_results_total": ("counter", "Results that workers sent.", lambda desk: desk.live.results),
    "equipoise_streams": ("gauge", "Open streams.", lambda desk: desk.live.streams),
    "equipoise_threads": ("gauge", "Threads of the server.", lambda _desk: threading.active_count()),
    "equipoise_parked": ("gauge", "Questions that wait.", lambda desk: desk.live.parked),
}
"""What is measured of each arena: its kind, its words, its value."""


async def metrics(desks: Desks, _route: Route, request: Request) -> Response:
    """Give counters in the text form of Prometheus."""
    callers = [desk.sessions.caller(request, public=False) for desk in desks.served.values()]
    if not any(caller is not None and caller.token.role == "organiser" for caller in callers):
        raise ProblemError("no-token", "an organiser's token is needed", {"www-authenticate": "Bearer"})
    lines = ["# HELP equipoise_requests_total Requests by what they asked and how they were answered."]
    lines += ["# TYPE equipoise_requests_total counter"]
    for (name, status), times in sorted(desks.requests.items()):
        lines.append(f'equipoise_requests_total{{call="{name}",status="{status}"}} {times}')
    lines += [
        "# HELP equipoise_request_seconds_total Seconds that requests took.",
        "# TYPE equipoise_request_seconds_total counter",
    ]
    lines += [
        f'equipoise_request_seconds_total{{call="{name}"}} {took:.6f}' for name, took in sorted(desks.seconds.items())
    ]
    for gauge, (kind, words, value) in GAUGES.items():
        lines += [f"# HELP {gauge} {words}", f"# TYPE {gauge} {kind}"]
        for desk in desks.served.values():
            lines.append(f'{gauge}{{arena="{desk.arena.id}"}} {await asyncio.to_thread(value, desk)}')
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8")


async def _said(request: Request, keys: tuple[str, ...], *, needed: bool = False) -> Mapping[str, Any]:
    """Read a small JSON object; one that takes nothing may be empty."""
    body = await read_body(request)
    said = read_json(body) if body.strip() else {}
    if not isinstance(said, dict):
        raise ParameterError("the body is a JSON object")
    unknown = [name for name in said if name not in keys]
    if unknown:
        takes = f"it takes {', '.join(keys)}" if keys else "it takes nothing"
        raise ParameterError(f"there is no key {unknown[0][:40]!r} here; {takes}")
    missing = [name for name in keys if name not in said] if needed else []
    if missing:
        raise ParameterError(f"{missing[0]} is missing")
    return said


def _number_of(request: Request) -> int:
    given = request.path_params["number"]
    if not given.isdecimal() or len(given) > 18:
        raise ProblemError("not-found", "games have whole numbers")
    return int(given)


Handler = Callable[[ServedArena, Caller, Request], Awaitable[Response]]
HANDLERS: Mapping[str, Any] = {
    **{name: document(name) for name in DOCUMENTS},
    **{name: command(name) for name in ("pause", "resume", "stop")},
    "arenas": arenas, "turn": turn, "versions": versions, "setup": setup, "trials": trials, "trial": trial,
    "transcript": transcript, "events": events, "moves": moves, "verify": verify, "export": export, "void": void,
    "exclude": exclude, "include": include, "add_player": add_player, "tokens": tokens, "make_token": make_token,
    "revoke": revoke, "health": health, "metrics": metrics,
}  # fmt: skip
"""By the name of the route."""
