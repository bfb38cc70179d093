"""The interface as an OpenAPI document, made from the one table of routes."""

import re
from collections.abc import Mapping
from typing import Any

from equipoise.arena.spec.access_token import ROLES
from equipoise.web.access.roles import ROUTES, Route
from equipoise.web.problems import MEDIA, PROBLEMS
from equipoise.web.turns import FAIL, LONGEST_WAIT, MOST_ITEMS, MOST_LEASES, RENEW, TELL

TEXT: Mapping[str, Any] = {"type": "string"}
NUMBER: Mapping[str, Any] = {"type": "number"}
WHOLE: Mapping[str, Any] = {"type": "integer", "minimum": 0}
NUMBERS: Mapping[str, Any] = {"type": "array", "items": NUMBER}
OBJECT: Mapping[str, Any] = {"type": "object"}
REASON: Mapping[str, Any] = {"type": "string", "minLength": 1, "maxLength": 200}


def _object(needed: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}


_SAID: Mapping[str, Any] = {
    "lease": {**TEXT, "description": "TRIAL.ATTEMPT.SECRET, as a turn gave it"}, "scores": NUMBERS,
    "key": {**TEXT, "maxLength": 200}, "controls": {"type": "object", "additionalProperties": NUMBERS},
    "transcript": TEXT, "costs": {"type": "object", "additionalProperties": NUMBER},
    "fault": {"enum": ["worker", "player", "operator"]}, "seat": WHOLE, "message": TEXT, "progress": NUMBER,
}  # fmt: skip
_LABELS = {"type": "array", "items": TEXT}


def _list_of(keys: tuple[str, ...], *needed: str) -> dict[str, Any]:
    item = _object(needed, **{key: _SAID[key] for key in keys})
    return {"type": "array", "maxItems": MOST_ITEMS, "items": item}


BODIES: Mapping[str, dict[str, Any]] = {
    "turn": _object(
        request={**TEXT, "maxLength": 150}, worker={**TEXT, "maxLength": 100}, tells=_list_of(TELL, "lease", "scores"),
        take_over={"type": "array", "items": TEXT}, fails=_list_of(FAIL, "lease"),
        renew=_list_of(RENEW, "lease", "progress"),
        ask=_object(
            n={**WHOLE, "maximum": MOST_LEASES}, labels=_LABELS,
            wait={**NUMBER, "minimum": 0, "description": f"seconds, at most {LONGEST_WAIT:g}"},
        ),
    ),
    "versions": _object(
        ("versions",), versions={"type": "object", "additionalProperties": TEXT}, changed={"type": "boolean"}
    ),
    "void": _object(("number", "reason"), number={**WHOLE, "minimum": 1}, reason=REASON),
    "exclude": _object(("worker", "reason"), worker=REASON, reason=REASON),
    "include": _object(("worker", "reason"), worker=REASON, reason=REASON),
    "add_player": _object(
        ("name",), name=REASON, bot=TEXT, options=OBJECT, labels=_LABELS, concurrency={**WHOLE, "minimum": 1},
        per_minute={**NUMBER, "exclusiveMinimum": 0},
    ),
    "make_token": _object(
        ("role", "name"), role={"enum": list(ROLES)}, name=REASON, labels=_LABELS,
        days={**NUMBER, "exclusiveMinimum": 0, "maximum": 36_500},
    ),
}  # fmt: skip
"""What requests carry, by the name of the route."""

QUERIES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("summary", "progress", "standings", "decisions", "pairs", "players", "workers", "interventions"), ("at",)
    ),
    **dict.fromkeys(("trials", "events"), ("after", "most")),
}
CREATES = ("add_player", "make_token")
ANSWERS: Mapping[str, str] = {
    "transcript": "text/plain", "moves": "text/event-stream", "export": "application/x-ndjson", "metrics": "text/plain",
}  # fmt: skip
"""What is not JSON."""


def describe() -> dict[str, Any]:
    """Give the document."""
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    from equipoise import __version__

    problem = _object(type=TEXT, title=TEXT, status=WHOLE, detail=TEXT)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Equipoise: an arena over HTTP", "version": __version__, "description": _problems()},
        "paths": paths,
        "components": {
            "schemas": {"Problem": problem},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "eq_ROLE_ID_SECRET"},
                "session": {"type": "apiKey", "in": "cookie", "name": "equipoise-ARENA"},
            },
        },
    }


def _problems() -> str:
    kinds = "; ".join(f"{status} /problems/{name}: {title}" for name, (status, title) in PROBLEMS.items())
    return f"Refusals are problems (RFC 9457): {kinds}."


def _operation(route: Route) -> dict[str, Any]:
    kind = ANSWERS.get(route.name, "application/json")
    content: dict[str, Any] = {kind: {"schema": OBJECT if kind == "application/json" else TEXT}}
    done = {"description": "Done", "content": content}
    refused = {"description": "Refused", "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "description": _who(route),
        "parameters": [*_in_path(route), *_in_query(route), *_in_head(route)],
        "responses": {"201" if route.name in CREATES else "200": done, "default": refused},
        "security": [] if route.roles is None else [{"token": []}, {"session": []}],
    }
    if QUERIES.get(route.name) == ("at",):
        operation["responses"]["304"] = {"description": "Nothing has moved"}
    if route.name == "turn":
        operation["responses"]["204"] = {"description": "The question waited in vain: ask again"}
    if route.name in BODIES:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": BODIES[route.name]}}}
    return operation


def _who(route: Route) -> str:
    if route.roles is None:
        return "Everybody, without a token."
    return f"Roles: {', '.join(role for role in ROLES if role in route.roles)}."


def _in_path(route: Route) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": WHOLE if name == "number" else TEXT}
        for name in re.findall(r"{(\w+)}", route.path)
    ]


def _in_head(route: Route) -> list[dict[str, Any]]:
    last = {"name": "last-event-id", "in": "header", "schema": TEXT, "description": "the last event that was seen"}
    return [last] if route.name == "moves" else []


def _in_query(route: Route) -> list[dict[str, Any]]:
    return [{"name": name, "in": "query", "schema": WHOLE} for name in QUERIES.get(route.name, ())]
