"""The commands: each is listed by a line of text, and its module loads when the command is used."""

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import equipoise
from equipoise.cli.options.invocation import command
from equipoise.cli.options.values import take_what_fits

PANELS: Mapping[str, Mapping[str, str]] = {
    "Agents": {
        "rank": "Rank agents from a match log: ratings with intervals, simultaneous rank intervals, and warnings.",
        "compare": "Compare two agents of a match log: how likely is the first better, and by what?",
        "categories": "Rank agents in each category, partially pooled, and say whose category effects are clear.",
        "length": "Give win rates against one baseline, as if answers were equally long.",
        "place": "Rate new agents against the fixed ratings of a published board, and test the board.",
        "changes": "Say who rose and who fell between two boards beyond noise.",
        "choose": "Choose by voting rules on tasks, ballots, races or games, and say where rules agree.",
        "explain": "Say which summary answers which question, who is first by each, and what disagreements mean.",
    },
    "Tasks and items": {
        "tasks": "Rank agents by their scores on tasks, and audit the benchmark.",
        "irt": "Fit item response models: items' difficulty and discrimination, agents' ability.",
        "predict": "Predict what agents would score on a whole benchmark from their answers to a random part of it.",
        "gate": "Say whether a new agent is not worse, or better, than before: pass, fail or undecided.",
        "eval-in-parts": "Run documents of lm-eval in random order and in chunks until it is decided, and predict the"
        " whole.",
    },
    "Play": {
        "luck": "Remove luck from dealt hands: who wins how much, and what the adjustment is worth in hands.",
        "metagame": "Rank the strategy profiles of a game: alpha-Rank, its response graph, its bounds, and"
        " what to play next.",
        "plan": "Say which pairs to play next, which are decided, and how many games would be enough.",
        "vote": "Let people vote blindly between models' answers, until it is known which model is best.",
        "judges": "Measure judges: position bias, self-preference, consistency in both orders, and agreement.",
    },
    "Files and figures": {
        "report": "Recognise what each file is, run every analysis that applies, and write one page.",
        "chart": "Draw one chart of a file as SVG, PDF or PNG, without a browser.",
        "export": "Put a ranking with its intervals where people look: a leaderboard's table, Every Eval Ever, MLflow,"
        " TensorBoard.",
        "import": "Convert logs of other tools into one table that every command takes.",
        "data": "List the bundled data sets, export one, or fetch public ones.",
        "clean": "Say what each step of cleaning changes: rows, ratings, ranks, the leader.",
    },
    "About": {
        "methods": "List the methods: what each answers, which data it takes, and where it comes from.",
        "reproduce": "Recompute the tables and figures of a paper, and say how far each result agrees.",
        "mcp": "Answer a language model's questions about files below chosen folders, over the Model Context Protocol.",
        "demo": "Rank a data set that comes with the package, write its page, and say what to try next.",
    },
}
"""Commands by the panel of the front help, each with the line that it shows; tests compare the lines with theirs."""
COMMANDS: Mapping[str, str] = {name: line for panel in PANELS.values() for name, line in panel.items()}
"""All commands with their lines, in the order of the front help."""
GROUPS: Mapping[str, str] = {
    "arena": "Play: make a live arena, run it, watch it, and let it stop when the question is answered.",
}
"""Names of groups of commands, likewise."""
ARENA: Mapping[str, str] = {
    "new": "Make an arena from a spec: what is played, by whom, and for which question.",
    "run": "Play an arena on this machine or a cluster until its question is answered; running it again continues.",
    "status": "Show the standings, who plays, what is decided and what is left; on a terminal it follows the play.",
    "show": "Show one game, one player, or two players against each other.",
    "verify": "Recount everything from the journal, and say what does not agree.",
    "export": "Write results as a table (CSV, JSON lines, Parquet), or the whole journal as a backup.",
    "restore": "Make an arena again from a journal, in a new file or another database.",
    "pause": "Lease no more games until it is resumed; games in play still count.",
    "resume": "Go on after a pause or a stop.",
    "stop": "End play: no more games are leased.",
    "void": "Void a game and those paired with it; decisions that lose their support are withdrawn.",
    "add": "Let one more player join an arena that is open.",
    "serve": "Serve arenas to workers, organisers and those who watch; the first start prints their links.",
    "work": "Play for an arena that a server has, until its question is answered.",
    "token": "Make, list or revoke the tokens that let others in over the network; a new one is shown once.",
    "exclude": "Withdraw everything that a worker played, and give it nothing more.",
    "include": "Let an excluded worker play again; what was withdrawn stays withdrawn.",
    "check-player": "Check that a program follows the protocol of players.",
    "demo": "Watch five poker bots play until the best one is known, with the luck of the cards removed.",
}
"""Commands of the arena with their lines."""

