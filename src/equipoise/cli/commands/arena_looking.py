"""Looking at an arena, and managing it, also while another process plays it.

``equipoise arena status``, ``verify`` and ``export``; ``pause``, ``resume``, ``stop`` and ``void``.
"""

import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from equipoise.cli.options.arena import DatabaseInstead, DatabaseOption, FileOrUrl, managed, one_place
from equipoise.cli.options.generated import PrintOptions
from equipoise.cli.options.invocation import here
from equipoise.cli.output.output import say_written, write_view
from equipoise.cli.output.waiting import working
from equipoise.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.text import Text

    from equipoise.arena.access.reader import ArenaReader


def arena_pause(database: DatabaseOption) -> None:
    """Lease no more games until it is resumed; games in play still count.

    In Python: `arena.pause()`
    """
    with managed(database) as arena:
        arena.pause()
    print("Paused.")


def arena_resume(database: DatabaseOption) -> None:
    """Go on after a pause or a stop.

    In Python: `arena.resume()`
    """
    with managed(database) as arena:
        arena.resume()
    print("Running.")


def arena_stop(database: DatabaseOption) -> None:
    """End play: no more games are leased.

    In Python: `arena.stop()`
    """
    with managed(database) as arena:
        arena.stop()
    print("Stopped.")


def arena_void(
    number: Annotated[int, typer.Argument(help="Number of the game.")],
    database: DatabaseOption,
    reason: Annotated[str, typer.Option(help="Why; it is recorded in the journal.")],
) -> None:
    """Void a game and those paired with it; decisions that lose their support are withdrawn.

    A void game counts against every claim, so that voiding games can never make a decision.

    In Python: `arena.void(12, "the clock was wrong")`

    Examples
    --------
    - `equipoise arena void 12 -d ladder.db --reason "the clock was wrong"`
    """
    with managed(database) as arena:
        arena.void(number, reason)
    print(f"Game {number} is void, and so are the games paired with it.")


LOOK = 1.0
"""Seconds between looks at an arena that is being played."""
What = Literal["results", "journal"]


def arena_status(
    to: PrintOptions,
    file: FileOrUrl = None,
    database: DatabaseInstead = None,
    *,
    once: Annotated[bool, typer.Option("--once", help="Print once; do not follow the play.")] = False,
) -> None:
    """Show the standings, who plays, what is decided and what is left; on a terminal it follows the play.

    Ranks come from decisions that are valid at every look; the test of transitivity is computed anew each time this is
    asked for.

    In Python: `equipoise.Arena.look_at("ladder.db").standings()`, and `.activity()` for who plays

    Examples
    --------
    - `equipoise arena status ladder.db`

    - `equipoise arena status ladder.db --show crosstable,failures`

    - `equipoise arena status ladder.db --format json`
    """
    from equipoise.arena.arena import Arena
    from equipoise.report.views.arena import arena_view

    with Arena.look_at(one_place(file, database)) as arena:
        follows = sys.stdout.isatty() and not once and to == PrintOptions()
        if follows and arena.activity().playing:
            _follow(arena)
        with working("Counting"):
            standings = arena.standings()
        write_view(arena_view(standings, arena.activity()), to)


def arena_show(
    to: PrintOptions,
    what: Annotated[
        list[str], typer.Argument(metavar="FILE GAME|PLAYER|PLAYER PLAYER", help="The arena, then what of it.")
    ],
    database: DatabaseInstead = None,
) -> None:
    """Show one game, one player, or two players against each other.

    Of a game: who sat where, who played it and when, what came out and, once its whole set of paired games is finished,
    its seed and its moves.

    In Python: `arena.game(12)`, `arena.player("honest")`, `arena.pair("honest", "rock")`

    Examples
    --------
    - `equipoise arena show ladder.db 12`

    - `equipoise arena show ladder.db honest`

    - `equipoise arena show ladder.db honest rock`
    """
    from equipoise.arena.arena import Arena
    from equipoise.report.views.arena_accounts import account_view

    place, names = (database, what) if database is not None else (what[0], what[1:])
    if len(names) not in (1, 2):
        raise ParameterError("say what to show: the number of a game, a player, or two players")
    with Arena.look_at(place) as arena:
        if len(names) == 2:
            view = account_view(arena.pair(*names))
        elif names[0].isdecimal() and names[0] not in arena.spec.names:
            view = account_view(arena.game(int(names[0])))
        else:
            view = account_view(arena.player(names[0]))
    write_view(view, to)


def _follow(arena: "ArenaReader") -> None:
    """Show the standings anew each second until play has ended."""
    from rich.console import Console
    from rich.live import Live

    console = Console()
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while arena.state in ("running", "paused"):
            live.update(live_text(arena, console.width), refresh=True)
            time.sleep(LOOK)


def live_text(arena: Any, width: int) -> "Text":
    """Give the standings of this moment as a text for a terminal, without the test of transitivity (it takes long)."""
    from rich.console import Console
    from rich.text import Text

    from equipoise.report.render.terminal import print_screen
    from equipoise.report.views.arena import arena_view

    drawn = io.StringIO()
    console = Console(file=drawn, width=width, force_terminal=True, highlight=False)
    view = arena_view(arena.standings(verdict=False), arena.activity())
    print_screen(view, console, here().shell)
    return Text.from_ansi(drawn.getvalue().rstrip())


def arena_verify(
    database: DatabaseOption,
    spelled: Annotated[Literal["words", "json"], typer.Option("--format", help="Words, or JSON.")] = "words",
) -> None:
    """Recount everything from the journal, and say what does not agree.

    The chain of hashes, every result, every decision and the standings are recomputed; exit code 1 if anything differs.

    In Python: `equipoise.Arena.look_at("ladder.db").verify()`

    Examples
    --------
    - `equipoise arena verify -d ladder.db`
    """
    import json

    from equipoise.arena.arena import Arena

    with Arena.look_at(database) as arena, working("Recounting"):
        recount = arena.verify()
    print(json.dumps(recount.to_dict(), indent=2) if spelled == "json" else "\n".join(recount.words))
    if not recount.ok:
        raise typer.Exit(1)


def arena_export(
    database: DatabaseOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="A file: .csv, .jsonl or .parquet.")],
    what: Annotated[What, typer.Option(help="A row for each seat of each game, or the whole journal.")] = "results",
) -> None:
    """Write results as a table (CSV, JSON lines, Parquet), or the whole journal as a backup.

    It may be done while play goes on. From a journal `arena restore` makes the same arena again.

    In Python: `equipoise.export_arena(arena, "results.csv")`

    Examples
    --------
    - `equipoise arena export -d ladder.db -o results.parquet`

    - `equipoise arena export -d ladder.db --what journal -o backup.jsonl`
    """
    from equipoise.arena.arena import Arena
    from equipoise.arena.journal.journal import export_arena

    with Arena.look_at(database) as arena, working("Writing"):
        rows = export_arena(arena, output, what=what)
    say_written(output, f"{rows:,} {'lines' if what == 'journal' else 'rows'}, {os.path.getsize(output):,} bytes")
