"""What a confined program sees: the system's programs and libraries, its own folder, a little room of its own; no more.

The root is empty but for what is named here. An arena is never in it: neither its file, nor the logs that SQLite makes
beside it, nor its lock; therefore folders are shown entry by entry, as they are when the program starts.

The kernel's keyrings are kept apart by no namespace: all processes of a user share them. A program could read the
operator's keys there, and leave word for its next process; a filter refuses the system calls that lead to them. What
the kernel lets root set under ``/proc`` it lets a process of root set without any capability: that is read-only.
"""

import errno
import os
import platform
import shutil
import struct
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from equipoise.data.files.arena_files import is_arena

HOME = "/home/player"
"""The folder of its own that a confined program has: in memory, and gone with it."""
DISK = 64
"""Megabytes that it may write there, in its temporary folder, and into shared memory, each."""
PROCESSES, OPEN_FILES = 512, 1024
"""How many processes and threads, and open files, it may have."""
SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")
"""What of the system's settings everything needs that is loaded dynamically."""
NET_SETTINGS = ("resolv.conf", "hosts", "nsswitch.conf", "ssl", "ca-certificates", "pki")
INSTALLED = ("bin", "lib", "lib64", "libexec", "pyvenv.cfg")
"""What is shown of an installation, such as a virtual environment, whose program stands in its ``bin``."""
MOST_ENTRIES = 1000
"""Entries of a folder that is shown; of a larger one the program sees only what it was given by name."""
BESIDE_ARENA = ("-wal", "-shm", "-journal", ".lock")


def bubblewrap(
    command: Sequence[str] = (),
    files: Iterable[str] = (),
    devices: Iterable[str] = (),
    *,
    network: bool = False,
    calls: int | None = None,
) -> list[str]:
    """Give the command line of bubblewrap for a command that names files, up to the command itself.

    ``calls`` is an open stream with a filter of system calls.
    """
    room = str(DISK * 1024 * 1024)
    folders = shown(command, files)
    here = Path.cwd()
    inside = here if any(path.is_relative_to(here) for path in folders) else HOME
    return [
        "bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL", "--uid", "65534", "--gid", "65534", "--hostname", "player",
        *_system(network), "--proc", "/proc", "--dev", "/dev",
        "--size", room, "--tmpfs", "/dev/shm", "--size", room, "--tmpfs", "/tmp",
        "--size", room, "--perms", "0700", "--tmpfs", HOME,
        *(word for device in devices for word in ("--dev-bind", device, device)),
        *(word for path in folders for word in ("--ro-bind", str(path), str(path))),
        *(["--share-net"] if network else []),
        *(["--seccomp", str(calls)] if calls is not None else []),
        "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(inside), "--", *_limits(),
    ]  # fmt: skip


