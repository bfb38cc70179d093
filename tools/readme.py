"""The shell blocks of the README, and the output shown under them: ``python -m tools.readme`` brings it up to date.

A block fenced as ``bash`` holds commands; a block fenced as ``text`` directly under it shows what the last of them
prints on a terminal of 80 columns. Blocks fenced as ``sh`` install things.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.terminal import as_text, on_terminal

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(sh|bash|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, its lines, and the output shown under it."""

    language: str
    code: str
    shown: str | None

    @property
    def lines(self) -> list[str]:
        """Commands, without the remarks behind them."""
        return [line for row in self.code.splitlines() if (line := re.sub(r"\s+#.*", "", row).strip())]


def blocks(page: str) -> Iterator[Block]:
    """Give the blocks of a page."""
    for found in BLOCK.finditer(page):
        yield Block(found[1], found[2], found[3])


def fresh_clone(folder: Path) -> Path:
    """Copy the files that git tracks, as a clone would hold them."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def environment_of(clone: Path) -> dict[str, str]:
    """Give the surroundings of a user whose environment is activated and holds the clone's code."""
    scripts = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(clone / "src")}


def printed(block: Block, clone: Path) -> str:
    """Run the commands of a block; give what the last one prints."""
    shown = ""
    for line in block.lines:
        shown = as_text(on_terminal(line, clone, environment_of(clone)))
    return shown


def main() -> None:
    """Put what the commands print today under them."""
    path = ROOT / "README.md"
    page = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        clone = fresh_clone(Path(name))
        for block in blocks(page):
            if block.language == "bash" and block.shown is not None:
                old = f"```bash\n{block.code}```\n\n```text\n{block.shown}```\n"
                page = page.replace(old, f"```bash\n{block.code}```\n\n```text\n{printed(block, clone)}```\n")
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