ALL_HELP = "--help-all"
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
            self.commands[args[0]] = _whole(args[0], _function(args[0]))
            args = _with_help(self.commands[args[0]], args)
        return super().resolve_command(ctx, args)


class ArenaCommands(TyperGroup):
    """The commands of the arena, likewise."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the command itself in the place of its line."""
        if args and args[0] in ARENA:
            self.commands[args[0]] = _whole(args[0], _arena_function(args[0]))
            args = [args[0], *_with_option(self.commands[args[0]], _with_help(self.commands[args[0]], args)[1:])]
        return super().resolve_command(ctx, args)


def _with_help(parsed: Any, args: list[str]) -> list[str]:
    """Let ``--help-all`` show the options, too, that are seldom needed."""
    if ALL_HELP not in args[: args.index("--") if "--" in args else None]:
        return args
    for option in parsed.params:
        option.hidden = False
    return [args[0], "--help"]


def _with_option(parsed: Any, args: list[str]) -> list[str]:
    """Take an arena that stands first without ``-d``, where a command takes nothing else."""
    takes = {parameter.name: parameter.param_type_name for parameter in parsed.params}
    bare = bool(args) and not args[0].startswith("-") and "-d" not in args and "--database" not in args
    return ["-d", *args] if bare and "database" in takes and "argument" not in takes.values() else args


app = typer.Typer(
    name="equipoise",
    cls=Commands,
    help="Evaluate agents and benchmarks: who is better, how certain that is, and does one rating describe it.",
    no_args_is_help=False,
    add_completion=True,
    rich_markup_mode="rich",  # Markdown takes long to load, and only the help of commands is written in it
    pretty_exceptions_enable=False,
    context_settings=NO_HELP,
)
for _panel, _commands in PANELS.items():
    for _name, _line in _commands.items():
        app.command(_name, help=_line, rich_help_panel=_panel)(lambda: None)
arena = typer.Typer(cls=ArenaCommands, help=GROUPS["arena"], no_args_is_help=True, rich_markup_mode="rich")
for _name, _line in ARENA.items():
    arena.command(_name, help=_line)(lambda: None)
app.add_typer(arena, name="arena", rich_help_panel="Play")


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


def every_arena_command() -> dict[str, Callable[..., None]]:
    """Load all commands of the arena, and give their functions by name."""
    return {name: _arena_function(name) for name in ARENA}


def _arena_function(name: str) -> Callable[..., None]:
    """Find a command of the arena: looking, making, managing and playing have a module each."""
    spelled = name.replace("-", "_")
    return command(getattr(import_module(f"equipoise.cli.commands.{MODULES[name]}"), f"arena_{spelled}"))


MODULES = {
    **dict.fromkeys(("new", "add", "restore"), "arena_making"),
    **dict.fromkeys(("run", "demo", "check-player"), "arena_playing"),
    **dict.fromkeys(("status", "show", "verify", "export", "pause", "resume", "stop", "void"), "arena_looking"),
    **dict.fromkeys(("serve", "work", "token", "exclude", "include"), "arena_web"),
}
"""Where each command of the arena stands."""
ROOMS = {
    "Agents": "agents",
    "Tasks and items": "scores",
    "Play": "play",
    "Files and figures": "files",
    "About": "about",
}
"""The module of the commands of a panel."""


ALONE = {
    "clean": "agents", "gate": "gate", "eval-in-parts": "in_parts", "export": "export", "vote": "vote",
    "choose": "choose", "explain": "choose",
}  # fmt: skip
"""Commands that stand elsewhere; cleaning shares the options of the board."""


def _function(name: str) -> Callable[..., None]:
    spelled = f"{name}_" if iskeyword(name) else name.replace("-", "_")
    panel = next(panel for panel, commands in PANELS.items() if name in commands)
    module = ALONE.get(name, ROOMS[panel])
    return command(getattr(import_module(f"equipoise.cli.commands.{module}"), spelled))


def _whole(name: str, run: Callable[..., None]) -> Any:
    """Give a command with all its options; its help ends with where there is more of it, and the call in Python."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="markdown", pretty_exceptions_enable=False)
    shown, twin = _parted(inspect.getdoc(run) or "")
    alone.command(name, context_settings=NO_HELP, help=shown)(run)
    parsed = typer.main.get_command(alone)
    more = any(getattr(option, "hidden", False) for option in parsed.params)
    parsed.epilog = "\n\n".join([*([f"More options: `{ALL_HELP}`"] if more else []), twin])
    return take_what_fits(parsed, run)


def _parted(text: str) -> tuple[str, str]:
    """Part the call in Python, which stands last in the help, from the other paragraphs of a docstring."""
    paragraphs = text.split("\n\n")
    twin = [paragraph for paragraph in paragraphs if paragraph.startswith("In Python:")]
    return "\n\n".join(each for each in paragraphs if each not in twin), "".join(twin)
