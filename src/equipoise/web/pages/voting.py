"""The page where people vote, their own votes, and the board.

Nothing on these pages names a model or a standing before the voter may know it: a pair travels as the number of its
game, and the page is drawn here, whole without script.
"""

import asyncio
import hashlib
import hmac
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from equipoise.arena.contests.pair_contest import PairContest
from equipoise.arena.engine import managing, voting
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.spec.access_token import AccessToken
from equipoise.arena.spec.votes import SCORES, Choice
from equipoise.core.errors import DataError
from equipoise.web.access.sessions import DAYS, Caller
from equipoise.web.desks import Desks, ServedArena
from equipoise.web.limits import UNKNOWN_RATE, read_form
from equipoise.web.pages.drawn import draw_template
from equipoise.web.problems import ProblemError
from equipoise.web.votes.ballots import VoteDesk

VOTE_RATE = 2.0
"""Requests a second of a voter: a page and a vote."""
TAGS = ("correct", "clear", "style", "length", "safe")
PRIVATE = {"cache-control": "no-store"}


@dataclass(frozen=True, slots=True)
class Voter:
    """Who votes: under which name, with which token for forms, and the cookie that must be set."""

    name: str
    caller: Caller
    cookie: str | None = None


def _desk_of(desk: ServedArena) -> VoteDesk:
    if desk.voting is None:
        raise ProblemError("not-found", "nobody votes in this arena")
    return desk.voting


def _voter(desks: Desks, desk: ServedArena, request: Request, *, new: bool = False) -> Voter:
    """Say who votes; with an open link whoever is ``new`` gets a name that says nothing about them."""
    options = _desk_of(desk).options
    caller = desk.sessions.caller(request, public=False)
    if caller is not None and caller.token.role == "voter":
        desks.rates.spend(f"token {caller.token.id}", VOTE_RATE)
        return Voter(caller.token.name, caller)
    if options.voters != "link":
        raise ProblemError("no-token", "an invitation is needed to vote here")
    name = desk.sessions.visitor(request.cookies.get(_cookie_name(desk)))
    cookie = None
    if name is None:
        if not new:
            raise ProblemError("not-allowed", "open the page of this vote first: it gives you a name of its own")
        desks.rates.spend(f"voters from {_hashed(request)}", UNKNOWN_RATE)
        name = f"visitor {os.urandom(6).hex()}"
        cookie = desk.sessions.visitor_cookie(name)
    desks.rates.spend(f"voter {name}", VOTE_RATE)
    return Voter(name, Caller(AccessToken(name, "voter", name, "", float("inf")), True), cookie)


def _cookie_name(desk: ServedArena) -> str:
    return f"{desk.sessions.cookie_name}-voter"


_SALT: list[tuple[int, bytes]] = [(0, b"")]


