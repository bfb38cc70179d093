"""How a program is confined: by bubblewrap or user namespaces where the system has them, and in words where it has not.

With bubblewrap a program has no network, sees the files of the machine but can write only into a folder of its own, and
dies with whoever started it. With ``unshare`` it has no network. Memory is limited by the address space, everywhere.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

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
    """

    sandbox: Sandboxing = "auto"
    network: bool = False
    memory: int | None = None
    environment: tuple[str, ...] = ()

    def described(self) -> str:
        """Say plainly how the program is confined on this machine."""
        limit = f"memory limited to {self.memory} MB" if self.memory else "memory not limited"
        if self.sandbox == "off":
            return f"not confined (sandbox off); {limit}"
        net = "network allowed" if self.network else "no network"
        match sandbox_here():
            case "bubblewrap":
                return f"confined by bubblewrap: {net}, files read-only except a folder of its own; {limit}"
            case "unshare" if not self.network:
                return f"confined by a user namespace: no network, files not confined; {limit}"
        return f"not confined: this system has neither bubblewrap nor user namespaces; {limit}"

    def command(self, command: Sequence[str], folder: Path) -> list[str]:
        """Wrap a command in what confines it."""
        walls = self._walls(folder)
        inner = [*(walls or _bound_to_us()), *command]
        quota = f"ulimit -v {self.memory * 1024} && " if self.memory else ""
        return ["/bin/sh", "-c", f'ulimit -c 0 && {quota}exec "$@"', "sh", *inner]

    def variables(self, folder: Path) -> Mapping[str, str]:
        """Give the environment of the program."""
        if self.sandbox == "off":
            return dict(os.environ)
        kept = {name: os.environ[name] for name in (*KEPT, *self.environment) if name in os.environ}
        return {**kept, "HOME": str(folder), "TMPDIR": str(folder)}

    def _walls(self, folder: Path) -> list[str]:
        if self.sandbox == "off":
            return []
        here = sandbox_here()
        if here == "none" and self.sandbox == "required":
            raise ParameterError("this system has neither bubblewrap nor user namespaces to confine a program with")
        if here == "bubblewrap":
            return [
                *_bubblewrap(),
                *(["--share-net"] if self.network else []),
                "--bind",
                str(folder),
                str(folder),
                "--",
            ]
        return [] if here == "none" or self.network else [*_unshare(), "--"]


@lru_cache(maxsize=1)
def sandbox_here() -> Sandbox:
    """Find out what this system has, by trying: in a container a program may be there and not be allowed."""
    if shutil.which("bwrap") and _works([*_bubblewrap(), "--", "true"]):
        return "bubblewrap"
    return "unshare" if shutil.which("unshare") and _works([*_unshare(), "--", "true"]) else "none"


@lru_cache(maxsize=1)
def _bound_to_us() -> tuple[str, ...]:
    """Have a program die with whoever started it, where the system can: one that hangs would stay for ever."""
    bound = ("setpriv", "--pdeathsig", "KILL", "--")
    return bound if shutil.which("setpriv") and _works([*bound, "true"]) else ()


def find_program(name: str) -> Path:
    """Find an executable: as a path, on the search path, or where Debian puts games; refuse in one line."""
    wide = os.pathsep.join([os.environ.get("PATH", os.defpath), *GAMES_PATH])
    program = shutil.which(name, path=wide)
    if program is None:
        there = Path(name).is_file()
        what = f'"{name}" is no program that can be run (chmod +x)' if there else f'there is no program "{name}"'
        raise ParameterError(what if there else f"{what} on the search path or in {' or '.join(GAMES_PATH)}")
    return Path(program)


def _bubblewrap() -> list[str]:
    # Devices stay: graphics cards are devices.
    return ["bwrap", "--die-with-parent", "--unshare-all", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev",
            "--proc", "/proc"]  # fmt: skip


def _unshare() -> list[str]:
    return ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child"]


def _works(command: Sequence[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=ROOM, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
