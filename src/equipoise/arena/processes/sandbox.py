"""How a program is confined: by bubblewrap or user namespaces where the system has them, and in words where it has not.

With bubblewrap a program sees little of the machine (``walls``), has no network, and dies with whoever started it, with
all that it started. With ``unshare`` it has no network. Memory is limited by the address space, everywhere.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from equipoise.arena.processes.walls import DISK, HOME, PROCESSES, bubblewrap, handed_filter
from equipoise.core.errors import ParameterError
from equipoise.core.options import Check, choice, positive, switch, whole

Sandbox = Literal["bubblewrap", "unshare", "none"]
Sandboxing = Literal["auto", "required", "off"]
GAMES_PATH = ("/usr/games", "/usr/local/games")
"""Where Debian installs games: outside the usual search path."""
KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "VIRTUAL_ENV", "PYTHONPATH", "LD_LIBRARY_PATH")
"""What of the environment a confined program gets besides the names it asks for; keys and passwords stay outside."""
ROOM = 30.0
"""Seconds that a trial of a sandbox may take: a machine may be busy."""

PROGRAM_CHECKS: Mapping[str, Check] = {
    "start_seconds": positive(),
    "memory": whole(16, none=True),
    "sandbox": choice("auto", "required", "off"),
    "network": switch(),
    "environment": Check("a list of names of variables", others=(list, tuple)),
    "files": Check("a list of files and folders", others=(list, tuple)),
    "devices": Check("a list of devices", others=(list, tuple)),
    "settings": Check("a table", others=(Mapping,)),
}
"""What the options of a program may be, whether it plays or is the referee."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a program may do.

    Attributes
    ----------
    sandbox
        ``auto`` takes what the system has, ``required`` refuses to run without, ``off`` runs it like any other program.
    network
        Whether it may use the network.
    memory
        Megabytes of address space; None for no limit.
    environment
        Names of variables that it gets besides the usual ones.
    files, devices
        What it may read besides its own folder, and the devices that it may use, such as graphics cards.
    """

    sandbox: Sandboxing = "auto"
    network: bool = False
    memory: int | None = None
    environment: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()

    def described(self) -> str:
        """Say plainly how the program is confined on this machine."""
        limit = f"memory limited to {self.memory} MB" if self.memory else "memory not limited"
        if self.sandbox == "off":
            return f"not confined (sandbox off); {limit}"
        net = "network allowed" if self.network else "no network"
        match sandbox_here():
            case "bubblewrap":
                count = "processes not counted (root)" if os.geteuid() == 0 else f"{PROCESSES} processes"
                seen = f"sees only the system and its own folder, {DISK} MB of disk, {count}"
                return f"confined by bubblewrap: {net}, {seen}; {limit}"
            case "unshare" if not self.network:
                return f"confined by a user namespace: no network, files not confined; {limit}"
        return f"not confined: this system has neither bubblewrap nor user namespaces; {limit}"

    def start(self, command: Sequence[str], folder: Path) -> "subprocess.Popen[bytes]":
        """Start a command, confined, with pipes for its streams."""
        walls = self.sandbox != "off" and sandbox_here() == "bubblewrap"
        with handed_filter() if walls else nullcontext() as calls:
            return subprocess.Popen(
                self.command(command, calls), env=dict(self.variables(folder)), start_new_session=True, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=() if calls is None else (calls,),
            )  # fmt: skip

    def command(self, command: Sequence[str], calls: int | None = None) -> list[str]:
        """Wrap a command in what confines it; ``calls`` is an open stream with a filter of system calls."""
        inner = [*(self._walls(command, calls) or _bound_to_us()), *command]
        quota = f"ulimit -v {self.memory * 1024} && " if self.memory else ""
        return ["/bin/sh", "-c", f'ulimit -c 0 && {quota}exec "$@"', "sh", *inner]

    def variables(self, folder: Path) -> Mapping[str, str]:
        """Give the environment of the program."""
        if self.sandbox == "off":
            return dict(os.environ)
        kept = {name: os.environ[name] for name in (*KEPT, *self.environment) if name in os.environ}
        home = HOME if sandbox_here() == "bubblewrap" else str(folder)
        return {**kept, "HOME": home, "TMPDIR": home}

    def _walls(self, command: Sequence[str], calls: int | None) -> list[str]:
        if self.sandbox == "off":
            return []
        here = sandbox_here()
        if here != "bubblewrap" and self.sandbox == "required":
            raise ParameterError("this system has no bubblewrap to confine a program with, or may not use it")
        if here == "bubblewrap":
            return bubblewrap(command, self.files, self.devices, network=self.network, calls=calls)
        return [] if here == "none" or self.network else [*_unshare(), "--"]


@lru_cache(maxsize=1)
def sandbox_here() -> Sandbox:
    """Find out what this system has, by trying: in a container a program may be there and not be allowed."""
    if shutil.which("bwrap") and _works([*bubblewrap(), "true"]):
        return "bubblewrap"
    return "unshare" if shutil.which("unshare") and _works([*_unshare(), "--", "true"]) else "none"


@lru_cache(maxsize=1)
def _bound_to_us() -> tuple[str, ...]:
    """Have a program die with whoever started it, with all that it started, where the system can.

    Number 1 of a namespace of processes takes all others with it, also those that left its group; it ignores signals
    that it sends itself, therefore the program is number 2, and number 1 keeps none of its streams open.
    """
    bound = ("setpriv", "--pdeathsig", "KILL", "--")
    first = 'exec 3<&0; "$@" <&3 3<&- & exec <&- >&- 2>&- 3<&-; wait $!; exit $?'
    alone = ("--pid", "--fork", "--kill-child", "--mount-proc", "--", "/bin/sh", "-c", first, "sh")
    ways = [(*bound, "unshare", *alone), (*bound, "unshare", "--user", "--map-current-user", *alone), bound]
    return next((way for way in ways if _works([*way, "true"])), ())


def find_program(name: str) -> Path:
    """Find an executable: as a path, on the search path, or where Debian puts games; refuse in one line."""
    wide = os.pathsep.join([os.environ.get("PATH", os.defpath), *GAMES_PATH])
    program = shutil.which(name, path=wide)
    if program is None:
        there = Path(name).is_file()
        what = f'"{name}" is no program that can be run (chmod +x)' if there else f'there is no program "{name}"'
        raise ParameterError(what if there else f"{what} on the search path or in {' or '.join(GAMES_PATH)}")
    return Path(program).absolute()  # a path drops the "./" without which a name is looked for elsewhere


def _unshare() -> list[str]:
    return ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"]


def _works(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=ROOM, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
