"""``equipoise arena new``, ``add`` and ``restore``: how an arena comes to be."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.options.arena import DatabaseOption, managed
from equipoise.core.errors import ParameterError


def arena_new(
    spec: Annotated[Path, typer.Argument(help="A TOML file: name, game, goal, players ...")],
    database: DatabaseOption,
) -> None:
    """Make an arena from a spec: what is played, by whom, and for which question.

    The game and the bots are loaded when something is played, not now.

    In Python: `equipoise.Arena.create("ladder.db", "ladder.toml")`

    Examples
    --------
    - `equipoise arena new ladder.toml -d ladder.db`

    - `equipoise arena new ladder.toml -d postgresql://localhost/ladder`
    """
    from equipoise.arena.arena import Arena

    with Arena.create(database, spec) as arena:
        made = arena.spec
        print(f'"{made.name}" is ready in {arena.place}: {len(made.players)} players, goal {made.goal}.')
    print(f"Play it: equipoise arena run -d {database}")


def arena_add(
    name: Annotated[str, typer.Argument(help="The player's name.")],
    database: DatabaseOption,
    bot: Annotated[str | None, typer.Option(help="How to find it, such as uci:stockfish or python:bots:mine.")] = None,
    options: Annotated[
        list[str] | None, typer.Option("--option", help="NAME=VALUE, an option of the bot. Can be repeated.")
    ] = None,
    labels: Annotated[
        list[str] | None, typer.Option("--label", help="What a worker needs to run it. Can be repeated.")
    ] = None,
) -> None:
    """Let one more player join an arena that is open.

    In Python: `arena.add_player({"name": "new", "bot": "python:bots:new"})`

    Examples
    --------
    - `equipoise arena add newcomer -d ladder.db --bot python:bots:newcomer --option depth=3`
    """
    player = {"name": name, "bot": bot, "options": _options(options), "labels": labels or []}
    with managed(database) as arena:
        arena.add_player(player)
    print(f"{name} plays from now on.")


def arena_restore(
    journal: Annotated[Path, typer.Argument(help="A journal: JSON lines that `arena export --what journal` wrote.")],
    database: DatabaseOption,
) -> None:
    """Make an arena again from a journal, in a new file or another database.

    In Python: `equipoise.restore_arena("journal.jsonl", "copy.db")`

    Examples
    --------
    - `equipoise arena restore journal.jsonl -d postgresql://localhost/ladder`
    """
    from equipoise.arena.arena import Arena
    from equipoise.arena.journal.journal import restore_arena

    restore_arena(journal, database)
    with Arena.look_at(database) as arena:
        print(f'"{arena.spec.name}" is restored in {arena.place}: {arena.look(lambda state: state.seq):,} events.')


def _options(given: list[str] | None) -> dict[str, Any]:
    """Read NAME=VALUE; a value is JSON where it can be, and text otherwise."""
    chosen: dict[str, Any] = {}
    for entry in given or []:
        name, equals, value = entry.partition("=")
        if not name or not equals:
            raise ParameterError(f'an option of a bot is NAME=VALUE, not "{entry}"')
        try:
            chosen[name] = json.loads(value)
        except ValueError:
            chosen[name] = value
    return chosen
