"""The front help, drawn as Typer draws the help of commands, but without its reader of Markdown and its tracebacks.

Those two take longer to load than all else that the front help needs, and it shows neither.
"""

from typing import Any

from rich.align import Align
from rich.columns import Columns
from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

STYLES = {"option": "bold cyan", "types": "bold yellow", "usage": "yellow"}
SHAPE: dict[str, Any] = {"show_header": False, "expand": True, "box": None, "pad_edge": False, "padding": (0, 1)}


class _Marks(RegexHighlighter):
    """Options, the types of their values, and the word before the usage."""

    highlights = [r"(^|\W)(?P<option>\-\-[\w\-]+)", r"(?P<types>\<[^\>]+\>)", r"(?P<usage>Usage: )"]  # noqa: RUF012


def print_front_help(group: Any, context: Any) -> None:
    """Print what a group of commands is for, its options, and its commands with a line each, by panel."""
    marked = _Marks()
    console = Console(theme=Theme(STYLES), highlighter=marked)
    console.print(Padding(marked(group.get_usage(context)), 1), style="bold")
    console.print(Padding(Align(marked(Text(group.help)), pad=False), (0, 1, 1, 1)))
    options = Table(highlight=True, **SHAPE)
    for option in group.get_params(context):
        # The empty ones are where commands have short names and those that say no: all helps have the same columns.
        options.add_row(
            marked(",".join(option.opts)), "", "", "", _type(option, context), Columns([marked(option.help)])
        )
    panels: dict[str, Table] = {"Options": options}
    for name, command in group.commands.items():
        panel = command.rich_help_panel
        if panel not in panels:
            panels[panel] = Table(**SHAPE)
            panels[panel].add_column(style="bold cyan", no_wrap=True, width=max(map(len, group.commands)))
            panels[panel].add_column(ratio=10)
        panels[panel].add_row(name, marked(Text(command.help)))
    for title, table in panels.items():
        console.print(Panel(table, border_style="dim", title=title, title_align="left"))


def _type(option: Any, context: Any) -> Text:
    """Give the type of an option in the words of those versions of Typer that show one."""
    words = option.display_type_rich(context) if hasattr(option, "display_type_rich") else ""
    text = Text(words or "", style="bold yellow", overflow="fold")
    text.highlight_regex(r"^<|>$", "dim")
    return text
