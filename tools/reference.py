"""The references of the site, from the code: ``python -m tools.reference docs/reference`` writes them."""

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import equipoise
from equipoise import methods as methods_module
from equipoise import results as results_module
from equipoise.catalogue import catalogue
from equipoise.cli.app import every_arena_command, every_command
from equipoise.cli.options.former import (
    FORMER_OPTIONS,
    FORMER_PARTS,
    FORMER_QUESTIONS,
    FORMER_SWITCHES,
    FORMER_TABLES,
    FORMER_VALUES,
)
from equipoise.cli.options.invocation import option_names
from equipoise.core import former as in_python
from equipoise.core.former import FORMER_ATTRIBUTES, FORMER_CALLS, FORMER_NAMES
from equipoise.report.render.schema import COMMANDS, schema_of
from tools.files_reference import files_reference, your_file_reference

__all__ = ["cli_reference", "former_reference", "python_reference"]

HEAD = """# Command line

Made from what `--help-all` shows, by `make exports`; the tests check that it is up to date.
"""

PYTHON_HEAD = """# Python

Everything that `import equipoise` gives, then what stands in `equipoise.methods` and `equipoise.results`, by the same
command. [Former names](former.md) work until version 0.4.
"""
METHODS_WORDS = (
    "Every method on data as they are is importable from here; below are those that the top level does not have."
)
RESULTS_WORDS = "Classes of results, for annotations, and what results are made of."


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
    rows = [_row(each, names.get(each.name)) for each in inspect.signature(function).parameters.values()]
    return ["| | |", "|---|---|", *rows] if rows else []


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
    methods = {method.function for method in catalogue()}
    kinds: dict[str, list[str]] = {
        name: [] for name in ("Questions and files", "Methods", "Data and settings", "Errors")
    }
    for name in equipoise.__all__:
        export = getattr(equipoise, name)
        is_error = isinstance(export, type) and issubclass(export, Exception)
        kind = "Data and settings" if isinstance(export, type) else "Questions and files"
        kinds["Methods" if export in methods else "Errors" if is_error else kind].append(name)
    parts = [PYTHON_HEAD]
    for kind, names in kinds.items():
        parts += [f"## {kind}", "", *(f"::: equipoise.{name}\n" for name in names)]
    for module, words in ((methods_module, METHODS_WORDS), (results_module, RESULTS_WORDS)):
        parts += [f"## {module.__name__}", "", f"{words}\n"]
        parts += [f"::: {module.__name__}.{name}\n" for name in module.__all__ if name not in equipoise.__all__]
    return "\n".join(parts)


FORMER_HEAD = """# Former names

What was called otherwise until version 0.3. Everything here still works, says what it is called now (in Python a
`DeprecationWarning`, on the command line a line on stderr), and ends in version 0.4. Made from the tables in the code.
"""


def former_reference() -> str:
    """Give the page: every former name, with what it is now."""
    python = [(f"equipoise.{old}", f"equipoise.{now}") for old, now in {**FORMER_NAMES, **FORMER_CALLS}.items()]
    attributes = [(f"{kind}.{old}", f"{kind}.{now}" if now else f"the {kind} itself") for (kind, old), now in
                  FORMER_ATTRIBUTES.items()]  # fmt: skip
    options = [
        (f"{command} {old}".strip(), now) for command, names in FORMER_OPTIONS.items() for old, now in names.items()
    ]
    options += [
        (f"{command} {option} {old}", f"{option} {now}")
        for (command, option), words in FORMER_VALUES.items()
        for old, now in words.items()
    ]
    options += [(" ".join(old), " ".join(now).format("VALUE")) for old, now in FORMER_TABLES.items()]
    options += [(old, " ".join(now)) for old, now in FORMER_SWITCHES.items()]
    options += [(" ".join(old), now) for now, old in FORMER_PARTS.items()]
    options += [(f"rank {one.option}", one.form) for one in FORMER_QUESTIONS]
    asked = [
        (f"{question}({old}=)", f"{question}({now}=)") for (question, old), now in in_python.FORMER_OPTIONS.items()
    ]
    asked += [(f'{option}="{old}"', f'{option}="{now}"') for (option, old), now in in_python.FORMER_VALUES.items()]
    asked += [
        (f"{asking}({', '.join(f'{name}=' for name in names.split())})", f"{asking}(read=ReadOptions(...))")
        for asking, names in in_python.FORMER_READING.items()
    ]
    renamed = {old: now for old, now in in_python.READING_NAMES.items() if now}
    asked += [(f"{old}= of reading", f"ReadOptions({now}=)") for old, now in renamed.items()]
    parts = {"In Python": python + asked, "Attributes of results": attributes, "On the command line": options}
    return "\n".join([FORMER_HEAD, *(_former_table(title, rows) for title, rows in parts.items())])


def _former_table(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| `{old}` | `{now}` |" for old, now in rows]
    return "\n".join([f"## {title}", "", "| was | is |", "|---|---|", *lines, ""])


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "cli.md").write_text(cli_reference(), encoding="utf-8")
    (folder / "schema").mkdir(exist_ok=True)
    for command in COMMANDS:
        written = json.dumps(schema_of(command), indent=1, ensure_ascii=False) + "\n"
        (folder / "schema" / f"{command}.json").write_text(written, encoding="utf-8")
    (folder / "api.md").write_text(python_reference(), encoding="utf-8")
    (folder / "former.md").write_text(former_reference(), encoding="utf-8")
    (folder / "files.md").write_text(files_reference(), encoding="utf-8")
    (folder / "your-file.md").write_text(your_file_reference(), encoding="utf-8")
