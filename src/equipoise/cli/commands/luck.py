"""``equipoise luck``: how much of what agents won was luck."""

from typing import Annotated, Literal

import typer

from equipoise.cli.options.choices import By, LuckMethod, Permutations
from equipoise.cli.options.generated import OutputOptions
from equipoise.cli.output.output import (
    FileArgument,
    LevelOption,
    SeedOption,
    source_of,
    write_view,
)
from equipoise.cli.output.waiting import short, working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions

__all__ = ["luck"]


def luck(
    file: FileArgument,
    read: ReadOptions,
    to: OutputOptions,
    *,
    control: Annotated[
        list[str] | None,
        typer.Option(help="Control: a column, or an agent whose self-play is among the rows. Can be repeated."),
    ] = None,
    method: Annotated[
        LuckMethod | None,
        typer.Option(
            help="How to take out luck, or not [default: baseline with --control, else duplicate, else plain]."
        ),
    ] = None,
    by: Annotated[By, typer.Option(help="One row for each agent, pair or team.")] = "agent",
    teams: Annotated[
        list[str] | None, typer.Option("--team", help="AGENT=TEAM, for --by team. Repeat it for each member.")
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
    zero_sum: Annotated[
        bool, typer.Option("--zero-sum", help="Subtract each table's mean first (for games that are not zero-sum).")
    ] = False,
    half_width: Annotated[
        float | None, typer.Option(help="Also say how many hands intervals of plus or minus this much would take.")
    ] = None,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,  # noqa: ARG001  # every analysis command takes it; nothing here is random
) -> None:
    """Take luck out of dealt hands: who wins how much, and what the hands are worth.

    One row of the file is one seat of one hand. A control is what a bot won on the same deal and seat against itself.

    In Python: `equipoise.remove_luck("hands.csv", control="bot")`

    Examples
    --------
    - `equipoise luck hands.csv --control bot --deal deal --seat seat`

    - `equipoise luck hands.csv --method duplicate --by pair`

    - `equipoise luck hands.csv --control bot --coefficient cross-fitted --format json`

    - `equipoise luck hands.csv --score aivat --method plain`

    - `equipoise luck pilot.csv --control bot --half-width 0.05`

    - `equipoise luck match.csv --control bot --by team --team Ann=humans --team Bob=humans`
    """
    with working(f"Weighing {short(file)}"):
        from equipoise.analyses.play.hands import remove_luck
        from equipoise.report.views.luck import luck_view

        hands = remove_luck(
            source_of(file), control=control, method=method, by=by, teams=_teams(teams),
            coefficient=_coefficient(coefficient), mean=_mean(mean), permutations=permutations,
            independent=independent, zero_sum=zero_sum, half_width=half_width, level=level, read=read,
        )  # fmt: skip
    write_view(luck_view(hands), to)


def _teams(teams: list[str] | None) -> dict[str, str] | None:
    if not teams:
        return None
    pairs = [entry.rpartition("=") for entry in teams]
    bad = [entry for entry, (name, _, whose) in zip(teams, pairs, strict=True) if not name or not whose]
    if bad:
        raise ParameterError(Option("teams"), f' "{bad[0]}" is not of the form AGENT=TEAM')
    return {name: whose for name, _, whose in pairs}


def _mean(mean: str | None) -> float | dict[str, float] | Literal["estimate"] | None:
    if mean is None:
        return None
    if mean == "estimate":
        return "estimate"
    if "=" not in mean:
        return _number(mean, "mean", "a number, SEAT=VALUE,SEAT=VALUE or estimate")
    parts = [entry.rpartition("=") for entry in mean.split(",")]
    return {seat.strip(): _number(value, "mean", "of the form SEAT=VALUE,SEAT=VALUE") for seat, _, value in parts}


def _coefficient(coefficient: str) -> float | Literal["fitted", "cross-fitted"]:
    if coefficient == "fitted":
        return "fitted"
    if coefficient == "cross-fitted":
        return "cross-fitted"
    return _number(coefficient, "coefficient", "fitted, cross-fitted or a number")


def _number(value: str, option: str, wanted: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(Option(option), f' "{value}" is not {wanted}') from None
