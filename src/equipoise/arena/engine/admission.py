"""Who may take part over the network: tokens that were made and not revoked, and workers that were excluded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from equipoise.arena.spec.access_token import AccessToken


@dataclass(frozen=True, slots=True)
class Admission:
    """What is true after some events of the kind ``admission``; a value, so that others may keep it.

    Attributes
    ----------
    tokens
        By identity.
    excluded
        Workers whose results do not count, with the reason.
    """

    tokens: Mapping[str, AccessToken]
    excluded: Mapping[str, str]

    def after(self, body: Mapping[str, Any]) -> Self:
        """Take one more event."""
        tokens, excluded = dict(self.tokens), dict(self.excluded)
        if body["do"] == "admit":
            made = AccessToken.from_dict(body["token"])
            tokens[made.id] = made
        elif body["do"] == "revoke":
            tokens.pop(body["token"], None)
        elif body["do"] == "exclude":
            excluded[body["worker"]] = body["reason"]
        else:
            excluded.pop(body["worker"], None)
        return type(self)(tokens, excluded)

    def refuses(self, worker: str) -> str | None:
        """Say why a worker is given nothing; None if it is."""
        return next(
            (f'the worker "{name}" is excluded: {why}' for name, why in self.excluded.items() if is_of(worker, name)),
            None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as JSON, for a snapshot."""
        return {"tokens": [token.to_dict() for token in self.tokens.values()], "excluded": dict(self.excluded)}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        tokens = [AccessToken.from_dict(one) for one in saved["tokens"]]
        return cls({one.id: one for one in tokens}, dict(saved["excluded"]))


NOBODY = Admission({}, {})


def is_of(worker: str, name: str) -> bool:
    """Say whether a worker in the journal is one of a name: a machine may have several.

    >>> is_of("gpu box/play@here:12", "gpu box"), is_of("gpu box 2", "gpu box")
    (True, False)
    """
    return worker == name or worker.startswith(f"{name}/")
