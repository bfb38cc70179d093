"""Commands about the package: ``methods``, ``mcp``, ``reproduce`` and ``demo``."""

import os
import shlex
import shutil
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options.choices import PAPER_NAMES
from equipoise.cli.options.generated import JobsOption, PrintOptions
from equipoise.cli.output.output import pipe_width, say_written, write_view
from equipoise.cli.output.waiting import working
from equipoise.core.errors import ParameterError


def methods(to: PrintOptions) -> None:
    """List the methods: what each answers, which data it takes, and where it comes from.

    In Python: `equipoise.list_methods()`

    Example: `equipoise methods --format json`
    """
    from equipoise.analyses.catalogued import list_methods
    from equipoise.report.views.listings import methods_view

    write_view(methods_view(list_methods()), to.unshortened)


def mcp(
    folders: Annotated[list[Path], typer.Argument(help="Folders whose files may be read, and no others.")],
) -> None:
    """Answer a language model's questions about files below chosen folders, over the Model Context Protocol.

    Serves standard input and output, as clients start it. Links, `..` and addresses of databases are refused, nothing
    is written, and no code or condition is taken. Needs the extra `mcp`.

    In Python: `equipoise.methods.mcp_server(["results"]).run()`

    Example: `equipoise mcp results`
    """
    from equipoise.integrations.mcp import mcp_server

    mcp_server(folders).run()


def reproduce(
    to: PrintOptions,
    *,
    papers: Annotated[
        list[str] | None, typer.Argument(help=f"Some of {', '.join(PAPER_NAMES)} [default: all].", show_default=False)
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Write the page of the docs to this file, too.", show_default=False)
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="Draw the papers' figures that data allow into this folder.", show_default=False),
    ] = None,
    jobs: JobsOption = 1,
) -> None:
    """Recompute the tables and figures of a paper, and say how far each result agrees.

    Bundled data are always there; the rest is looked for in the folder that EQUIPOISE_DATA names, or where
    `equipoise data fetch` puts it. What is missing is said.

    In Python: `equipoise.reproduce_papers("evaluation")`, and `equipoise.methods.draw_paper_figures("figures")`

    Examples
    --------
    - `equipoise reproduce evaluation`

    - `equipoise reproduce indicators --figures figures`

    - `EQUIPOISE_DATA=~/data equipoise reproduce --format json --output results.json`
    """
    with working("Recomputing"):
        from equipoise.data.fetch import data_folder
        from equipoise.inference.executors import processes
        from equipoise.report.views.reproduction import reproduction_page, reproduction_view
        from equipoise.reproduce.papers import reproduce_papers

        fetched = data_folder()
        data = os.environ.get("EQUIPOISE_DATA") or (fetched if fetched.is_dir() else None)
        with processes(jobs) as executor:
            reproduced = reproduce_papers(papers or None, data=data, executor=executor)
    write_view(reproduction_view(reproduced), to.unshortened)
    drawn: dict[str, dict[str, str]] = {}
    if figures is not None:
        with working("Drawing"):
            from equipoise.report.paper_figures import draw_paper_figures

            pictures = draw_paper_figures(figures, papers or None, data=data)
        for figure, picture in pictures.items():
            say_written(picture, figure.where)
            beside = os.path.relpath(picture, page.parent) if page is not None else str(picture)
            drawn.setdefault(figure.paper, {})[figure.where] = Path(beside).as_posix()
    if page is not None:
        try:
            page.write_text(reproduction_page(reproduced, drawn), encoding="utf-8")
        except OSError as error:
            raise ParameterError(f"cannot write {page}: {error.strerror}") from error
        say_written(page, "ours beside theirs")


INTRODUCTION = (
    "18 classifiers on 18 data sets, 5 seeds each. On every data set and seed, every two classifiers play a match that"
    " the higher accuracy wins. Who is better, and how certain is that?"
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
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else pipe_width()
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
