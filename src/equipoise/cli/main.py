"""The ``equipoise`` command: its frame, and the one place where errors become messages."""

import os
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

import equipoise
from equipoise.cli.chart import chart
from equipoise.cli.data import data
from equipoise.cli.demo import demo
from equipoise.cli.invocation import CommandError, command
from equipoise.cli.irt import irt
from equipoise.cli.luck import luck
from equipoise.cli.metagame import metagame
from equipoise.cli.methods import methods
from equipoise.cli.plan import plan
from equipoise.cli.rank import rank
from equipoise.cli.report import report
from equipoise.cli.reproduce import reproduce
from equipoise.cli.tasks import tasks

__all__ = ["app", "main"]

app = typer.Typer(
    name="equipoise",
    help="Weigh agents and the benchmarks that weigh them: who is better, how sure are we, is one number honest.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
for function in (demo, rank, tasks, irt, luck, metagame, plan, report, chart, reproduce, data, methods):
    app.command()(command(function))


@app.callback(invoke_without_command=True)
def frame(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Show the help when no command is given."""
    if version:
        typer.echo(f"equipoise {equipoise.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; give its exit code: 0 well, 2 the user's input, 130 interrupted."""
    try:
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()
    except CommandError as complaint:
        return _complain(str(complaint))
    except TyperException as error:
        # Typer's words for a value that is not among the choices start with those of its own validator.
        return _complain(error.format_message().replace(": Value error, ", ": "))
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as ended:
        # Where typer or rich notice first that the reader has left, they end the program with 1.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        return _reader_left()
    except OSError as error:
        # A full disk behind our output: what is still buffered must not be tried again on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain(f"cannot write the output: {error.strerror}")
    return code if isinstance(code, int) else 0


def _reader_left() -> int:
    """The reader of our output has left (`equipoise ... | head`): not an error, and nobody to tell."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return 0


def _complain(message: str) -> int:
    print(f"equipoise: {' '.join(message.split())}", file=sys.stderr)
    return 2
