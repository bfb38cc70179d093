"""What a worker may run for an arena far away: code does not travel, and a server does not choose what runs here.

What is installed is played: chess, poker, OpenSpiel. Programs, engines and Python objects run only if the worker's own
owner allows them by name, and a spec from afar cannot loosen their sandbox.
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from equipoise.arena.access.service import LOOSENING
from equipoise.arena.remote.arena import RemoteArena
from equipoise.arena.spec.kinds import find_kind
from equipoise.arena.spec.spec import ArenaSpec, PlayerSpec
from equipoise.core.errors import ParameterError, some_of
from equipoise.core.options import shown
from equipoise.core.wording import Option
from equipoise.players.load import PLAYERS

HARMLESS_GAMES = ("chess", "holdem", "kuhn", "leduc", "openspiel")
HARMLESS_BOTS = ("openspiel",)


class TrustedArena(RemoteArena):
    """An arena far away, of which only what is allowed is played.

    Parameters
    ----------
    where
        Its address, or a :class:`RemoteArena`, whose token is used, too.
    token
        As for :class:`RemoteArena`.
    labels
        What this worker has; players that need more are not played here.
    allow
        Games and bots that may run, such as ``uci:stockfish`` or ``python:bots:*``.
    trust
        Whether everything may: for a cluster of one's own.
    commands
        Bots that play here under players' names, whatever bots the server names for them.
    """

    def __init__(
        self, where: str | RemoteArena, token: str | None = None, *, labels: Collection[str] | None = None,
        allow: Collection[str] = (), trust: bool = False, commands: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        if isinstance(allow, str):
            raise ParameterError(Option("allow"), f" is a list of games and bots, not {allow!r}")
        if isinstance(where, RemoteArena):
            token, where = where.token, where.place
        super().__init__(where, token)
        self._labels, self._allow, self._trust = labels, tuple(allow), trust
        self._commands = dict(commands or {})

    @property
    def spec(self) -> ArenaSpec:
        """What is played, if it may be played here."""
        spec = super().spec
        players = tuple(replace(one, bot=self._commands.get(one.name, one.bot)) for one in spec.players)
        spec = replace(spec, players=players)
        if not self._trust:
            refused = list(refusals(spec, self._labels, self._allow, self._commands))
            if refused:
                raise ParameterError(f"this machine does not run what the server names unasked: {some_of(refused)}")
        return spec


def read_commands(file: str | Path) -> dict[str, str]:
    """Read which bots play here under players' names: a TOML file with lines such as ``rocky = "uci:stockfish"``."""
    try:
        said = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ParameterError(f"{file} cannot be read as TOML: {' '.join(str(error).split())}") from None
    for name, bot in said.items():
        if not isinstance(bot, str):
            raise ParameterError(f'{file}: the bot of "{name}" is a text such as "uci:stockfish", not {shown(bot)}')
        find_kind(bot, PLAYERS, "player")
    return said


def refusals(
    spec: ArenaSpec, labels: Collection[str] | None, allow: Collection[str], own: Collection[str] = ()
) -> Iterator[str]:
    """Say what of a spec may not run here, each with what would allow it; ``own`` players have bots of this machine."""
    if spec.game.partition(":")[0] not in HARMLESS_GAMES and not _allowed(spec.game, allow):
        yield f"the game {spec.game} (--allow '{spec.game}')"
    for player in spec.players:
        if labels is not None and not set(player.labels) <= set(labels):
            continue
        bot = player.bot
        if bot is not None and bot.partition(":")[0] not in HARMLESS_BOTS:
            if player.name not in own and not _allowed(bot, allow):
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
