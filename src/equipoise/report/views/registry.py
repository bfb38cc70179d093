"""A view for every result: its own where it has one, else its table, its words and its main estimate as a chart."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from equipoise.analyses.everything import Section
from equipoise.catalogue import method_named
from equipoise.core.diagnostics import warning
from equipoise.core.errors import EquipoiseError
from equipoise.core.results import Result, jsonable
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.registry import charts_of
from equipoise.report.views.by_class import written_for
from equipoise.report.views.view import Column, TableView, View, decimal, known, text

__all__ = ["VIEWS_FOR", "section_view", "view_of"]

VIEWS_FOR: Mapping[str, str] = {
    "equipoise.aggregates.profiles.PerformanceProfile": "equipoise.report.views.profiles.profile_view",
    "equipoise.alpharank.alpha_rank.AlphaRank": "equipoise.report.views.games.masses_view",
    "equipoise.alpharank.alpha_sweep.AlphaSweep": "equipoise.report.views.games.sweep_view",
    "equipoise.analyses.scores.benchmark.Benchmark": "equipoise.report.views.benchmark.benchmark_view",
    "equipoise.analyses.boards.changes.BoardChanges": "equipoise.report.views.changes.board_changes_view",
    "equipoise.analyses.catalogued.MethodList": "equipoise.report.views.listings.methods_view",
    "equipoise.analyses.play.hands.HandsWithoutLuck": "equipoise.report.views.luck.luck_view",
    "equipoise.analyses.scores.items.FittedItems": "equipoise.report.views.items.items_view",
    "equipoise.analyses.scores.items.ScoredAgents": "equipoise.report.views.items.scored_view",
    "equipoise.analyses.votes.judging.WeighedJudges": "equipoise.report.views.judges.judges_view",
    "equipoise.analyses.play.metagame.WeighedGame": "equipoise.report.views.games.weighed_view",
    "equipoise.schedule.plan.Plan": "equipoise.report.views.plan.plan_view",
    "equipoise.analyses.scores.prediction.PredictedScores": "equipoise.report.views.predict.predict_view",
    "equipoise.analyses.boards.standings.Standings": "equipoise.report.views.leaderboard.leaderboard",
    "equipoise.analyses.votes.voting.WeighedVoters": "equipoise.report.views.voters.voters_view",
    "equipoise.flows.additivity.Additivity": "equipoise.report.views.benchmark.additivity_view",
    "equipoise.flows.schur.Schur": "equipoise.report.views.games.discs_view",
    "equipoise.items.result.IRT": "equipoise.report.views.items.irt_view",
    "equipoise.nash.agents.AgentNash": "equipoise.report.views.games.nash_view",
    "equipoise.ratings.categories.result.CategoryBoards": "equipoise.report.views.categories.category_boards_view",
    "equipoise.ratings.paired.result.BradleyTerry": "equipoise.report.views.leaderboard.rating_view",
    "equipoise.ratings.online.elo.Elo": "equipoise.report.views.leaderboard.rating_view",
    "equipoise.ratings.length.result.LengthControlled": "equipoise.report.views.length_control.controlled_view",
    "equipoise.ratings.online.melo.Melo": "equipoise.report.views.leaderboard.rating_view",
    "equipoise.ratings.covariates.style_control.StyleControl": "equipoise.report.views.style.style_view",
    "equipoise.schedule.compare_pair.PairComparison": "equipoise.report.views.versus.comparison_view",
}
"""Classes of results, and who makes their views."""
WHOLE: Mapping[str, str] = {"equipoise.schedule.plan.Plan": "equipoise.report.views.plan.whole_plan_view"}
"""Those of which a report tells more than a command."""


def section_view(section: Section) -> View:
    """Make the view of one section of a report; what could not be computed is said."""
    if section.result is None:
        return _failed(section)
    whole = written_for(type(section.result), WHOLE)
    if whole is not None:
        told: View = whole(section.result)
        return told
    view = view_of(section.result)
    return replace(view, title=view.title or section.title, sentences=(*section.words, *view.sentences))


def _failed(section: Section) -> View:
    error = section.error or EquipoiseError("nothing is known of why")
    words = (f"{section.title} could not be computed: ", *error.words, ".")
    note = warning("not-computed", words, advice=error.advice)
    return View((), (f"{section.title}: no answer; see what to know below.",), (note,), title=section.title)


def view_of(result: Result) -> View:
    """Make the view of any result."""
    own = written_for(type(result), VIEWS_FOR)
    view: View = _plain_view(result) if own is None else own(result)
    return view


def _plain_view(result: Result) -> View:
    """Show table, words and chart as they are: what a method of another package gets without doing anything."""
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
