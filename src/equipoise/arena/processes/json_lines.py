"""A program that speaks JSON lines: one object a line, both ways, everything else is trouble."""

import json
import math
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.arena.processes.lines import LineProcess, StartedProgram, Trouble
from equipoise.arena.processes.sandbox import Confinement, find_program
from equipoise.core.errors import ParameterError
from equipoise.core.options import shown

PROTOCOL = 1
"""Version of the protocol on these pages, said in ``hello``."""
PYTHON = sys.executable or "python3"
QUIT = '{"type": "quit"}'


class JsonProgram(StartedProgram):
    """A program that answers in JSON.

    Parameters
    ----------
    command
        The program and its arguments.
    confinement
        What it may do.
    hello
        What it is sent first, and must answer with ``{"ready": true}``.
    seconds
        Time for that answer.
    """

    def __init__(
        self, command: list[str], confinement: Confinement, hello: Mapping[str, Any], seconds: float = 10.0
    ) -> None:
        super().__init__(command, confinement)
        self._hello = {"type": "hello", "protocol": PROTOCOL, **hello}
        self._seconds = seconds

    @property
    def confinement(self) -> Confinement:
        """What it may do."""
        return self._confinement

    def start(self) -> dict[str, Any]:
        """Start the program unless it runs; give its answer to hello (empty where it ran already).

        Fails when
            it never ran here: ``WorkerFault``, for this machine may lack what it needs. One that did run before and
            does not start again is in ``Trouble``.
        """
        return self._start(self._greet, shlex.join(self.command)) or {}

    def _greet(self, _process: LineProcess) -> dict[str, Any]:
        answer = self.ask(self._hello, self._seconds)
        if answer.get("ready") is not True:
            raise Trouble(f'its answer to hello lacks "ready": true, it is {shown(answer)}')
        return answer

    def tell(self, message: Mapping[str, Any], seconds: float = 5.0) -> None:
        """Send a message that needs no answer."""
        self._running().send(_line(message), seconds)

    def ask(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send a message and read its answer."""
        process = self._running()
        if process.has_spoken():
            raise Trouble(f"it spoke without being asked: {shown(process.read(0.0))}")
        process.send(_line(message), seconds)
        return self.hear(seconds)

    def hear(self, seconds: float) -> dict[str, Any]:
        """Read one message."""
        line = self._running().read(seconds)
        try:
            answer = json.loads(line, parse_constant=_no_number, parse_float=_finite)
        except (ValueError, RecursionError):
            raise Trouble(f"its answer is no JSON: {shown(line)}") from None
        if not isinstance(answer, dict):
            raise Trouble(f"its answer is no JSON object: {shown(line)}")
        return answer

    def close(self) -> bool:
        """End the program politely, then not; say whether it ended by itself."""
        return self._leave(QUIT)


def split_command(command: str) -> list[str]:
    """Split a command as a shell does, and find its program; ``{python}`` is the Python that runs the arena.

    >>> split_command("no-such-program --fast")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    equipoise.core.errors.ParameterError: there is no program "no-such-program" on the search path or in ...
    """
    try:
        words = [PYTHON if word == "{python}" else word for word in shlex.split(command)]
    except ValueError as error:
        raise ParameterError(f"the command {shown(command)} cannot be split into words: {error}") from None
    if not words:
        raise ParameterError("a program needs a command")
    return [str(find_program(words[0])), *words[1:]]


def files_of(command: list[str]) -> list[Path]:
    """Give the files that a command names: the program, and a script among its arguments."""
    return [Path(word) for word in command if Path(word).is_file()]


def _line(message: Mapping[str, Any]) -> str:
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _finite(digits: str) -> float:
    """Read a number; refuse one that is beyond every float, such as 1e999."""
    number = float(digits)
    return number if math.isfinite(number) else _no_number(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