def _hashed(request: Request) -> str:
    """Give an address as a hash that nobody can undo tomorrow; it is kept in memory alone."""
    day = int(time.time() // 86_400)
    if _SALT[0][0] != day:
        _SALT[0] = day, os.urandom(16)
    address = request.client.host if request.client else "?"
    return hmac.new(_SALT[0][1], address.encode(), hashlib.sha256).hexdigest()


def _base(desk: ServedArena) -> str:
    return f"/arenas/{quote(desk.name, safe='')}"


def _answered(desk: ServedArena, request: Request, voter: Voter, response: Response) -> Response:
    """Send the cookie of a voter who is new."""
    if voter.cookie is not None:
        secure = request.url.scheme == "https"
        response.set_cookie(
            _cookie_name(desk), voter.cookie, max_age=DAYS * 86_400, path=_base(desk), secure=secure, httponly=True,
            samesite="lax",
        )  # fmt: skip
    return response


async def vote(desks: Desks, desk: ServedArena, request: Request) -> Response:
    """Show the next pair; the lease of a pair begins here, where it is seen."""
    ballots = _desk_of(desk)
    voter = _voter(desks, desk, request, new=True)
    seen = await desk.bridge.run(lambda batch: voting.next_pair(batch, voter.name, ballots.golds), last=True)
    about = await desk.bridge.look(lambda state: _about(state, ballots, voter.name))
    shown: dict[str, Any] = {
        "whose": None,
        **about, "base": _base(desk), "words": ballots.words, "tags": TAGS,
        "form_token": desk.sessions.form_token(voter.caller),
    }  # fmt: skip
    if ballots.options.reveal == "vote":
        rows = await asyncio.to_thread(_votes_of, desk, voter.name)
        shown["whose"] = rows[0]["models"] if rows else None
    if seen is None:
        shown["own_board"] = await _own_board(ballots, about, voter.name)
        text = draw_template("vote_end.html.jinja", **shown)
    else:
        text = draw_template("vote.html.jinja", pair=ballots.shown(seen, voter.name), **shown)
    return _answered(desk, request, voter, Response(text, headers=PRIVATE, media_type="text/html"))


def _about(state: ArenaState, ballots: VoteDesk, voter: str) -> dict[str, Any]:
    """Say how far a voter is, and what may be shown to them by now."""
    book, options = voting.book_of(state), ballots.options
    account = book.account(voter)
    mine = [cast for cast in book.casts.values() if cast.voter == voter]
    pairs = len(state.players) * (len(state.players) - 1) // 2
    most = options.votes_each or (None if options.panel else pairs * options.votes_per_block)
    left = None if not mine else max(round(mine[-1].until - time.time()), 0)
    last = None if not mine else {"choice": mine[-1].choice, "left": left}
    means = zip(state.tally.names, state.tally.mean_scores.tolist(), strict=True)
    known = account.finished
    return {
        "done": account.votes + len(mine), "most": most, "last": last, "finished": known, "phase": state.phase,
        "standings": sorted(((n, s) for n, s in means if not math.isnan(s)), key=lambda one: -one[1]) if known else [],
        "goal": state.spec.goal.partition(":")[0], "models": len(state.players), "options": options,
        "title": options.question or ballots.words["title"],
    }  # fmt: skip


async def cast(desks: Desks, desk: ServedArena, request: Request) -> Response:
    """Take what a voter's form says: a vote, one taken back, the end of their votes, or their deletion."""
    ballots = _desk_of(desk)
    form = await read_form(request)
    voter = _voter(desks, desk, request)
    desk.sessions.refuse_forged(request, voter.caller, form)
    name, do, where = voter.name, form.get("do", "vote"), f"{_base(desk)}/vote"
    if do == "undo":
        await _taken(desk, partial(voting.undo, voter=name))
    elif do == "finish":
        await _taken(desk, partial(voting.finish, voter=name))
    elif do == "forget":
        await _taken(desk, partial(managing.forget_voter, voter=name))
        where = f"{where}/mine"
    elif do == "vote":
        choice = _choice(form)
        tags = [tag for tag in TAGS if form.get(f"tag_{tag}")]
        if "gold" in form:
            number = _number(form["gold"])
            side = ballots.better_side(name, number)
            await _taken(desk, partial(voting.answer_gold, voter=name, number=number, choice=choice, better=side))
        else:
            number = _number(form.get("trial", ""))
            why = form.get("reason", "")
            await _taken(desk, partial(voting.cast, voter=name, trial=number, choice=choice, reason=why, tags=tags))
    else:
        raise ProblemError("makes-no-sense", "the form does not say what to do")
    return RedirectResponse(where, 303, PRIVATE)


def _choice(form: Mapping[str, str]) -> Choice:
    given = form.get("vote", "")
    for choice in get_args(Choice):
        if given == choice:
            known: Choice = choice
            return known
    raise ProblemError("makes-no-sense", "a vote is for A, for B, for both or for neither")


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 18:
        raise ProblemError("makes-no-sense", "the form does not say which pair it is about")
    return int(text)


async def _taken(desk: ServedArena, change: Any) -> None:
    """Write what a form says; what the state of the arena does not allow is a conflict."""
    try:
        await desk.bridge.run(change)
    except DataError as error:
        raise ProblemError("conflict", str(error)) from None


async def my_votes(desks: Desks, desk: ServedArena, request: Request) -> Response:
    """Show a voter their own votes; whose answers they were only where that is known to them already."""
    ballots = _desk_of(desk)
    voter = _voter(desks, desk, request)
    rows = await asyncio.to_thread(_votes_of, desk, voter.name)
    about = await desk.bridge.look(lambda state: _about(state, ballots, voter.name))
    known = about["finished"] or ballots.options.reveal == "vote"
    for row in rows:
        if not known:
            row.pop("models")
    if "json" in request.query_params:
        from equipoise.web.calls import answer_json

        return answer_json({"voter": voter.name, "votes": rows}, PRIVATE)
    text = draw_template(
        "vote_mine.html.jinja", rows=rows, known=known, own=_own(rows) if known else [], base=_base(desk),
        own_board=await _own_board(ballots, about, voter.name),
        words=ballots.words, form_token=desk.sessions.form_token(voter.caller), **about,
    )  # fmt: skip
    return Response(text, headers=PRIVATE, media_type="text/html")


async def _own_board(ballots: VoteDesk, about: Mapping[str, Any], voter: str) -> list[dict[str, Any]]:
    """Give a voter's own board, once all standings may be known to them."""
    return await asyncio.to_thread(ballots.boards.own, voter) if about["finished"] else []


def _votes_of(desk: ServedArena, voter: str) -> list[dict[str, Any]]:
    """Read a voter's votes, newest first, each with what became of it."""
    rows: dict[int, dict[str, Any]] = {}
    out: set[int] = set()
    for event in desk.arena.events(kinds=["vote", "result", "void"]):
        body = event.content()
        if event.kind == "void" or body.get("do") == "withheld":
            out.add(body["block"])
        elif body.get("do") == "restored":
            out.discard(body["block"])
        elif body.get("worker") != voter:
            continue
        elif event.kind == "result":
            said = {"prompt": body["task"], "models": body["players"], "block": body["block"], "state": "counted"}
            rows[body["trial"]] = {"trial": body["trial"], "choice": body["choice"], "time": event.time, **said}
        elif body["do"] == "cast":
            rows[body["trial"]] = {"trial": body["trial"], "choice": body["choice"], "time": event.time}
        elif body["do"] == "undone":
            rows.pop(body["trial"], None)

    def placed(state: ArenaState) -> list[dict[str, Any]]:
        for trial, row in rows.items():
            block = state.block_of(trial)
            if "state" not in row:
                assert block is not None
                of = block.trial(trial)
                row |= {"prompt": of.task, "models": of.players, "block": block.number, "state": "window"}
            elif row["block"] in out:
                row["state"] = "void"
            elif block is not None or (
                isinstance(state.contest, PairContest) and state.contest.waits(row["block"], row["models"])
            ):
                row["state"] = "waiting"
        return list(rows.values())[::-1]

    return desk.arena.look(placed)


def _own(rows: list[dict[str, Any]]) -> list[tuple[str, float, int]]:
    """Give the points of each model in somebody's own votes."""
    points: dict[str, list[float]] = {}
    for row in rows:
        for model, score in zip(row["models"], SCORES[row["choice"]], strict=True):
            points.setdefault(model, []).append(score)
    shares = ((model, sum(one) / len(one), len(one)) for model, one in points.items())
    return sorted(shares, key=lambda one: -one[1])


async def board(desk: ServedArena, _caller: Caller, _request: Request) -> Response:
    """Show what the votes say."""
    ballots = _desk_of(desk)
    document = await asyncio.to_thread(ballots.boards.now)
    text = draw_template("vote_board.html.jinja", base=_base(desk), title=desk.arena.spec.name, **document)
    return Response(text, headers={"cache-control": "no-cache"}, media_type="text/html")
