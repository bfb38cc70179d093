"""``equipoise arena run``, ``demo`` and ``check-player``: playing."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options.arena import DatabaseOption
from equipoise.cli.options.generated import PrintOptions, SeedOption
from equipoise.cli.options.invocation import here
from equipoise.core.errors import ParameterError

if TYPE_CHECKING:
    from rich.text import Text

    from equipoise.runners.play import Played
    from equipoise.runners.snapshot import Listener, Snapshot


INTRODUCTION = (
    "Five bots play Leduc poker, every deal from both seats, until the best one is known; the luck of the cards is"
    " removed from what is shown."
)
ENDINGS = {"spent": "budget used up"}
"""States of an arena that are worded otherwise than they are written in its journal."""
NEXT = """
A tournament of your own bots takes three lines of Python: the docs have a page that starts there.
"""


def arena_run(
    database: DatabaseOption,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Games that are played at the same time [default: one a core].")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster, one actor for each worker.")] = False,
    address: Annotated[
        str | None, typer.Option(help="Address of the Ray cluster [default: one of this machine's own].")
    ] = None,
    threads: Annotated[
        bool, typer.Option("--threads", help="Play in threads of this process: for small functions in Python.")
    ] = False,
    at_once: Annotated[
        int, typer.Option(min=1, help="Games that each worker plays at once: for functions that wait for a server.")
    ] = 1,
    labels: Annotated[
        list[str] | None, typer.Option("--label", help="What the workers have, such as gpu. Can be repeated.")
    ] = None,
    new_versions: Annotated[
        bool, typer.Option("--new-versions", help="Go on although a player has changed since it last played.")
    ] = False,
    crowded: Annotated[
        bool, typer.Option("--crowded", help="Allow more workers than cores; clocks of players run on.")
    ] = False,
) -> None:
    """Play an arena on this machine or a cluster until its question is answered; running it again continues.

    Ctrl-C once finishes what is being played and stops; twice stops now. While it plays, `equipoise arena status`,
    `pause`, `void` and the others work from another terminal, and `equipoise rank FILE.db` reads the results.

    In Python: `equipoise.play("ladder.db", workers=2)`

    Examples
    --------
    - `equipoise arena run -d ladder.db`

    - `equipoise arena run -d ladder.db --ray --workers 16`
    """
    from equipoise.runners.play import play

    if database.startswith(("http://", "https://")):
        raise ParameterError(f"{database} is behind a server: equipoise arena work {database} plays for it")
    engine: Any = "ray" if ray else "threads" if threads else None
    with live_table() as listener:
        played = play(
            database, workers, engine, at_once=at_once, labels=labels, new_versions=new_versions, crowded=crowded,
            address=address, on_change=listener,
        )  # fmt: skip
    say_played(played)


def arena_demo(
    seed: SeedOption = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Hands that are played at the same time [default: one a core].")
    ] = None,
) -> None:
    """Watch five poker bots play until the best one is known, with the luck of the cards removed.

    In Python: `equipoise.runners.demo.play_demo()`
    """
    from equipoise.runners.demo import play_demo

    print(f"{INTRODUCTION}\n", flush=True)
    with live_table() as listener:
        demo = play_demo(seed=seed, workers=workers, on_change=listener)
    say_played(demo.played)
    print("\n" + "\n".join(demo.sentences[1:]))
    print(NEXT, end="")


def arena_check_player(
    program: Annotated[list[str], typer.Argument(metavar="COMMAND", help="The program and its arguments.")],
    games: Annotated[int, typer.Option(min=1, help="Games that it plays from every seat.")] = 4,
    game: Annotated[
        str | None, typer.Option(help="What it plays, as in a spec: chess, leduc ... [default: a small game].")
    ] = None,
) -> None:
    """Check that a program follows the protocol of players.

    It is started, asked for moves in a few games, sent messages that it cannot know, reset, and sent quit. Exit code 1
    if a rule is broken. With `--game` it plays that game, and is spoken to as there: an engine for chess in UCI, unless
    the command is `program:COMMAND`.

    In Python: `equipoise.check_player("./mybot --fast")`

    Examples
    --------
    - `equipoise arena check-player -- python3 bot.py`

    - `equipoise arena check-player --game chess ./engine`
    """
    import shlex

    from equipoise.games.load import load_game
    from equipoise.players.check import check_player

    command = program[0] if len(program) == 1 else shlex.join(program)
    table = None if game is None else load_game(game)
    if game == "chess" and not command.startswith(("uci:", "program:")):
        command = f"uci:{command}"
    checked = check_player(command, game=table, games=games)
    for rule in checked.rules:
        print(f"{'kept  ' if rule.kept else 'BROKEN'}  {rule.rule}{'' if rule.kept else f': {rule.message}'}")
    print(f"It runs {checked.confinement}.")
    if not checked.passed:
        raise typer.Exit(1)


@contextmanager
def live_table() -> Iterator["Listener | None"]:
    """Show where play stands on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield lambda snapshot: live.update(_drawn(snapshot, console.width), refresh=True)


def _drawn(snapshot: "Snapshot", width: int) -> "Text":
    """Draw the last standings, how far the goal is, and what is being played."""
    from rich.console import Console
    from rich.text import Text

    from equipoise.report.render.terminal import ROWS, print_view, say
    from equipoise.report.views.arena import arena_view

    drawn = io.StringIO()
    console = Console(file=drawn, width=width, force_terminal=True, highlight=False)
    if snapshot.standings is not None:
        print_view(arena_view(snapshot.standings), console, here().shell, most=ROWS)
    say(_pace(snapshot), console, "dim")
    return Text.from_ansi(drawn.getvalue().rstrip())


def _pace(snapshot: "Snapshot") -> str:
    of = "" if snapshot.budget is None else f" of at most {snapshot.budget:,}"
    games = ", ".join(" - ".join(one.players) for one in snapshot.in_play[:3])
    parts = [f"{snapshot.counted:,}{of} games, {snapshot.rate:.3g} a second, {snapshot.workers} workers"]
    parts += [f"now: {games}"] if games else []
    parts += ["finishing what is played, Ctrl-C again stops now"] if snapshot.stopping else []
    parts += [snapshot.note] if snapshot.note else []
    return "; ".join(parts)


def _left_over(played: "Played") -> str:
    """Say how many games count for nothing yet, since the set they are paired in is not complete."""
    left = played.standings.counted - played.standings.progress.trials
    return f"; {left:,} of an unfinished set {'does' if left == 1 else 'do'} not count" if left > 0 else ""


def say_played(played: "Played") -> None:
    """Say how a play ended, with the standings."""
    from equipoise.cli.output.output import write_view
    from equipoise.report.views.arena import arena_view

    write_view(arena_view(played.standings), PrintOptions().unshortened)
    ended = (
        "Interrupted; run it again to go on."
        if played.interrupted
        else f"Ended: {ENDINGS.get(played.state, played.state)}."
    )
    pace = played.trials / max(played.seconds, 1e-9)
    print(f"\n{ended} {played.trials:,} games in {played.seconds:,.1f} s ({pace:,.3g} a second){_left_over(played)}.")
    for note in played.notes:
        print(note, file=sys.stderr)
