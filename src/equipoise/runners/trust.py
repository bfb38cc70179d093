"""What a worker may run for an arena far away: code does not travel, and a server does not choose what runs here.

What is installed is played: chess, poker, OpenSpiel. Programs, engines and Python objects run only if the worker's own
owner allows them by name, and a spec from afar cannot loosen their sandbox.
"""

from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase

from equipoise.arena.access.service import LOOSENING
from equipoise.arena.remote.arena import RemoteArena
from equipoise.arena.spec.spec import ArenaSpec, PlayerSpec
from equipoise.core.errors import ParameterError, some_of

HARMLESS_GAMES = ("chess", "holdem", "kuhn", "leduc", "openspiel")
HARMLESS_BOTS = ("openspiel",)


class TrustedArena(RemoteArena):
    """An arena far away, of which only what is allowed is played.

    Parameters
    ----------
    url, token
        As for :class:`RemoteArena`.
    labels
        What this worker has; players that need more are not played here.
    allow
        Games and bots that may run, such as ``uci:stockfish`` or ``python:bots:*``.
    trust
        Whether everything may: for a cluster of one's own.
    """

    def __init__(
        self, url: str, token: str | None = None, *, labels: Collection[str] | None = None,
        allow: Collection[str] = (), trust: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(url, token)
        self._labels, self._allow, self._trust = labels, tuple(allow), trust

    @property
    def spec(self) -> ArenaSpec:
        """What is played, if it may be played here."""
        spec = super().spec
        if not self._trust:
            refused = list(refusals(spec, self._labels, self._allow))
            if refused:
                raise ParameterError(f"this machine does not run what the server names unasked: {some_of(refused)}")
        return spec


def refusals(spec: ArenaSpec, labels: Collection[str] | None, allow: Collection[str]) -> Iterator[str]:
    """Say what of a spec may not run here, each with what would allow it."""
    if spec.game.partition(":")[0] not in HARMLESS_GAMES and not _allowed(spec.game, allow):
        yield f"the game {spec.game} (--allow '{spec.game}')"
    for player in spec.players:
        if labels is not None and not set(player.labels) <= set(labels):
            continue
        bot = player.bot
        if bot is not None and bot.partition(":")[0] not in HARMLESS_BOTS:
            if not _allowed(bot, allow):
                yield f"{player.name}, {bot} (--allow '{bot}')"
            elif loose := _loose(player):
                yield f"{player.name}, whose spec asks for {loose} (--trust)"


def _allowed(name: str, allow: Collection[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in allow)


def _loose(player: PlayerSpec) -> str | None:
    """Say what lets a program out of its sandbox."""
    if player.options.get("sandbox") == "off":
        return 'sandbox = "off"'
    return next((name for name in LOOSENING if player.options.get(name)), None)
