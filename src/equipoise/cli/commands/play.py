"""Commands about play: ``luck``, ``metagame``, ``plan`` and ``judges``."""

import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from equipoise.cli.options.choices import By, Distance, LuckMethod, Permutations, Sampling, Show
from equipoise.cli.options.generated import SEED, LevelOption, OutputOptions, SeedOption
from equipoise.cli.options.values import named_values
from equipoise.cli.output.output import FileArgument, source_of, write_view
from equipoise.cli.output.waiting import short, working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions

PARTS = ("profiles", "graph", "sweep", "bounds", "next", "deviation")
"""What there is to show of a meta-game."""


def luck(
    file: FileArgument,
    read: ReadOptions,
    to: OutputOptions,
    *,
    control: Annotated[
        list[str] | None,
        typer.Option(help="Control variate: a column, or an agent whose self-play is among the rows. Can be repeated."),
    ] = None,
    method: Annotated[
        LuckMethod | None,
        typer.Option(help="How to remove luck [default: baseline with controls, else duplicate, else plain]."),
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
            help="The control variate's mean: a number, SEAT=VALUE,SEAT=VALUE, or estimate [default: 0, checked]."
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
    seed: Annotated[int | None, SEED] = None,
) -> None:
    """Remove luck from dealt hands: who wins how much, and what the adjustment is worth in hands.

    One row of the file is one seat of one hand. A control variate is what a bot won on the same deal and seat against
    itself.

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
    if seed is not None:
        print("equipoise: --seed has no effect: nothing in luck is random", file=sys.stderr)
    with working(f"Analysing {short(file)}"):
        from equipoise.analyses.play.hands import remove_luck
        from equipoise.report.views.luck import luck_view

        hands = remove_luck(
            source_of(file), control=control, method=method, by=by, teams=named_values(teams, "teams", "AGENT=TEAM"),
            coefficient=_coefficient(coefficient), mean=_mean(mean), permutations=permutations,
            independent=independent, zero_sum=zero_sum, half_width=half_width, level=level, read=read,
        )  # fmt: skip
    write_view(luck_view(hands), to)


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


def metagame(
    file: Annotated[
        str,
        typer.Argument(help="JSON with strategies and K nested lists of payoffs, or a square table of one population."),
    ],
    read: ReadOptions,
    to: OutputOptions,
    *,
    alpha: Annotated[float, typer.Option(help="Selection strength; inf for the exact limit.")] = math.inf,
    m: Annotated[int, typer.Option("--m", help="Population size.")] = 50,
    perturbation: Annotated[
        str, typer.Option(hidden=True, help="At infinite alpha: auto, limit, or a mistake probability such as 0.01.")
    ] = "auto",
    merge_clones: Annotated[bool, typer.Option("--merge-clones", help="Take copies of a strategy for one.")] = False,
    width: Annotated[
        float | None,
        typer.Option(help="For bounds: every payoff may be off by so much [default: the file's low and high]."),
    ] = None,
    budget: Annotated[int, typer.Option(help="For next: how many games to propose.")] = 20,
    delta: Annotated[float, typer.Option(help="For next: confidence parameter.")] = 0.1,
    sampling: Annotated[Sampling, typer.Option(help="For next: how profiles are chosen.")] = "valence-weighted",
    payoff_range: Annotated[
        tuple[float, float], typer.Option("--range", help="For next: least and greatest payoff of a single game.")
    ] = (0.0, 1.0),
    n: Annotated[
        int | None,
        typer.Option("--bootstrap", hidden=True, help="For deviation: bootstrap samples [default: 100 if quick]."),
    ] = None,
    top: Annotated[int | None, typer.Option(help="Show only so many strategy profiles.")] = None,
    seed: SeedOption = 0,
) -> None:
    """Rank the strategy profiles of a game: alpha-Rank, its response graph, its bounds, and what to play next.

    In Python: `equipoise.metagame("payoffs.json")`

    Examples
    --------
    - `equipoise metagame payoffs.json`

    - `equipoise metagame winrates.csv --alpha 10 --top 5`

    - `equipoise metagame payoffs.json --show bounds --width 0.05`

    - `equipoise metagame counted.json --show next --budget 50`

    - `equipoise metagame payoffs.json --show deviation`
    """
    with working(f"Ranking {short(file)}"):
        from equipoise.analyses.play.metagame import metagame
        from equipoise.report.views.games import weighed_view

        weighed = metagame(
            source_of(file), show=_part(to), alpha=alpha, m=m, perturbation=_perturbation(perturbation),
            merge_clones=merge_clones, width=width, budget=budget, delta=delta,
            sampling=sampling, payoff_range=payoff_range, n=n, rng=seed, read=read,
        )  # fmt: skip
    write_view(weighed_view(weighed, top), replace(to, show=None))


def _part(to: OutputOptions) -> Show:
    """Give what is asked of a meta-game: its profiles, or the one thing that is to be shown."""
    (name, *others) = to.shown or PARTS[:1]
    if name not in PARTS or others:
        raise ParameterError(Option("show"), f' takes one of {", ".join(PARTS)} here, not "{to.show}"')
    return cast(Show, name)


def _perturbation(given: str) -> float | Literal["auto", "limit"]:
    if given == "auto":
        return "auto"
    if given == "limit":
        return "limit"
    try:
        return float(given)
    except ValueError as error:
        raise ParameterError(Option("perturbation"), f' is auto, limit or a number, not "{given}"') from error


@dataclass(frozen=True, slots=True, kw_only=True)
class GuaranteeOptions:
    """How accurate the answer is to be that a number of games guarantees in advance."""

    epsilon: Annotated[float, typer.Option(hidden=True, help="Of --show guarantee: accuracy of expected scores.")] = 0.1
    gap: Annotated[
        float, typer.Option(hidden=True, help="Of --show guarantee: difference in win rates to resolve.")
    ] = 0.1
    alpha: Annotated[
        float, typer.Option(hidden=True, help="Of --show guarantee: selection strength of alpha-Rank.")
    ] = 1.0


def plan(
    file: FileArgument,
    accuracy: GuaranteeOptions,
    read: ReadOptions,
    to: OutputOptions,
    *,
    budget: Annotated[int, typer.Option(help="Games to assign.")] = 100,
    goal: Annotated[
        str, typer.Option(help="As in arenas: best, top:K, order (of all), or profile (the response graph).")
    ] = "best",
    delta: Annotated[float, typer.Option(help="Probability of any wrong decision, over all pairs and looks.")] = 0.05,
    margin: Annotated[float | None, typer.Option(help="Scores within 1/2 +- margin count as equal.")] = None,
    seed: SeedOption = 0,
) -> None:
    """Say which pairs to play next, which are decided, and how many games would be enough.

    In Python: `equipoise.plan("matches.csv", budget=500)`

    Examples
    --------
    - `equipoise plan matches.csv --budget 500 --goal top:3`

    - `equipoise plan matches.csv --budget 500 --goal profile --margin 0.05`
    """
    with working(f"Planning {short(file)}"):
        from equipoise.analyses.play.next_games import plan
        from equipoise.report.views.plan import plan_view

        planned = plan(
            source_of(file), budget=budget, goal=goal, delta=delta, epsilon=accuracy.epsilon, gap=accuracy.gap,
            alpha=accuracy.alpha, margin=margin, rng=seed, read=read,
        )  # fmt: skip
    write_view(plan_view(planned, to.rows == "all"), to)


def judges(
    file: FileArgument,
    read: ReadOptions,
    to: OutputOptions,
    *,
    judge: Annotated[
        str | None, typer.Option(help="Column of judges [default: judge, rater, worker, voter ...].")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--task", help="Column of what was judged [default: item, question_id, prompt ...].")
    ] = None,
    organisation: Annotated[
        Path | None,
        typer.Option(help="Table of agents and judges with their organisations [default: columns organisation_a ...]."),
    ] = None,
    distance: Annotated[
        Distance, typer.Option(help="Disagreement of judges: equal or not, by order, or by how much votes differ.")
    ] = "nominal",
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Rate agents with judges weighted by how often they look.")
    ] = False,
    level: LevelOption = 0.95,
) -> None:
    """Measure judges: position bias, self-preference, consistency in both orders, and agreement.

    In Python: `equipoise.judges("votes.csv", judge="voter")`; a part: `equipoise.agreement`

    Examples
    --------
    - `equipoise judges votes.csv --judge voter --cluster prompt`

    - `equipoise judges votes.csv --task question_id --organisation houses.csv --format json`

    - `equipoise judges votes.csv --weighted --show weights,weighted`

    - `equipoise judges votes.csv --judge worker --distance ordinal --page judges.html`
    """
    with working(f"Analysing the judges of {short(file)}"):
        from equipoise.analyses.votes.judging import judges
        from equipoise.report.views.judges import judges_view

        found = judges(
            source_of(file), judge=judge, item=item, organisation=organisation, distance=distance, weighted=weighted,
            level=level, read=read,
        )  # fmt: skip
    write_view(judges_view(found), to)
