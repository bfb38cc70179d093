"""What a command prints on a terminal of 80 columns: as text for the README, as a picture in SVG."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Mapping
from pathlib import Path

COLUMNS = 80
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def on_terminal(line: str, folder: Path, environment: Mapping[str, str], *, columns: int = COLUMNS) -> str:
    """Run a line of shell on a terminal, and give what it shows; only the answer's part, for errors must not be there.

    Fails when
        the line does: the error holds what it said.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    known = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        ["sh", "-c", line], cwd=folder, env={**known, "TERM": "xterm-256color"}, stdin=subprocess.DEVNULL,
        stdout=theirs, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = _all_of(ours)
        said = process.stderr.read() if process.stderr else ""
    os.close(ours)
    if process.returncode:
        raise RuntimeError(f"{line}\nended with {process.returncode}:\n{shown}{said}")
    return shown.replace("\r\n", "\n") + said


def as_text(shown: str) -> str:
    """Give what is shown without colours, and without the blanks at the ends of lines."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    return "\n".join(line.rstrip() for line in plain.splitlines()).strip("\n") + "\n"


def as_svg(line: str, shown: str, *, columns: int = COLUMNS) -> str:
    """Draw a terminal with the line and what it shows; nothing in the picture is fetched from elsewhere."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=columns, file=Path(os.devnull).open("w"))  # noqa: SIM115  # nobody reads it
    console.print(Text.from_ansi(f"\x1b[1m$ {line}\x1b[0m\n{shown.rstrip()}"))
    form = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    form = re.sub(r"font-family: [^;]*Fira Code[^;]*;", f"font-family: {FONTS};", form)
    drawn = console.export_svg(title="equipoise", code_format=form, unique_id="equipoise")
    return re.sub(r"\s*<!--.*?-->", "", drawn)


def _all_of(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # on Linux a terminal whose other side is closed ends so
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode("utf-8")
