"""The command at hand: its options as they were given, and how it spells options in messages."""

import inspect
import shlex
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from time import monotonic
from typing import Any, get_args

from typer.models import ArgumentInfo

from equipoise.cli.options.generated import IN_METHODS, expanded, fields_given, gathered
from equipoise.core.errors import EquipoiseError
from equipoise.core.former import READING_NAMES
from equipoise.core.wording import Option
from equipoise.data.readers.options import declared_options

ELSEWHERE = {"form", "output", "page", "rows", "title", "caption", "verbose", "jobs"}
"""Options that say where output goes, how much of it is shown, or who works: they are no parameters of an answer."""

SHOWN = {"aggregates", "indicators"}
"""Parameters of Python that the command line asks for by showing their tables."""


class CommandError(Exception):
    """What a command has to say before it ends: one line, spelled for its user."""


def option_names(function: Callable[..., Any]) -> dict[str, list[str]]:
    """Give the names of each option of a command, by parameter; arguments have none.

    >>> option_names(lambda: None)
    {}
    """
    named = {}
    for parameter in inspect.signature(function).parameters.values():
        if get_args(parameter.annotation) and not isinstance(given := get_args(parameter.annotation)[1], ArgumentInfo):
            # Inside Annotated, Typer keeps the first of the names given where a default would stand.
            declared = [name for name in (given.default, *(given.param_decls or ())) if str(name).startswith("-")]
            named[parameter.name] = declared or [f"--{parameter.name.replace('_', '-')}"]
    return named


@dataclass(frozen=True, slots=True)
class Shell:
    """How a user of the shell writes the options of one command.

    >>> shell = Shell({"missing": ["--missing"], "wait": ["--wait/--no-wait"]})
    >>> (
    ...     shell.option(Option("missing", "complete")),
    ...     shell.option(Option("wait", False)),
    ...     shell.option(Option("k")),
    ... )
    ('--missing complete', '--no-wait', None)
    """

    names: Mapping[str, list[str]]
    given: Collection[str] = ()
    """Options that are not at their defaults: where several stand for one parameter, the one that was given does."""

    def option(self, option: Option) -> str | None:
        """Write an option, or give None where the command does not have it."""
        spelled = [shell for shell, python in IN_METHODS.items() if python == option.name and shell in self.names]
        parameter = min(spelled, key=lambda name: name not in self.given, default=option.name)
        if option.name in SHOWN and option.value and "show" in self.names:
            return f"{self.names['show'][0]} {option.name}"
        if parameter not in self.names:
            parameter = READING_NAMES.get(parameter, parameter)
        if parameter not in self.names:
            return self._of_reading(option)
        if parameter == "agents_in" and option.value not in ("rows", "columns"):
            return f"{self.names[parameter][0]} columns"
        on, _, off = self.names[parameter][0].partition("/")
        if option.value is False:
            return off or None
        return on if option.value in (None, True) else f"{on} {_quoted(option.value)}"

    def _of_reading(self, option: Option) -> str | None:
        """Write an option of a reader where a command takes them all in one."""
        every = declared_options()
        declared = {one.name: one for one in every}.get(READING_NAMES.get(option.name, option.name))
        if "reading" not in self.names or declared is None:
            return None
        value = declared.name.upper() if option.value is None else option.value
        spelled = declared.option.removeprefix("--").replace("-", "_")
        if spelled not in self.names or declared.name == spelled:
            return f"{self.names['reading'][0]} {declared.name}={value}"
        parts = [one.name for one in every if one.option == declared.option]
        if len(parts) == 1:
            return self.names[spelled][0] if option.value is None else f"{self.names[spelled][0]} {option.value}"
        # Names that are given together: all places where none is filled, else commas up to the one that is.
        before = "," * parts.index(declared.name)
        return f"{self.names[spelled][0]} {','.join(parts).upper() if option.value is None else f'{before}{value}'}"


def _quoted(value: object) -> str:
    """Write a value as a shell takes it, where it has blanks and is not quoted yet."""
    text = str(value)
    return shlex.quote(text) if any(map(str.isspace, text)) and not text.startswith(("'", '"')) else text


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with the options it was given."""

    command: str
    shell: Shell
    options: Mapping[str, object]
    defaults: Mapping[str, object] = field(default_factory=dict)
    began: float = field(default_factory=monotonic)
    """When: how long people have waited is counted from here."""

    @property
    def line(self) -> str:
        """The command as one types it: arguments, and the options that are not at their defaults; not who works.

        >>> shell = Shell({"level": ["--level"], "side": ["--position"]})
        >>> Invocation("rank", shell, {"file": "my log.csv", "level": 0.9, "side": True}, {"level": 0.95}).line
        "equipoise rank 'my log.csv' --level 0.9 --position"
        """
        words = ["equipoise", self.command]
        for name, value in self.options.items():
            if name not in self.shell.names:
                words += map(str, value if isinstance(value, list | tuple) else [value])
        for name, value in self.options.items():
            if name in self.shell.names and name != "jobs" and value != self.defaults.get(name):
                words += self._typed(name, value)
        return shlex.join(words)

    def _typed(self, name: str, value: object) -> list[str]:
        on, _, off = self.shell.names[name][0].partition("/")
        if isinstance(value, bool):
            return [on if value else off]
        return [word for each in (value if isinstance(value, list | tuple) else [value]) for word in (on, str(each))]

    @property
    def parameters(self) -> dict[str, object]:
        """All parameters of the answer, the seed included; those of reading also under the names of their fields."""
        given = {name: value for name, value in self.options.items() if name not in ELSEWHERE}
        if "reading" in self.shell.names:
            named = fields_given(self.options)
            if "unconnected" in given:  # of ``rank``, which has more to do with components than leave some out
                named["components"] = given.pop("unconnected")
            # Documents only gain keys: former names stay beside the present ones as long as former options are taken.
            former = {old: named.get(now) for old, now in READING_NAMES.items() if now}
            given = {**given, **named, **former, "transpose": named["agents_in"] == "columns"} | given
        if isinstance(files := given.get("file"), list) and len(files) == 1:
            given["file"] = files[0]
        return {name: str(value) if isinstance(value, Path) else value for name, value in given.items()}


_CURRENT: ContextVar[Invocation] = ContextVar("invocation")


def here() -> Invocation:
    """Give the command at hand."""
    return _CURRENT.get()


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function a command: its errors become complaints, spelled for the user of this very command."""
    parameters = expanded(function)

    @wraps(function)
    def run(**options: Any) -> None:
        defaults = {each.name: each.default for each in parameters}
        given = [name for name, value in options.items() if value != defaults.get(name)]
        invocation = Invocation(function.__name__, Shell(option_names(run), given), options, defaults)
        token = _CURRENT.set(invocation)
        try:
            function(**gathered(function, options))
        except EquipoiseError as error:
            raise CommandError(error.message(invocation.shell)) from error
        finally:
            _CURRENT.reset(token)

    del run.__wrapped__  # Typer is to see the options, not the values made of them
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # functions have attributes
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
