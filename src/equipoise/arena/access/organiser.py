"""What an organiser does to an arena: pause and end play, leave games out, let players and workers in or not."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.arena.access.reader import ArenaReader
from equipoise.arena.engine import managing
from equipoise.arena.spec.access_token import ROLES, AccessToken, Role
from equipoise.arena.spec.names import checked_name, checked_names
from equipoise.arena.spec.spec import PlayerSpec, as_player
from equipoise.core.errors import ParameterError
from equipoise.core.options import check, choice, positive, whole

LONGEST_DAYS = 36_500
"""Days that a token is good at most: a century."""


class ArenaOrganiser(ArenaReader):
    """Everything about running an arena that is not playing it."""

    def pause(self) -> None:
        """Lease nothing until :meth:`resume`; what is being played is still taken."""
        self._commits.run(lambda batch: managing.go(batch, "pause"))

    def resume(self) -> None:
        """Go on after a pause or a stop."""
        self._commits.run(lambda batch: managing.go(batch, "resume"))

    def stop(self) -> None:
        """End play: nothing more is leased."""
        self._commits.run(lambda batch: managing.go(batch, "stop"))

    def void(self, number: int, reason: str) -> None:
        """Leave out the block of a trial: it counts against every claim; decisions without support are withdrawn."""
        check(whole(1), "number", number)
        why = checked_name(reason, "reason")
        self._commits.run(lambda batch: managing.void(batch, number, why))

    def add_player(self, player: PlayerSpec | str | Mapping[str, Any]) -> None:
        """Let one more play, in an arena whose spec says ``open``."""
        one = as_player(player)
        self._commits.run(lambda batch: managing.add(batch, one))

    def make_token(self, role: Role, name: str, *, labels: Sequence[str] = (), days: float = 90.0) -> str:
        """Make a token that lets somebody in over the network; it is given once, and the journal keeps its hash.

        Parameters
        ----------
        role
            ``viewer``, ``worker``, ``voter`` or ``organiser``.
        name
            Whose it is; a worker plays under this name.
        labels
            The most that a worker with it may say to have; empty for no limit.
        days
            How long it is good.
        """
        check(choice(*ROLES), "role", role)
        check(positive(), "days", days)
        if days > LONGEST_DAYS:
            raise ParameterError(f"a token is good for {LONGEST_DAYS:,} days at most, not {days:g}")
        until = self._store.time.wall() + days * 86_400.0
        token, text = AccessToken.new(role, name, until, checked_names(labels, "label"), os.urandom)
        self._commits.run(lambda batch: managing.admit(batch, token))
        return text

    def revoke(self, token: str) -> None:
        """Let nobody in with a token any more, given its identity (the third part of its text)."""
        self._commits.run(lambda batch: managing.revoke(batch, token))

    def exclude(self, worker: str, reason: str) -> int:
        """Withdraw all results of a worker and lease it nothing more; give how many blocks became void.

        Decisions that rested on them are withdrawn; what is decided from then on says so.
        """
        why = checked_name(reason, "reason")
        return self._commits.run(lambda batch: managing.exclude(batch, worker, why))

    def include(self, worker: str, reason: str) -> None:
        """Let an excluded worker play again; its old results stay out."""
        why = checked_name(reason, "reason")
        self._commits.run(lambda batch: managing.include(batch, worker, why))

    def record_versions(self, versions: Mapping[str, str], *, changed: bool = True) -> None:
        """Record which version of each player plays; a changed one is said in the journal, or refused."""
        self._commits.run(lambda batch: managing.record(batch, versions, changed=changed))
