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

from equipoise.cli.options.arena import DatabaseOption, managed
from equipoise.cli.options.generated import PrintOptions
from equipoise.cli.options.invocation import here
from equipoise.cli.output.output import say_written, write_view
from equipoise.cli.output.waiting import working

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
    database: DatabaseOption,
    to: PrintOptions,
    *,
    once: Annotated[bool, typer.Option("--once", help="Print once; do not follow the play.")] = False,
) -> None:
    """Show the standings, what is decided and what is left; on a terminal it follows the play.

    Ranks come from decisions that are valid at every look; the test of transitivity is computed anew each time this is
    asked for.

    In Python: `equipoise.Arena.look_at("ladder.db").standings()`

    Examples
    --------
    - `equipoise arena status -d ladder.db`

    - `equipoise arena status -d ladder.db --format json`
    """
    from equipoise.arena.access.reader import ArenaReader
    from equipoise.report.views.arena import arena_view

    with ArenaReader.look_at(database) as arena:
        follows = sys.stdout.isatty() and not once and to == PrintOptions()
        if follows and _played(database):
            _follow(arena)
        with working("Counting"):
            standings = arena.standings()
        write_view(arena_view(standings), to)


def _played(database: str) -> bool:
    """Say whether a process has the arena open."""
    from equipoise.arena.store.ownership import owner_of
    from equipoise.arena.store.place import is_postgres

    return not is_postgres(database) and bool(owner_of(Path(database)))


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
    print_screen(arena_view(arena.standings(verdict=False)), console, here().shell)
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

    from equipoise.arena.access.reader import ArenaReader

    with ArenaReader.look_at(database) as arena, working("Recounting"):
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
    from equipoise.arena.access.reader import ArenaReader
    from equipoise.arena.journal.journal import export_arena

    with ArenaReader.look_at(database) as arena, working("Writing"):
        rows = export_arena(arena, output, what=what)
    say_written(output, f"{rows:,} {'lines' if what == 'journal' else 'rows'}, {os.path.getsize(output):,} bytes")
