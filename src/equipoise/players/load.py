"""The kinds of players, and how one is opened from its spec."""

from collections.abc import Mapping
from typing import cast

from equipoise.arena.spec.kinds import ReferenceKind, find_kind
from equipoise.arena.spec.protocols import ArenaGame, Player
from equipoise.arena.spec.spec import PlayerSpec

PLAYERS: Mapping[str, ReferenceKind] = {
    "python": ReferenceKind("equipoise.players.python:open_player", "A Python function or class", "module:object"),
    "program": ReferenceKind("equipoise.players.program:open_player", "A command that speaks JSON lines", "COMMAND"),
    "uci": ReferenceKind("equipoise.players.uci:open_player", "A chess engine", "COMMAND"),
    "openspiel": ReferenceKind(
        "equipoise.players.openspiel:open_player", "A bot of OpenSpiel", "BOT", "pyspiel", "games"
    ),
}
"""By the word before the colon. A module has a function ``(spec, rest) -> Player``."""


def load_player(spec: PlayerSpec, game: ArenaGame | None = None) -> Player:
    """Open a player from its spec; one without ``bot`` is a name and options, for games that need no more.

    Parameters
    ----------
    spec
        Who it is.
    game
        What it will play; a player that cannot sit down there is refused now, not in its first trial.

    Fails when
        there is no such kind of player, it cannot be started, or the game does not take it.

    Examples
    --------
    >>> load_player(PlayerSpec(name="a", bot="pithon:bots:a"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    equipoise.core.errors.ParameterError: there is no kind of player "pithon" (did you mean "python"?); it is one of ...
    """
    if spec.bot is None:
        from equipoise.players.python import NamedPlayer

        player: Player = NamedPlayer(spec.name, spec.options)
    else:
        kind, rest = find_kind(spec.bot, PLAYERS, "player")
        player = cast(Player, kind.opener(spec.bot)(spec, rest))
    if game is not None:
        try:
            game.admit(player)
        except BaseException:
            player.close()
            raise
    return player
