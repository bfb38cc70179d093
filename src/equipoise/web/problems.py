"""Refusals as RFC 9457 problems: a stable type, the arena's own sentence, no trace."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.responses import Response

from equipoise.arena.engine.managing import VersionChangedError
from equipoise.arena.engine.reported_results import OtherResultError
from equipoise.arena.engine.sessions import StaleRequestError
from equipoise.core.errors import DataError, EquipoiseError, LeaseError, StoreError

MEDIA = "application/problem+json"
PROBLEMS: Mapping[str, tuple[int, str]] = {
    "bad-request": (400, "The request cannot be read"),
    "no-token": (401, "A token is needed"),
    "not-allowed": (403, "This role may not do that"),
    "not-found": (404, "There is no such thing here"),
    "wrong-method": (405, "This path takes other methods"),
    "lease-taken": (409, "The lease is not yours any more"),
    "other-result": (409, "Another result was taken before"),
    "stale-request": (409, "A later request of this session was answered"),
    "version-changed": (409, "A player is not the one that played before"),
    "conflict": (409, "The arena is in another state"),
    "too-large": (413, "The body is too large"),
    "wrong-host": (421, "This server does not go by that name"),
    "makes-no-sense": (422, "The request makes no sense"),
    "too-many": (429, "Too many requests"),
    "fault": (500, "A fault of the server"),
    "unavailable": (503, "The arena's database does not answer"),
}
"""Stable names of refusals, with their status and title."""


CONFLICTS: Mapping[type[EquipoiseError], str] = {
    OtherResultError: "other-result", StaleRequestError: "stale-request", VersionChangedError: "version-changed",
    LeaseError: "lease-taken",
}  # fmt: skip
"""What errors of the arena are called; the first that fits."""


@dataclass(slots=True)
class ProblemError(Exception):
    """A refusal.

    Attributes
    ----------
    name
        One of :data:`PROBLEMS`.
    detail
        One sentence for a person.
    headers
        Of the response.
    """

    name: str
    detail: str
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Exception.__init__(self, self.detail)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return PROBLEMS[self.name][0]

    def to_dict(self) -> dict[str, object]:
        """Give the problem as JSON."""
        status, title = PROBLEMS[self.name]
        return {"type": f"/problems/{self.name}", "title": title, "status": status, "detail": self.detail}

    def response(self) -> Response:
        """Give the response that says so."""
        headers = {"retry-after": "1", **self.headers} if self.status in (429, 503) else self.headers
        return Response(json.dumps(self.to_dict()), self.status, headers, media_type=MEDIA)


def problem_of(error: Exception) -> ProblemError:
    """Give the problem that an error is; what is no error of ours is a fault without details."""
    if isinstance(error, ProblemError):
        return error
    for kind, name in CONFLICTS.items():
        if isinstance(error, kind):
            return ProblemError(name, str(error))
    if isinstance(error, StoreError):
        return ProblemError("unavailable", "the arena's database does not answer: say it again in a moment")
    if isinstance(error, DataError | EquipoiseError):
        return ProblemError("makes-no-sense", str(error))
    return ProblemError("fault", "something went wrong here; the operator's log has it")
