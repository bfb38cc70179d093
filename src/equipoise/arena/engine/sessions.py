"""Requests that may arrive twice: what each session of a worker asked last, and what it was given.

A request is named ``SESSION-NUMBER``, and numbers count up within a session. The same number gives the same leases for
ever, also when they are over: a message that comes again late, or twice, hands nothing to nobody.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeVar

from equipoise.core.errors import LeaseError

_Last = TypeVar("_Last")
MOST_SESSIONS = 10_000
"""Sessions that are remembered, the last ones to be given something: older ones are over."""


class StaleRequestError(LeaseError):
    """A request comes after a later one of its session was answered."""


class Given(NamedTuple):
    """A lease that was given: of which trial, which attempt, until when (before renewals)."""

    trial: int
    attempt: int
    until: float


@dataclass(frozen=True, slots=True)
class HeldTrial:
    """A trial in somebody's hands: which attempt, whose, until when (before renewals)."""

    attempt: int
    worker: str
    until: float


class AnsweredRequest(NamedTuple):
    """The last request of a session that was given something."""

    number: int
    worker: str
    leases: tuple[Given, ...]


def session_of(request: str) -> tuple[str, int]:
    """Read the id of a request; one without a number is a session of one request.

    >>> session_of("play-ab12-17"), session_of("once")
    (('play-ab12', 17), ('once', 0))
    """
    found = re.fullmatch(r"(.+)-(\d{1,15})", request)
    return (request, 0) if found is None else (found[1], int(found[2]))


class Sessions:
    """The last request of each session, by the journal."""

    def __init__(self, known: Iterable[tuple[str, AnsweredRequest]] = ()) -> None:
        self._last: dict[str, AnsweredRequest] = dict(known)

    def give(self, request: str, worker: str, lease: Given) -> None:
        """Note a lease that a request was given."""
        session, number = session_of(request)
        before = self._last.get(session)
        leases = before.leases if before is not None and before.number == number else ()
        _remember(self._last, session, AnsweredRequest(number, worker, (*leases, lease)))

    def answer(self, request: str) -> AnsweredRequest | None:
        """Find what a request was given; None for a new one.

        Fails when
            the session was given something for a later request.
        """
        session, number = session_of(request)
        last = self._last.get(session)
        return None if last is None or _is_new(session, number, last.number) else last

    def state(self) -> list[Any]:
        """Give it as JSON."""
        return [[session, *last] for session, last in self._last.items()]

    @classmethod
    def from_state(cls, saved: Iterable[Any]) -> Self:
        """Read what :meth:`state` wrote."""
        return cls(
            (session, AnsweredRequest(number, worker, tuple(Given(*lease) for lease in leases)))
            for session, number, worker, leases in saved
        )


class EmptyAnswers:
    """Requests for which there was nothing, for as long as the process lives that said so: the journal has none."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def note(self, request: str) -> None:
        """Note that there was nothing."""
        _remember(self._last, *session_of(request))

    def has(self, request: str) -> bool:
        """Say whether there was nothing for this request.

        Fails when
            there was nothing for a later request of the session.
        """
        session, number = session_of(request)
        return not _is_new(session, number, self._last.get(session, -1))


def _remember(last: dict[str, _Last], session: str, what: _Last) -> None:
    last.pop(session, None)
    last[session] = what
    if len(last) > MOST_SESSIONS:
        del last[next(iter(last))]


def _is_new(session: str, number: int, last: int) -> bool:
    """Say whether a request is later than the last that was answered; an earlier one is refused."""
    if number < last:
        raise StaleRequestError(
            f'request {number} of "{session}" comes after its request {last}, which was answered: numbers count up'
        )
    return number > last
