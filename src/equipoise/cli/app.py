"""The commands: each is listed by a line of text, and its module loads when the command is used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import equipoise
from equipoise.cli.invocation import command
from equipoise.cli.values import take_what_fits

__all__ = ["COMMANDS", "app", "every_command"]

COMMANDS: Mapping[str, str] = {
    "demo": "Rank a data set that comes with the package, write its page, and say what to try next.",
    "rank": "Rank agents from a match log: ratings, intervals, ranks that hold together, and what to beware of.",
    "tasks": "Weigh agents by tasks and tasks by agents: Nash averages, and an audit of the benchmark.",
    "irt": "Find how hard each item is, how well it tells agents apart, and how able each agent is.",
    "predict": "Predict what agents would score on a whole benchmark from their answers to a random part of it.",
    "luck": "Take luck out of dealt hands: who wins how much, and what the hands are worth.",
    "metagame": "Rank the profiles of a game by evolution: alpha-Rank, its response graph, its bounds, and what to play"
    " next.",
    "plan": "Say which pairs to play next, which are decided already, and how many games would be enough.",
    "judges": "Say whom judges favour (a side, their own), whether verdicts stay in the other order, and how far judges"
    " agree.",
    "import": "Convert logs of other tools into one table that every command takes.",
    "report": "Recognise what each file is, run all that fits, and write one page with words, charts and tables.",
    "chart": "Draw one chart of a file as SVG or PNG, without a browser.",
    "reproduce": "Recompute the tables and figures of a paper, and print ours beside theirs with a verdict on each.",
    "data": "List the bundled data sets, or export one.",
    "methods": "List the methods: what each answers, which data it takes, and where it comes from.",
}
"""Names with the line that the front help shows, in its order; the tests hold the lines against the commands' own."""

NO_HELP = {"default_map": {"help": False}}
"""Said outright, or Typer loads its validator to learn that no help was asked for."""


class Commands(TyperGroup):
    """A group that knows its commands by their lines, and loads one when it is called, asked for help or completed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options before the command."""
        take_what_fits(self, frame)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the command itself in the place of its line."""
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = _whole(args[0])
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="equipoise",
    cls=Commands,
    help="Weigh agents and the benchmarks that weigh them: who is better, how sure are we, is one number honest.",
    no_args_is_help=False,
    add_completion=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings=NO_HELP,
)
for _name, _line in COMMANDS.items():
    app.command(_name, help=_line)(lambda: None)


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


def every_command() -> dict[str, Callable[..., None]]:
    """Load all commands, and give their functions by name."""
    return {name: _function(name) for name in COMMANDS}


def _function(name: str) -> Callable[..., None]:
    spelled = f"{name}_" if iskeyword(name) else name
    return command(getattr(import_module(f"equipoise.cli.{spelled}"), spelled))


def _whole(name: str) -> Any:
    """Give a command with all its options."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False)
    alone.command(name, context_settings=NO_HELP)(_function(name))
    return take_what_fits(typer.main.get_command(alone), _function(name))
