"""A view for every result: its own where it has one, else its table, its words and its main estimate as a chart."""

from dataclasses import replace
from functools import partial, singledispatch
from typing import Any

from equipoise.aggregates.profiles import PerformanceProfile
from equipoise.alpharank.alpha_rank import AlphaRank
from equipoise.alpharank.alpha_sweep import AlphaSweep
from equipoise.analyses.benchmark import Benchmark
from equipoise.analyses.boards import BoardChanges
from equipoise.analyses.catalogued import MethodList
from equipoise.analyses.category_boards import RankedByCategory
from equipoise.analyses.everything import Section
from equipoise.analyses.hands import HandsWithoutLuck
from equipoise.analyses.items import FittedItems, ScoredAgents
from equipoise.analyses.judging import WeighedJudges
from equipoise.analyses.length_control import RatesAtEqualLength
from equipoise.analyses.metagame import WeighedGame
from equipoise.analyses.next_games import PlannedGames
from equipoise.analyses.prediction import PredictedScores
from equipoise.analyses.standings import Standings
from equipoise.analyses.versus import TwoAgents
from equipoise.analyses.voting import WeighedVoters
from equipoise.catalogue import method_named
from equipoise.diagnostics import warning
from equipoise.errors import EquipoiseError
from equipoise.flows.additivity import Additivity
from equipoise.flows.schur import Schur
from equipoise.items.fit import IRT
from equipoise.nash.agents import AgentNash
from equipoise.ratings.boards_by_result import CategoryBoards
from equipoise.ratings.bradley_terry import BradleyTerry
from equipoise.ratings.elo import Elo
from equipoise.ratings.length_controlled_result import LengthControlled
from equipoise.ratings.melo import Melo
from equipoise.ratings.style_control import StyleControl
from equipoise.report.benchmark import additivity_view, benchmark_view
from equipoise.report.boards import board_changes_view
from equipoise.report.category_boards import category_boards_view, ranked_by_category_view
from equipoise.report.charts.canvas import ChartView
from equipoise.report.charts.forest import Forest, Span
from equipoise.report.drawing import charts_of
from equipoise.report.games import discs_view, masses_view, nash_view, sweep_view, weighed_view
from equipoise.report.items import irt_view, items_view, scored_view
from equipoise.report.judges import judges_view
from equipoise.report.leaderboard import leaderboard, rating_view
from equipoise.report.length_control import controlled_view, length_view
from equipoise.report.listings import methods_view
from equipoise.report.luck import luck_view
from equipoise.report.plan import plan_view
from equipoise.report.predict import predict_view
from equipoise.report.profiles import profile_view
from equipoise.report.style import style_view
from equipoise.report.versus import comparison_view, versus_view
from equipoise.report.view import Column, TableView, View, decimal, known, text
from equipoise.report.voters import voters_view
from equipoise.results import Result, jsonable
from equipoise.schedule.compare_pair import PairComparison

__all__ = ["section_view", "view_of"]


def section_view(section: Section) -> View:
    """Make the view of one section of a report; what could not be computed is said."""
    if section.result is None:
        return _failed(section)
    if isinstance(section.result, PlannedGames):
        return plan_view(section.result, everything=True)
    view = view_of(section.result)
    return replace(view, title=view.title or section.title, sentences=(*section.words, *view.sentences))


def _failed(section: Section) -> View:
    error = section.error or EquipoiseError("nothing is known of why")
    words = (f"{section.title} could not be computed: ", *error.words, ".")
    note = warning("not-computed", words, advice=error.advice)
    return View((), (f"{section.title}: no answer; see what to know below.",), (note,), title=section.title)


@singledispatch
def view_of(result: Result) -> View:
    """Make the view of any result: what a method of another package gets without doing anything."""
    rows = result.frame().to_dicts()
    name = _method_of(result)
    return View(
        tables=(TableView(result.rows_name, rows, _columns(rows, result), units=dict(result.units)),),
        sentences=result.words,
        diagnostics=result.diagnostics,
        document={"method": name, **jsonable(result.summary()), "params": jsonable(result.params)},
        method=f"{type(result).__name__}.",
        charts=partial(_charts, result, rows),
        cites=(name,),
    )


for kind, view in (
    (Standings, leaderboard), (Benchmark, benchmark_view), (FittedItems, items_view), (ScoredAgents, scored_view),
    (HandsWithoutLuck, luck_view), (WeighedGame, weighed_view), (PlannedGames, plan_view), (MethodList, methods_view),
    (AlphaRank, masses_view), (AlphaSweep, sweep_view), (AgentNash, nash_view), (Schur, discs_view),
    (Additivity, additivity_view), (IRT, irt_view), (TwoAgents, versus_view), (PairComparison, comparison_view),
    (CategoryBoards, category_boards_view), (RankedByCategory, ranked_by_category_view),
    (PredictedScores, predict_view), (WeighedJudges, judges_view), (BoardChanges, board_changes_view),
    (RatesAtEqualLength, length_view), (LengthControlled, controlled_view), (WeighedVoters, voters_view),
    (StyleControl, style_view),
    (PerformanceProfile, profile_view), (BradleyTerry, rating_view), (Elo, rating_view), (Melo, rating_view),
):  # fmt: skip
    view_of.register(kind, view)


def _method_of(result: Result) -> str:
    """Name the method behind a result, as far as its type's name tells."""
    try:
        return method_named(
            "".join(f"_{c.lower()}" if c.isupper() else c for c in type(result).__name__).strip("_")
        ).name
    except EquipoiseError:
        return type(result).__name__


def _columns(rows: list[dict[str, Any]], result: Result) -> list[Column]:
    """Show every column of the frame; numbers to the right, with their unit in the heading."""
    if not rows:
        return []
    shown = []
    for k, (name, value) in enumerate(rows[0].items()):
        number = isinstance(value, float)
        unit = result.units.get(name)
        heading = f"{name} ({unit})" if unit else name
        cell = decimal(name, 3) if number else text(name)
        stays = k == 0 or name in (result.main, "low", "high", "rank_low", "rank_high")
        shown.append(Column(heading, cell, right=isinstance(value, int | float), drop=0 if stays else k))
    return shown


def _charts(result: Result, rows: list[dict[str, Any]]) -> tuple[ChartView, ...]:
    """Draw what the result's type is known for, else its main estimate with its interval."""
    special = charts_of(result)
    label = next((name for name, value in rows[0].items() if isinstance(value, str)), None) if rows else None
    if special or label is None or not isinstance(rows[0].get(result.main), float):
        return special
    spans = [Span(row[label], *(known(row.get(key)) for key in (result.main, "low", "high"))) for row in rows]
    unit = result.units.get(result.main)
    kind = getattr(result, "interval", None)
    described = str(kind) if kind and any(one.low is not None for one in spans) else ""
    return (Forest(spans, f"{result.main} ({unit})" if unit else result.main, described, 2),)