def shown(command: Sequence[str], files: Iterable[str] = ()) -> list[Path]:
    """Give what a command, and files and folders named beside it, show of the machine besides the system itself."""
    named = [Path(word).absolute() for word in command if os.path.exists(word)]
    libraries = [Path(folder) for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    found = [path for file in (*named, *libraries) for path in _with_company(file)]
    if named and Path(sys.prefix).absolute() in named[0].parents:
        found.append(Path(__file__).parents[2])  # a bot of this Python may use this package, which may be a checkout
    found += [path for file in files for path in _without_arenas(Path(file).absolute())]
    there = {path for path in found if os.path.exists(path) and not _in_system(path)}
    return sorted(path for path in there if there.isdisjoint(path.parents))


def _system(network: bool) -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for name in SYSTEM:
        path = Path("/") / name
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif os.path.isdir(path):
            yield from ("--ro-bind", str(path), str(path))
    for name in (*SETTINGS, *(NET_SETTINGS if network else ())):
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


def _limits() -> list[str]:
    # Set inside: outside they would count all processes of the operator.
    limits = ["prlimit", f"--nproc={PROCESSES}", f"--nofile={OPEN_FILES}", "--"]
    return limits if shutil.which(limits[0]) else []


def _in_system(path: Path) -> bool:
    return any(path.is_relative_to(f"/{name}") for name in ("usr", *SYSTEM))


def _with_company(file: Path) -> Iterator[Path]:
    """Give a file, or what it links to, with what it needs: the rest of its installation, or of its folder."""
    for path in dict.fromkeys((file, file.resolve())):
        folder = path if os.path.isdir(path) else path.parent
        if folder.name == "bin":
            yield from (folder.parent / name for name in INSTALLED)
        elif not _is_private(folder):
            yield from _entries(folder)
        if not os.path.isdir(path) and not belongs_to_arena(path, os.listdir(folder)):
            yield path


def _is_private(folder: Path) -> bool:
    """Say whether a folder is too much to show: the operator's home and what is above it, or the system's own."""
    homes = [Path.home(), Path("/root"), Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    return any(folder == one or folder in one.parents for one in homes) or _of_system(folder)


def _of_system(path: Path) -> bool:
    return any(path.is_relative_to(one) for one in ("/etc", "/run", "/var/run", "/proc", "/sys", "/dev"))


def _entries(folder: Path) -> Iterator[Path]:
    """Give the entries of a folder without hidden ones, links to elsewhere, and arenas, in folders below it too."""
    try:
        names = set(os.listdir(folder))
    except OSError:
        return
    for name in names if len(names) <= MOST_ENTRIES else ():
        path = folder / name
        leads_away = path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())
        if name.startswith(".") or leads_away or belongs_to_arena(path, names):
            continue
        yield from _without_arenas(path)


def _without_arenas(path: Path) -> Iterator[Path]:
    """Give a file or a folder; of a folder that holds an arena, its entries without it, and of an arena nothing."""
    if not os.path.isdir(path):
        if not belongs_to_arena(path, os.listdir(path.parent) if path.parent.is_dir() else ()):
            yield path
    elif any(_holds_arena(Path(place), set(names)) for place, _, names in os.walk(path)):
        yield from _entries(path)
    else:
        yield path


def _holds_arena(folder: Path, names: set[str]) -> bool:
    return any(belongs_to_arena(folder / name, names) for name in names)


def strays(command: Sequence[str]) -> list[Path]:
    """Give the files that a command names besides those of its own folder: elsewhere, hidden, or of the system."""
    program, *named = (Path(os.path.abspath(word)) for word in command if os.path.exists(word))
    first = named[0] if named and (_in_system(program) or program.parent.name == "bin") else program
    return [
        path for path in named
        if not path.is_relative_to(first.parent) or any(part.startswith(".") for part in path.parts)
        or (_is_private(path.parent) and (path != first or _of_system(path)))
    ]  # fmt: skip


def belongs_to_arena(path: Path, names: Collection[str]) -> bool:
    """Say whether a file is an arena or stands beside one, given the names in its folder."""
    base = next((path.name.removesuffix(end) for end in BESIDE_ARENA if path.name.endswith(end)), path.name)
    if any(f"{base}{end}" in names for end in BESIDE_ARENA):
        return True
    try:
        # The size of a database is that of its pages: others need not be opened.
        if not os.path.isfile(path) or path.stat().st_size % 512:
            return False
        with path.open("rb") as file:
            return is_arena(file.read(100))
    except OSError:
        return True  # what cannot be looked at is not shown


CALLS = {
    "x86_64": ((0xC000003E, 248, 250), (0x40000003, 286, 288)),
    "aarch64": ((0xC00000B7, 217, 219), (0x40000028, 309, 311)),
}
"""By machine, for its programs of 64 and of 32 bits: the architecture as the kernel numbers it, and the first and the
last of ``add_key``, ``request_key`` and ``keyctl``, which follow each other."""
LOAD, AND, IF_EQUAL, IF_LEAST, IF_MORE, RETURN = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
"""Instructions of the kernel's filters."""
NUMBER, ARCHITECTURE = 0, 4
"""Where a filter finds what is called, and by which architecture."""
OTHER_POINTERS = 0x40000000
"""Added to the number by programs of 64 bits with pointers of 32."""
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


def keyring_filter() -> bytes:
    """Give the filter as the kernel takes it; empty for a machine whose numbers are not known."""
    tables = CALLS.get(platform.machine(), ())
    steps = [(LOAD, 0, 0, ARCHITECTURE)]
    for left, (architecture, first, last) in reversed(list(enumerate(reversed(tables)))):
        allow = 5 * left  # instructions of the tables after this one
        steps += [
            (IF_EQUAL, 0, 4, architecture),
            (LOAD, 0, 0, NUMBER),
            (AND, 0, 0, 0xFFFFFFFF ^ OTHER_POINTERS),
            (IF_LEAST, 0, allow + 1, first),
            (IF_MORE, allow, allow + 1, last),
        ]
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps) if tables else b""


@contextmanager
def handed_filter() -> Iterator[int | None]:
    """Give the filter as a stream that bubblewrap reads; None where there is none."""
    program = keyring_filter()
    if not program:
        yield None
        return
    outward, inward = os.pipe()
    try:
        os.write(inward, program)  # far less than a pipe holds
        os.close(inward)
        yield outward
    finally:
        os.close(outward)
