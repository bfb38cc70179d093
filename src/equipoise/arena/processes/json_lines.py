"""A program that speaks JSON lines: one object a line, both ways, everything else is trouble."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equipoise.arena.processes.lines import LineProcess, Trouble
from equipoise.arena.processes.sandbox import Confinement, find_program
from equipoise.arena.spec.trial import WorkerFault
from equipoise.core.errors import ParameterError
from equipoise.core.options import shown

__all__ = ["PROTOCOL", "JsonProgram", "files_of", "split_command"]

PROTOCOL = 1
"""Version of the protocol on these pages, said in ``hello``."""
PYTHON = sys.executable or "python3"
QUIT = '{"type": "quit"}'


class JsonProgram:
    """A program that is started when it is needed, and anew after trouble.

    Parameters
    ----------
    command
        The program and its arguments.
    confinement
        What it may do.
    hello
        What it is told first, and must answer with ``{"ready": true}``.
    seconds
        Time for that answer.
    """

    def __init__(
        self, command: list[str], confinement: Confinement, hello: Mapping[str, Any], seconds: float = 10.0
    ) -> None:
        self.command, self.confinement = command, confinement
        self._hello = {"type": "hello", "protocol": PROTOCOL, **hello}
        self._seconds = seconds
        self._process: LineProcess | None = None
        self._worked = False

    def start(self) -> dict[str, Any]:
        """Start the program unless it runs; give its answer to hello (empty where it ran already).

        Fails when
            it never ran here: ``WorkerFault``, for this machine may lack what it needs. One that did run before and
            does not start again is in ``Trouble``.
        """
        if self._process is not None and self._process.alive:
            return {}
        self.close()
        try:
            self._process = LineProcess(self.command, self.confinement)
            answer = self.ask(self._hello, self._seconds)
            if answer.get("ready") is not True:
                raise Trouble(f'its answer to hello lacks "ready": true, it is {shown(answer)}')
        except (Trouble, OSError) as error:
            self.kill()
            said = f"{shlex.join(self.command)} did not start: {error}"
            raise Trouble(said) if self._worked else WorkerFault(said) from error
        self._worked = True
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
            answer = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise Trouble(f"its answer is no JSON: {shown(line)}") from None
        if not isinstance(answer, dict):
            raise Trouble(f"its answer is no JSON object: {shown(line)}")
        return answer

    def close(self) -> bool:
        """End the program politely, then not; tell whether it went by itself."""
        process, self._process = self._process, None
        return process.close(QUIT) if process is not None else False

    def kill(self) -> None:
        """End the program at once: after trouble, a late answer would be taken for the next one."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _running(self) -> LineProcess:
        if self._process is None:
            raise Trouble("it does not run")
        return self._process


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


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
