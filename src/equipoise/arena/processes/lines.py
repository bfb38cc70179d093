"""A program that is spoken to in lines.

Nothing here waits without a deadline: not reading, not writing to a program that does not read, not ending one that
ignores what it is sent. A program runs in a process group of its own, which is killed as one.
"""

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO, TypeVar

from equipoise.arena.processes.sandbox import Confinement
from equipoise.arena.spec.names import escaped
from equipoise.arena.spec.trial import WorkerFault

_Greeting = TypeVar("_Greeting")

LONGEST_LINE = 1_000_000
"""Bytes that a line may have."""
CHUNK = 65_536
TAIL = 2_000
"""Bytes of what a program said on its standard error that are kept to explain its end."""
GRACE = 0.5
"""Seconds between being asked to end and being killed."""


class Trouble(Exception):  # noqa: N818  # silence is no error of ours
    """A program did not do what it should; the message says what, in one line."""


class LineProcess:
    """A running program with a deadline for everything.

    Parameters
    ----------
    command
        The program and its arguments.
    confinement
        What it may do.

    Fails when
        it cannot be started: ``OSError``.
    """

    def __init__(self, command: Sequence[str], confinement: Confinement) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="equipoise-"))
        try:
            self._process = confinement.start(command, self.folder)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self._input, self._output, errors = map(_number, _streams(self._process))
        self._out, self._tail = bytearray(), bytearray()
        self._open = {self._output: self._out, errors: self._tail}
        self._selector = selectors.DefaultSelector()
        for stream in (self._input, *self._open):
            os.set_blocking(stream, False)
        for stream in self._open:
            self._selector.register(stream, selectors.EVENT_READ)
        # Nobody is left behind when we end without closing; a copy of us after a fork kills nothing of ours.
        self._end = weakref.finalize(self, _end_group, self._process, self.folder, os.getpid())

    def send(self, line: str, seconds: float) -> None:
        """Write a line; trouble if it is not read in time."""
        rest, deadline = f"{line}\n".encode("utf-8", "replace"), monotonic() + seconds
        while rest:
            if not self._pump(deadline, writing=True):
                if monotonic() > deadline:
                    raise Trouble("it does not read what it is sent")
                continue
            try:
                rest = rest[os.write(self._input, rest[:CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise Trouble(self._ending()) from None

    def read(self, seconds: float) -> str:
        """Read a line, without its end; trouble if none comes in time, it is too long, or the program ends."""
        deadline = monotonic() + seconds
        while (end := self._out.find(b"\n")) < 0:
            if len(self._out) > LONGEST_LINE:
                raise Trouble(f"a line of more than {LONGEST_LINE:,} bytes")
            if self._output not in self._open:
                raise Trouble(self._ending())
            if monotonic() > deadline:
                raise Trouble(f"no answer within {seconds:g} s")
            self._pump(deadline)
        if end > LONGEST_LINE:
            raise Trouble(f"a line of more than {LONGEST_LINE:,} bytes")
        line = self._out[:end].decode("utf-8", "replace").rstrip("\r")
        del self._out[: end + 1]
        return line

    def has_spoken(self) -> bool:
        """Say whether there is a line that nobody asked for."""
        self._pump(0.0)
        return b"\n" in self._out

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._end.alive and not _has_ended(self._process)

    def close(self, farewell: str | None = None) -> bool:
        """End the program and its children; say whether it ended by itself. It may be called twice."""
        if not self._end.alive:
            return False
        if farewell is not None:
            with suppress(Trouble):
                self.send(farewell, GRACE)
        _streams(self._process)[0].close()
        by_itself = farewell is not None and _wait(self._process, GRACE)
        self._selector.close()
        self._end()
        return by_itself

    def _pump(self, deadline: float, writing: bool = False) -> bool:
        """Take in what is said on both streams until the deadline at most; say whether something can be written."""
        if writing:
            self._selector.register(self._input, selectors.EVENT_WRITE)
        try:
            ready = {key.fd for key, _ in self._selector.select(max(0.0, deadline - monotonic()))}
        finally:
            if writing:
                self._selector.unregister(self._input)
        for stream in ready & self._open.keys():
            self._take(stream)
        if len(self._out) > 2 * LONGEST_LINE:
            raise Trouble("it talks on and on without being asked")
        return self._input in ready

    def _take(self, stream: int) -> None:
        into = self._open[stream]
        try:
            data = os.read(stream, CHUNK)
        except BlockingIOError:
            return
        into += data
        if into is self._tail:
            del into[:-TAIL]
        if not data:
            self._selector.unregister(stream)
            del self._open[stream]

    def _ending(self) -> str:
        """Say how the program ended, and the last thing it said on its standard error."""
        _wait(self._process, GRACE)
        deadline = monotonic() + GRACE
        while any(into is self._tail for into in self._open.values()) and monotonic() < deadline:
            self._pump(deadline)
        said = self._tail.decode("utf-8", "replace").strip().splitlines()
        last = f"; it said: {escaped(' '.join(said[-1].split())[:200])}" if said else ""
        return f"{_how_it_ended(self._process)}{last}"


class StartedProgram:
    """A program that is started when it is needed, and anew after trouble.

    Parameters
    ----------
    command
        The program and its arguments.
    confinement
        What it may do.
    """

    def __init__(self, command: list[str], confinement: Confinement) -> None:
        self.command = command
        self._confinement = confinement
        self._process: LineProcess | None = None
        self._worked = False

    def _start(self, greet: Callable[[LineProcess], _Greeting], what: str, whose: str = "") -> _Greeting | None:
        """Start the program unless it runs, and greet it; give what that gave, None where it ran already.

        Fails when
            it never ran here: ``WorkerFault``, for this machine may lack what it needs. One that did run before and
            does not start again is in ``Trouble``. ``what`` it is, and ``whose``, stands in the message.
        """
        if self._process is not None and self._process.alive:
            return None
        self.kill()
        try:
            self._process = LineProcess(self.command, self._confinement)
            greeting = greet(self._process)
        except (Trouble, OSError) as error:
            self.kill()
            said = f"{what} did not start: {error}"
            raise Trouble(said) if self._worked else WorkerFault(f"{whose}{said}") from error
        except BaseException:
            self.kill()
            raise
        self._worked = True
        return greeting

    def kill(self) -> None:
        """End the program at once: after trouble, a late answer would be taken for the next one."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _leave(self, farewell: str) -> bool:
        """End the program politely, then not; say whether it ended by itself."""
        process, self._process = self._process, None
        return process.close(farewell) if process is not None else False

    def _running(self) -> LineProcess:
        if self._process is None:
            raise Trouble("it does not run")
        return self._process


def _streams(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], ...]:
    """Give input, output and errors of a process that was started with pipes."""
    return tuple(stream for stream in (process.stdin, process.stdout, process.stderr) if stream is not None)


def _number(stream: IO[bytes]) -> int:
    return stream.fileno()


def _how_it_ended(process: "subprocess.Popen[bytes]") -> str:
    if not _has_ended(process):
        return "it closed its output"
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    if ended is None:
        return "it ended"
    if ended.si_code == os.CLD_EXITED:
        # A shell or a sandbox in between reports the signal of what it ran as 128 and its number.
        code = ended.si_status
        return f"it was killed ({_signal(code - 128)})" if code > 128 else f"it ended with exit code {code}"
    return f"it was killed ({_signal(ended.si_status)})"


def _signal(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Say whether the leader of a group has ended, without reaping it: its number stays taken until all are killed."""
    if process.returncode is not None:
        return True
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
    except ChildProcessError:
        return True


def _wait(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    deadline = monotonic() + seconds
    while not _has_ended(process):
        if monotonic() > deadline:
            return False
        sleep(0.005)
    return True


def _end_group(process: "subprocess.Popen[bytes]", folder: Path, owner: int) -> None:
    """Ask a whole group to end, then kill what is left of it."""
    if os.getpid() != owner:
        return
    if not _has_ended(process):
        _signal_group(process, signal.SIGTERM)
        _wait(process, GRACE)
    _signal_group(process, signal.SIGKILL)
    process.wait()
    for stream in _streams(process):
        stream.close()
    shutil.rmtree(folder, ignore_errors=True)


def _signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
