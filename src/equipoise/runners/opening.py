"""Before the first trial: the game and its players are loaded once, and what a dead play left is taken over."""

from collections.abc import Mapping
from time import monotonic

from equipoise.arena.access.activity import is_gone
from equipoise.arena.desk import Desk
from equipoise.arena.spec.spec import ArenaSpec, PlayerSpec
from equipoise.arena.spec.trial import Lease
from equipoise.core.errors import DataError, ParameterError, WorkerError
from equipoise.core.wording import Option
from equipoise.runners.messages import LoadRequest, Ready
from equipoise.runners.reporting import ResultReporter


class Loading:
    """One worker loads the game and all players that it may: what cannot work is said before it is tried.

    Parameters
    ----------
    spec
        What is played.
    labels
        What the workers have; None for everything.
    """

    def __init__(self, spec: ArenaSpec, labels: frozenset[str] | None) -> None:
        players: tuple[PlayerSpec, ...] = tuple(
            one for one in spec.players if labels is None or set(one.labels) <= labels
        )
        self.work = LoadRequest(players, spec.seats)
        self.place: int | None = None
        self._most = spec.stall_after
        self._last = 0.0

    def begin(self, place: int) -> None:
        """Note who loads."""
        self.place = place
        self.go_on()

    def go_on(self) -> None:
        """Note that something was loaded."""
        self._last = monotonic()

    def refuse_long(self) -> None:
        """Give up if nothing was loaded for long."""
        if self.place is not None and monotonic() - self._last > self._most:
            raise WorkerError(f"loading the game and its players takes more than {self._most:g} s (stall_after)")


def refuse_scores(spec: ArenaSpec, ready: Ready) -> None:
    """Refuse a game whose scores the spec does not expect."""
    if ready.score_range is None or (spec.score_range is None and spec.question.any_scores):
        return
    (least, most), (low, high) = ready.score_range, spec.score_range or (0.0, 1.0)
    if low <= least and most <= high:
        return
    raise ParameterError(
        f"{spec.game} gives scores from {least:g} to {most:g}, the spec expects {low:g} to {high:g}: make an "
        "arena with ",
        Option("score_range", [least, most]),
    )


def note_versions(arena: Desk, reporter: ResultReporter, seen: Mapping[str, str], *, allowed: bool) -> None:
    """Record versions; a player that is not the one that played before is refused unless that is allowed."""
    known = arena.versions()
    fresh = {name: version for name, version in seen.items() if known.get(name) != version}
    changed = [name for name in fresh if name in known]
    if changed and not allowed:
        name = changed[0]
        raise DataError(
            f'player "{name}" is not the one that played before (version {known[name]} became {fresh[name]}): make a '
            "new arena, or let it go on under the old name with ",
            Option("new_versions", True),
        )
    if fresh:
        reporter.patiently(lambda: arena.record_versions(fresh, changed=allowed))


def taken_over(arena: Desk, reporter: ResultReporter) -> list[Lease]:
    """Take over the leases of plays of this arena that have died."""
    alone = not arena.shared
    gone = [who for who in arena.holders() if is_gone(who, alone=alone)]
    return reporter.patiently(lambda: arena.take_over(gone)) if gone else []
