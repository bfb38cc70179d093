"""The command ``gate``: did it get better, with exit codes for programs."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from equipoise.cli.options.choices import Direction, GateTasks, RunsShared
from equipoise.cli.options.generated import Intervals, OutputOptions
from equipoise.cli.output.output import say_written, source_of, write_view
from equipoise.cli.output.waiting import working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions

if TYPE_CHECKING:
    from equipoise.analyses.gate.parts import JointGate
    from equipoise.analyses.gate.result import GateResult

EXIT_CODES = {"pass": 0, None: 0, "fail": 1, "undecided": 3}
"""What programs read."""
DESIGNS: tuple[GateTasks, ...] = ("sample", "fixed")
NEXT = 20
"""Tasks of a schedule that are named as the next ones to run."""


def gate(
    base: Annotated[str, typer.Argument(help="Scores of the base: a log, a table, a folder, or a bundled set's name.")],
    new: Annotated[
        str | None, typer.Argument(help="Scores of the new agent [default: the base's file has both].")
    ] = None,
    *,
    read: ReadOptions,
    intervals: Intervals,
    to: OutputOptions,
    margin: Annotated[
        float | None,
        typer.Option(help="The largest loss of mean score that does not matter [default: report the difference only]."),
    ] = None,
    direction: Annotated[Direction, typer.Option(help="What has to be shown.")] = "not-worse",
    base_agent: Annotated[str | None, typer.Option("--base", help="The base, where a file has several agents.")] = None,
    new_agent: Annotated[
        str | None, typer.Option("--new", help="The new agent, where a file has several agents.")
    ] = None,
    runs: Annotated[
        RunsShared | None,
        typer.Option(help="Runs of one name on several tasks: one run, or as many [default: what the scores show]."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Decide for several metrics (acc,f1), or for slices by a column, or by evaluation: all must pass, one"
            " fail is a fail."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Undecided is a fail.")] = False,
    junit: Annotated[Path | None, typer.Option(help="Write the decision as JUnit XML to this file, too.")] = None,
    badge: Annotated[
        Path | None, typer.Option(help="Write a badge (SVG) to this file, too, and say how Markdown shows it.")
    ] = None,
    sequential: Annotated[
        Path | None,
        typer.Option(help="Look after every batch: keep a schedule in random order and what was counted in this file."),
    ] = None,
) -> None:
    """Say whether a new agent is not worse, or better, than before: pass, fail or undecided.

    Exit codes: 0 pass, 1 fail, 3 undecided, 2 bad input, 70 a fault of this program. A wrong pass and a wrong fail have
    a probability of at most (1 - level) / 2 each. `--tasks sample` (the default) takes the tasks for a sample of such
    tasks, `--tasks fixed` asks about these tasks and takes errors from repeated runs; other words are tasks to take.

    In Python: `equipoise.gate("main.csv", "candidate.csv", margin=0.05)`

    Examples
    --------
    - `equipoise gate main.csv candidate.csv --margin 0.05`

    - `equipoise gate logs/main logs/candidate --direction better --junit gate.xml`

    - `equipoise gate nightly.csv --base main --new candidate --margin 0.02 --strict`

    - `equipoise gate logs/main logs/candidate --margin 0.05 --by exact_match,f1`

    - `equipoise gate main.csv so-far.csv --margin 0.05 --sequential state.json`
    """
    design: GateTasks = "sample"
    if read.tasks in DESIGNS:
        design, read = read.tasks, replace(read, tasks=None)
    if sequential is not None:
        if design == "fixed" or runs is not None or by:
            raise ParameterError(Option("sequential"), " takes the tasks for a sample, one run of each and one metric")
        result = _sequential(base, new, sequential, read, intervals, margin, direction, (base_agent, new_agent))
        _show(result, to, (junit, badge), strict)
    with working(f"Comparing {base}"):
        from equipoise.analyses.gate.gate import gate
        from equipoise.analyses.gate.parts import gate_parts

        asked: Any = {
            "margin": margin, "direction": direction, "tasks": design, "base_agent": base_agent,
            "new_agent": new_agent, "runs": runs, "level": intervals.level, "rng": intervals.seed, "read": read,
        }  # fmt: skip
        sides = (source_of(base), None if new is None else source_of(new))
        metrics = [name.strip() for name in by.split(",")] if by and "," in by else []
        found = (
            gate_parts(*sides, metrics=metrics, by=None if metrics else by, **asked) if by else gate(*sides, **asked)
        )
    _show(found, to, (junit, badge), strict)


def _show(
    result: "GateResult | JointGate", to: OutputOptions, files: tuple[Path | None, Path | None], strict: bool
) -> NoReturn:
    """Print and write the decision, and end with its exit code."""
    from equipoise.report.views.registry import view_of

    write_view(view_of(result), to)
    _tell_machines(result, *files, strict)
    code = EXIT_CODES[result.verdict]
    raise typer.Exit(1 if strict and result.verdict == "undecided" else code)


def _tell_machines(
    result: "GateResult | JointGate", junit_file: Path | None, picture: Path | None, strict: bool
) -> None:  # fmt: skip
    """Write what was asked for, and what GitHub Actions shows where it runs this."""
    from equipoise.report.render.ci import badge, badge_line, github_annotation, github_summary, junit

    if junit_file is not None:
        _write(junit_file, junit(result, strict=strict))
        say_written(junit_file, "the decision as JUnit XML")
    if picture is not None:
        _write(picture, badge(result))
        say_written(picture, f"a badge: {badge_line(result, picture.name)}")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        _write(Path(summary), github_summary(result), "a")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        typer.echo(github_annotation(result, strict=strict), err=True)


def _write(path: Path, text: str, mode: str = "w") -> None:
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror}") from error


def _sequential(
    base: str, new: str | None, state: Path, read: ReadOptions, intervals: Intervals, margin: float | None,
    direction: Direction, agents: tuple[str | None, str | None],
) -> "GateResult":  # fmt: skip
    """Go on with a schedule, or begin one: count what is there in its order, and name what to run next."""
    from equipoise.analyses.gate.sequential import Gate

    if state.exists():
        gate = Gate.load(state)
        given = {"margin": margin or 0.0, "direction": direction, "level": intervals.level}
        changed = [name for name, value in given.items() if getattr(gate, name) != value]
        if changed:
            raise ParameterError(
                Option(changed[0]), f" was {getattr(gate, changed[0])} when {state} was begun, and stays"
            )
    else:
        gate = Gate(
            source_of(base), margin=margin or 0.0, direction=direction, level=intervals.level, base_agent=agents[0],
            seed=intervals.seed, read=read,
        )  # fmt: skip
    if new is not None:
        gate.tell_scores(source_of(new), new_agent=agents[1], read=read)
    try:
        gate.save(state)
    except OSError as error:
        raise ParameterError(f"cannot write {state}: {error.strerror}") from error
    return gate.result(gate.ask(NEXT))
