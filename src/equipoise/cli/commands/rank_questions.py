"""What ``equipoise rank`` answers besides a leaderboard: each question is asked by an option, and heeds some others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.cli.options.reading import as_reading
from equipoise.cli.output.output import source_of
from equipoise.cli.output.waiting import short, working
from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option

if TYPE_CHECKING:
    from equipoise.report.views.view import View

__all__ = ["question_of"]

Options = Mapping[str, Any]
READING = ("a", "b", "outcome", "weight", "outcome_means", "duplicates", "group", "time", "table", "where", "since",
           "until", "on_error")  # fmt: skip
"""How the file is read, which every question takes."""
ALWAYS = {*READING, "file", "level", "seed", "scale", "offset", "jobs", "verbose", "whole", "form", "output", "report"}
COUNTS = ("wins", "losses", "games")
ONLY_WITH = {"tau": "by", "baseline": "length_controlled", "length": "length_controlled", "shared": "since_board",
             "difficulty": "length_controlled", "least_p": "hold"}  # fmt: skip
"""Options that say more about another."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that an option asks, the other options that it heeds, and who answers."""

    option: str
    heeds: tuple[str, ...]
    answer: Callable[[Options], "View"]


def question_of(given: Options, usual: Options) -> Question | None:
    """Give the question that was asked; None for the leaderboard.

    Fails when
        an option was given that the question does not heed.
    """
    changed = [name for name, value in given.items() if value != usual.get(name) and name not in ("file", *ALWAYS)]
    asked = next((question for question in QUESTIONS if question.option in changed), None)
    for name in changed:
        if name in ONLY_WITH and ONLY_WITH[name] not in changed:
            raise ParameterError(Option(name), " goes with ", Option(ONLY_WITH[name]), " only")
        if asked is not None and name not in (asked.option, *asked.heeds):
            raise ParameterError(Option(name), " does not go with ", Option(asked.option))
    return asked


def _some(given: Options, *names: str) -> dict[str, Any]:
    return {name: given[name] for name in (*READING, "level", *names)}


def _only(given: Options, question: str, name: str, *allowed: object) -> Any:
    """Give an option of which the question takes some values only."""
    if given[name] not in allowed:
        raise ParameterError(Option(name, given[name]), " does not go with ", Option(question))
    return given[name]


def _largest(given: Options, question: str) -> str | None:
    return "largest" if _only(given, question, "islands", "refuse", "largest") == "largest" else None


def _by(given: Options) -> "View":
    _only(given, "by", "pairing", None, "fixed")
    options = _some(given, *COUNTS, "side", "prior", "tau", "min_games", "metric")
    options |= {"islands": _largest(given, "by"), "reading": as_reading(given["reading"]), "rng": given["seed"]}
    with working(f"Ranking {short(given['file'])} by {given['by']}"):
        from equipoise.analyses.boards.categories import rank_by_category
        from equipoise.report.views.categories import ranked_by_category_view
        from equipoise.report.views.leaderboard import Scale

        found = rank_by_category(source_of(given["file"]), given["by"], **options)
        return ranked_by_category_view(found, Scale(given["scale"], given["offset"]))


def _versus(given: Options) -> "View":
    names = [name.strip() for name in given["versus"].split(",")]
    if len(names) != 2 or not all(names):
        raise ParameterError(Option("versus"), f' is two names with a comma between them, not "{given["versus"]}"')
    options = _some(given, *COUNTS, "side", "min_games", "metric")
    options |= {"islands": _largest(given, "versus"), "pairing": given["pairing"] or "fixed", "rng": given["seed"]}
    with working(f"Comparing {given['versus']}"):
        from equipoise.analyses.boards.versus import compare_agents
        from equipoise.report.views.versus import versus_view

        reading = as_reading(given["reading"])
        return versus_view(compare_agents(source_of(given["file"]), *names, reading=reading, **options))


def _at_equal_length(given: Options) -> "View":
    difficulty = given["difficulty"]
    if difficulty is not None and Path(difficulty).is_file():
        difficulty = Path(difficulty)
    options = _some(given, "baseline", "min_games") | {"difficulty": difficulty, "rng": given["seed"]}
    with working(f"Rates of {short(given['file'])} at equal length"):
        from equipoise.analyses.boards.length_control import control_length
        from equipoise.report.views.length_control import length_view

        return length_view(control_length(source_of(given["file"]), length=given["length"] or "length", **options))


def _with_and_without(given: Options) -> "View":
    options = _some(given, "clean", "ties", "side", "prior", "min_games") | {"rng": given["seed"]}
    with working(f"Ranking {short(given['file'])} with and without each step"):
        from equipoise.analyses.votes.cleaning import cleaning_sensitivity
        from equipoise.report.views.cleaning import sensitivity_view

        return sensitivity_view(cleaning_sensitivity(source_of(given["file"]), **options))


def _placed(given: Options) -> "View":
    options = _some(given, *COUNTS, "side", "clean", "least_p")
    with working(f"Placing agents of {short(given['file'])}"):
        from equipoise.analyses.boards.placing import place_agents
        from equipoise.report.views.leaderboard import Scale
        from equipoise.report.views.placing import placed_view

        placed = place_agents(source_of(given["file"]), given["hold"], **options)
        return placed_view(placed, Scale(given["scale"], given["offset"]))


LOGS = ("metric", "reading")
QUESTIONS = (
    Question("by", (*COUNTS, *LOGS, "side", "prior", "tau", "min_games", "islands", "pairing"), _by),
    Question("versus", (*COUNTS, *LOGS, "side", "pairing", "islands", "min_games"), _versus),
    Question("length_controlled", ("baseline", "length", "difficulty", "min_games"), _at_equal_length),
    Question("sensitivity", ("clean", "ties", "side", "prior", "min_games"), _with_and_without),
    Question("hold", (*COUNTS, "least_p", "side", "clean"), _placed),
)
"""In this order: of two that are asked at once the first does not go with the second."""
