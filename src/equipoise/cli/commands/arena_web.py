"""Arenas on the web: ``equipoise arena serve``, ``work``, ``token``, ``exclude`` and ``include``."""

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from equipoise.cli.options.arena import DatabaseOption, managed
from equipoise.core.errors import MissingDependencyError, ParameterError

TokenFile = Annotated[
    Path | None, typer.Option(help="A file with the token [default: the environment variable EQUIPOISE_TOKEN].")
]


def arena_serve(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="ARENA...", help="Arenas: files, or postgresql://...")
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", envvar="EQUIPOISE_LISTEN", help="Where to listen [default: 127.0.0.1:8000]."),
    ] = None,
    hosts: Annotated[
        list[str] | None,
        typer.Option(
            "--host", envvar="EQUIPOISE_HOST", help="A name under which the server is called. Can be repeated."
        ),
    ] = None,
    proxy: Annotated[
        str | None,
        typer.Option(
            envvar="EQUIPOISE_PROXY",
            help="Address of a proxy that ends TLS in front of this server; it alone may forward.",
        ),
    ] = None,
    public: Annotated[
        bool | None, typer.Option("--public", envvar="EQUIPOISE_PUBLIC", help="Let everybody look, without a token.")
    ] = None,
    log: Annotated[
        bool | None,
        typer.Option("--log", envvar="EQUIPOISE_LOG", help="A line of JSON for each request, on standard error."),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(envvar="EQUIPOISE_SETTINGS", help="A TOML file with these options by name.")
    ] = None,
) -> None:
    """Serve arenas to workers, organisers and those who watch; the first start prints their links.

    Ctrl-C ends it within ten seconds; games in play go on and are reported when it is back. Options come before the
    environment, and the environment before the file of settings.

    In Python: `equipoise.web.app.make_app("ladder.db")`, an ASGI application

    Examples
    --------
    - `equipoise arena serve ladder.db`

    - `equipoise arena serve ladder.db --listen 0.0.0.0:8000 --host arena.example`
    """
    try:
        from equipoise.web.serving import read_settings, serve
    except ImportError as error:
        raise MissingDependencyError(f'{error.name} is needed: install Equipoise with its extra "serve"') from None
    given = {
        "arenas": files, "listen": listen, "hosts": hosts, "proxy": proxy, "public": public, "log": log,
    }  # fmt: skip
    chosen = {} if settings is None else read_settings(settings)
    chosen |= {name: value for name, value in given.items() if value not in (None, [])}
    if not chosen.get("arenas"):
        raise ParameterError("name an arena to serve: its file, or postgresql://...")
    serve(
        chosen["arenas"], chosen.get("listen", "127.0.0.1:8000"), hosts=chosen.get("hosts", ()),
        proxy=chosen.get("proxy"), public=chosen.get("public", False), log=chosen.get("log", False),
        say=lambda line: print(line, flush=True),
    )  # fmt: skip


def arena_work(
    url: Annotated[str, typer.Argument(metavar="URL", help="http://HOST:PORT/arenas/NAME")],
    token_file: TokenFile = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Games that are played at the same time [default: one a core].")
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", "--labels", help="What this machine has, such as gpu. Can be repeated."),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A game or bot that may run here: uci:stockfish, python:bots:*. Can be repeated."),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run whatever the server names: your own cluster only.")
    ] = False,
    commands: Annotated[
        Path | None,
        typer.Option(help='A TOML file of bots that play here by players\' names: rocky = "uci:stockfish".'),
    ] = None,
    threads: Annotated[bool, typer.Option("--threads", help="Play in threads: for small functions in Python.")] = False,
    new_versions: Annotated[
        bool, typer.Option("--new-versions", help="Go on although a player has changed since it last played.")
    ] = False,
) -> None:
    """Play for an arena that a server has, until its question is answered.

    Games and players are named by the server and must be installed here; code is never sent. Programs, engines and
    Python objects run only where `--allow` names them, or where `--commands` says what plays under a name.

    In Python: `equipoise.runners.work.work("http://localhost:8000/arenas/ladder", token)`

    Examples
    --------
    - `equipoise arena work http://localhost:8000/arenas/ladder --token-file worker.token`
    """
    from equipoise.runners.trust import read_commands
    from equipoise.runners.work import work

    did = work(
        url, read_token(token_file), workers, "threads" if threads else "processes", labels=labels, allow=allow or (),
        trust=trust, commands=None if commands is None else read_commands(commands), new_versions=new_versions,
    )  # fmt: skip
    pace = did.games / max(did.seconds, 1e-9)
    print(f"{did.games:,} games in {did.seconds:,.1f} s ({pace:,.3g} a second). {did.sentence}")


