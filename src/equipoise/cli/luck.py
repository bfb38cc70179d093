"""``equipoise luck``: how much of what agents won was luck."""

import io
import math
import sys
from typing import Annotated, Any, Literal

import typer

import equipoise
from equipoise.cli.output import (
    FormOption,
    LevelOption,
    OutputOption,
    ReportOption,
    SeedOption,
    working,
    write_view,
)
from equipoise.data.episodes import Episodes
from equipoise.data.read import OnError, read_episodes
from equipoise.data.tables import open_table
from equipoise.errors import ParameterError
from equipoise.luck.baseline import baseline, zero_sum
from equipoise.luck.duplicate import Permutations, duplicate
from equipoise.luck.luck_table import LuckTable
from equipoise.luck.seating import By
from equipoise.report.luck import luck_view

__all__ = ["luck"]


LuckMethod = Literal["baseline", "duplicate"]
"""Ways to take out luck."""


def luck(
    file: Annotated[
        str, typer.Argument(help="CSV, TSV, JSON lines or Parquet, also compressed; - for standard input.")
    ],
    control: Annotated[
        list[str] | None,
        typer.Option(help="Control: a column, or an agent whose self-play is among the rows. Can be repeated."),
    ] = None,
    method: Annotated[
        LuckMethod | None, typer.Option(help="How to take out luck [default: baseline with --control, else duplicate].")
    ] = None,
    by: Annotated[By, typer.Option(help="One row for each agent, pair or team.")] = "agent",
    team: Annotated[
        list[str] | None, typer.Option(help="AGENT=TEAM, for --by team. Repeat it for each member.")
    ] = None,
    coefficient: Annotated[
        str, typer.Option(help="fitted, cross-fitted (unbiased), or a number such as -1 (unbiased).")
    ] = "fitted",
    mean: Annotated[
        str | None,
        typer.Option(
            help="The control's expectation: a number, SEAT=VALUE,SEAT=VALUE, or estimate [default: 0, checked]."
        ),
    ] = None,
    permutations: Annotated[
        Permutations, typer.Option(help="Duplicate deals that count: every seat equally often, all orders, any.")
    ] = "balanced",
    independent: Annotated[
        bool, typer.Option("--independent", help="Treat hands of one deal as independent, as the paper's tables do.")
    ] = False,
    center: Annotated[
        bool, typer.Option("--zero-sum", help="Subtract each table's mean first (for games that are not zero-sum).")
    ] = False,
    agent: Annotated[str, typer.Option(help="Column of agents.")] = "agent",
    utility: Annotated[str, typer.Option(help="Column of what was won.")] = "utility",
    deal: Annotated[
        list[str] | None, typer.Option(help="Column that says which rows saw the same luck; repeat it for several.")
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Column of seats.")] = None,
    hand: Annotated[str | None, typer.Option(help="Column that says which rows were one play of a deal.")] = None,
    half_width: Annotated[
        float | None, typer.Option(help="Also say how many hands intervals of plus or minus this much would take.")
    ] = None,
    on_error: Annotated[OnError, typer.Option(help="Stop at a bad row, or skip and count.")] = "raise",
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    form: FormOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Take luck out of dealt hands: who wins how much, and what the hands are worth.

    One row of the file is one seat of one hand. A control is what a bot won on the same deal and seat against itself.

    Examples
    --------
    - `equipoise luck hands.csv --control bot --deal deal --seat seat`

    - `equipoise luck hands.csv --method duplicate --by pair`

    - `equipoise luck hands.csv --control bot --coefficient cross-fitted --format json`

    - `equipoise luck pilot.csv --control bot --half-width 0.05`

    - `equipoise luck match.csv --control bot --by team --team Ann=humans --team Bob=humans`
    """
    controls = control or []
    chosen = method or ("baseline" if controls else "duplicate")
    _check_options(chosen, controls, by, team)
    if half_width is not None and not 0.0 < half_width < math.inf:
        raise ParameterError(f"--half-width must be positive, not {half_width:g}")
    with working(f"Reading {file}"):
        data = _read(file, controls, agent, utility, deal or ["deal"], seat, hand, on_error)
    data = zero_sum(data) if center else data
    teams = _teams(team)
    with working("Weighing"):
        if chosen == "duplicate":
            result: LuckTable = duplicate(data, by=by, teams=teams, permutations=permutations, level=level)
        else:
            result = baseline(
                data,
                control=controls,
                by=by,
                teams=teams,
                mean=_mean(mean),
                coefficient=_coefficient(coefficient),
                cluster=not independent,
                level=level,
            )
    view = luck_view(result, half_width=half_width, facts={"seed": seed, "version": equipoise.__version__})
    write_view(view, form, output, report, about=file)


def _check_options(method: LuckMethod, controls: list[str], by: By, team: list[str] | None) -> None:
    if method == "baseline" and not controls:
        raise ParameterError("--method baseline needs --control: a column, or an agent whose self-play is in the file")
    if method == "duplicate" and controls:
        raise ParameterError("--control does not go with --method duplicate; leave one out")
    if (by == "team") != bool(team):
        raise ParameterError("--by team and --team AGENT=TEAM go together")


def _read(
    file: str,
    controls: list[str],
    agent: str,
    utility: str,
    deal: list[str],
    seat: str | None,
    hand: str | None,
    on_error: OnError,
) -> Episodes:
    """Read the hands; a control that is no column is left to be found among the agents."""
    source: Any = io.BytesIO(sys.stdin.buffer.read()) if file == "-" else file
    columns = open_table(source).columns if controls else []
    if file == "-":
        source.seek(0)
    return read_episodes(
        source,
        agent=agent,
        utility=utility,
        deal=deal,
        seat=seat,
        hand=hand,
        controls=[name for name in controls if name in columns],
        on_error=on_error,
    )


def _teams(team: list[str] | None) -> dict[str, str] | None:
    if not team:
        return None
    pairs = [entry.rpartition("=") for entry in team]
    bad = [entry for entry, (name, _, whose) in zip(team, pairs, strict=True) if not name or not whose]
    if bad:
        raise ParameterError(f'--team "{bad[0]}" is not of the form AGENT=TEAM')
    return {name: whose for name, _, whose in pairs}


def _mean(mean: str | None) -> float | dict[str, float] | Literal["estimate"] | None:
    if mean is None:
        return None
    if mean == "estimate":
        return "estimate"
    if "=" not in mean:
        return _number(mean, "--mean", "a number, SEAT=VALUE,SEAT=VALUE or estimate")
    parts = [entry.rpartition("=") for entry in mean.split(",")]
    return {seat.strip(): _number(value, "--mean", "of the form SEAT=VALUE,SEAT=VALUE") for seat, _, value in parts}


def _coefficient(coefficient: str) -> float | Literal["fitted", "cross-fitted"]:
    if coefficient == "fitted":
        return "fitted"
    if coefficient == "cross-fitted":
        return "cross-fitted"
    return _number(coefficient, "--coefficient", "fitted, cross-fitted or a number")


def _number(value: str, option: str, wanted: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f'{option} "{value}" is not {wanted}') from None
