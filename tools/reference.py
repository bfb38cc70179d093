"""The references of the site, from the code: ``python -m tools.reference docs/reference`` writes them."""

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import equipoise
from equipoise.catalogue import catalogue
from equipoise.cli.app import every_arena_command, every_command
from equipoise.cli.options.invocation import option_names
from equipoise.report.render.schema import COMMANDS, schema_of
from tools.files_reference import files_reference

__all__ = ["cli_reference", "python_reference"]

HEAD = """# Command line

Made from what `--help` shows, by `make exports`; the tests check that it is up to date.
"""

PYTHON_HEAD = """# Python

Everything that `import equipoise` gives, by the same command.
"""


def cli_reference() -> str:
    """Give the page: every command with its text, its arguments and its options."""
    parts = [HEAD]
    arena = {f"arena {name}": function for name, function in every_arena_command().items()}
    for name, function in {**every_command(), **arena}.items():
        parts += [f"## equipoise {name}", "", _text(inspect.getdoc(function) or ""), ""]
        parts += [*_table(function), ""]
    return "\n".join(parts).rstrip() + "\n"


def _text(help_text: str) -> str:
    lines = inspect.cleandoc(help_text).splitlines()
    # The heading of the examples is underlined, as docstrings are here; on a page it is a word of its own.
    shown = [line for line in lines if set(line.strip()) != {"-"}]
    return "\n".join("**Examples**\n" if line == "Examples" else line for line in shown)


def _table(function: Callable[..., Any]) -> list[str]:
    names = option_names(function)
    shown = [each for each in inspect.signature(function).parameters.values() if not _hidden(each)]
    rows = [_row(each, names.get(each.name)) for each in shown]
    return ["| | |", "|---|---|", *rows] if rows else []


def _hidden(parameter: inspect.Parameter) -> bool:
    """Whether the help leaves an option out: a former name."""
    return bool(getattr(get_args(parameter.annotation)[1], "hidden", False))


def _row(parameter: inspect.Parameter, names: list[str] | None) -> str:
    kind, given = get_args(parameter.annotation)[:2]
    shown = ", ".join(names) if names else f"{parameter.name.upper()}{' ...' if get_origin(kind) is list else ''}"
    words = [" ".join((given.help or "").split()).replace("|", "\\|")]
    choices = [type_ for type_ in (kind, *get_args(kind)) if get_origin(type_) is Literal]
    words += [f"One of: {', '.join(get_args(choice))}." for choice in choices]
    if parameter.default not in (None, False, parameter.empty):
        words.append(f"Default: {parameter.default}.")
    return f"| `{shown}` | {' '.join(words)} |"


def python_reference() -> str:
    """Give the page: every export, by kind."""
    methods = {method.name for method in catalogue()}
    kinds: dict[str, list[str]] = {"Methods": [], "Data and results": [], "Other functions": [], "Errors": []}
    for name in equipoise.__all__:
        export = getattr(equipoise, name)
        is_error = isinstance(export, type) and issubclass(export, Exception)
        kind = "Data and results" if isinstance(export, type) else "Other functions"
        kinds["Methods" if name in methods else "Errors" if is_error else kind].append(name)
    parts = [PYTHON_HEAD]
    for kind, names in kinds.items():
        parts += [f"## {kind}", "", *(f"::: equipoise.{name}\n" for name in names)]
    return "\n".join(parts)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "cli.md").write_text(cli_reference(), encoding="utf-8")
    (folder / "schema").mkdir(exist_ok=True)
    for command in COMMANDS:
        written = json.dumps(schema_of(command), indent=1, ensure_ascii=False) + "\n"
        (folder / "schema" / f"{command}.json").write_text(written, encoding="utf-8")
    (folder / "api.md").write_text(python_reference(), encoding="utf-8")
    (folder / "files.md").write_text(files_reference(), encoding="utf-8")
