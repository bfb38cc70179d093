"""Tokens: what lets somebody in over the network, in which role.

A token reads ``eq_ROLE_ID_SECRET``. It is shown once, when it is made; the journal keeps a hash of its secret.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from equipoise.arena.spec.names import checked_name

Role = Literal["viewer", "worker", "voter", "organiser"]
ROLES: tuple[Role, ...] = get_args(Role)
ID_BYTES, SECRET_BYTES = 6, 32


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What an arena knows of a token.

    Attributes
    ----------
    id
        By which it is listed and revoked.
    role
        What it allows.
    name
        Whose it is; a worker plays under it.
    hash
        SHA-256 of its secret.
    until
        When it ends, in seconds since 1970.
    labels
        What a worker with it may say to have; empty for no limit.
    """

    id: str
    role: Role
    name: str
    hash: str
    until: float
    labels: tuple[str, ...] = ()

    @classmethod
    def new(
        cls, role: Role, name: str, until: float, labels: tuple[str, ...], random: Callable[[int], bytes]
    ) -> tuple[Self, str]:
        """Draw a token; give what is kept of it, and the token itself."""
        identity, secret = random(ID_BYTES).hex(), random(SECRET_BYTES).hex()
        kept = cls(identity, role, checked_name(name, "token"), _hashed(secret), until, labels)
        return kept, f"eq_{role}_{identity}_{secret}"

    def opens(self, secret: str, now: float) -> bool:
        """Say whether a secret is this token's, and it has not ended."""
        return hmac.compare_digest(_hashed(secret), self.hash) and now < self.until

    def to_dict(self) -> dict[str, Any]:
        """Give the body of its event."""
        return {
            "id": self.id, "role": self.role, "name": self.name, "hash": self.hash, "until": self.until,
            "labels": list(self.labels),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        return cls(body["id"], body["role"], body["name"], body["hash"], body["until"], tuple(body["labels"]))


def parts_of(token: str) -> tuple[str, str] | None:
    """Give the identity and the secret in a token; None if it is none.

    >>> parts_of("eq_viewer_00ff00ff00ff_abc"), parts_of("hello")
    (('00ff00ff00ff', 'abc'), None)
    """
    parts = token.split("_")
    return (parts[2], parts[3]) if len(parts) == 4 and parts[0] == "eq" and parts[1] in ROLES else None


def _hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
