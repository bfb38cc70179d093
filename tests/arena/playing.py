"""Small arenas, and players whose games always end the same way."""

import hashlib

from equipoise.arena.arena import Arena
from equipoise.arena.spec.spec import ArenaSpec

__all__ = ["finish", "head", "outcome_of", "small", "unchanged"]


def small(**options):
    """Give a spec of three players, six blocks of two; ``options`` change it."""
    given = {"name": "small", "game": "python:none:none", "players": ["a", "b", "c"], "goal": "budget", "budget": 12}
    return ArenaSpec(**(given | {"policy": "round-robin"} | options))


def outcome_of(trial, levels=5):
    """Score each seat by a hash of who sits there and of the seed: deterministic, and without a pattern."""
    scores = []
    for seat, name in enumerate(trial.players):
        text = f"{name}/{seat}/{trial.task}/{trial.seed}".encode()
        scores.append(hashlib.sha256(text).digest()[0] % levels / (levels - 1))
    return tuple(scores)


def finish(arena: Arena, worker="w", n=1):
    """Play until there is nothing to play; give the receipts."""
    receipts = []
    while leases := arena.ask(n=n, worker=worker):
        receipts += [arena.tell(lease, outcome_of(lease.trial)) for lease in leases]
    return receipts


def head(arena: Arena):
    """Give the end of the journal."""
    with arena.store.read() as transaction:
        return transaction.end()


class unchanged:  # noqa: N801  # reads as a phrase: with unchanged(arena): ...
    """Make sure that nothing is written and nothing shown differs after what happens inside."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def _all(self):
        return head(self._arena), self._arena.look(lambda state: state.snapshot())

    def __enter__(self):
        self._before = self._all()

    def __exit__(self, kind, error, trace):
        assert kind is not None or self._all() == self._before