def read_token(file: Path | None) -> str | None:
    """Read a token from a file or the environment: an option would stand in the list of processes."""
    if file is None:
        return os.environ.get("EQUIPOISE_TOKEN")
    try:
        return file.read_text().strip()
    except OSError as error:
        raise ParameterError(f"the token cannot be read from {file}: {error.strerror or error}") from None


def arena_token(
    do: Annotated[Literal["new", "list", "revoke"], typer.Argument(help="new, list or revoke.")],
    database: DatabaseOption,
    which: Annotated[str | None, typer.Argument(metavar="[ID]", help="The token to revoke, as list shows it.")] = None,
    role: Annotated[
        Literal["viewer", "worker", "voter", "organiser"], typer.Option(help="What a new token allows.")
    ] = "viewer",
    name: Annotated[str | None, typer.Option(help="Whose it is; a worker plays under it.")] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", help="The most that a worker may say to have, or a voter's group. Can be repeated."),
    ] = None,
    days: Annotated[float, typer.Option(help="How long it is good.")] = 90.0,
) -> None:
    """Make, list or revoke the tokens that let others in over the network; a new one is shown once.

    In Python: `arena.make_token("worker", "gpu box")`, `arena.revoke("5f0c...")`

    Examples
    --------
    - `equipoise arena token new --role worker --name "gpu box" -d ladder.db`

    - `equipoise arena token revoke 0c1f6e2a9b1d -d ladder.db`
    """
    import datetime

    with managed(database) as arena:
        if do == "new":
            print(arena.make_token(role, name or role, labels=labels or (), days=days))
        elif do == "revoke":
            if which is None:
                raise ParameterError("give the token to revoke; equipoise arena token list shows them")
            arena.revoke(which)
            print(f"{which} lets nobody in any more.")
        else:
            for one in arena.tokens():
                until = datetime.datetime.fromtimestamp(one["until"], datetime.UTC).date()
                print(f"{one['id']}  {one['role']:<9}  until {until}  {one['name']}")


def arena_exclude(
    worker: Annotated[str, typer.Argument(help="The worker's name; in a vote a voter's, or a model's.")],
    database: DatabaseOption,
    reason: Annotated[str, typer.Option(help="Why; it is recorded in the journal.")],
) -> None:
    """Withdraw everything that a worker played, and give it nothing more.

    Decisions that rested on it are withdrawn; what is decided afterwards says that it was decided post hoc. In a vote,
    a voter's votes are left out until `include`; a model is shown no more, and what was voted on it stays.

    In Python: `arena.exclude("gpu box", "it forged results")`
    """
    with managed(database) as arena:
        gone = arena.exclude(worker, reason)
    print(f"{worker} is excluded; {gone:,} {'set' if gone == 1 else 'sets'} of paired games became void.")


def arena_include(
    worker: Annotated[str, typer.Argument(help="The worker's name.")],
    database: DatabaseOption,
    reason: Annotated[str, typer.Option(help="Why; it is recorded in the journal.")],
) -> None:
    """Let an excluded worker play again; what was withdrawn stays withdrawn.

    In Python: `arena.include("gpu box", "it was repaired")`
    """
    with managed(database) as arena:
        arena.include(worker, reason)
    print(f"{worker} may play again.")
