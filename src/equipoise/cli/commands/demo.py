"""``equipoise demo``: what the package does, on data that come with it."""

import os
import shlex
import shutil
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.output.output import PIPE_WIDTH

__all__ = ["demo"]

INTRODUCTION = (
    "18 classifiers on 18 data sets, 5 seeds each. On every data set and seed, every two classifiers play a match that"
    " the higher accuracy wins. Who is better, and how sure is that?"
)

NEXT = """
Three commands to try next:

  {program} tasks classifiers
  {program} report alphago hands -o report.html
  {program} compare classifiers extra-trees forest
"""
MORE = "`{program} data` lists the data sets that come with the package; a file of yours goes where their names stand."


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("demo.html"),
) -> None:
    """Rank a data set that comes with the package, write its page, and say what to try next.

    In Python: `equipoise.run_demo()`
    """
    from equipoise.analyses.catalogued import DEMO
    from equipoise.cli.app import app

    program, shorter = _program()
    # Without the packages that draw, the answer is still worth seeing.
    draws = all(find_spec(package) for package in ("jinja2", "vl_convert"))
    ranking = ["rank", DEMO, *(["--page", str(output)] if draws else [])]
    print(f"\n{_filled(INTRODUCTION)}\n\n$ {program} {shlex.join(ranking)}\n", flush=True)
    app(ranking, standalone_mode=False)
    sys.stdout.flush()
    if not draws:
        print('No page was written: pages and charts need `pip install "equipoise[report]"`.', file=sys.stderr)
    print(NEXT.format(program=program))
    print(_filled(MORE.format(program=program)))
    if shorter:
        print(_filled(shorter))


def _filled(sentence: str) -> str:
    """Break a sentence as the answer is broken: at the edge of the terminal, or of what a pipe gets."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH
    return textwrap.fill(sentence, width, break_long_words=False, break_on_hyphens=False)


def _program() -> tuple[str, str]:
    """Say how this very program is called from here, and, where that is long, how it becomes short."""
    script = Path(sys.argv[0])
    if script.name == "__main__.py":
        return f"{_from_here(Path(sys.executable))} -m equipoise", ""
    path = _from_here(script)
    activate = Path(path).with_name("activate")
    short = f"After `. {shlex.quote(str(activate))}` the command is just `equipoise`."
    return path, short if path != script.name and activate.exists() else ""


def _from_here(program: Path) -> str:
    """Write a program as a shell finds it: by its name where the path leads to it, else by where it is."""
    found = shutil.which(program.name)
    if found and Path(found).absolute() == program.absolute():
        return program.name
    inside = program.absolute().is_relative_to(Path.cwd())
    return shlex.quote(os.path.relpath(program) if inside else str(program))
