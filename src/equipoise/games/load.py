"""The kinds of games, and how one is opened by name."""

from collections.abc import Mapping
from typing import Any, cast

from equipoise.arena.spec.kinds import ReferenceKind, find_kind
from equipoise.arena.spec.protocols import ArenaGame
from equipoise.core.errors import ParameterError
from equipoise.core.options import shown
from equipoise.core.wording import Option

GAMES: Mapping[str, ReferenceKind] = {
    "python": ReferenceKind("equipoise.games.python:open_referee", "A referee written in Python", "module:function"),
    "tasks": ReferenceKind("equipoise.games.python:open_tasks", "Agents on tasks, scored by Python", "module:function"),
    "program": ReferenceKind("equipoise.games.program:open_game", "A referee in any language", "COMMAND"),
    "openspiel": ReferenceKind(
        "equipoise.games.openspiel:open_game", "A game of OpenSpiel", "NAME", "pyspiel", "games"
    ),
    "chess": ReferenceKind("equipoise.games.chess.game:open_game", "Chess", "", "chess", "chess"),
    "holdem": ReferenceKind("equipoise.games.holdem.game:open_game", "Texas hold'em", "", "pyspiel", "games"),
    "leduc": ReferenceKind("equipoise.games.small_poker:open_leduc", "Leduc poker"),
    "votes": ReferenceKind("equipoise.games.load:open_votes", "People who choose between two answers"),
    "kuhn": ReferenceKind("equipoise.games.small_poker:open_kuhn", "Kuhn poker"),
}
"""By the word before the colon. A module has a function ``(name, rest, options) -> Game``."""


def open_votes(_name: str, _rest: str, _options: Mapping[str, Any]) -> ArenaGame:
    """Refuse: what people vote on is not played here."""
    raise ParameterError("people vote on the page of a server: run equipoise vote, or equipoise arena serve")


def load_game(name: str, options: Mapping[str, Any] | None = None) -> ArenaGame:
    """Open a game by the name that a spec gives it.

    Parameters
    ----------
    name
        ``python:module:function``, ``tasks:module:function``, ``program:COMMAND``, ``openspiel:NAME``, ``chess`` ...
    options
        Of the game; unknown ones are refused.

    Fails when
        there is no such kind of game, what it needs is not installed, or an option makes no sense.

    Examples
    --------
    >>> load_game("chss")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    equipoise.core.errors.ParameterError: there is no kind of game "chss" (did you mean "chess"?); it is one of ...
    """
    if not isinstance(name, str):
        raise ParameterError(Option("game"), f" is a text such as python:module:function, not {shown(name)}")
    kind, rest = find_kind(name, GAMES, "game")
    return cast(ArenaGame, kind.opener(name)(name, rest, dict(options or {})))
