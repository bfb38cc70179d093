"""Who is calling: a token in a header, or a browser's cookie that a token was exchanged for."""

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass

from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request

from equipoise.arena.spec.access_token import AccessToken, parts_of
from equipoise.web.bridge import ArenaBridge
from equipoise.web.problems import ProblemError

DAYS = 30
"""How long a cookie is good."""
PUBLIC = AccessToken("public", "viewer", "anybody", "", float("inf"))
"""Who looks at a server that lets everybody look."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is calling.

    Attributes
    ----------
    token
        What lets them in.
    by_cookie
        Whether a browser sent it by itself: requests that change something then need the form's own token.
    """

    token: AccessToken
    by_cookie: bool


class BrowserSessions:
    """Signed cookies of one arena; nothing is kept, and a revoked token ends its sessions.

    Attributes
    ----------
    cookie_name
        The arena's own, since a browser may look at several; ``__Host-`` stands before it under TLS.
    """

    def __init__(self, bridge: ArenaBridge) -> None:
        self._bridge = bridge
        key = hmac.new(bridge.arena.store.secret.encode(), b"sessions of browsers", hashlib.sha256).hexdigest()
        self.cookie_name = f"equipoise-{hashlib.sha256(bridge.arena.id.encode()).hexdigest()[:12]}"
        self._signer = URLSafeTimedSerializer(key, salt="session")
        self._visitors = URLSafeTimedSerializer(key, salt="visitor")
        self._forms = key

    def visitor(self, value: str | None) -> str | None:
        """Read the cookie of a voter without a token; None where it is none of ours."""
        try:
            return None if value is None else str(self._visitors.loads(value, max_age=DAYS * 86_400))
        except BadSignature:
            return None

    def visitor_cookie(self, name: str) -> str:
        """Give the value of a cookie for a voter without a token."""
        return self._visitors.dumps(name)

    def token(self, text: str) -> AccessToken | None:
        """Find the token that a text is; None if it is none, has ended or was revoked."""
        parts = parts_of(text)
        if parts is None:
            return None
        known = self._bridge.admission.tokens.get(parts[0])
        return known if known is not None and known.opens(parts[1], time.time()) else None

    def cookie(self, token: AccessToken) -> str:
        """Give the value of a cookie for a token."""
        return self._signer.dumps(token.id)

    def _of_cookie(self, value: str) -> AccessToken | None:
        try:
            identity = self._signer.loads(value, max_age=DAYS * 86_400)
        except BadSignature:
            return None
        token = self._bridge.admission.tokens.get(identity)
        return token if token is not None and time.time() < token.until else None

    def caller(self, request: Request, *, public: bool) -> Caller | None:
        """Say who calls; None if nobody that is known here."""
        given = request.headers.get("authorization")
        if given is not None:
            kind, _, text = given.partition(" ")
            token = self.token(text.strip()) if kind.lower() == "bearer" else None
            return None if token is None else Caller(token, False)
        for name in (f"__Host-{self.cookie_name}", self.cookie_name):
            value = request.cookies.get(name)
            token = None if value is None else self._of_cookie(value)
            if token is not None:
                return Caller(token, True)
        return Caller(PUBLIC, False) if public else None

    def form_token(self, caller: Caller) -> str:
        """Give what a form of this caller carries."""
        return hmac.new(self._forms.encode(), f"form {caller.token.id}".encode(), hashlib.sha256).hexdigest()

    def refuse_forged(self, request: Request, caller: Caller, form: Mapping[str, str]) -> None:
        """Refuse what another site had a browser send."""
        if not caller.by_cookie:
            return
        said = request.headers.get("x-form-token") or form.get("form_token", "")
        if not hmac.compare_digest(said.encode(), self.form_token(caller).encode()):
            raise ProblemError("not-allowed", "this request did not come from a form of this server")
        origin = request.headers.get("origin")
        if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
            raise ProblemError("not-allowed", "this request came from another site")
