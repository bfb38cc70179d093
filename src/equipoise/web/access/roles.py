"""The one table of who may do what; routes, the OpenAPI document, the page in the docs and the tests read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from equipoise.arena.spec.access_token import ROLES, Role

Method = Literal["GET", "POST", "DELETE"]
EVERYBODY: frozenset[Role] = frozenset(("viewer", "worker", "voter", "organiser"))
WATCHING: frozenset[Role] = frozenset(("viewer", "worker", "organiser"))
WORKING: frozenset[Role] = frozenset(("worker",))
ORGANISING: frozenset[Role] = frozenset(("organiser",))


@dataclass(frozen=True, slots=True)
class Route:
    """One path.

    Attributes
    ----------
    name
        Of the function that answers.
    method, path
        Under ``/api/1``, or a page.
    roles
        Who may; None for everybody, without a token.
    summary
        What it is for.
    """

    name: str
    method: Method
    path: str
    roles: frozenset[Role] | None
    summary: str


_ARENA = "/api/1/arenas/{arena}"
ROUTES: tuple[Route, ...] = (
    Route("arenas", "GET", "/api/1/arenas", EVERYBODY, "The arenas that this token is for"),
    Route("turn", "POST", f"{_ARENA}/turns", WORKING, "Report games, and ask for more, in one transaction"),
    Route("versions", "POST", f"{_ARENA}/versions", WORKING, "Say which version of each player plays here"),
    Route("setup", "GET", f"{_ARENA}/setup", WORKING, "What a worker must know before it plays"),
    Route("summary", "GET", _ARENA, WATCHING, "The question, and how far it is"),
    Route("progress", "GET", f"{_ARENA}/progress", WATCHING, "How far the goal is, and how much more is expected"),
    Route("standings", "GET", f"{_ARENA}/standings", WATCHING, "Who stands where"),
    Route("decisions", "GET", f"{_ARENA}/decisions", WATCHING, "What is decided, each with its event"),
    Route("pairs", "GET", f"{_ARENA}/pairs", WATCHING, "Games and points of each pair"),
    Route("players", "GET", f"{_ARENA}/players", WATCHING, "Players with games, forfeits and versions"),
    Route("workers", "GET", f"{_ARENA}/workers", WATCHING, "Workers with games, faults and their last sign of life"),
    Route(
        "interventions", "GET", f"{_ARENA}/interventions", WATCHING, "Pauses, voids and exclusions: when, by whom, why"
    ),
    Route("trials", "GET", f"{_ARENA}/trials", WATCHING, "Finished games in the order of the journal"),
    Route("trial", "GET", f"{_ARENA}/trials/{{number}}", WATCHING, "One game: seats, scores, worker, times"),
    Route(
        "transcript",
        "GET",
        f"{_ARENA}/trials/{{number}}/transcript",
        WATCHING,
        "What was played, once its block is closed",
    ),
    Route("events", "GET", f"{_ARENA}/events", WATCHING, "The journal; without seeds and secrets but for organisers"),
    Route("moves", "GET", f"{_ARENA}/moves", WATCHING, "A stream of events that only say how far the journal is"),
    Route("verify", "GET", f"{_ARENA}/verify", WATCHING, "Recount everything from the journal"),
    Route("export", "GET", f"{_ARENA}/export", ORGANISING, "The whole journal, from which the arena can be restored"),
    Route("pause", "POST", f"{_ARENA}/pause", ORGANISING, "Lease no more games until it is resumed"),
    Route("resume", "POST", f"{_ARENA}/resume", ORGANISING, "Go on after a pause or a stop"),
    Route("stop", "POST", f"{_ARENA}/stop", ORGANISING, "End play"),
    Route("void", "POST", f"{_ARENA}/void", ORGANISING, "Leave a game and those paired with it out"),
    Route("exclude", "POST", f"{_ARENA}/exclude", ORGANISING, "Withdraw everything that a worker played"),
    Route("include", "POST", f"{_ARENA}/include", ORGANISING, "Let an excluded worker play again"),
    Route("add_player", "POST", f"{_ARENA}/players", ORGANISING, "Let one more player join an open arena"),
    Route("tokens", "GET", f"{_ARENA}/tokens", ORGANISING, "The tokens that are good, without their secrets"),
    Route("make_token", "POST", f"{_ARENA}/tokens", ORGANISING, "Make a token; it is shown once"),
    Route("revoke", "DELETE", f"{_ARENA}/tokens/{{token}}", ORGANISING, "Let nobody in with a token any more"),
    Route("health", "GET", "/healthz", None, "Whether the arenas can be written to"),
    Route("metrics", "GET", "/metrics", ORGANISING, "Counters in the text form of Prometheus"),
)
"""Every path of the interface. Pages show what ``summary`` to ``moves`` give."""

_PAGE = "/arenas/{arena}"
PAGES: tuple[Route, ...] = (
    Route("front", "GET", "/", None, "The arenas that the visitor may look at"),
    Route("live", "GET", _PAGE, WATCHING, "The page of an arena"),
    Route("part", "GET", f"{_PAGE}/parts/{{part}}", WATCHING, "One part of it, anew"),
    Route("games", "GET", f"{_PAGE}/games", WATCHING, "The games behind a number: of a player, a pair, a worker"),
    Route("export_page", "GET", f"{_PAGE}/page.html", WATCHING, "The page as one file"),
    Route("trial_page", "GET", f"{_PAGE}/trials/{{number}}", WATCHING, "One game"),
    Route("enter", "GET", f"{_PAGE}/enter", None, "Where a token is given"),
    Route("exchange", "POST", f"{_PAGE}/enter", None, "A token for a cookie"),
    Route("leave", "POST", f"{_PAGE}/leave", None, "Forget the cookie"),
    Route("vote", "GET", f"{_PAGE}/vote", None, "The next pair for a voter, or for anybody where the link is open"),
    Route("cast", "POST", f"{_PAGE}/vote", None, "A vote, or one taken back"),
    Route("my_votes", "GET", f"{_PAGE}/vote/mine", None, "A voter's own votes, and their deletion"),
    Route("board", "GET", f"{_PAGE}/board", WATCHING, "What the votes say, and who voted"),
    Route("organise", "POST", f"{_PAGE}/organise", ORGANISING, "The organiser's forms"),
    Route("asset", "GET", "/assets/{name}", None, "Style sheets and the script"),
)
"""Every page."""

BY_NAME: Mapping[str, Route] = {route.name: route for route in (*ROUTES, *PAGES)}


def role_table() -> str:
    """Give the table of roles as Markdown, for the docs."""
    head = f"| path | what for | {' | '.join(ROLES)} |\n|---|---|{'---|' * len(ROLES)}"
    rows = [
        f"| `{route.method} {route.path}` | {route.summary} | "
        + " | ".join("yes" if route.roles is None or role in route.roles else "" for role in ROLES)
        + " |"
        for route in (*ROUTES, *PAGES)
    ]
    return "\n".join([head, *rows])
